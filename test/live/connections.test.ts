import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { authenticate, hashPassword, protect } from '../../src/authentication.ts'
import { alula, authentication, events, live, rest } from '../../src/client.ts'
import { errors, Forbidden } from '../../src/errors.ts'
import { memory } from '../../src/memory.ts'
import { fetchOnce } from '../client/servers.ts'
import { defer } from '../support/deferred.ts'
import { addAuthentication } from '../support/login.ts'
import { until } from '../support/until.ts'
import { connect, createTimers, cut, startServer, TRANSPORTS } from './app.ts'

const texts = (list: any) => list.getSnapshot().data.map(({ text }: any) => text)
const show = (list: any, expected: readonly unknown[]) => until(() => expect(texts(list)).toEqual(expected))

/** A server with users, whose notes are those of their owner. */
async function startLogins() {
  const server = await startServer((app) => {
    addAuthentication(app)
    app.use('users', memory({ startId: 1 }))
    app.service('users').hooks({
      before: { create: [hashPassword('password')] },
      after: { all: [protect('password')] }
    })
    app.service('notes').hooks({
      around: {
        find: [
          authenticate('jwt'),
          async (context: any, next: () => Promise<void>) => {
            const { user, query } = context.params

            context.params = { ...context.params, query: { ...query, ownerId: user?.id ?? null } }
            await next()
          }
        ]
      }
    })
    app.on('login', ({ user }: any, { connection }: any) => app.channel(`users/${user.id}`).join(connection))
    app.service('notes').publish(({ ownerId }: any) => app.channel(`users/${ownerId}`))
  })

  for (const name of ['ann', 'bob']) await server.app.service('users').create({ email: name, password: name })

  await server.notes.create([
    { text: 'a', ownerId: 1 },
    { text: 'b', ownerId: 2 }
  ])

  return server
}

const toLogin = (name: string) => ({ strategy: 'local', email: name, password: name })

describe.each(TRANSPORTS)('a live list over %s', (transport) => {
  it('follows logins: it has what the user who is logged in may find, and nothing after a logout', async () => {
    const server = await startLogins()
    const client = await connect(server, transport, { configure: (app) => app.configure(authentication()) })
    const list = client.live('notes')

    await until(() => expect(list.getSnapshot()).toMatchObject({ data: [], error: { code: 401 } }))
    await client.authenticate(toLogin('ann'))
    await show(list, ['a'])
    expect(list.getSnapshot().error).toBeUndefined()
    await client.logout()
    expect(list.getSnapshot().data).toEqual([])
    await until(() => expect(list.getSnapshot().error).toMatchObject({ code: 401 }))
    await client.authenticate(toLogin('bob'))
    await show(list, ['b'])
  })

  it('drops the records of a user as soon as another one logs in, also when its fetch fails', async () => {
    const server = await startLogins()
    let isBroken = false

    server.notes.hooks({
      before: {
        find: [
          async () => {
            if (isBroken) throw new Error('The database is away')
          }
        ]
      }
    })

    const client = await connect(server, transport, { configure: (app) => app.configure(authentication()) })

    await client.authenticate(toLogin('ann'))

    const list = client.live('notes')

    await show(list, ['a'])

    const before = list.getSnapshot().data[0]

    // Another token of the same user.
    await client.authenticate(toLogin('ann'))
    expect(texts(list)).toEqual(['a'])
    await until(() => expect(server.finds).toHaveLength(2))
    await show(list, ['a'])
    expect(list.getSnapshot().data[0]).toBe(before)
    isBroken = true
    await client.authenticate(toLogin('bob'))
    expect(list.getSnapshot()).toMatchObject({ data: [], isLoading: true })
    await until(() => expect(list.getSnapshot()).toMatchObject({ data: [], error: { code: 500 } }))
  })

  it.each([401, 403, 404, 405])('is empty once its records are withdrawn, by a %d', async (code) => {
    let isRefused = false
    const server = await startServer((app) => {
      app.service('notes').hooks({
        before: {
          find: [
            async () => {
              if (isRefused) throw new (errors as any)[code]()
            }
          ]
        }
      })
    })

    await server.notes.create({ text: 'secret', rank: 1, done: false })

    const { timers, pass } = createTimers()
    const client = await connect(server, transport, { timers })
    const list = client.live('notes')
    const heard: unknown[] = []

    client.service('notes').on('created', (record: unknown) => heard.push(record))
    await until(() => expect(list.getSnapshot().data).toHaveLength(1))
    isRefused = true
    pass(60_000)
    await until(() => expect(list.getSnapshot().error).toMatchObject({ code }))
    await server.notes.create({ text: 'secret too', rank: 2, done: false })
    await until(() => expect(heard).toHaveLength(1))
    expect(list.getSnapshot().data).toEqual([])
    isRefused = false
    pass(60_000)
    await until(() =>
      expect(list.getSnapshot()).toMatchObject({
        data: [{ text: 'secret' }, { text: 'secret too' }],
        error: undefined
      })
    )
  })

  it('of a user who is logged in gets what it missed without a find', async () => {
    const server = await startLogins()
    const { app, notes, finds } = server
    const client = await connect(server, transport, { configure: (one) => one.configure(authentication()) })

    await client.authenticate(toLogin('ann'))

    const list = client.live('notes')
    const again = once(app, 'login')

    await show(list, ['a'])
    if (transport === 'SSE') await until(() => expect(app.channel('users/1').length).toBe(1))

    const { length } = finds

    cut(app)
    await again
    await notes.create([
      { text: 'c', ownerId: 1 },
      { text: 'd', ownerId: 2 }
    ])
    await show(list, ['a', 'c'])
    expect(finds).toHaveLength(length)
  })

  it('has what happened while its connection was joining its channels', async () => {
    const gate = defer<void>()
    const server = await startServer((app) => {
      app.removeAllListeners('connection')
      app.on('connection', async (connection: object) => {
        await gate.promise
        app.channel('all').join(connection)
      })
    })
    const { notes } = server

    await notes.create({ text: 'a' })

    const client = await connect(server, transport)
    const list = client.live('notes')

    await show(list, ['a'])
    await notes.create({ text: 'b' })
    gate.resolve()
    await show(list, ['a', 'b'])
  })
})

