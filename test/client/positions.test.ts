import { once } from 'node:events'
import { expect, it, onTestFinished, vi } from 'vitest'
import { alula, authentication, events, live, MemoryStorage, rest, socketio } from '../../src/client.ts'
import { Unavailable } from '../../src/errors.ts'
import { memory } from '../../src/memory.ts'
import { connect, cut, startServer, TRANSPORTS } from '../live/app.ts'
import { defer } from '../support/deferred.ts'
import { until } from '../support/until.ts'
import { start } from './login.ts'
import { createSocket, fetchOnce, hear, LOGIN } from './servers.ts'

// From where clients go on, where no event says it.

/** Hears heartbeats, which all connections get at once. */
async function observe(url: string) {
  const observer = createSocket(url)
  const positions: unknown[] = []

  observer.on('$position', (one) => positions.push(one))
  await hear(observer, 'connect')

  return positions
}

/** Creates a note while a client is cut off, and another one once it is back. */
async function missOne(
  { app, notes }: Pick<Awaited<ReturnType<typeof startServer>>, 'app' | 'notes'>,
  heard: readonly string[]
): Promise<void> {
  const again = once(app, 'connection')

  cut(app)
  await notes.create({ text: 'missed' })
  await again
  await notes.create({ text: 'last' })
  await until(() => expect(heard).toContain('last'))
}

it.each(TRANSPORTS)('a client without events goes on from the last heartbeat: %s', async (transport) => {
  const server = await startServer((app) => {
    app.set('eventLog', { maxBytes: 40_000, heartbeat: 0.02 })
    app.use('others', memory({ multi: true }))
    app.service('others').publish(() => [])
  })
  const { app, url, notes } = server
  const client = await connect(server, transport)
  const heard: string[] = []
  const gaps: unknown[] = []

  client.on('gap', (gap) => gaps.push(gap))
  client.service('notes').on('created', ({ text }: any) => heard.push(text))
  await notes.create({ text: 'first' })
  await until(() => expect(heard).toEqual(['first']))
  // The log has no longer what came after the first one.
  for (let count = 0; count < 50; count++) await app.service('others').create({ text: 'x'.repeat(2000) })

  const positions = await observe(url)

  // Heartbeats come when the position is another one.
  await app.service('others').create({ text: 'last' })

  const position = (await fetchOnce(`${url}/notes`)).headers.get('event-position')

  await until(() => expect(positions).toContain(position))

  await missOne(server, heard)
  expect(heard).toEqual(['first', 'missed', 'last'])
  expect(gaps).toEqual([])
})

it.each<[string, (server: any, client: any) => any]>([
  ['is refused by the server for now', (server) => [server, new Unavailable('Not now')]],
  ['rejects without a reason', (_server, client) => [client, undefined]]
])('a client whose login %s after a lost connection has a gap, and events go on', async (_what, choose) => {
  const { server, url } = await start('our server', 'sockets')
  const client: any = alula()
    .configure(socketio(createSocket(url)))
    .configure(authentication({ storage: new MemoryStorage() }))
  const gaps: unknown[] = []

  client.on('gap', (gap: unknown) => gaps.push(gap))
  client.on('error', () => undefined)
  server.on('connection', (connection: object) => server.channel('users').join(connection))
  server.publish(() => server.channel('users'))
  await client.authenticate(LOGIN)

  async function hearEvent(): Promise<void> {
    const heard = once(client.service('users'), 'patched')

    await server.service('users').patch(1, { email: LOGIN.email })
    await heard
  }

  await hearEvent()

  const [app, error] = choose(server, client)

  app.service('authentication').hooks({ before: { create: [() => Promise.reject(error)] } })
  for (const socket of server.io.sockets.sockets.values()) socket.conn.close()

  await until(() => expect(gaps).toMatchObject([{ services: expect.arrayContaining(['users']) }]))
  await hearEvent()
})

it('a list that is read before its events begin is read again', async () => {
  const { url, app, notes, finds } = await startServer()
  const [stream, list] = [defer(), defer()]
  const client: any = alula()
  let reads = 0

  const delayed = async (address: string, init: any) => {
    if (address.endsWith('/events')) await stream.promise

    const response = await fetchOnce(address, init)

    // What the list gets was read before the note was there.
    if (address.endsWith('/notes') && ++reads === 1) await list.promise

    return response
  }

  client.configure(rest(url).fetch(delayed)).configure(events()).configure(live())
  onTestFinished(() => client.teardown())

  const notesList = client.live('notes')

  onTestFinished(() => notesList.close())
  await until(() => expect(finds).toHaveLength(1))
  await notes.create({ text: 'between' })

  const joined = once(app, 'connection')
  const begun = once(client, 'events:begin')

  stream.resolve()
  await Promise.all([joined, begun])
  list.resolve()
  await until(() => expect(notesList.getSnapshot().data).toMatchObject([{ text: 'between' }]), 10_000)
})

it.each<[string, object, unknown[]]>([
  ['is refused', {}, [{ name: 'TooManyRequests', code: 429 }]],
  [
    'has an `ackTimeout` and is refused',
    { ackTimeout: 60_000 },
    [null, { name: 'TooManyRequests', code: 429 }]
  ],
  ['gets no reply in time', { ackTimeout: 60_000 }, [new Error('operation has timed out')]]
])(
  'a socket that %s asks again for what it missed, and hears all of it once',
  async (_what, socket, reply) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true })

    const server = await startServer()
    const { app, notes } = server
    const client: any = await connect(server, 'Socket.IO', { socket })
    const heard: string[] = []
    const gaps: unknown[] = []
    const { emit } = client.io
    const refused = defer()

    client.on('gap', (gap: unknown) => gaps.push(gap))
    client.service('notes').on('created', ({ text }: any) => heard.push(text))
    await notes.create({ text: 'first' })
    await until(() => expect(heard).toEqual(['first']))

    client.io.emit = (name: string, ...values: any[]) => {
      if (name !== '$resume') return emit.call(client.io, name, ...values)

      client.io.emit = emit
      values.at(-1)(...reply)
      refused.resolve()
    }

    const again = once(app, 'connection')

    cut(app)
    await notes.create({ text: 'missed' })
    await again
    await refused.promise
    await notes.create({ text: 'last' })
    await vi.advanceTimersByTimeAsync(1000)
    await until(() => expect(heard).toContain('last'))
    expect(heard).toEqual(['first', 'missed', 'last'])
    expect(gaps).toEqual([])
  }
)

it.each([{}, { ackTimeout: 60_000 }, { retries: 3 }, { ackTimeout: 60_000, retries: 3 }])(
  'a socket with the options %j goes on from the position of the reply',
  async (socket) => {
    const server = await startServer()
    const heard: string[] = []

    // As when the connection is lost between the reply to $resume and the message after it.
    const dropPositions = ({ io }: any) => {
      const { onevent } = io

      io.onevent = (packet: any) => packet.data[0] !== '$position' && onevent.call(io, packet)
    }

    const client: any = await connect(server, 'Socket.IO', { socket, configure: dropPositions })

    client.service('notes').on('created', ({ text }: any) => heard.push(text))
    // Its reply comes after that of $resume.
    await client.service('notes').find()

    await missOne(server, heard)
    expect(heard).toEqual(['missed', 'last'])
  }
)
