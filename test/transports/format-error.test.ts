import { gzipSync } from 'node:zlib'
import { createTestClient } from 'alula-testing'
import { describe, expect, it } from 'vitest'
import { Conflict, NotAuthenticated } from '../../src/errors.ts'
import { toMiddleware } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'
import type { FormatError } from '../../src/transport.ts'
import { mount } from '../express/mount.ts'
import { configureLogin } from '../support/login.ts'
import { serve } from '../support/server.ts'
import { connectSocket } from '../support/sockets.ts'
import {
  describeHttpTransports,
  describeRemoteTransports,
  type OpenTransport
} from '../support/transports.ts'

const JSON_HEADERS = { 'Content-Type': 'application/json' }

/** Opens a service that fails with a conflict; `format` decides how errors look. */
function openFailing(
  open: OpenTransport,
  format: unknown,
  error: unknown = new Conflict('Taken', { by: { id: 1 } })
) {
  return open((app: any) => {
    app.set('formatError', format)
    app.use('things', {
      find: async () => {
        throw error
      },
      create: async () => ({})
    })
  })
}

const toProblem: FormatError = ({ name, message }, { status, request }) => ({
  title: `${name}: ${message}`,
  status,
  request: { ...request, headers: typeof request.headers }
})

describeRemoteTransports('formatError', (open) => {
  it('decides on the body of errors, and gets the error, the status and the request', async () => {
    const error = new Conflict('Taken')
    const seen: any[] = []
    const client = await openFailing(
      open,
      (body: any, details: any) => {
        seen.push({ body, ...details })

        return { ...body, title: body.message }
      },
      error
    )

    expect(await client.fail('find', 'things')).toMatchObject({ title: 'Taken', code: 409 })
    expect(seen).toHaveLength(1)
    expect(seen[0].error).toBe(error)
    expect(seen[0]).toMatchObject({
      body: { name: 'Conflict', message: 'Taken', code: 409, className: 'conflict' },
      status: 409,
      request: { provider: client.provider, headers: expect.any(Object) }
    })
  })

  const invalid: { [title: string]: unknown } = {
    'throws an error': () => {
      throw new Error('no format')
    },
    'throws nothing': () => {
      throw undefined
    },
    'returns nothing': () => undefined,
    'returns null': () => null,
    'returns a string': () => 'text',
    'returns a number': () => 5,
    'returns an array': () => ['text'],
    'returns a function': () => () => ({}),
    'returns a promise': async () => ({ title: 'late' }),
    'returns a promise that rejects': () => Promise.reject(new Error('late')),
    'returns what is no JSON': () => ({ big: 1n }),
    'returns a circle': () => {
      const circle: any = {}

      circle.circle = circle

      return circle
    },
    'returns what becomes null as JSON': () => ({ toJSON: () => null }),
    'returns what becomes a string as JSON': () => new Date(0),
    'returns what becomes nothing as JSON': () => ({ toJSON: () => undefined }),
    'is no function': { title: 'text' }
  }

  it.each(Object.entries(invalid))('that %s leaves the usual body', async (_title, format) => {
    const client = await openFailing(open, format)

    expect(await client.fail('find', 'things')).toEqual({
      name: 'Conflict',
      message: 'Taken',
      code: 409,
      className: 'conflict',
      data: { by: { id: 1 } }
    })
  })

  it('that changes what it is given harms neither the error, nor the request, nor the next call', async () => {
    const error = new Conflict('Taken', { by: { id: 1 } })
    const seen: string[] = []
    const client = await openFailing(
      open,
      (body: any, { request }: any) => {
        seen.push(`${body.message} ${body.data.by.id} ${request.headers['x-evil']}`)
        body.message = 'changed'
        body.data.by.id = 2
        body.code = 200
        request.headers['x-evil'] = 'yes'
        throw new Error('no format')
      },
      error
    )

    for (let call = 0; call < 2; call++) {
      expect(await client.fail('find', 'things')).toMatchObject({
        message: 'Taken',
        code: 409,
        data: { by: { id: 1 } }
      })
    }

    expect(seen).toEqual(['Taken 1 undefined', 'Taken 1 undefined'])
    expect(error.data).toEqual({ by: { id: 1 } })
  })
})

