import { expect, it, onTestFinished, vi } from 'vitest'
import { Conflict } from '../../src/errors.ts'
import {
  describeHttpTransports,
  describeRemoteTransports,
  type OpenTransport
} from '../support/transports.ts'

const JSON_HEADERS = { 'Content-Type': 'application/json' }

/** A service with custom methods, and the calls that it got. */
async function openOrders(open: OpenTransport, methods = ['find', 'get', 'create', 'cancel', 'to send']) {
  const calls: unknown[] = []
  const note =
    (method: string) =>
    async (...args: any[]) => {
      calls.push([method, ...args.slice(0, -1)])

      return { method }
    }
  const client = await open((app: any) =>
    app.use(
      'orders',
      Object.fromEntries(
        ['find', 'get', 'create', 'cancel', 'to send', 'hidden'].map((name) => [name, note(name)])
      ),
      { methods }
    )
  )
  const post = async (path: string, headers = {}, body: string | undefined = '{"a":1}') => {
    const response = await client.request(path, {
      method: 'POST',
      headers: { ...(body && JSON_HEADERS), ...headers },
      ...(body && { body })
    })
    const result: any = await response.json()

    return { status: response.status, allow: response.headers.get('allow'), result }
  }

  return { client, calls, post }
}

describeHttpTransports('POST to the path of a method', (open) => {
  it('calls the method, with the body as data', async () => {
    const { calls, post } = await openOrders(open)

    expect(await post('/orders/cancel')).toMatchObject({ status: 200, result: { method: 'cancel' } })
    expect(await post('/orders/cancel/', {}, '')).toMatchObject({ status: 200 })
    expect(calls).toEqual([
      ['cancel', { a: 1 }],
      ['cancel', {}]
    ])
  })

  it('decodes the segment once', async () => {
    const { calls, post } = await openOrders(open)

    expect((await post('/orders/%63ancel')).status).toBe(200)
    expect((await post('/orders/to%20send')).status).toBe(200)
    expect((await post('/orders/%2563ancel')).status).toBe(405)
    expect((await post('/orders/cancel%20')).status).toBe(405)
    expect((await post('/orders/%')).status).toBe(400)
    expect(calls).toEqual([
      ['cancel', { a: 1 }],
      ['to send', { a: 1 }]
    ])
  })

  it.each(['create', 'find', 'get', 'patch', '1', '__proto__', 'constructor', 'setup', '_find'])(
    'is a 405 for %s, and calls nothing',
    async (name) => {
      const { calls, post } = await openOrders(open)

      expect(await post(`/orders/${name}`)).toEqual({
        status: 405,
        allow: 'GET, HEAD',
        result: {
          name: 'MethodNotAllowed',
          message: 'Method POST not allowed for this path',
          code: 405,
          className: 'method-not-allowed'
        }
      })
      expect(calls).toEqual([])
    }
  )

  it('is in Allow for the path of a record too, where the header calls the method', async () => {
    const { client, post, calls } = await openOrders(open)
    const refuse = async (method: string, path: string) => {
      const response = await client.request(path, { method })

      return [response.status, response.headers.get('allow')]
    }

    expect((await post('/orders/1', { 'X-Service-Method': 'cancel' })).status).toBe(200)
    expect(calls).toEqual([['cancel', { a: 1 }]])
    expect(await refuse('DELETE', '/orders/1')).toEqual([405, 'GET, HEAD, POST'])
    expect(await refuse('OPTIONS', '/orders/cancel')).toEqual([405, 'GET, HEAD, POST'])
    // A response must not offer what it has just refused.
    expect(await refuse('POST', '/orders/1')).toEqual([405, 'GET, HEAD'])
    // An id may be the name of a method.
    expect((await client.request('/orders/cancel')).status).toBe(200)
  })

  it.each([
    ['/orders/hidden', ": the service has 'hidden', but its option 'methods' does not list it"],
    ['/orders/Cancel', ". Did you mean 'cancel'?"]
  ])('is a 405 for %s that says why, but not in production', async (path, hint) => {
    const { calls, post } = await openOrders(open)

    expect(await post(path)).toMatchObject({
      status: 405,
      result: { message: `Method POST not allowed for this path${hint}` }
    })
    expect((await post('/orders', { 'X-Service-Method': path.split('/').at(-1) })).result.message).toBe(
      `Method \`${path.split('/').at(-1)}\` is not supported by this endpoint${hint}`
    )
    vi.stubEnv('NODE_ENV', 'production')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect((await post(path)).result.message).toBe('Method POST not allowed for this path')
    expect(calls).toEqual([])
  })

  it('is a 405 where a service has no custom method', async () => {
    const { post } = await openOrders(open, ['find', 'create'])

    expect((await post('/orders/cancel')).status).toBe(405)
  })

  it('is decided by the header where there is one', async () => {
    const { calls, post } = await openOrders(open)

    expect((await post('/orders/1', { 'X-Service-Method': 'cancel' })).status).toBe(200)
    expect((await post('/orders/cancel', { 'X-Service-Method': 'to send' })).status).toBe(200)
    expect((await post('/orders/cancel', { 'X-Service-Method': 'create' })).status).toBe(405)
    expect((await post('/orders/cancel', { 'X-Service-Method': 'hidden' })).status).toBe(405)
    expect(calls).toEqual([
      ['cancel', { a: 1 }],
      ['to send', { a: 1 }]
    ])
  })

  it('reaches a service at that path instead', async () => {
    const client = await open((app: any) => {
      app.use(
        'orders',
        { create: async () => ({}), cancel: async () => ({ by: 'method' }) },
        { methods: ['cancel'] }
      )
      app.use('orders/cancel', { create: async () => ({ by: 'service' }) })
    })
    const response = await client.request('/orders/cancel', { method: 'POST' })

    expect(response.status).toBe(201)
    expect(await response.json()).toEqual({ by: 'service' })
  })

  it('runs with placeholders in the path of the service', async () => {
    const client = await open((app: any) =>
      app.use(
        'users/:userId/orders',
        { cancel: async (_data: any, { route }: any) => route },
        { methods: ['cancel'] }
      )
    )
    const response = await client.request('/users/5/orders/cancel', { method: 'POST' })

    expect(await response.json()).toEqual({ userId: '5' })
  })

  it('other verbs take the segment for an id', async () => {
    const client = await open((app: any) =>
      app.use(
        'orders',
        { get: async (id: any) => ({ id }), cancel: async () => Promise.reject(new Conflict('cancelled')) },
        { methods: ['get', 'cancel'] }
      )
    )

    expect(await (await client.request('/orders/cancel')).json()).toEqual({ id: 'cancel' })
    expect((await client.request('/orders/cancel', { method: 'PUT' })).status).toBe(405)
  })
})

describeRemoteTransports('the method of a call', (open) => {
  it('is no part of the path of a service', async () => {
    const { client, calls } = await openOrders(open)

    expect(await client.call('cancel', 'orders', { data: {} })).toEqual({ method: 'cancel' })

    if (client.provider === 'socketio') {
      expect(await client.fail('create', 'orders/cancel', { data: {} })).toMatchObject({ code: 404 })
      expect(await client.fail('cancel', 'orders/cancel', { data: {} })).toMatchObject({ code: 404 })
    }

    expect(calls).toEqual([['cancel', {}]])
  })
})
