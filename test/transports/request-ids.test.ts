import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BadRequest } from '../../src/errors.ts'
import express, { errorHandler, notFound, rest } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { type Application, alula } from '../../src/index.ts'
import { koa, errorHandler as koaErrorHandler, rest as koaRest } from '../../src/koa.ts'
import { serve } from '../support/server.ts'
import { describeHttpTransports, describeTransports } from '../support/transports.ts'

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

function configure(app: Application): void {
  app.set('requestIds', true)
  app.use('ids', {
    find: async (params: any) => ({ id: params.requestId }),
    get: async () => {
      throw new Error('Broken')
    },
    remove: async () => {
      throw new BadRequest('Wrong')
    }
  } as any)
}

function collect(): { lines: any[]; logger: any } {
  const lines: any[] = []
  const write = (level: string) => (message: string, details: any) =>
    lines.push({ level, message, ...details })

  return { lines, logger: { error: write('error'), info: write('info'), debug: write('debug') } }
}

describeTransports('request ids', (open) => {
  it('are in params, in the log and in the body of a 500, and nowhere without the setting', async () => {
    const { lines, logger } = collect()
    const client = await open(configure, { logger })

    if (client.provider === undefined) return

    const [first, second] = [await client.call('find', 'ids'), await client.call('find', 'ids')]

    expect(first.id).toMatch(UUID)
    expect(second.id).not.toBe(first.id)

    const error = await client.fail('get', 'ids', { id: 1 })

    expect(error.requestId).toMatch(UUID)
    expect(lines).toMatchObject([{ level: 'error', context: { requestId: error.requestId, status: 500 } }])

    const wrong = await client.fail('remove', 'ids', { id: 1 })

    expect(wrong).not.toHaveProperty('requestId')
    expect(lines[1]).toMatchObject({
      level: 'debug',
      message: 'BadRequest: Wrong',
      context: { method: 'remove', requestId: expect.stringMatching(UUID), status: 400 }
    })

    const plain = await open((app) => {
      configure(app)
      app.set('requestIds', false)
    })

    expect(await plain.call('find', 'ids')).toEqual({})
  })
})

describeHttpTransports('the header of a client', (open) => {
  it('names no request', async () => {
    const client = await open(configure)
    const response = await client.request('/ids', { headers: { 'X-Request-Id': 'mine' } })

    expect(await response.json()).toEqual({ id: expect.stringMatching(UUID) })
  })
})

describeHttpTransports('the header of a response', (open) => {
  it('names the request, also where it failed, and only with the setting', async () => {
    const client = await open(configure)
    const response = await client.request('/ids')

    expect(response.headers.get('X-Request-Id')).toMatch(UUID)
    expect(await response.json()).toEqual({ id: response.headers.get('X-Request-Id') })

    const failed = await client.request('/ids/1')

    expect(failed.headers.get('X-Request-Id')).toMatch(UUID)
    expect(await failed.json()).toMatchObject({ requestId: failed.headers.get('X-Request-Id') })
    expect((await client.request('/ids/1', { method: 'DELETE' })).headers.get('X-Request-Id')).toMatch(UUID)

    const json = { 'Content-Type': 'application/json' }

    // They do not become calls.
    for (const [path, init, status] of [
      ['/ids', { method: 'POST', headers: json, body: '{' }, 400],
      ['/ids', { method: 'PUT', headers: json, body: '{}' }, 405]
    ] as const) {
      const refused = await client.request(path, init)

      expect([refused.status, refused.headers.get('X-Request-Id')]).toEqual([
        status,
        expect.stringMatching(UUID)
      ])
    }

    const plain = await open((app) => {
      configure(app)
      app.set('requestIds', false)
    })

    for (const path of ['/ids', '/ids/1'])
      expect((await plain.request(path)).headers.has('X-Request-Id')).toBe(false)
  })
})

