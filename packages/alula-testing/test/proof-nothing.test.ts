// Proofs of nothing: whatever leads to no success has to be said.
import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone, owner, role, user } from '../../../src/access.ts'
import { FeathersError, TooManyRequests, Unavailable } from '../../../src/errors.ts'
import { type Application, alula } from '../../../src/index.ts'
import { type MemoryOptions, MemoryService, memory } from '../../../src/memory.ts'
import { many, schema } from '../../../src/schema.ts'
import { socketio } from '../../../src/socketio.ts'
import { createApp, USERS } from '../../../test/access/support/application.ts'
import { type ProofOptions, proveExposure } from '../src/index.ts'

const users = { user: USERS[1], owner: USERS[2], admin: USERS[3] }
const store = () => ({ 7: { id: 7, text: 'Engines', ownerId: 2 } })

interface Notes {
  readonly methods: string[]
  readonly rules: Parameters<typeof access>[0]
  readonly service?: object
  readonly options?: object
}

/** An application with notes. */
function createNotes({ methods, rules, service = memory({ store: store() }), options }: Notes): Application {
  const app = createApp()

  app.use('notes', service as MemoryService, { methods, access: access(rules), ...options })

  return app
}

/** What a proof says of an application; nothing where it is proved. */
async function prove(app: Application, options: ProofOptions): Promise<readonly string[]> {
  await app.setup()

  return await proveExposure(app, { log: false, ...options }).then(
    () => [],
    (error) => error.message.split('\n')
  )
}

const fail = (app: Application, toError: () => Error): Application => {
  app.service('notes').hooks({
    before: {
      all: [
        async ({ params }: any) => {
          if (params.provider) throw toError()
        }
      ]
    }
  })

  return app
}

it('an application without methods proves nothing', async () => {
  expect(await prove(alula(), {})).toEqual(['Nothing was proved: the application has no method to call'])
})

it.each<[string, Notes['rules'], ProofOptions['users'], string]>([
  ['no user', { find: user }, {}, "the table says user, and no user calls. Give 'users: { user: … }'"],
  [
    'no owner',
    { find: owner('ownerId') },
    { user: USERS[1] },
    "the table says owner('ownerId'), and no owner calls. Give 'users: { owner: … }'"
  ],
  [
    'nobody but the owner',
    { find: owner('ownerId') },
    { owner: USERS[2] },
    "the table says owner('ownerId'), and no other user calls. Give 'users: { user: … }'"
  ],
  [
    'nobody with the role',
    { find: role('admin') },
    { user: USERS[1] },
    "the table says role('admin'), and no user with the role calls. Give 'users: { admin: … }'"
  ],
  [
    'nobody without the role',
    { find: role('admin') },
    { admin: USERS[3] },
    "the table says role('admin'), and no user without the role calls. Give 'users: { user: … }'"
  ]
])('with %s a rule is not proved', async (_who, rules, given, line) => {
  const app = createNotes({ methods: ['find'], rules })

  expect(await prove(app, { users: given, records: { notes: 7 } })).toEqual([`notes.find: ${line}`])
})

it('a method of a service without a record is not proved', async () => {
  const app = createNotes({ methods: ['get'], rules: { get: user } })
  const lines = await prove(app, { users: { user: USERS[1] } })

  expect(lines).toEqual([
    "notes.get as user never succeeded: the response is 404, No record found for id '2147483000'. Give 'records: { notes: … }'"
  ])
})

it('a list without a record shows nothing of owners, and nothing of what is hidden', async () => {
  const app = createNotes({ methods: ['find'], rules: { find: owner('ownerId') }, service: memory() })
  const hiding = createNotes({
    methods: ['find'],
    rules: { find: anyone },
    service: memory(),
    options: { schema: schema(z.object({ id: z.int(), secret: z.string() }), { hidden: ['secret'] }) }
  })
  const end = "never succeeded: the response has no record. Give 'records: { notes: … }'"

  expect(await prove(app, { users })).toEqual([`notes.find as owner ${end}`])
  expect(await prove(hiding, {})).toEqual([`notes.find as nobody ${end}`])
})

it('a service by another field takes the id of its record', async () => {
  class Forgetful extends MemoryService<any> {
    override async remove(id: any, params: any): Promise<any> {
      return await super.remove(id, { adapter: params.adapter } as any)
    }
  }
  const createSlugs = (Service: typeof MemoryService<any>) =>
    createNotes({
      methods: ['get', 'remove'],
      rules: { get: anyone, remove: owner('ownerId') },
      service: new Service({ store: { 7: { id: 7, slug: 'intro', ownerId: 2 } } } as MemoryOptions),
      options: { by: 'slug' }
    })

  expect(await prove(createSlugs(MemoryService), { users, records: { notes: 7 } })).toEqual([])
  expect(await prove(createSlugs(Forgetful), { users, records: { notes: 7 } })).toContain(
    "notes.remove over rest as user: the table says owner('ownerId'), the response is 200"
  )
})

