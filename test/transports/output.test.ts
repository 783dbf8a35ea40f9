import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { hashPassword, protect } from '../../src/authentication.ts'
import { alula, createContext } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { socketio } from '../../src/socketio.ts'
import { addAuthentication } from '../support/login.ts'
import { serve } from '../support/server.ts'
import { ask, connectSocket, next } from '../support/sockets.ts'
import { describeRemoteTransports } from '../support/transports.ts'
import { configure, note, SECRET, User } from './support/notes.ts'

const shown = {
  id: 0,
  text: 'a',
  ownerId: 0,
  address: { city: 'Rome' },
  parts: [{ name: 'x' }],
  extra: { anything: 1 }
}

const author = { id: 0, name: 'Ada' }

describeRemoteTransports('what leaves a service with a schema', (open) => {
  it('is declared and not hidden, in every result', async () => {
    const client = await open((app) => void configure(app))

    expect(await client.call('get', 'notes', { id: 0 })).toEqual({ ...shown, author })
    expect(await client.call('find', 'notes')).toEqual({
      ...{ total: 1, limit: 10, skip: 0 },
      data: [{ ...shown, author }]
    })
    expect(await client.call('create', 'notes', { data: { text: 'b' } }).catch(() => 'invalid')).toBe(
      'invalid'
    )
    expect(await client.call('create', 'notes', { data: { text: 'b', ownerId: 0, key: SECRET } })).toEqual({
      ...{ id: 1, text: 'b', ownerId: 0, author }
    })
    expect(await client.call('patch', 'notes', { id: 0, data: { key: SECRET } })).toEqual({
      ...shown,
      author
    })
    expect(await client.call('patch', 'notes', { id: null, data: { text: 'c' } })).toHaveLength(2)
    expect(await client.call('counted', 'notes', { data: {} })).toEqual({ count: 1 })
    expect((await client.call('copy', 'notes', { data: {} })).user).toEqual(author)

    for (const method of ['raw', 'declared']) {
      const result = await client.call(method, 'notes', { data: {} })

      for (const record of [result, result.list[0]]) {
        expect(record).toMatchObject({ address: { city: 'Rome' } })
        expect(record).not.toHaveProperty('key')
        expect(record.address).not.toHaveProperty('code')
      }
    }

    expect(await client.call('remove', 'notes', { id: 1 })).toEqual({ id: 1, text: 'c', ownerId: 0, author })
  })

  it('can be selected, and what is hidden cannot be asked for', async () => {
    const client = await open((app) => void configure(app))
    const select = (...fields: string[]) =>
      client.call('get', 'notes', { id: 0, query: { $select: fields } }).then((found) => found)

    expect(await select('text')).toEqual({ id: 0, text: 'a' })
    expect(await select('text', 'author')).toEqual({ id: 0, text: 'a', author })
    for (const query of [
      { key: 'x' },
      { $sort: { key: 1 } },
      { $select: ['key'] },
      { 'address.code': 'x' },
      { author: 1 }
    ]) {
      expect(await client.fail('find', 'notes', { query })).toMatchObject({ code: 400 })
    }
  })
})

describeRemoteTransports('a view', (open) => {
  it('is what the client that calls gets, and made of what may leave', async () => {
    const client = await open((app) => {
      app.use('users', memory({ multi: true, store: { 0: { id: 0, name: 'Ada', password: SECRET } } }), {
        schema: schema(User, {
          hidden: ['password'],
          view: async ({ method, dispatch }) => (method === 'find' ? { users: dispatch } : { user: dispatch })
        })
      })
    })

    expect(await client.call('get', 'users', { id: 0 })).toEqual({ user: author })
    expect(await client.call('find', 'users')).toEqual({ users: [author] })
  })
})

