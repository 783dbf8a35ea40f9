import { afterEach, describe, expect, it, vi } from 'vitest'
import { NotFound } from '../../src/errors.ts'
import { alula } from '../../src/index.ts'
import { createError, createTypeError } from '../../src/utils/developer-error.ts'
import { defer } from '../support/deferred.ts'
import { configureLogin } from '../support/login.ts'
import { describeHttpTransports } from '../support/transports.ts'
import { echo, readJson, toText } from './support/mount.ts'

describeHttpTransports('a mounted function', (open) => {
  afterEach(() => vi.unstubAllEnvs())

  it('responds to requests under its prefix, in place of a method of a service', async () => {
    const client = await open((app) => {
      app.use('things', { get: async () => 'service' })
      app.mount('docs', toText('mounted'))
      app.mount('things/docs', toText('mounted too'))
    })
    const ask = async (path: string) => {
      const response = await client.request(path)

      return response.status === 200 ? response.text() : response.status
    }

    expect(await ask('/docs')).toBe('mounted')
    expect(await ask('/things/docs')).toBe('mounted too')
    expect(await ask('/things/1')).toBe('"service"')
    expect(await ask('/docs/')).toBe('mounted')
    expect(await ask('/docs/a/b?c=1')).toBe('mounted')
    expect(await ask('/docsa')).toBe(404)
    expect(await ask('/Docs')).toBe(404)
    expect(await ask('/a/docs')).toBe(404)
    expect(await ask('//docs')).toBe(404)
    expect(await ask('/docs//a')).toBe(404)
  })

  it('with the longest prefix wins, in whatever order they were mounted', async () => {
    const client = await open((app) => {
      app.mount('/a/b', toText('a/b')).mount('/a', toText('a')).mount('/a/b/c', toText('a/b/c'))
    })
    const ask = async (path: string) => (await client.request(path)).text()

    expect(await ask('/a')).toBe('a')
    expect(await ask('/a/bc')).toBe('a')
    expect(await ask('/a/b')).toBe('a/b')
    expect(await ask('/a/b/d')).toBe('a/b')
    expect(await ask('/a/b/c/d')).toBe('a/b/c')
  })

  it('gets the path without the prefix of the transport, the query, the method and the body', async () => {
    const client = await open((app) => app.mount('docs', echo), { prefix: '/v1' })

    expect(
      await readJson(client.request('/v1/docs/a%2Fb?c=1&d=%20', { method: 'PATCH', body: 'ü' }))
    ).toEqual({
      method: 'PATCH',
      url: '/docs/a%2Fb?c=1&d=%20',
      body: 'ü'
    })
    expect((await client.request('/docs')).status).toBe(404)
  })

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])('gets %s', async (method) => {
    const client = await open((app) => app.mount('docs', echo))

    expect(await readJson(client.request('/docs', { method }))).toEqual({ method, url: '/docs', body: '' })
  })

  it('runs for HEAD as for GET, and its body is cancelled', async () => {
    const cancelled = defer<string>()
    const client = await open((app) =>
      app.mount('docs', ({ method }) => {
        const body = new ReadableStream({ cancel: () => cancelled.resolve(method) })

        return new Response(body, { headers: { 'X-Docs': 'yes' } })
      })
    )
    const response = await client.request('/docs', { method: 'HEAD' })

    expect(response.headers.get('x-docs')).toBe('yes')
    expect(await response.text()).toBe('')
    expect(await cancelled.promise).toBe('GET')
  })

  it('may fail to cancel the body of a HEAD', async () => {
    const client = await open((app) =>
      app.mount(
        'docs',
        () => new Response(new ReadableStream({ cancel: () => Promise.reject(new Error('not cancelled')) }))
      )
    )

    expect((await client.request('/docs', { method: 'HEAD' })).status).toBe(200)
  })

  it('sets status and headers, several cookies too', async () => {
    const client = await open((app) =>
      app.mount(
        'docs',
        () =>
          new Response(null, {
            status: 418,
            headers: [
              ['Set-Cookie', 'a=1; Path=/'],
              ['Set-Cookie', 'b=2, 3'],
              ['X-Docs', 'yes'],
              ['Content-Length', '7'],
              ['Transfer-Encoding', 'chunked']
            ]
          })
      )
    )
    const response = await client.request('/docs')

    expect(response.status).toBe(418)
    expect(response.headers.get('x-docs')).toBe('yes')
    expect(response.headers.getSetCookie()).toEqual(['a=1; Path=/', 'b=2, 3'])
    expect(response.headers.get('content-length')).not.toBe('7')
    expect(await response.text()).toBe('')
  })

  it('gets the params of the client, its credentials and its address', async () => {
    const seen: any[] = []
    const client = await open(
      (app: any) => {
        configureLogin(app)
        app.mount('docs', (_request: Request, details: any) => {
          seen.push(details)

          return new Response()
        })
      },
      { params: () => ({ tenant: 5 }), authentication: { service: 'authentication' } }
    )

    await client.request('/docs', { headers: { Authorization: 'Bearer x', 'X-Key': '1' } })
    await client.request('/docs')

    const authentication = { strategy: 'jwt', accessToken: 'x' }

    expect(seen[0]).toEqual({
      params: expect.objectContaining({ provider: 'rest', tenant: 5, authentication }),
      authentication,
      authService: 'authentication',
      address: client.port === undefined ? undefined : '127.0.0.1',
      prefix: '/docs',
      method: 'GET'
    })
    expect(seen[0].params.headers['x-key']).toBe('1')
    expect(seen[1].authentication).toBeNull()
    expect(seen[1].params.provider).toBe('rest')
  })

  it('has its credentials looked for once', async () => {
    let count = 0
    const client = await open((app: any) => {
      configureLogin(app)
      app.mount('docs', toText('docs'))
      app.defaultAuthentication().register('counter', { parse: async () => void count++ })
      app.get('authentication').parseStrategies = ['counter']
    })

    await client.request('/docs')

    expect(count).toBe(1)
  })

  it('that throws is a 500 which shows nothing in production, and is logged', async () => {
    vi.stubEnv('NODE_ENV', 'production')

    const lines: string[] = []
    const client = await open(
      (app) => {
        app.set('formatError', (body: any) => ({ ...body, formatted: true }))
        app.mount('docs', async () => {
          throw new Error('the password of the database')
        })
        app.mount('none', () => undefined as any)
        app.mount('used', async () => {
          const response = new Response('a')

          await response.text()

          return response
        })
        app.mount('error', () => Response.error())
        app.mount('locked', () => {
          const response = new Response('a')

          response.body?.getReader()

          return response
        })
      },
      { logger: { error: (line) => lines.push(`${line.split('\n')[0]}`) } }
    )

    for (const path of ['/docs', '/none', '/used', '/error', '/locked']) {
      const response = await client.request(path)

      expect(response.status, path).toBe(500)
      expect(await response.json()).toEqual({
        name: 'GeneralError',
        message: 'An unexpected error occurred on the server',
        code: 500,
        className: 'general-error',
        formatted: true
      })
    }

    expect(lines).toEqual([
      'Error: the password of the database',
      "TypeError: The function that is mounted for '/none' returned no Response (ALULA_INVALID_RETURN_VALUE)",
      "TypeError: The function that is mounted for '/used' returned a Response that cannot be sent (ALULA_INVALID_RETURN_VALUE)",
      "TypeError: The function that is mounted for '/error' returned a Response that cannot be sent (ALULA_INVALID_RETURN_VALUE)",
      "TypeError: The function that is mounted for '/locked' returned a Response that cannot be sent (ALULA_INVALID_RETURN_VALUE)"
    ])
  })

  it('that throws a Feathers error keeps its status', async () => {
    const client = await open((app) =>
      app.mount('docs', () => {
        throw new NotFound('No such page')
      })
    )
    const response = await client.request('/docs')

    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ name: 'NotFound', message: 'No such page' })
  })

  it('streams its body while it is made', async () => {
    const first = defer()
    const client = await open((app) =>
      app.mount('docs', () => {
        const body = new ReadableStream({
          async start(controller) {
            controller.enqueue(Buffer.from('first '))
            await first.promise
            controller.enqueue(Buffer.from('second'))
            controller.close()
          }
        })

        return new Response(body)
      })
    )
    const response = await client.request('/docs')
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()

    expect(Buffer.from((await reader.read()).value as Uint8Array).toString()).toBe('first ')
    first.resolve()
    expect(Buffer.from((await reader.read()).value as Uint8Array).toString()).toBe('second')
    expect((await reader.read()).done).toBe(true)
  })

  it('of a part of an application is mounted under the path of the part', async () => {
    const client = await open((app) => {
      const part = alula()

      part.use('things', { find: async () => ['things'] })
      part.mount('docs', echo)
      app.use('part', part as any)
    })

    expect(await readJson(client.request('/part/things'))).toEqual(['things'])
    expect((await readJson(client.request('/part/docs/a'))).url).toBe('/part/docs/a')
    expect((await client.request('/docs')).status).toBe(404)
  })
})

