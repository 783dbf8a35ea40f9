import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { expect, it, onTestFinished, vi } from 'vitest'
import { alula as alulaClient, authentication, events, rest } from '../../src/client.ts'
import { events as serveEvents } from '../../src/events.ts'
import express, { errorHandler, rest as serveRest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { WREN } from '../sessions/app.ts'
import { configureLogin } from '../support/login.ts'
import { serve, toUrl } from '../support/server.ts'
import { CREDENTIALS, startSessions } from './session-clients.ts'

const USER = { email: 'ann', password: 'open sesame' }

/** A server whose messages are for all, and whose notes are for those who are logged in. */
async function start() {
  const app: any = express(alula())
    .configure(serveRest())
    .configure(serveEvents({ retry: 0.01 }))

  configureLogin(app)
  app.use('messages', memory())
  app.use(errorHandler({ logger: false }))
  app.on('connection', (connection: object) => app.channel('all').join(connection))
  app.on('login', (_result: unknown, { connection }: any) => app.channel('members').join(connection))
  app.service('messages').publish(() => app.channel('all'))
  app.service('notes').publish(() => app.channel('members'))

  const url = await serve(app)

  await app.service('users').create({ id: 1, ...USER })

  return { app, url, connect: (configure?: (client: any) => void) => connect(url, configure) }
}

function connect(url: string, configure: (client: any) => void = () => undefined): any {
  const client = alulaClient().configure(rest(url).fetch(fetch)).configure(configure).configure(events())

  onTestFinished(async () => void (await client.teardown()))

  return client
}

/** Ends the streams of all clients. */
function cut(app: any): void {
  for (const connection of app.channel('all').connections) app.emit('disconnect', connection)
}

it('services have the events of all clients, each once, from the first listener on', async () => {
  const { app, connect } = await start()
  const client = connect()
  const texts: string[] = []
  const joined = once(app, 'connection')

  client.service('messages').on('created', ({ text }: any) => texts.push(text))
  await joined
  await app.service('messages').create({ text: 'a' })

  const heard = once(client.service('messages'), 'patched')

  await client.service('messages').create({ text: 'b' })
  await client.service('messages').patch(1, { text: 'c' })
  expect((await heard)[0]).toMatchObject({ text: 'c' })
  expect(texts).toEqual(['a', 'b'])
  expect(app.channel('all').length).toBe(1)
})

it.each<[string, (messages: any, configure: () => void) => Promise<unknown>]>([
  [
    'listens',
    (messages, configure) => {
      const heard = once(messages, 'created')

      configure()

      return heard
    }
  ],
  [
    'does not listen',
    (messages, configure) => {
      configure()

      return once(messages, 'created')
    }
  ]
])('a service that is there before events() and %s by then has them too', async (_title, listen) => {
  const { app, url } = await start()
  const client: any = alulaClient().configure(rest(url).fetch(fetch))
  const joined = once(app, 'connection')
  const heard: Promise<any> = listen(client.service('messages'), () => void client.configure(events()))

  onTestFinished(async () => void (await client.teardown()))
  await joined
  await client.service('messages').create({ text: 'a' })
  expect((await heard)[0]).toMatchObject({ text: 'a' })
})

it('a client that reconnects gets what it missed', async () => {
  const { app, connect } = await start()
  const client = connect()
  const joined = once(app, 'connection')
  const texts: string[] = []

  client.service('messages').on('created', ({ text }: any) => texts.push(text))
  await joined

  const first = once(client.service('messages'), 'created')

  await app.service('messages').create({ text: 'a' })
  await first

  const second = once(client.service('messages'), 'created')

  cut(app)
  await app.service('messages').create({ text: 'b' })
  await second
  expect(texts).toEqual(['a', 'b'])
})

it('a client whose connection fails comes back after the time that the server has said', async () => {
  const { app, url } = await start()
  const connection = new AbortController()
  const reach = (address: string, { signal, ...options }: RequestInit) =>
    fetch(address, { ...options, signal: AbortSignal.any([signal as AbortSignal, connection.signal]) })
  const client = alulaClient().configure(rest(url).fetch(reach)).configure(events())
  const joined = once(app, 'connection')

  onTestFinished(() => client.teardown() as any)
  client.service('messages').on('created', () => undefined)
  await joined

  const heard = once(client.service('messages'), 'created')

  await app.service('messages').create({})
  await heard

  const waits = vi.spyOn(globalThis, 'setTimeout')
  const left = once(app, 'disconnect')

  onTestFinished(() => waits.mockRestore())
  connection.abort()
  await left
  await vi.waitFor(() => expect(waits.mock.calls.some(([run]) => run.name === 'end')).toBe(true))

  const [, wait] = waits.mock.calls.find(([run]) => run.name === 'end') ?? []

  // 10 ms, up to a half more or less.
  expect(wait).toBeLessThanOrEqual(15)
})

it('what it cannot get is the event gap of the application', async () => {
  const { app, url, connect } = await start()
  const client = connect()
  const joined = once(app, 'connection')

  client.service('messages').on('created', () => undefined)
  await joined

  const heard = once(client.service('messages'), 'created')

  await app.service('messages').create({})
  await heard

  const gap = once(client, 'gap')

  // The log of the next setup is another one.
  await app.teardown()

  const server: Server = await app.listen(Number(new URL(url).port), '127.0.0.1')

  expect(server.listening).toBe(true)
  expect((await gap)[0].services).toContain('messages')
})

it('the stream has the login of the client: it begins again at a login and at a logout', async () => {
  const { app, connect } = await start()
  const client = connect((configured) => configured.configure(authentication({ storage: toStorage() })))
  const joined = once(app, 'connection')

  client.service('notes').on('created', () => undefined)
  await joined

  const again = once(app, 'connection')

  await client.authenticate({ strategy: 'local', ...USER })
  expect((await again)[0].user).toMatchObject({ email: 'ann' })

  const heard = once(client.service('notes'), 'created')

  await client.service('notes').create({ text: 'a' })
  expect((await heard)[0]).toMatchObject({ text: 'a' })

  const anonymous = once(app, 'connection')

  await client.logout()
  expect((await anonymous)[0].user).toBeUndefined()
  expect(app.channel('members').length).toBe(0)
})

it('a server without events is an error of the application, and nothing more is asked', async () => {
  const app: any = express(alula()).configure(serveRest())

  app.use('messages', memory())
  app.use(errorHandler({ logger: false }))

  const client = connect(await serve(app))
  const failed = once(client, 'error')

  client.service('messages').on('created', () => undefined)
  expect((await failed)[0]).toMatchObject({ code: 404 })
})

it('a response that is no stream of events is an error of the application, and nothing more is asked', async () => {
  const server = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html')
    response.end('<html></html>')
  })

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())

  const url = toUrl(server)
  const client = connect(url)
  const failed = once(client, 'error')

  client.service('messages').on('created', () => undefined)
  expect((await failed)[0]).toMatchObject({
    code: 406,
    message: `Expected a stream of events at ${url}/events, got 'text/html'`
  })
})