describeRemoteTransports('a view with a schema', (open) => {
  it('leaves out what its schema does not declare, and may return a promise', async () => {
    const client = await open((app) => {
      app.use('users', memory({ store: { 0: { id: 0, name: 'Ada', password: SECRET } } }), {
        schema: schema(User, {
          hidden: ['password'],
          view: {
            schema: z.object({ user: z.object({ name: z.string() }) }),
            make: async ({ result, dispatch }) => ({ user: { ...dispatch, ...result } })
          }
        })
      })
    })

    expect(await client.call('get', 'users', { id: 0 })).toEqual({ user: { name: 'Ada' } })
  })

  it('leaves out hidden fields, of its own records and of those of others', async () => {
    const client = await open((app) => {
      const store = { 0: { id: 0, name: 'Ada', password: SECRET } }
      const make = async ({ result }: any) => ({ user: result, others: [await app.service('others').get(0)] })

      app.use('others', memory({ store }), { schema: schema(User, { hidden: ['password'] }), methods: [] })
      for (const [path, hidden] of [
        ['users', ['password']],
        ['all', []]
      ] as const) {
        app.use(path, memory({ store }), {
          schema: schema(User, {
            hidden,
            view: { schema: z.object({ user: User, others: z.array(User) }), make }
          })
        })
      }
    })

    expect(await client.call('get', 'users', { id: 0 })).toEqual({ user: author, others: [author] })
    expect(await client.call('get', 'all', { id: 0 })).toEqual({
      user: { ...author, password: SECRET },
      others: [author]
    })
  })
})

describe('events', () => {
  it('and calls from inside have no view', async () => {
    const app = alula()

    app.configure(socketio({ logger: false }))
    app.use('users', memory(), {
      schema: schema(User, { hidden: ['password'], view: ({ dispatch }) => ({ user: dispatch }) })
    })
    app.service('users').publish(() => app.channel('all'))
    app.on('connection', (connection) => app.channel('all').join(connection))

    const socket = await connectSocket(await serve(app as any))
    const event = next(socket, 'users created')

    expect(await ask(socket, 'create', 'users', { name: 'Ada', password: 'x' }, {})).toEqual([
      null,
      { user: author }
    ])
    expect(await event).toEqual(author)
    expect(await app.service('users').get(0)).toEqual({ ...author, password: 'x' })
  })

  async function listen() {
    const app = alula()

    app.configure(socketio({ logger: false }))
    await configure(app)
    app.service('notes').publish(() => app.channel('all'))
    app.on('connection', (connection) => app.channel('all').join(connection))

    const socket = await connectSocket(await serve(app as any))

    return { app, socket }
  }

  it('of calls from inside and outside carry what clients may see', async () => {
    const { app, socket } = await listen()
    const inside = next(socket, 'notes created')

    expect(await app.service('notes').create({ text: 'b', ownerId: 0, key: SECRET })).toMatchObject({
      key: SECRET
    })
    expect(await inside).toEqual({ id: 1, text: 'b', ownerId: 0, author })

    const outside = next(socket, 'notes patched')

    await ask(socket, 'patch', 'notes', 0, { key: SECRET }, {})
    expect(await outside).toEqual({ ...shown, author })
  })

  it('that a hook has named do too, for any method and for calls from inside', async () => {
    const app: any = alula()
    const users = Object.assign(memory({ startId: 1 }), {
      archive: async ({ id }: { id: number }) => app.service('users').get(id)
    })

    app.configure(socketio({ logger: false }))
    app.use('users', users, {
      methods: ['find', 'get', 'archive'],
      serviceEvents: ['archived'],
      schema: schema(User, { hidden: ['password'] })
    })
    app.hooks({
      after: {
        all: [
          async (context: any) => {
            if (context.params.announce) context.event = 'archived'
          }
        ]
      }
    })
    app.service('users').publish(() => app.channel('all'))
    app.on('connection', (connection: any) => app.channel('all').join(connection))

    const socket = await connectSocket(await serve(app))
    const params = { announce: true }

    await app.service('users').create({ name: 'Ada', password: SECRET })

    for (const call of [
      () => app.service('users').archive({ id: 1 }, params),
      () => app.service('users').get(1, params),
      async () => (await app.service('users').find(params))[0]
    ]) {
      const event = next(socket, 'users archived')

      expect(await call()).toMatchObject({ password: SECRET })
      expect(await event).toEqual({ id: 1, name: 'Ada' })
    }
  })

  it('that a service sends by itself do too', async () => {
    const { app, socket } = await listen()
    const event = next(socket, 'notes updated')

    app.service('notes').emit('updated', { id: 0, ...note })

    expect(await event).toEqual(shown)
  })
})

