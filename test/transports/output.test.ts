import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { hashPassword, protect } from '../../src/authentication.ts'
import { type Application, alula, createContext } from '../../src/index.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { socketio } from '../../src/socketio.ts'
import { addAuthentication } from '../support/login.ts'
import { scaled } from '../support/scale.ts'
import { serve } from '../support/server.ts'
import { ask, connectSocket, next } from '../support/sockets.ts'
import { describeRemoteTransports } from '../support/transports.ts'

/** Stands in everything that must not leave. */
const SECRET = 'sentinel-4711'

const User = z.object({ id: z.int(), name: z.string(), password: z.string() })

const Note = z.object({
  id: z.int(),
  text: z.string(),
  ownerId: z.int(),
  key: z.string().optional(),
  address: z.object({ city: z.string(), code: z.string().optional() }).optional(),
  parts: z.array(z.object({ name: z.string() })).optional(),
  extra: z.any().optional()
})

const note = {
  ...{ text: 'a', ownerId: 0, key: SECRET, hash: SECRET },
  address: { city: 'Rome', code: SECRET, street: SECRET },
  parts: [{ name: 'x', price: SECRET }],
  extra: { anything: 1 }
}

const shown = {
  id: 0,
  text: 'a',
  ownerId: 0,
  address: { city: 'Rome' },
  parts: [{ name: 'x' }],
  extra: { anything: 1 }
}

class Notes extends MemoryService {
  async copy() {
    return { note: await this._get(0), user: await this.app.service('users').get(0) }
  }

  /** Records that no hook has seen. */
  async raw() {
    return { list: [await this._get(0)], ...(await this._get(0)) }
  }

  async counted() {
    return { count: 1, hash: SECRET }
  }

  app!: Application

  async setup(app: Application) {
    this.app = app
  }
}

async function configure(app: Application): Promise<void> {
  app.use('users', memory({ store: { 0: { id: 0, name: 'Ada', password: SECRET } } }), {
    schema: schema(User, { hidden: ['password'] })
  })

  const notes = new Notes({ multi: true, store: { 0: { id: 0, ...note } }, paginate: { default: 10 } })

  notes.app = app
  app.use('notes', notes, {
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'copy', 'counted', 'raw'],
    schema: schema(Note, {
      hidden: ['key', 'address.code'],
      unknown: 'drop',
      computed: {
        author: {
          from: ['ownerId'],
          many: (records, context) =>
            Promise.all(records.map(({ ownerId }) => context.app.service('users').get(ownerId)))
        }
      },
      methods: { counted: { result: z.object({ count: z.int() }) } }
    })
  })
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

    const raw = await client.call('raw', 'notes', { data: {} })

    for (const record of [raw, raw.list[0]]) {
      expect(record).toMatchObject({ address: { city: 'Rome' } })
      expect(record).not.toHaveProperty('key')
      expect(record.address).not.toHaveProperty('code')
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

it('a result that is not what the schema says is reported once for each field, in development', async () => {
  const app = alula()
  const reports: any[] = []
  const Row = z.object({
    ...{ id: z.int(), done: z.boolean(), at: z.date(), tags: z.array(z.string()), name: z.string() },
    kind: z.enum(['a', 'b']),
    address: z.object({ city: z.string() }).optional(),
    note: z.string().nullable(),
    size: z.number().optional(),
    total: z.int().optional()
  })
  const row = {
    ...{
      id: 0,
      done: 1,
      at: '2026-11-22',
      tags: '[]',
      kind: 'c',
      address: { city: 5 },
      note: null,
      size: 5n,
      total: 5n
    }
  }

  app.on('error', (error, context) => reports.push([error.code, error.message, context.method]))
  app.use('rows', memory({ store: { 0: row } }), { schema: schema(Row) })
  await app.service('rows').get(0, { query: { $select: ['id', 'kind'] } })
  for (let times = 0; times < 2; times++) await app.service('rows').find()

  expect(reports).toEqual(
    [
      ['get', '\'kind\' expects one of "a", "b"'],
      ['find', "'done' expects true or false, got a number"],
      ['find', "'tags' expects a list, got a string"],
      ['find', "'name' is missing"],
      ['find', "'address.city' expects a string, got a number"]
    ].map(([method, difference]) => [
      'ALULA_RESULT',
      `A result of 'rows' (${method}) is not what its schema says: ${difference} (ALULA_RESULT)`,
      method
    ])
  )
})

it('a field that is dropped is named once in development', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)

  onTestFinished(() => warn.mockRestore())

  const app = alula()

  await configure(app)
  for (let times = 0; times < 2; times++) await app.service('notes').get(0, { provider: 'rest' })

  expect(warn.mock.calls.map(([sentence]) => String(sentence).slice(0, 50)).sort()).toEqual([
    "The field 'address.street' of service 'notes' does",
    "The field 'hash' of service 'notes' does not leave",
    "The field 'parts.price' of service 'notes' does no"
  ])
})

it('a method whose result has fewer fields than the record narrows it, and nothing is reported', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)

  onTestFinished(() => warn.mockRestore())

  const app = alula()

  app.use('notes', new Notes({ store: { 0: { ...note, id: 0 } } }), {
    methods: ['raw'],
    schema: schema(Note, { methods: { raw: { result: z.object({ id: z.int() }) } } })
  })

  expect(await app.service('notes').raw({}, { provider: 'rest' })).toBeDefined()
  expect(warn).not.toHaveBeenCalled()
})

