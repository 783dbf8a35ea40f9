import { proveExposure } from 'alula-testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { access, anyone, closed, exposure, owner, role, user } from '../../src/access.ts'
import { authenticate, hashPassword } from '../../src/authentication.ts'
import { Forbidden } from '../../src/errors.ts'
import { type Application, alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { socketio } from '../../src/socketio.ts'
import { addAuthentication } from '../support/login.ts'
import { scaled } from '../support/scale.ts'
import { createApp, USERS } from './support/application.ts'

const users = { user: USERS[1], owner: USERS[2], admin: USERS[3] }
const METHODS = ['find', 'get', 'create', 'update', 'patch', 'remove', 'archive']

function createNotes(): any {
  return Object.assign(memory({ store: { 7: { id: 7, ownerId: 2 } } }), { archive: async () => 'done' })
}

it('holds for random registries, and closed methods never answer', async () => {
  const rules = fc.constantFrom(anyone, user, role('admin'), owner('ownerId'), undefined)
  const registries = fc.record({
    rules: fc.option(fc.tuple(...METHODS.map(() => rules))),
    methods: fc.subarray(METHODS, { minLength: 1 }),
    hooks: fc.subarray(METHODS),
    isOptional: fc.boolean(),
    isOnApplication: fc.boolean(),
    isClosed: fc.boolean(),
    hasSockets: fc.boolean()
  })

  await fc.assert(
    fc.asyncProperty(
      registries,
      async ({ rules, methods, hooks, isOptional, isOnApplication, isClosed, hasSockets }) => {
        const app: Application = createApp()
        const named = Object.fromEntries(
          METHODS.map((method, index) => [method, rules?.[index]] as const)
            .filter(([method]) => methods.includes(method))
            .map(([method, rule]) => [method, method === 'archive' && rule ? user : rule])
            .filter(([, rule]) => rule)
        )

        if (hasSockets) app.configure(socketio())
        if (isClosed) app.configure(closed({ open: { notes: ['find'] } }))
        app.use('notes', createNotes(), {
          methods,
          ...(Object.keys(named).length > 0 && { access: access(named as any) })
        })

        // No data makes a record that is of another user.
        app.service('notes').hooks({
          before: { create: [({ data, params }) => void Object.assign(data, { ownerId: params.user?.id })] }
        })

        const hook = authenticate({ strategies: ['jwt'], optional: isOptional })
        const map = Object.fromEntries(
          hooks.filter((name) => methods.includes(name) || name !== 'archive').map((name) => [name, [hook]])
        )

        if (isOnApplication) app.hooks({ before: map })
        else app.service('notes').hooks({ before: map })

        await app.setup()
        await proveExposure(app, {
          users,
          records: { notes: () => app.service('notes')._create({ ownerId: 2 }) },
          data: { notes: { ownerId: 2 } },
          log: false
        })
        await app.teardown()
      }
    ),
    { numRuns: scaled(1000) }
  )
})

it('names each difference between the table and a response', async () => {
  const app = createApp()

  app.use('notes', createNotes(), { methods: ['find'], access: access({ find: user }) })
  app.use('open', createNotes(), { methods: ['find', 'get'], access: access({ find: anyone, get: anyone }) })
  // What the table cannot know.
  app.service('notes').hooks({ error: { find: [] } })
  app.hooks({
    error: {
      find: [(context) => void Object.assign(context, context.path === 'notes' && { result: [] })]
    }
  })
  app.service('open').hooks({
    before: {
      get: [
        () => {
          throw Object.assign(new Error('no'), { name: 'Forbidden', code: 403, type: 'FeathersError' })
        }
      ]
    }
  })
  await app.setup()

  await expect(proveExposure(app, { users, log: false })).rejects.toThrow(
    [
      'notes.find over rest as nobody: the table says user, the response is 200',
      ...['nobody', 'user', 'owner', 'admin'].map(
        (name) => `open.get over rest as ${name}: the table says anyone, the response is 403`
      )
    ].join('\n')
  )
  expect(exposure(app)).toHaveLength(5)
})

it('fills the placeholders of routes, and calls a service at the root', async () => {
  const app = createApp()

  app.use('notes', createNotes(), {
    methods: ['find', 'archive'],
    routes: { 'POST /:id/archive': 'archive' },
    access: access({ find: anyone, archive: user })
  })
  app.use('/', createNotes(), { access: access({ all: role('admin') }) })
  await app.setup()

  await proveExposure(app, { users, records: { notes: 7, '/': 7 }, log: false })
})

it('takes no failure of the server for an admission', async () => {
  const app = createApp()

  app.use('notes', createNotes(), { methods: ['find'], access: access({ find: user }) })
  app.service('notes').hooks({
    before: {
      find: [
        () => {
          throw new Error('broken')
        }
      ]
    }
  })
  await app.setup()

  await expect(proveExposure(app, { users, log: false })).rejects.toThrow(
    ['user', 'owner', 'admin']
      .map((name) => `notes.find over rest as ${name}: the table says user, the response is 500`)
      .join('\n')
  )
})

it('says which data a write of the owner needs, where nobody has given it', async () => {
  const app = createApp()

  app.use('notes', createNotes(), { methods: ['create', 'get'], access: access({ all: owner('ownerId') }) })
  await app.setup()

  await expect(proveExposure(app, { users, records: { notes: 7 }, log: false })).rejects.toThrow(
    "notes.create as owner never succeeded: the response is 403, You may not create this record of 'notes'. Give 'data: { notes: { create: … } }'"
  )
})

it('expects users to create records of their own, and none of another user', async () => {
  const app = createApp()
  const createFor = (toOwner: (id: number) => number) => async (context: any) => {
    context.data = { ...context.data, by: { id: toOwner(context.params.user.id) } }
  }

  app.configure(socketio())
  app.use('notes', memory(), { methods: ['create'], access: access({ create: owner('by.id') }) })
  app.use('loose', memory(), { methods: ['create'], access: access({ create: owner('by.id') }) })
  app.service('notes').hooks({ before: { create: [createFor((id) => id)] } })
  // What a rule that does not hold would let pass.
  app.service('loose').hooks({
    before: { create: [createFor((id) => id)] },
    after: { create: [async ({ result }: any) => void Object.assign(result.by, { id: 2 })] }
  })
  await app.setup()

  await expect(
    proveExposure(app, { users, data: { notes: { text: 'a' }, loose: { text: 'a' } }, log: false })
  ).rejects.toMatchObject({
    message: [
      "loose.create over rest as user: the table says owner('by.id'), the response is 201",
      "loose.create over socketio as user: the table says owner('by.id'), the response is 200",
      "loose.create over rest as admin: the table says owner('by.id'), the response is 201",
      "loose.create over socketio as admin: the table says owner('by.id'), the response is 200",
      "loose.create over rest as user: the data says whose the record is: 'by.id' is the owner",
      "loose.create over socketio as user: the data says whose the record is: 'by.id' is the owner"
    ].join('\n')
  })
})

it('logs users in for each call: a new password and a lost role cause no difference', async () => {
  const app = alula()

  addAuthentication(app)
  app.configure(socketio())
  app.use('users', memory(), {
    methods: ['patch', 'find'],
    access: access({ patch: anyone, find: role('admin') })
  })
  app.service('users').hooks({ before: { all: [hashPassword('password')] } })
  app.use('zeta', memory(), { methods: ['find', 'get'], access: access({ find: user, get: role('admin') }) })
  await app.setup()

  const create = (data: object) => app.service('users').create({ password: 'old', ...data })
  const [eve, ada, root] = [await create({}), await create({}), await create({ role: 'admin' })]
  const note = await app.service('zeta').create({})

  await proveExposure(app, {
    users: { user: eve, owner: ada, admin: root },
    records: { users: root.id, zeta: note.id },
    data: { users: { password: 'new', role: 'none' } },
    log: false
  })
  expect(await app.service('users').get(root.id)).toMatchObject({ role: 'none' })
})

it('removes users last, and makes no call as a user who is removed', async () => {
  const app = alula()
  const refuse = ({ params: { user } }: any) => {
    if (user?.id === 2) throw new Forbidden('Not for the owner')
  }

  addAuthentication(app)
  app.configure(socketio())
  app.use('users', memory({ store: { 1: { id: 1 }, 2: { id: 2 } } }), {
    methods: ['remove', 'get'],
    access: access({ get: user, remove: owner('id') })
  })
  app.use('zeta', memory(), { methods: ['find'], access: access({ find: user }) })
  for (const path of ['users', 'zeta']) app.service(path).hooks({ before: { find: [refuse], get: [refuse] } })
  await app.setup()

  await expect(
    proveExposure(app, { users: { user: { id: 1 }, owner: { id: 2 } }, records: { users: 2 }, log: false })
  ).rejects.toMatchObject({
    message: [
      'zeta.find over rest',
      'zeta.find over socketio',
      'users.get over rest',
      'users.get over socketio'
    ]
      .map((call) => `${call} as owner: the table says user, the response is 403`)
      .join('\n')
  })
  await expect(app.service('users').find()).resolves.toEqual([{ id: 1 }])
})

it.each<[string, any, object | null, string]>([
  ['ALULA_INVALID_APPLICATION', null, {}, 'proveExposure expects an application'],
  ['ALULA_INVALID_OPTION', createApp(), null, 'Invalid options of proveExposure: expected an object'],
  ['ALULA_UNKNOWN_OPTION', createApp(), { user: USERS[1] }, "Did you mean 'users'?"],
  ['ALULA_INVALID_OPTION', createApp(), { records: [7] }, "Invalid option 'records' of proveExposure"],
  ['ALULA_UNKNOWN_OPTION', createApp(), { users: { owners: USERS[1] } }, "Did you mean 'owner'?"],
  ['ALULA_INVALID_OPTION', createApp(), { records: { user: 7 } }, "no service 'user'. Did you mean 'users'?"],
  ['ALULA_INVALID_OPTION', createApp(), { records: { users: 99 } }, "'users' has no record '99'"],
  [
    'ALULA_INVALID_OPTION',
    createApp(),
    { users: { owner: { id: 99 } } },
    "Invalid option 'users' of proveExposure: 'users' has no record of 'owner'"
  ],
  ['ALULA_INVALID_ARGUMENT', createApp(), { users: { owner: undefined } }, 'loginAs expects the entity'],
  ['ALULA_INVALID_OPTION', createApp(), { data: { toString: {} } }, "no service 'toString'"]
])('refuses what it cannot use: %s', async (code, app, options, sentence) => {
  await expect(proveExposure(app, options as any)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(sentence)
  })
})