it('a login shows the user as its service does, and the server has all of it', async () => {
  const app = alula()

  addAuthentication(app, { local: { usernameField: 'name' } })
  app.use('users', memory(), { schema: schema(User, { hidden: ['password'] }) })
  app.service('users').hooks({ before: { create: [hashPassword('password')] } })

  const { password } = await app.service('users').create({ name: 'Ada', password: 'correct horse' })
  const context = await app
    .service('authentication')
    .create(
      { strategy: 'local', name: 'Ada', password: 'correct horse' },
      { provider: 'rest' },
      createContext(app.service('authentication'), 'create')
    )

  expect(password).toContain('$')
  expect((context as any).dispatch.user).toEqual({ id: 0, name: 'Ada' })
  expect(JSON.stringify(context.dispatch)).not.toContain(password)
})

it('protect and a dispatch of a hook are narrowed further', async () => {
  const app = alula()

  await configure(app)
  app.service('notes').hooks({
    after: {
      get: [protect('text')],
      find: [
        (context: any) =>
          void Object.assign(context, {
            dispatch: { data: [note], total: 1, limit: 1, skip: 0, more: SECRET }
          })
      ]
    }
  })

  const call = (method: string, ...args: any[]) =>
    app.service('notes')[method](...args, { provider: 'rest' }, createContext(app.service('notes'), method))

  expect(Object.keys((await call('get', 0)).dispatch)).toEqual([
    'id',
    'ownerId',
    'address',
    'parts',
    'extra',
    'author'
  ])
  expect(JSON.stringify((await call('find')).dispatch)).not.toContain(SECRET)
})

it('a record of another service leaves as that service shows it, in a declared field too', async () => {
  const app = alula()
  const Holder = z.object({
    id: z.int(),
    user: z.object({ id: z.int(), name: z.string(), password: z.string() })
  })

  app.use('users', memory({ store: { 0: { id: 0, name: 'Ada', password: SECRET } } }), {
    schema: schema(User, { hidden: ['password'] })
  })
  app.use(
    'holders',
    { get: async () => ({ id: 1, user: await app.service('users').get(0) }) },
    { schema: schema(Holder) }
  )

  const service = app.service('holders')
  const { dispatch } = await service.get(1, { provider: 'rest' }, createContext(service, 'get'))

  expect(dispatch).toEqual({ id: 1, user: { id: 0, name: 'Ada' } })
})

it('an event of a name of its own leaves without hidden fields', async () => {
  const app = alula()
  const sent: unknown[] = []

  app.use('users', memory(), {
    serviceEvents: ['archived'],
    schema: schema(User, { hidden: ['password'] })
  })
  app.service('users').publish((data: unknown, { dispatch }: any) => {
    sent.push(dispatch ?? data)

    return []
  })
  app
    .service('users')
    .emit('archived', { user: { name: 'Ada', password: 'x' }, password: SECRET, by: 'root' })

  expect(sent).toEqual([{ user: { name: 'Ada' }, by: 'root' }])
})

it("extra: 'keep' lets fields leave that hooks add", async () => {
  const app = alula()

  app.use('users', memory({ store: { 0: { id: 0, name: 'Ada', password: SECRET, rank: 1 } } }), {
    schema: schema(User, { hidden: ['password'], extra: 'keep' })
  })

  const { dispatch } = await app
    .service('users')
    .get(0, { provider: 'rest' }, createContext(app.service('users'), 'get'))

  expect(dispatch).toEqual({ id: 0, name: 'Ada', rank: 1 })
})

it('computed runs once for a page, and has to return a value for each record', async () => {
  let calls = 0
  let values: unknown[] = [1, 2]
  const app = alula()

  app.use('users', memory({ multi: true }), {
    schema: schema(User, {
      computed: { rank: { from: ['name'], many: () => [++calls, values][1] as unknown[] } }
    })
  })

  const users = app.service('users')

  await users.create([
    { name: 'a', password: 'x' },
    { name: 'b', password: 'x' }
  ])
  calls = 0

  expect((await users.find()).map(({ rank }: any) => rank)).toEqual([1, 2])
  expect(await users.find({ query: { $select: ['name'] } })).toEqual([
    { id: 0, name: 'a' },
    { id: 1, name: 'b' }
  ])
  expect(await users.find({ query: { $select: ['rank'] } })).toEqual([
    { id: 0, rank: 1 },
    { id: 1, rank: 2 }
  ])
  expect(await users.find({ query: { name: 'none' } })).toEqual([])
  expect(calls).toBe(2)
  values = [1]
  await expect(users.find()).rejects.toThrow("'rank' of 'users' needs one value for each record")
})
