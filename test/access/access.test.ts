import { loginAs } from 'alula-testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone, owner, role, user } from '../../src/access.ts'
import { AuthenticationService, authenticate } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { createApp, toStatus, USERS } from './support/application.ts'
import { createNotes, createStore } from './support/notes.ts'

describe('access', () => {
  it('lets anyone call, and gives hooks the user of a token that is sent', async () => {
    const { app, notes, nobody, ada } = await createNotes({ all: anyone })
    const users: unknown[] = []

    app.service('notes').hooks({ before: { all: [({ params }) => void users.push(params.user?.id)] } })

    await notes.find(nobody)
    await notes.find(ada)

    expect(users).toEqual([undefined, 1])
    expect(
      await toStatus(notes.find({ ...nobody, authentication: { strategy: 'jwt', accessToken: 'x.y.z' } }))
    ).toBe(401)
  })

  it('refuses to start with an owner field that the schema does not declare', async () => {
    const Note = z.object({ id: z.int(), text: z.string(), ownerId: z.int() })
    const create = (field: string, settings = {}) =>
      createNotes({ find: anyone, patch: owner(field) }, createStore(), { schema: schema(Note, settings) })

    await expect(create('ownerID')).rejects.toMatchObject({
      code: 'ALULA_UNKNOWN_FIELD',
      message:
        "The access of service 'notes' has owner('ownerID'), and its schema has no field 'ownerID'. Did you mean 'ownerId'? (ALULA_UNKNOWN_FIELD)"
    })
    await expect(create('author.id')).rejects.toThrow("has no field 'author'")
    await expect(create('ownerID', { extra: 'keep' })).resolves.toBeDefined()
    await expect(create('ownerId')).resolves.toBeDefined()
  })

  it('lets users and roles call, and nobody where no rule is named', async () => {
    const { notes, nobody, ada, root } = await createNotes({ find: user, get: role('admin') })

    expect(await toStatus(notes.find(nobody))).toBe(401)
    expect(await toStatus(notes.find(ada))).toBe(200)
    expect(await toStatus(notes.get(1, nobody))).toBe(401)
    expect(await toStatus(notes.get(1, ada))).toBe(403)
    expect(await toStatus(notes.get(1, root))).toBe(200)
    expect(await toStatus(notes.create({}, nobody))).toBe(401)
    expect(await toStatus(notes.create({}, root))).toBe(403)
    expect(await toStatus(notes.create({}))).toBe(200)
  })

  it('shows owners their records, and no others', async () => {
    const { notes, nobody, ada, grace } = await createNotes({ all: owner('ownerId') })

    expect(await toStatus(notes.find(nobody))).toBe(401)
    expect(await notes.find(ada)).toMatchObject({ total: 1, data: [{ id: 1 }] })
    expect(
      await notes.find({ ...grace, query: { $or: [{ ownerId: 1 }, { id: { $gt: 0 } }] } })
    ).toMatchObject({ total: 1, data: [{ id: 2 }] })
    expect(await toStatus(notes.get(2, ada))).toBe(404)
    expect(await toStatus(notes.patch(2, { text: 'c' }, ada))).toBe(404)
    expect(await toStatus(notes.remove(2, ada))).toBe(404)
    expect(await notes.patch(null, { text: 'c' }, ada)).toHaveLength(1)
    expect(await notes.get(2)).toMatchObject({ text: 'b' })
    expect(await notes.remove(null, { ...ada, query: { $or: [{}, { ownerId: 2 }] } })).toHaveLength(1)
    expect(await notes.find({ paginate: false })).toHaveLength(1)
  })

  it('says 403 for a record that the caller may see, and 404 as for one that is not there', async () => {
    const { notes, ada } = await createNotes({
      get: anyone,
      patch: owner('ownerId'),
      remove: owner('ownerId')
    })

    expect(await toStatus(notes.patch(2, { text: 'c' }, ada))).toBe(403)
    expect(await toStatus(notes.remove(2, ada))).toBe(403)
    expect(await toStatus(notes.patch(9, { text: 'c' }, ada))).toBe(404)
    // Not the one that the query asks for.
    expect(await toStatus(notes.patch(2, { text: 'c' }, { ...ada, query: { text: 'other' } }))).toBe(404)

    const hidden = await createNotes({ all: owner('ownerId') })
    const other = await hidden.notes.remove(2, hidden.ada).catch((error: Error) => error)
    const none = await hidden.notes.remove(9, hidden.ada).catch((error: Error) => error)

    expect(JSON.stringify(other).replaceAll('2', '9')).toBe(JSON.stringify(none))
  })

  it('says 404 for an update of a hidden record whose fields the schema keeps', async () => {
    const Note = z.object({ id: z.int(), text: z.string(), ownerId: z.int() })
    const declared = schema(Note, { server: { ownerId: ({ params }: any) => params.user.id } })
    const isNot = ({ params }: any) => ({ ownerId: { $ne: params.user?.id ?? null } })

    for (const rule of [owner('ownerId'), isNot]) {
      const { notes, ada, grace } = await createNotes({ all: rule }, createStore(), { schema: declared })
      const caller = rule === isNot ? grace : ada
      const other = await notes.update(2, { text: 'x' }, caller).catch((error: Error) => error)
      const none = await notes.update(9, { text: 'x' }, caller).catch((error: Error) => error)

      expect(other.code).toBe(404)
      expect(JSON.stringify(other).replaceAll('2', '9')).toBe(JSON.stringify(none))
    }

    const { notes, ada } = await createNotes({ get: anyone, update: owner('ownerId') }, createStore(), {
      schema: declared
    })

    expect(await toStatus(notes.update(2, { text: 'x' }, ada))).toBe(403)
  })

  it('says 404 where no client may get the record', async () => {
    const { notes, ada } = await createNotes({ all: owner('ownerId'), get: anyone }, undefined, {
      methods: ['patch']
    })

    expect(await toStatus(notes.patch(1, { text: 'c' }, ada))).toBe(200)
    expect(await toStatus(notes.patch(2, { text: 'c' }, ada))).toBe(404)
  })

  it('does not let a write move a record out of what the caller may have, or into it', async () => {
    const { notes, ada } = await createNotes({ all: owner('ownerId') })

    expect(await toStatus(notes.create({ text: 'x' }, ada))).toBe(403)
    expect(await toStatus(notes.create({ text: 'x', ownerId: 2 }, ada))).toBe(403)
    expect(await toStatus(notes.create({ text: 'x', ownerId: '1' }, ada))).toBe(403)
    expect(await toStatus(notes.create([{ ownerId: 1 }, { ownerId: 2 }], ada))).toBe(403)
    expect(await toStatus(notes.create({ text: 'x', ownerId: 1 }, ada))).toBe(200)
    expect(await toStatus(notes.patch(1, { ownerId: 2 }, ada))).toBe(403)
    expect(await toStatus(notes.patch(1, { ownerId: [1] }, ada))).toBe(403)
    expect(await toStatus(notes.patch(1, { $set: { ownerId: 2 } }, ada))).toBe(403)
    expect(await toStatus(notes.patch(null, { ownerId: 2 }, ada))).toBe(403)
    expect(await toStatus(notes.patch(2, { ownerId: 1 }, ada))).toBe(404)
    expect(await toStatus(notes.update(1, { text: 'y' }, ada))).toBe(403)
    expect(await toStatus(notes.update(1, { text: 'y', ownerId: 1 }, ada))).toBe(200)
    expect(await notes.find({ paginate: false, query: { ownerId: 2 } })).toHaveLength(1)
  })

  it('checks what a write leaves as it is together with what it changes', async () => {
    const store = memory({
      multi: true,
      store: { 1: { id: 1, state: 'open', size: 1 }, 2: { id: 2, state: 'open', size: 9 } }
    })
    const { notes, nobody } = await createNotes(
      { get: anyone, patch: () => ({ $or: [{ state: 'open' }, { size: { $lt: 5 } }] }) },
      store
    )

    expect(await toStatus(notes.patch(2, { state: 'shut' }, nobody))).toBe(403)
    expect(await toStatus(notes.patch(1, { state: 'shut' }, nobody))).toBe(200)
    expect(await toStatus(notes.patch(1, { size: 7 }, nobody))).toBe(403)
    expect(await notes.patch(null, { state: 'open' }, nobody)).toHaveLength(2)
  })

  it('checks data as it is when the method gets it', async () => {
    const { app, notes, ada } = await createNotes({ create: owner('ownerId'), patch: owner('ownerId') })

    app.service('notes').hooks({
      before: {
        create: [({ data, params }) => void Object.assign(data, { ownerId: params.user?.id })],
        patch: [(context) => void Object.assign(context, { params: { ...context.params, query: {} } })]
      }
    })

    expect(await notes.create({ text: 'x' }, ada)).toMatchObject({ ownerId: 1 })
    // A hook that replaces the query does not replace what access demands.
    expect(await toStatus(notes.patch(2, { text: 'x' }, ada))).toBe(404)
  })

  it('decides about an id that the data has, and refuses where the store makes it', async () => {
    const { notes, nobody } = await createNotes({ create: () => ({ id: { $gt: 5 } }) })

    expect(await toStatus(notes.create({ id: 7 }, nobody))).toBe(200)
    expect(await toStatus(notes.create({ id: 3 }, nobody))).toBe(403)
    expect(await toStatus(notes.create({}, nobody))).toBe(403)
  })

  it('leaves a write to a hook that has set its result', async () => {
    const { app, notes, ada } = await createNotes({ remove: owner('ownerId') })

    app.service('notes').hooks({
      before: { remove: [(context) => void Object.assign(context, { result: { archived: context.id } })] }
    })

    expect(await notes.remove(2, ada)).toEqual({ archived: 2 })
    expect(await notes.get(2)).toMatchObject({ id: 2 })
  })

  it('leaves data that is no record to the adapter, which refuses it', async () => {
    const { notes, ada } = await createNotes({ create: owner('ownerId'), patch: owner('ownerId') })

    expect(await toStatus(notes.create('text', ada))).toBe(400)
    expect(await toStatus(notes.patch(1, 'text', ada))).toBe(400)
  })

  it.each<[string, unknown, number]>([
    ['undefined', undefined, 401],
    ['a number', 1, 401],
    ['a string', 'yes', 401],
    ['an array', [{}], 401],
    ['a query with an undefined value', { ownerId: undefined }, 401],
    ['false', false, 401],
    ['a promise of true', Promise.resolve(true), 200],
    ['a promise of a query', Promise.resolve({ ownerId: 1 }), 200],
    ['a promise of false', Promise.resolve(false), 401]
  ])('refuses what is neither true nor a query: %s', async (_, decision, expected) => {
    const { notes, nobody } = await createNotes({ find: () => decision })

    expect(await toStatus(notes.find(nobody))).toBe(expected)
  })

  it('refuses where a rule fails, and tells the client of errors that are made for it', async () => {
    const broken = new Error('broken')
    const { app, notes, nobody, ada } = await createNotes({
      find: () => {
        throw broken
      },
      get: async () => {
        throw broken
      }
    })
    const errors: unknown[] = []

    app.on('error', (error) => errors.push(error))

    expect(await toStatus(notes.find(nobody))).toBe(401)
    expect(await toStatus(notes.get(1, nobody))).toBe(401)
    expect(await toStatus(notes.get(1, ada))).toBe(403)
    expect(errors).toEqual([broken])
  })

  it('does not concern calls from inside, nor logins', async () => {
    const app = createApp()

    app.use('people', memory({ store: USERS }), { access: access({ get: role('admin') }) })
    app.get('authentication').service = 'people'
    await app.setup()

    const ada = await loginAs(app, await app.service('people').get(1))
    const response = await ada.fetch('/authentication', {
      json: { strategy: 'jwt', accessToken: ada.accessToken }
    })

    expect(response.status).toBe(201)
    expect((await ada.fetch('/people/1')).status).toBe(403)
  })

  it('does not verify credentials of a call from inside that brings its user', async () => {
    const { notes, ada } = await createNotes({ all: user })
    const authentication = { strategy: 'jwt', accessToken: 'x.y.z' }

    expect(await toStatus(notes.find({ authentication }))).toBe(401)
    expect(await toStatus(notes.find({ authentication, user: USERS[1] }))).toBe(200)
    expect(await toStatus(notes.find({ ...ada, authentication, user: USERS[1] }))).toBe(401)
  })

  it('refuses credentials where the application has no login', async () => {
    const app = alula()
    const authentication = { strategy: 'jwt', accessToken: 'x.y.z' }

    app.use('notes', createStore(), { access: access({ find: anyone, get: owner('ownerId') }) })

    expect(await toStatus(app.service('notes').find({ provider: 'rest', authentication }))).toBe(401)
    expect(await toStatus(app.service('notes').find({ provider: 'rest' }))).toBe(200)
    expect(await toStatus(app.service('notes').get(1, { provider: 'rest' }))).toBe(401)
  })

  it('refuses owners and roles where a login has no user', async () => {
    const { app, notes, nobody } = await createNotes({ find: owner('ownerId'), get: role('admin') })
    const authenticated = { ...nobody, authenticated: true, user: USERS[3] }

    expect(await toStatus(notes.get(1, authenticated))).toBe(200)
    app.set('authentication', { ...app.get('authentication'), entity: null })
    expect(await toStatus(notes.get(1, authenticated))).toBe(403)
    expect(await toStatus(notes.find(authenticated))).toBe(403)
  })

  it('compares owners with ids that are values or instances of a class, and with nothing else', async () => {
    class ObjectId {}

    const id = new ObjectId()
    const { app, notes, nobody } = await createNotes({ find: owner('ownerId') })
    const find = (user: object) => notes.find({ ...nobody, authenticated: true, user })
    const queries: unknown[] = []

    app.service('notes').hooks({ before: { find: [({ params }) => void queries.push(params.query.$and)] } })
    await find({ id })
    await find({ id: 7n })

    expect(queries).toEqual([[{ ownerId: id }], [{ ownerId: 7n }]])
    for (const other of [undefined, null, '', Number.NaN, true, {}, Object.create(null), [1]]) {
      expect(await toStatus(find({ id: other }))).toBe(403)
    }
  })

  it('finds the id of a user in the id field of their service, or in `entityId`', async () => {
    const { app, notes, nobody } = await createNotes({ find: owner('ownerId') })
    const findAs = async (settings: object) => {
      app.set('authentication', { ...app.get('authentication'), ...settings })

      return (await notes.find({ ...nobody, authenticated: true, user: { id: 1, key: 2 } })).data
    }

    app.use('keyed', memory({ id: 'key' }))

    expect(await findAs({})).toMatchObject([{ ownerId: 1 }])
    expect(await findAs({ service: 'keyed' })).toMatchObject([{ ownerId: 2 }])
    expect(await findAs({ entityId: 'id' })).toMatchObject([{ ownerId: 1 }])
  })

  it('reads a role from the field that is named, as a name or a list of names', async () => {
    const { notes, nobody } = await createNotes({
      find: role('editor'),
      get: role('editor', { field: 'groups' })
    })
    const as = (user: object) => ({ ...nobody, authenticated: true, user })

    expect(await toStatus(notes.find(as({ roles: ['admin', 'editor'] })))).toBe(200)
    expect(await toStatus(notes.find(as({ roles: ['admin'] })))).toBe(403)
    expect(await toStatus(notes.find(as({ roles: { editor: true } })))).toBe(403)
    expect(await toStatus(notes.find(as({ groups: ['editor'] })))).toBe(403)
    expect(await toStatus(notes.get(1, as({ groups: ['editor'] })))).toBe(200)
    expect(await toStatus(notes.get(1, as({ role: 'editor', roles: ['editor'] })))).toBe(403)
  })

  it('is asked before input is read', async () => {
    const { app, notes, nobody, ada } = await createNotes({ all: user }, undefined, {
      schema: {
        input: () => () => {
          throw Object.assign(new Error('input'), { code: 400 })
        }
      }
    })

    expect(app).toBeDefined()
    expect(await toStatus(notes.find(nobody))).toBe(401)
    expect(await toStatus(notes.find(ada))).toBe(400)
  })

  it('does not let a strategy pass that a hook after it does not name', async () => {
    const { app, notes, ada } = await createNotes({ all: user })

    app.service('notes').hooks({ before: { find: [authenticate('other')], get: [authenticate('jwt')] } })

    expect(await toStatus(notes.find(ada))).toBe(401)
    expect(await toStatus(notes.get(1, ada))).toBe(200)
  })
})