describeHttpTransports('a request that fails has the id that its code has seen,', (open) => {
  it('also in a mounted function', async () => {
    const { lines, logger } = collect()
    const seen: unknown[] = []
    const client = await open(
      (app) => {
        configure(app)
        app.mount('files', (_request, { params }) => {
          seen.push(params.requestId)
          throw new Error('Broken')
        })
      },
      { logger }
    )
    const response = await client.request('/files')
    const { requestId }: any = await response.json()

    expect(seen).toEqual([requestId])
    expect(response.headers.get('X-Request-Id')).toBe(requestId)
    expect(lines).toMatchObject([{ level: 'error', context: { requestId } }])
  })

  it('also where If-Match keeps the call from running', async () => {
    const seen: unknown[] = []
    const client = await open((app) => {
      configure(app)
      app.use('notes', {
        get: async (id: any, params: any) => {
          seen.push(params.requestId)
          if (id === '2') throw new Error('Broken')

          return { id }
        },
        remove: async () => null
      } as any)
    })

    for (const [id, status] of [
      [1, 412],
      [2, 500]
    ]) {
      const response = await client.request(`/notes/${id}`, {
        method: 'DELETE',
        headers: { 'If-Match': '"other"' }
      })

      expect(response.status).toBe(status)
      expect(seen.splice(0)).toEqual([response.headers.get('X-Request-Id')])
    }
  })
})

it('a path that nothing is found at is named over Express and Koa too', async () => {
  const ofExpress = express(alula()).configure(rest())
  const ofKoa = koa(alula())
    .use(koaErrorHandler({ logger: false }))
    .configure(koaRest())

  configure(ofExpress as any)
  configure(ofKoa as any)
  ofExpress.use(notFound(), errorHandler({ logger: false }))

  for (const app of [ofExpress, ofKoa]) {
    const { status, headers } = await fetch(`${await serve(app as any)}/nowhere`)

    expect([status, headers.get('X-Request-Id')]).toEqual([404, expect.stringMatching(UUID)])
  }
})

it('an id of other code is no header where it could not be one', async () => {
  const app = alula()

  configure(app)

  const handle = createHandler(app, {
    params: () => ({ requestId: 'a\r\nSet-Cookie: b' }),
    cors: true
  } as any)
  const response = await handle(new Request('http://x/ids', { headers: { Origin: 'http://y' } }))

  expect(response.status).toBe(200)
  expect(response.headers.has('X-Request-Id')).toBe(false)

  const named = await createHandler(app, { cors: true })(
    new Request('http://x/ids', { headers: { Origin: 'http://y' } })
  )

  expect(named.headers.get('Access-Control-Expose-Headers')).toContain('X-Request-Id')
})

describe('the header of a trusted proxy', () => {
  it.each([
    ['req-1:a/b=+@', 'req-1:a/b=+@'],
    ['a'.repeat(128), 'a'.repeat(128)],
    ['a'.repeat(129), expect.stringMatching(UUID)],
    ['a b', expect.stringMatching(UUID)],
    ['<script>', expect.stringMatching(UUID)]
  ])('%s names the request, where it can', async (sent, id) => {
    const app = alula()

    configure(app)

    const handle = createHandler(app, { trustProxy: 1 })
    const response = await handle(new Request('http://x/ids', { headers: { 'X-Request-Id': sent } }))

    expect(await response.json()).toEqual({ id })
  })

  it('is that of Express and of Koa where these trust it', async () => {
    const headers = { 'X-Request-Id': 'mine' }
    const web = express(alula())
    const other = koa(alula())

    web.set('trust proxy', 1)
    web.configure(rest())
    other.proxy = true
    other.configure(koaRest())

    for (const app of [web, other]) {
      configure(app as unknown as Application)

      const server = await app.listen(0, '127.0.0.1')
      const { port } = server.address() as AddressInfo

      onTestFinished(async () => void (await app.teardown()))
      expect(await (await fetch(`http://127.0.0.1:${port}/ids`, { headers })).json()).toEqual({ id: 'mine' })
    }
  })

  it('a setting that is no boolean fails when the application is set up', async () => {
    const app = alula()

    app.set('requestIds', 'yes')
    await expect(app.setup()).rejects.toThrow("Invalid value for the setting 'requestIds'")
  })
})
