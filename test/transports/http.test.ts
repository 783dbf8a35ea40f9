import { once } from 'node:events'
import { request as send } from 'node:http'
import { json } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { NotAuthenticated } from '../../src/errors.ts'
import { describeHttpTransports } from '../support/transports.ts'

const JSON_HEADERS = { 'Content-Type': 'application/json' }

/** By `fetch`, an empty body always has a length. */
async function sendInChunks(port: number, path: string, headers: object, body: string): Promise<any> {
  const request = send({
    port,
    path,
    method: 'POST',
    headers: { ...headers, 'Transfer-Encoding': 'chunked' }
  })

  request.end(body)

  const [response] = await once(request, 'response')

  return json(response)
}

describeHttpTransports('responses', (open) => {
  it('what stands for placeholders of the path is decoded', async () => {
    const client = await open((app) =>
      app.use(
        'users/:userId/messages',
        { get: async (id: any, { route }: any) => ({ id, route }) },
        { routeParams: { kind: 'mail' } }
      )
    )

    expect(await client.call('get', 'users/a%20%2Fb/messages', { id: 'x' })).toEqual({
      id: 'x',
      route: { kind: 'mail', userId: 'a /b' }
    })
  })

  it('the status follows from method and result', async () => {
    const client = await open((app) =>
      app.use('things', {
        find: async () => [],
        get: async (id: any) => (id === 'null' ? null : { id }),
        create: async (data: any) => (data.empty ? null : data),
        remove: async () => undefined as any
      })
    )
    const status = async (path: string, method = 'GET', body?: string) =>
      (await client.request(path, { method, ...(body && { body, headers: JSON_HEADERS }) })).status

    expect(await status('/things')).toBe(200)
    expect(await status('/things/1')).toBe(200)
    expect(await status('/things/null')).toBe(204)
    expect(await status('/things', 'POST', '{"a":1}')).toBe(201)
    expect(await status('/things', 'POST', '{"empty":true}')).toBe(204)
    expect(await status('/things/1', 'DELETE')).toBe(204)
  })

  it('hooks set status, headers and location', async () => {
    const client = await open((app) => {
      app.use('things', { find: async () => [1], get: async () => ({}), create: async () => ({ a: 1 }) })
      app.service('things').hooks({
        after: {
          find: async (context: any) => {
            context.http.status = 418
            context.http.headers = { 'X-One': 'one', 'X-Many': ['a', 'b'] }
          },
          get: async (context: any) => {
            context.http.location = '/somewhere else\r\nX-Evil: 1?ü=%20&100%'
          },
          create: async (context: any) => {
            context.statusCode = 202
          }
        }
      })
    })
    const found = await client.request('/things')

    expect(found.status).toBe(418)
    expect(found.headers.get('x-one')).toBe('one')
    expect(found.headers.get('x-many')).toBe('a, b')

    const moved = await client.request('/things/1', { redirect: 'manual' })

    expect(moved.status).toBe(303)
    expect(moved.headers.get('location')).toBe('/somewhere%20else%0D%0AX-Evil:%201?%C3%BC=%20&100%25')
    expect(moved.headers.get('x-evil')).toBeNull()

    expect((await client.request('/things', { method: 'POST' })).status).toBe(202)
  })

  it('HEAD runs as GET, without a body', async () => {
    const called: unknown[] = []
    const client = await open((app) =>
      app.use('things', {
        find: async () => called.push('find'),
        get: async (id: any) => called.push(`get ${id}`)
      })
    )
    const responses = [
      await client.request('/things', { method: 'HEAD' }),
      await client.request('/things/1', { method: 'HEAD' })
    ]

    expect(responses.map(({ status }) => status)).toEqual([200, 200])
    expect(await responses[0]?.text()).toBe('')
    expect(called).toEqual(['find', 'get 1'])
  })

  it('405 says what is allowed', async () => {
    const client = await open((app) => {
      app.use('full', { find: async () => [], get: async () => ({}), patch: async () => ({}) })
      app.use('custom', { do: async () => ({}), get: async () => ({}) }, { methods: ['do'] })
    })
    const refused = async (path: string, method: string) => {
      const response = await client.request(path, { method })
      const { name, code, className } = (await response.json()) as any

      expect({ name, code, className, status: response.status }).toEqual({
        name: 'MethodNotAllowed',
        code: 405,
        className: 'method-not-allowed',
        status: 405
      })

      return response.headers.get('allow')
    }

    expect(await refused('/full', 'POST')).toBe('GET, HEAD, QUERY, PATCH')
    expect(await refused('/full/1', 'DELETE')).toBe('GET, HEAD, PATCH')
    expect(await refused('/full', 'OPTIONS')).toBe('GET, HEAD, QUERY, PATCH')
    expect(await refused('/full', 'PROPFIND')).toBe('GET, HEAD, QUERY, PATCH')
    expect(await refused('/custom', 'GET')).toBe('POST')
    expect(await refused('/custom/1', 'GET')).toBe('POST')
  })

  it('405 for a method by header still allows the verb', async () => {
    const client = await open((app) => app.use('things', { create: async () => ({}), find: async () => [] }))
    const response = await client.request('/things', {
      method: 'POST',
      headers: { 'X-Service-Method': 'unknown' }
    })

    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('GET, HEAD, QUERY, POST')
  })

  it('401 says how to authenticate', async () => {
    const client = await open((app) =>
      app.use('things', {
        find: async () => {
          throw new NotAuthenticated('Who are you?')
        }
      })
    )
    const response = await client.request('/things')

    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
  })

  it('a body that is not there is an empty object', async () => {
    const client = await open((app) => app.use('things', { create: async (data: any) => ({ data }) }))
    const response = await client.request('/things', { method: 'POST' })

    expect(await response.json()).toEqual({ data: {} })
  })

  it.each(['gzip', 'x-gzip', 'GZIP'])('a body may be compressed by %s', async (encoding) => {
    const client = await open((app) => app.use('things', { create: async (data: any) => ({ data }) }))
    const response = await client.request('/things', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': encoding },
      body: gzipSync('{"a":1}')
    })

    expect(await response.json()).toEqual({ data: { a: 1 } })
  })

  it.each(['gzip', 'deflate', 'br', 'compress'])(
    'an empty body is none, whatever it says: %s',
    async (encoding) => {
      const client = await open((app) => app.use('things', { create: async (data: any) => ({ data }) }))
      const headers = {
        'Content-Type': 'application/json',
        'Content-Encoding': encoding,
        'Content-Length': '0'
      }
      const response = await client.request('/things', { method: 'POST', headers, body: '' })

      expect(await response.json()).toEqual({ data: {} })
    }
  )

  it.each(['gzip', 'deflate'])('a body by %s that turns out to be empty is none', async (encoding) => {
    const client = await open((app) => app.use('things', { create: async (data: any) => ({ data }) }))
    const headers = { 'Content-Type': 'application/json', 'Content-Encoding': encoding }
    const create = async (body: string) =>
      client.port === undefined
        ? await (await client.request('/things', { method: 'POST', headers, body })).json()
        : await sendInChunks(client.port, `${client.base ?? ''}/things`, headers, body)

    expect(await create('')).toEqual({ data: {} })
    expect(await create('?')).toMatchObject({
      code: 400,
      message: 'Invalid request body: it cannot be decompressed'
    })
  })

  it('a form is data where the service takes forms, in UTF-8', async () => {
    const client = await open((app) => {
      app.use('forms', { create: async (data: any) => ({ data }) }, { forms: true })
      app.use('things', { create: async (data: any) => ({ data }) })
    })
    const send = (path: string, type = 'application/x-www-form-urlencoded') =>
      client.request(path, { method: 'POST', headers: { 'Content-Type': type }, body: 'a[b]=1&c=%C3%A9' })

    expect(await (await send('/forms')).json()).toEqual({ data: { a: { b: '1' }, c: 'é' } })
    expect((await send('/forms', 'application/x-www-form-urlencoded; charset=UTF-8')).status).toBe(201)
    expect((await send('/forms', 'application/x-www-form-urlencoded; charset=iso-8859-1')).status).toBe(415)
    expect((await send('/things')).status).toBe(415)
  })

  it('a slash at the end is the collection', async () => {
    const client = await open((app) => app.use('things', { find: async () => ['all'] }))

    expect(await (await client.request('/things/')).json()).toEqual(['all'])
  })

  it('200 values arrive in every notation of an array', async () => {
    const client = await open((app) => app.use('things', { find: async ({ query }: any) => query }))
    const values = Array.from({ length: 200 }, (_, index) => String(index))

    for (const toPair of [
      (value: string) => `a[$in]=${value}`,
      (value: string) => `a[$in][]=${value}`,
      (value: string) => `a[$in][${value}]=${value}`
    ]) {
      const query = values.map(toPair).join('&')

      expect(await client.call('find', 'things', { query })).toEqual({ a: { $in: values } })
    }
  })
})