it('events() needs a REST connection', () => {
  expect(() => alulaClient().configure(events())).toThrow('configure rest(…) before it')
  expect(() => events({ timeout: 0 })).toThrow("'timeout'")
  expect(() => events({ paht: '/live' } as object)).toThrow("'paht'")
})

/** A storage of its own. */
function toStorage() {
  const items = new Map<string, string>()

  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
    removeItem: (name: string) => void items.delete(name)
  }
}

it('a stream that the server has refused begins again at the next login, also of the same token', async () => {
  const { app, url } = await start()
  const errors: any[] = []
  let isAway = true
  const client: any = alulaClient()
    .configure(
      rest(url).fetch(async (address, init) =>
        isAway && address.endsWith('/events') ? new Response('{}', { status: 404 }) : fetch(address, init)
      )
    )
    .configure(authentication())
    .configure(events())

  onTestFinished(async () => void (await client.teardown()))
  client.on('error', (error: any) => errors.push(error))
  await client.authenticate({ strategy: 'local', ...USER })
  client.service('notes').on('created', () => undefined)
  await vi.waitFor(() => expect(errors).toMatchObject([{ code: 404 }]))

  const joined = once(app, 'connection')

  isAway = false
  await client.reAuthenticate(true)
  await joined
})

it('a stream whose token could not be renewed is tried again', async () => {
  const { app, url } = await startSessions('REST')
  const replies = [
    { path: '/events', code: 401, data: { name: 'TokenExpiredError' } },
    { path: '/authentication', code: 503 }
  ]
  const reach = (address: string, init: any) => {
    if (replies[0]?.path !== address.slice(url.length) || init.body?.includes('local'))
      return fetch(address, init)

    const error = replies.shift()

    return Promise.resolve(Response.json(error, { status: error?.code as number }))
  }
  const client: any = alulaClient()
    .configure(rest(url).fetch(reach as any))
    .configure(authentication({ storage: toStorage() }))
    .configure(events())

  onTestFinished(async () => void (await client.teardown()))
  client.on('error', () => undefined)
  await client.authenticate(CREDENTIALS)

  const joined = once(app, 'connection')

  client.service('notes').on('created', () => undefined)
  expect((await joined)[0]).toMatchObject({ user: { email: WREN.email } })
  expect(replies).toEqual([])
})

it('a client waits as long as the server says, also for more than half a minute', async () => {
  const { app, url } = await start()
  const waits = vi.spyOn(globalThis, 'setTimeout')
  const busy = () =>
    Promise.resolve(new Response('retry: 50000\n\n', { headers: { 'Content-Type': 'text/event-stream' } }))
  const client = alulaClient().configure(rest(url).fetch(busy)).configure(events())

  onTestFinished(() => waits.mockRestore())
  onTestFinished(() => client.teardown() as any)
  client.service('messages').on('created', () => undefined)
  await vi.waitFor(() => expect(waits.mock.calls.find(([run]) => run.name === 'end')?.[1]).toBe(50_000))
  expect(app.channel('all').length).toBe(0)
})

it('a stream without a limit to its silence stays open', async () => {
  const { app, url } = await start()
  const client: any = alulaClient()
    .configure(rest(url).fetch(fetch))
    .configure(events({ timeout: Number.POSITIVE_INFINITY }))
  const waits = vi.spyOn(globalThis, 'setTimeout')
  const joined = once(app, 'connection')

  onTestFinished(() => waits.mockRestore())
  onTestFinished(() => client.teardown())
  client.service('messages').on('created', () => undefined)
  await joined
  expect(waits.mock.calls.map(([, wait]) => wait)).not.toContain(Number.POSITIVE_INFINITY)
})