describe('mistakes', () => {
  it.each<[string, () => unknown, string]>([
    ['no rules', () => access({}), 'access() expects rules by the names of methods'],
    [
      'no function',
      () => access({ find: true as any }),
      "Invalid rule for 'find' in access(): expected a function, got boolean"
    ],
    ['owner without a field', () => owner(undefined as any), 'owner() expects the name of a field'],
    [
      'owner with options',
      () => (owner as any)('ownerId', { field: 'uuid' }),
      "owner() expects the name of a field, and nothing else: owner('ownerId')"
    ],
    ['role without a name', () => role(''), 'role() expects the name of a role'],
    [
      'role with a field that is none',
      () => role('admin', { field: 1 as any }),
      "Invalid option 'field' of role()"
    ],
    ['role with an empty field', () => role('admin', { field: '' }), "Invalid option 'field' of role()"],
    [
      'a method that is not there',
      () => alula().use('notes', memory(), { access: access({ archiv: user }) }),
      "names the method 'archiv', which clients do not have"
    ],
    [
      'the authentication service',
      () => {
        const app = createApp()

        app.use('login', new AuthenticationService(app, 'login') as any, { access: access({ create: user }) })
      },
      "leave its option 'access' out"
    ]
  ])('%s', (_, make, message) => {
    expect(make).toThrow(message)
  })
})