describeHttpTransports('formatError', (open) => {
  const ask = async (format: unknown, path: string, init: RequestInit = {}) => {
    const client = await openFailing(open, format)
    const response = await client.request(path, init)

    return { status: response.status, headers: response.headers, body: (await response.json()) as any }
  }

  const cases: { [title: string]: [path: string, init: RequestInit, status: number, title: string] } = {
    'an error of a service': ['/things', {}, 409, 'Conflict: Taken'],
    'an id that a service has no method for': [
      '/things/1',
      {},
      405,
      'MethodNotAllowed: Method `get` is not supported by this endpoint.'
    ],
    'another verb': [
      '/things',
      { method: 'PUT' },
      405,
      'MethodNotAllowed: Method `update` is not supported by this endpoint.'
    ],
    'broken JSON': [
      '/things',
      { method: 'POST', body: '{', headers: JSON_HEADERS },
      400,
      'BadRequest: Invalid request body: expected valid JSON'
    ],
    'a body that cannot be decompressed': [
      '/things',
      {
        method: 'POST',
        body: gzipSync('{}').subarray(0, 10),
        headers: { ...JSON_HEADERS, 'Content-Encoding': 'gzip' }
      },
      400,
      'BadRequest: Invalid request body: it cannot be decompressed'
    ],
    'a malformed escape': [
      '/things?a=%',
      {},
      400,
      "BadRequest: Invalid query string: expected '%' to be followed by a valid UTF-8 escape"
    ]
  }

  it.each(Object.entries(cases))('decides on %s', async (_title, [path, init, status, title]) => {
    const { body, ...response } = await ask(toProblem, path, init)

    expect(response.status).toBe(status)
    expect(body).toEqual({
      title,
      status,
      request: {
        provider: 'rest',
        method: init.method ?? 'GET',
        path: expect.stringContaining(path.split('?')[0] as string),
        headers: 'object'
      }
    })
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
  })

  it('decides neither on the status nor on headers', async () => {
    const { status, headers, body } = await ask(
      () => ({ code: 200, status: 200, headers: { 'X-A': '1' } }),
      '/things',
      {
        method: 'DELETE'
      }
    )

    expect(status).toBe(405)
    expect(headers.get('allow')).toBe('GET, HEAD, QUERY, POST')
    expect(headers.get('x-a')).toBeNull()
    expect(body.code).toBe(200)
  })
})

describe('formatError', () => {
  const format: FormatError = ({ message }, { request: { method, path } }) => ({
    title: message,
    method,
    path
  })

  it.each(['a server of its own', 'a formatter', 'middleware of the service'])(
    'of an application in a plain Express server counts, with %s',
    async (kind) => {
      const app: any = alula()

      app.set('formatError', format)
      app.use(
        'things',
        { find: async () => Promise.reject(new Conflict('Taken')) },
        kind === 'middleware of the service'
          ? { express: { before: [(_req: any, _res: any, next: any) => next()] } }
          : {}
      )

      const url = await mount((server) =>
        server.use(
          toMiddleware(app, {
            logger: false,
            ...(kind === 'a formatter' && { formatter: (_request, response) => void response.json({}) })
          })
        )
      )

      expect(await (await fetch(`${url}/things`)).json()).toEqual({
        title: 'Taken',
        method: 'GET',
        path: '/things'
      })
    }
  )

  it.each([undefined, () => ({}), { toJSON: () => undefined }])(
    'that returns no JSON, such as %o, is reported by a sentence',
    async (formatted) => {
      const app: any = alula()
      const messages: string[] = []

      app.on('error', ({ message }: Error) => void messages.push(message))
      app.set('formatError', () => formatted)
      await createHandler(app, { logger: false })(new Request('http://a/things'))

      expect(messages).toEqual([
        "Invalid result of the setting 'formatError': expected an object (ALULA_INVALID_RETURN_VALUE)"
      ])
    }
  )

  it('decides on what test clients see', async () => {
    const app: any = alula()

    app.set('formatError', format)
    app.use('things', { find: async () => Promise.reject(new Conflict('Taken')) })
    await app.setup()

    const { fetch } = createTestClient(app)

    expect(await (await fetch('/things')).json()).toEqual({ title: 'Taken', method: 'GET', path: '/things' })
    expect(await (await fetch('/nowhere')).json()).toMatchObject({ title: 'Page not found' })
  })

  it('decides on what a client sees whose connection is refused', async () => {
    const app: any = alula()

    app.configure(socketio({ logger: false }))
    app.set('formatError', ({ message }: any, { status, request }: any) => ({
      title: message,
      status,
      ...request,
      headers: 0
    }))
    configureLogin(app)

    const url = await serve(app)

    await expect(
      connectSocket(url, { extraHeaders: { Authorization: 'Bearer x.y.z' } })
    ).rejects.toMatchObject({
      message: expect.stringMatching(/./),
      data: {
        title: expect.stringMatching(/./),
        status: 401,
        provider: 'socketio',
        method: 'connect',
        path: '',
        headers: 0
      }
    })
  })

  it('that returns an error is sent like an object', async () => {
    const app: any = alula()

    app.set('formatError', () => Object.assign(new NotAuthenticated('x'), { extra: 1 }))
    app.use('things', { find: async () => Promise.reject(new Conflict('Taken')) })
    await app.setup()

    const response = await createTestClient(app).fetch('/things')

    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({ name: 'NotAuthenticated', message: 'x' })
  })
})