it('neither is reported in production', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)

  vi.stubEnv('NODE_ENV', 'production')
  onTestFinished(() => {
    warn.mockRestore()
    vi.unstubAllEnvs()
  })

  const app = alula()
  const row = { id: 0, name: 5, password: SECRET, other: SECRET }

  app.use('users', memory({ store: { 0: row } }), { schema: schema(User, { hidden: ['password'] }) })

  const { dispatch } = await app
    .service('users')
    .get(0, { provider: 'rest' }, createContext(app.service('users'), 'get'))

  expect(dispatch).toEqual({ id: 0, name: 5 })
  expect(warn).not.toHaveBeenCalled()
})

describe('what is no plain object', () => {
  class Place {
    city = 'Rome'
    code = SECRET
  }

  class Document extends Place {
    toJSON() {
      return { city: this.city, code: this.code }
    }
  }

  class ObjectId {
    key = SECRET

    toJSON() {
      return 'id'
    }
  }

  async function show(record: unknown, fields: object, hidden: string[] = []): Promise<unknown> {
    const app = alula()

    app.on('error', () => undefined)
    app.use(
      'places',
      { get: async () => record },
      { schema: schema({ type: 'object', properties: fields }, { hidden }) }
    )

    const service = app.service('places')
    const { dispatch } = await service.get(0, { provider: 'rest' }, createContext(service, 'get'))

    return dispatch
  }

  const city = { city: { type: 'string' } }
  const place = { type: 'object', properties: city }

  it('leaves by its declared fields, as a record and as a field of one', async () => {
    for (const Class of [Place, Document]) {
      expect(await show(new Class(), city)).toEqual({ city: 'Rome' })
      expect(await show({ at: new Class() }, { at: place })).toEqual({ at: { city: 'Rome' } })
      expect(await show({ at: [new Class()] }, { at: { type: 'array', items: place } })).toEqual({
        at: [{ city: 'Rome' }]
      })
      expect(await show({ at: new Class() }, { at: {} }, ['at.code'])).toEqual({ at: { city: 'Rome' } })
      expect(await show({ at: { any: [new Class()] } }, { at: {} }, ['at.any.code'])).toEqual({
        at: { any: [{ city: 'Rome' }] }
      })
    }
  })

  it('leaves as the value that it makes of itself, where the field is one', async () => {
    const at = new Date(0)

    expect(JSON.stringify(await show({ at: new ObjectId() }, { at: { type: 'string' } }))).toBe('{"at":"id"}')
    expect(JSON.stringify(await show({ at: new ObjectId() }, { at: place }))).toBe('{"at":"id"}')
    expect(await show({ at }, { at: { type: 'string' } })).toEqual({ at })
    expect(await show({ at }, { at: place })).toEqual({ at })
    expect(await show({ at: new Uint8Array(1) }, { at: { type: 'string' } })).toEqual({
      at: new Uint8Array(1)
    })
  })

  it('does not leave where the field is a value and it makes none of itself', async () => {
    expect(await show({ at: new Place(), city: 'Rome' }, { at: { type: 'string' }, ...city })).toEqual({
      city: 'Rome'
    })
    expect(await show({ at: { code: SECRET }, city: 'Rome' }, { at: { type: 'string' }, ...city })).toEqual({
      city: 'Rome'
    })
    expect(await show({ at: [SECRET] }, { at: { type: 'string' } })).toEqual({})
    expect(await show('text', city)).toBe('text')
  })
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

it('random records leave nothing that is hidden or not declared', async () => {
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.constant(null))
  const part = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 3 }, leaf, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
    object: fc.dictionary(
      fc.constantFrom('name', 'city', 'code', 'text', 'id', 'x', 'toJSON', '__proto__'),
      tie('value'),
      { maxKeys: 4 }
    )
  })).object as fc.Arbitrary<Record<string, unknown>>

  /** A sentinel under every name that must not leave, at any depth of what is declared. */
  const poison = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(poison)
    if (typeof value !== 'object' || value === null) return value

    return {
      ...Object.fromEntries(Object.entries(value).map(([name, field]) => [name, poison(field)])),
      undeclared: SECRET
    }
  }

  await fc.assert(
    fc.asyncProperty(part, part, fc.array(part, { maxLength: 3 }), async (top, address, parts) => {
      const { extra: _, ...rest } = top
      const record = {
        ...(poison(rest) as object),
        id: 0,
        key: SECRET,
        address: { ...(poison(address) as object), code: SECRET },
        parts: poison(parts)
      }
      const app = alula()

      app.use(
        'notes',
        { find: async () => [record], get: async () => record, create: async () => record },
        {
          schema: schema(Note, { hidden: ['key', 'address.code'] })
        }
      )

      for (const call of [
        app.service('notes').find({ provider: 'rest' }, createContext(app.service('notes'), 'find')),
        app.service('notes').get(0, { provider: 'rest' }, createContext(app.service('notes'), 'get')),
        app
          .service('notes')
          .create({ text: 'a', ownerId: 1 }, {}, createContext(app.service('notes'), 'create'))
      ]) {
        expect(JSON.stringify((await call).dispatch)).not.toContain(SECRET)
      }
    }),
    { numRuns: scaled(20_000) }
  )
})