it.each([
  [429, new TooManyRequests('Later'), 'notes.find as nobody never succeeded: the response is 429, Later'],
  [
    503,
    new Unavailable('Later'),
    'notes.find over rest as nobody: the table says anyone, the response is 503'
  ],
  [
    409,
    new FeathersError('Later', 'Conflict', 409, 'conflict', {}),
    "notes.find as nobody never succeeded: the response is 409, Later. Give 'query: { notes: { find: … } }', as a function that makes it for each call"
  ]
])('%d for all calls proves nothing', async (_status, error, line) => {
  const app = fail(createNotes({ methods: ['find'], rules: { find: anyone } }), () => error)

  expect(await prove(app, {})).toEqual([line])
})

it('data that is not valid proves nothing, and the message shows what is wrong', async () => {
  const app = createNotes({
    methods: ['create'],
    rules: { create: anyone },
    options: { schema: schema(z.object({ id: z.int(), text: z.string() })) }
  })
  const lines = await prove(app, {})

  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(
    /^notes\.create as nobody never succeeded: the response is 400, Invalid data at 'text'.*\. Give 'data: \{ notes: \{ create: … } }'$/
  )
})

it('a custom method has data of its own, and a function makes it of the record', async () => {
  const service = Object.assign(memory({ store: store() }), {
    share: async ({ note }: any) => {
      if (note !== 7) throw new TooManyRequests('No such note')

      return { shared: note }
    }
  })
  const createShared = () =>
    createNotes({
      methods: ['create', 'share'],
      rules: { all: anyone },
      service,
      options: {
        schema: schema(z.object({ id: z.int(), text: z.string() }), {
          methods: { share: { data: z.object({ note: z.int() }), result: z.object({ shared: z.int() }) } }
        })
      }
    })
  const records = { notes: 7 }

  expect((await prove(createShared(), { records, data: { notes: { text: 'a' } } }))[0]).toContain(
    "notes.share as nobody never succeeded: the response is 400, Invalid data: 'text' is not a known field. Give 'data: { notes: { share: … } }'"
  )
  expect(
    await prove(createShared(), { records, data: { notes: { text: 'a', share: { note: 7 } } } })
  ).toEqual([])
  expect(
    await prove(createShared(), {
      records,
      data: { notes: { create: () => ({ text: 'a' }), share: ({ id }: any) => ({ note: id }) } }
    })
  ).toEqual([])
})

it('a query that a method needs is given', async () => {
  const app = (query?: object) => {
    const notes = createNotes({ methods: ['find'], rules: { find: anyone } })

    notes.configure(socketio())
    notes.service('notes').hooks({
      before: {
        find: [
          async ({ params }: any) => {
            if (params.query.ownerId?.$in?.[0] !== 2 && params.query.ownerId?.$in?.[0] !== '2') {
              throw new TooManyRequests('An owner is missing')
            }
          }
        ]
      }
    })

    return prove(notes, { query: { notes: query ?? {} } })
  }

  expect(await app()).toEqual([
    'notes.find as nobody never succeeded: the response is 429, An owner is missing'
  ])
  expect(await app({ ownerId: { $in: [2] } })).toEqual([])
})

it('a value for a placeholder is given, and that of a record of the service in the path is found', async () => {
  const createComments = () => {
    const app = createNotes({
      methods: ['get'],
      rules: { get: anyone },
      service: memory({ store: { 7: { id: 7, slug: 'a b/c' } } }),
      options: { by: 'slug' }
    })
    const find = async ({ route }: any) => {
      if (route.slug !== 'a b/c' && route.room !== 'tea') throw new TooManyRequests('No such path')

      return [{ id: 1 }]
    }

    app.use('notes/:slug/comments', { find }, { access: access({ find: anyone }) })
    app.use('rooms/:room/comments', { find }, { access: access({ find: anyone }) })

    return app
  }
  const route = { 'rooms/:room/comments': { room: 'tea' } }
  const proved = await prove(createComments(), { records: { notes: 7 }, route })

  expect(proved).toEqual([])
  expect(await prove(createComments(), { records: { notes: 7 } })).toEqual([
    'rooms/:room/comments.find as nobody never succeeded: the response is 429, No such path'
  ])
})

it('of a rule of the application the callers are given, and all of them are tried', async () => {
  const isOwner = ({ params }: any) => params.user?.id === 2
  const create = (rule: any) => createNotes({ methods: ['find', 'get'], rules: { find: anyone, get: rule } })
  const options = { users, records: { notes: 7 } }
  const callers = { notes: { get: ['owner'] } }

  expect(await prove(create(isOwner), options)).toEqual([
    "notes.get: the table says isOwner, and nothing else is known of it. Give 'callers: { notes: { get: ['owner'] } }'"
  ])
  expect(await prove(create(isOwner), { ...options, callers })).toEqual([])
  expect(
    await prove(
      create(() => true),
      { ...options, callers }
    )
  ).toEqual(
    ['nobody', 'user', 'admin'].map(
      (name) => `notes.get over rest as ${name}: 'callers' says owner, the response is 200`
    )
  )
  expect(
    await prove(
      create(() => false),
      { ...options, callers }
    )
  ).toEqual(["notes.get over rest as owner: 'callers' says owner, the response is 403"])
  expect(await prove(create(isOwner), { ...options, users: { user: USERS[1] }, callers })).toEqual([
    "notes.get: 'callers' names owner. Give 'users: { owner: … }'"
  ])
})