it('a list that was read before its events began is read again', async () => {
  const gate = defer<void>()
  const { url, notes } = await startServer()
  const client = alula()
    .configure(
      rest(url).fetch(async (address, init) => {
        if (address.endsWith('/events')) await gate.promise

        return fetchOnce(address, init)
      })
    )
    .configure(events())
    .configure(live())

  onTestFinished(async () => void (await client.teardown()))
  await notes.create({ text: 'a' })

  const list = client.live('notes')

  await show(list, ['a'])
  await notes.create({ text: 'b' })
  gate.resolve()
  await show(list, ['a', 'b'])
})

it('a list that cannot be read remembers no more events than it may, and has all records later', async () => {
  let isRefused = true
  const server = await startServer((app) => {
    app.service('notes').hooks({
      before: {
        find: [
          async () => {
            if (isRefused) throw new Forbidden('Not now')
          }
        ]
      }
    })
  })
  const { timers, pass } = createTimers()
  const client = await connect(server, 'Socket.IO', { timers })
  const list: any = client.live('notes')
  let count = 0

  await until(() => expect(list.getSnapshot().error).toMatchObject({ code: 403 }))
  client.service('notes').on('created', () => count++)
  for (let part = 0; part < 20; part++) await server.notes.create(Array(100).fill({ text: 'a' }))
  await until(() => expect(count).toBe(2000))
  expect(list.recent.size).toBe(1000)

  isRefused = false
  pass(1000)
  await until(() => expect(list.getSnapshot().data).toHaveLength(2000))
})

it('a list with an infinite interval tries again within a minute, however often it has failed', async () => {
  const server = await startServer((app) => {
    app.service('notes').hooks({ before: { find: [() => Promise.reject(new Error('Not now'))] } })
  })
  const clock = createTimers()
  const options = { timers: clock.timers, interval: Number.POSITIVE_INFINITY }
  const client = await connect(server, 'Socket.IO', options)

  client.live('notes')

  for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
    await until(() => expect(clock.pauses).toEqual([seconds * 1000]))
    clock.pass(seconds * 1000)
  }
})
