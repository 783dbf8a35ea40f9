import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { AuthenticationService, JWTStrategy } from '../../src/authentication.ts'
import { events } from '../../src/events.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { socketio } from '../../src/socketio.ts'
import { defer } from '../support/deferred.ts'
import { readEvents } from '../support/event-stream.ts'
import { serve } from '../support/server.ts'
import { ask, connectSocket } from '../support/sockets.ts'
import { until } from '../support/until.ts'

const Note = z.object({ id: z.int(), userId: z.int(), secret: z.string().optional() })

function createInner(): any {
  const inner: any = alula().use('users', memory({ startId: 1 }))

  inner.use('notes', memory({ startId: 1, multi: true }), {
    schema: schema(Note, { hidden: ['secret'] }),
    events: ['shouted']
  })

  return inner
}

describe('events of a sub-application', () => {
  /** An application that sends all events to all sockets. */
  async function open(prepare: (apps: { outer: any; inner: any }) => void = () => undefined) {
    const inner = createInner()
    const outer: any = alula().configure(socketio()).use('v1', inner)

    outer.on('connection', (connection: object) => outer.channel('all').join(connection))
    outer.publish(() => outer.channel('all'))
    prepare({ outer, inner })

    const socket = await connectSocket(await serve(outer))
    const heard: [string, any][] = []

    socket.onAny((name, data) => heard.push([name, data]))

    return { outer, inner, socket, heard }
  }

  it('reach the sockets of the outer one, under its path and without hidden fields', async () => {
    const { inner, socket, heard } = await open()

    await ask(socket, 'create', 'v1/notes', { userId: 1, secret: 'a' })
    await inner.service('notes').create([{ userId: 2, secret: 'b' }, { userId: 3 }])
    inner.service('notes').emit('shouted', { id: 9, userId: 4, secret: 'c' })
    await until(() => expect(heard).toHaveLength(4))

    expect(heard).toEqual([
      ['v1/notes created', { id: 1, userId: 1 }],
      ['v1/notes created', { id: 2, userId: 2 }],
      ['v1/notes created', { id: 3, userId: 3 }],
      ['v1/notes shouted', { id: 9, userId: 4 }]
    ])
  })

  it('go by the publisher of the service before that of the outer one', async () => {
    const { outer, socket, heard } = await open()

    outer.service('v1/notes').publish(() => outer.channel('all').send('chosen'))
    await ask(socket, 'create', 'v1/notes', { userId: 1 })
    await until(() => expect(heard).toEqual([['v1/notes created', 'chosen']]))
  })

  it('are sent once for a service that was removed and is back', async () => {
    const { outer, inner, socket, heard } = await open()

    await outer.unuse('v1/notes')
    outer.use('v1/notes', inner.service('notes'))
    await ask(socket, 'create', 'v1/notes', { userId: 1 })
    await ask(socket, 'create', 'v1/notes', { userId: 2 })
    await until(() => expect(heard.at(-1)).toEqual(['v1/notes created', { id: 2, userId: 2 }]))
    expect(heard).toHaveLength(2)
  })

  it('are not sent for a service that publishes by itself', async () => {
    const { socket, heard } = await open(({ outer }) => {
      const other: any = alula()

      other.use('own', Object.assign(memory({ startId: 1 }), { publish: () => undefined }))
      outer.use('v2', other)
    })

    await ask(socket, 'create', 'v2/own', {})
    await ask(socket, 'create', 'v1/notes', { userId: 1 })
    await until(() => expect(heard).toHaveLength(1))
    expect(heard[0]?.[0]).toBe('v1/notes created')
  })

  it('end when the outer one removes the service', async () => {
    const { outer, inner, socket, heard } = await open()

    await outer.unuse('v1/notes')
    await inner.service('notes').create({ userId: 1 })
    await ask(socket, 'create', 'v1/users', { name: 'wren' })
    await until(() => expect(heard).toHaveLength(1))
    expect(heard[0]?.[0]).toBe('v1/users created')
  })

  it('go to channels of that application too, which a connection leaves when it logs out or closes', async () => {
    const gate = defer<void>()
    const { outer, inner, socket, heard } = await open(({ inner }) => {
      inner.service('notes').publish((_data: unknown, { app }: any) => app.channel('notes'))
      inner
        .service('users')
        .publish((_data: unknown, { app }: any) => gate.promise.then(() => app.channel('users')))
    })
    const [connection] = outer.channel('all').connections

    inner.channel('notes', 'users').join(connection)
    await ask(socket, 'create', 'v1/notes', { userId: 1 })
    await until(() => expect(heard).toHaveLength(1))

    await ask(socket, 'create', 'v1/users', {})
    outer.emit('logout', {}, { connection })
    expect(inner.channels).toEqual([])
    inner.channel('users').join(connection)
    gate.resolve()
    inner.channel('notes').join(connection)
    await ask(socket, 'create', 'v1/notes', { userId: 2 })
    await until(() => expect(heard).toHaveLength(2))
    // What was chosen before is not for a login that came after.
    expect(heard.map(([, { userId }]) => userId)).toEqual([1, 2])

    const closed = once(outer, 'disconnect')

    socket.disconnect()
    await closed
    expect(inner.channels).toEqual([])
    inner.channel('notes').join(connection)
    expect(inner.channel('notes').length).toBe(0)
  })

  it('need one listener for the connections of the outer one, however many there are', () => {
    const outer: any = alula()

    for (let index = 0; index < 12; index++) outer.use(`v${index}`, createInner())

    for (const event of ['disconnect', 'logout']) expect(outer.listenerCount(event)).toBe(1)
  })

  it('no longer reach a connection on which another user logs in', async () => {
    const { outer, inner } = await open(({ outer }) => {
      outer.set('authentication', {
        secret: 'a secret of more than thirty-two characters',
        entity: 'user',
        service: 'v1/users',
        authStrategies: ['name']
      })

      const authentication = new AuthenticationService(outer)

      authentication.register('jwt', new JWTStrategy())
      authentication.register('name', {
        authenticate: async ({ user }: any) => ({ authentication: { strategy: 'name' }, user })
      })
      outer.use('authentication', authentication)
    })
    const [connection] = outer.channel('all').connections
    const logIn = async (user: object) =>
      await outer
        .service('authentication')
        .create({ strategy: 'name', user }, { provider: 'socketio', connection })
    const [wren, lark] = await Promise.all([{}, {}].map((user) => inner.service('users').create(user)))

    await logIn(wren)
    inner.channel('notes').join(connection)
    await logIn(wren)
    expect(inner.channel('notes').length).toBe(1)
    await logIn(lark)
    expect(inner.channel('notes').length).toBe(0)
  })

  it('reach streams that ask for its path', async () => {
    const outer: any = alula().configure(events()).use('v1', createInner())

    outer.on('connection', (connection: object) => outer.channel('all').join(connection))
    outer.publish(() => outer.channel('all'))
    await outer.setup()
    onTestFinished(() => void outer.teardown())

    const response = await createHandler(outer)(new Request('http://localhost/events?services[]=v1/notes'))
    const { find } = readEvents(response)

    await outer.service('v1/users').create({ name: 'wren' })
    await outer.service('v1/notes').create({ userId: 1 })
    expect(await find('event')).toMatchObject({ event: 'v1/notes created' })
  })
})