it('a record that each call removes is made for each call', async () => {
  const create = () => createNotes({ methods: ['remove'], rules: { remove: user } })
  const app = create()
  const records = { notes: () => app.service('notes')._create({ text: 'a' }) }

  expect(await prove(create(), { users, records: { notes: 7 } })).toEqual(
    ['owner', 'admin'].map(
      (name) =>
        `notes.remove as ${name} never succeeded: the response is 404, No record found for id '7'. Give 'records: { notes: () => … }', which makes a record for each call`
    )
  )
  expect(await prove(app, { users, records })).toEqual([])
})

it('those who must not remove a record call before it is gone, over each transport', async () => {
  class Forgetful extends MemoryService<any> {
    override async remove(id: any, params: any): Promise<any> {
      return await super.remove(id, params.provider === 'socketio' ? {} : params)
    }
  }
  const app = createNotes({
    methods: ['remove'],
    rules: { remove: owner('ownerId') },
    service: new Forgetful({ store: store() })
  })

  app.configure(socketio())

  expect(await prove(app, { users, records: { notes: 7 } })).toContain(
    "notes.remove over socketio as user: the table says owner('ownerId'), the response is 200"
  )
})

it('a transport that the application must have is missing', async () => {
  const app = createNotes({ methods: ['find'], rules: { find: anyone } })

  expect(await prove(app, { transports: ['rest', 'socketio'] })).toEqual([
    "Invalid option 'transports' of proveExposure: the application has no 'socketio', it has rest (ALULA_INVALID_OPTION)"
  ])
})

it('a hidden value of a related record is for the other service to hide', async () => {
  const app = createNotes({
    methods: ['get'],
    rules: { get: anyone },
    options: {
      schema: schema(z.object({ id: z.int(), text: z.string(), ownerId: z.int() }), {
        hidden: ['ownerId'],
        relations: { tags: many('tags', { to: 'noteId' }) }
      })
    }
  })

  app.use('tags', memory({ store: { 2: { id: 2, noteId: 7, ownerId: 2 } } }), {
    methods: ['find'],
    schema: schema(z.object({ id: z.int(), noteId: z.int(), ownerId: z.int() })),
    access: access({ find: anyone })
  })

  expect(await prove(app, { records: { notes: 7 }, query: { notes: { $include: ['tags'] } } })).toEqual([])
})

it('two paths of one service with other access are named once both are meant', async () => {
  const create = () => {
    const app = createNotes({ methods: ['get'], rules: { get: anyone } })
    const files = memory({ store: store() })

    app.use('files', files, { methods: ['get'], access: access({ get: owner('ownerId') }) })
    app.use('open-files', files, { methods: ['get'], access: access({ get: user }) })

    return app
  }
  const options = { users, records: { notes: 7, files: 7, 'open-files': 7 } }

  expect(await prove(create(), options)).toHaveLength(1)
  expect(
    await prove(create(), { ...options, callers: { 'open-files': { get: ['user', 'owner', 'admin'] } } })
  ).toEqual([])
})

it('what was covered is printed, unless nothing takes it', async () => {
  const app = createNotes({ methods: ['find'], rules: { find: user } })
  const printed: string[] = []

  await prove(app, { users: { user: USERS[1] }, log: (text) => void printed.push(text) })
  expect(printed).toEqual([
    `proveExposure: 3 calls of 1 operations over rest
  notes.find: nobody 401 × 2; user 200
  not covered: authentication.create, authentication.remove`
  ])
})

it.each<[ProofOptions, string]>([
  [{ route: { note: {} } }, "Invalid option 'route' of proveExposure: the application has no service 'note'"],
  [
    { callers: { notes: { gett: ['user'] } } },
    "Unknown option 'callers.notes.gett' of proveExposure. Did you mean 'get'?"
  ],
  [
    { callers: { notes: { get: ['eve'] } } },
    "Invalid option 'callers.notes.get' of proveExposure: expected an array of nobody, user, owner, admin"
  ],
  [
    { records: { notes: () => ({}) } },
    "Invalid option 'records' of proveExposure: expected 'notes' to be an id, a record, or a function that returns one"
  ],
  [{ log: true as never }, "Invalid option 'log' of proveExposure: expected a function or false, got true"]
])('refuses what it cannot use: %j', async (options, sentence) => {
  const app = createNotes({ methods: ['get'], rules: { get: anyone } })

  expect((await prove(app, options))[0]).toContain(sentence)
})