describe('app.mount', () => {
  it.each([
    '',
    '/',
    '//',
    '/a//b',
    '/:id',
    '/a?b',
    '/a#b',
    '/a*',
    '/a b',
    '/ä',
    '/a\\b',
    '/.',
    '/a/../b',
    '/%',
    5,
    null,
    undefined,
    Symbol('a'),
    {}
  ])('refuses %s as a path', (path: any) => {
    const app = alula()

    expect(() => app.mount(path, toText(1))).toThrow(
      /^Invalid path '.*' of app\.mount: expected a path such as '\/docs'/
    )
  })

  it.each([undefined, null, {}, 'text', new Response()])('refuses %s as a function', (handler: any) => {
    expect(() => alula().mount('docs', handler)).toThrow(
      createTypeError(
        'ALULA_INVALID_ARGUMENT',
        "app.mount('/docs') expects a function that turns a Request into a Response"
      )
    )
  })

  it('refuses a prefix a second time, however it is written', () => {
    const app = alula().mount('docs', toText(1))

    for (const path of ['docs', '/docs', 'docs/', '/docs/']) {
      expect(() => app.mount(path, toText(2))).toThrow(
        createError('ALULA_PATH_TAKEN', "A function is mounted for '/docs' already")
      )
    }
  })

  it('refuses a service that no request would reach, in either order', () => {
    const service = { find: async () => [] }
    const message = (path: string) => `no request would reach '${path}'`

    for (const path of ['docs', 'docs/pages']) {
      expect(() => alula().mount('docs', toText(1)).use(path, service)).toThrow(message(path))
      expect(() => alula().use(path, service).mount('docs', toText(1))).toThrow(message(path))
      expect(() => alula().use('part', alula().use(path, service)).mount('part/docs', toText(1))).toThrow(
        message(`part/${path}`)
      )
    }

    alula().mount('docs', toText(1)).use('docsa', service).use('a/docs', service)
  })

  it('leaves nothing of a part whose prefix is mounted already', () => {
    const app: any = alula().mount('part/docs', toText(1))
    const part: any = alula().use('things', { find: async () => [] })

    part.mount('docs', toText(2))
    expect(() => app.use('part', part)).toThrow("A function is mounted for '/part/docs' already")
    expect(Object.keys(app.services)).toEqual([])
  })
})
