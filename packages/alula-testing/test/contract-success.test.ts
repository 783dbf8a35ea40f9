// An operation that never succeeded is not as its document says: a test that saw only errors shows nothing.
import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, owner, user } from '../../../src/access.ts'
import { hashPassword } from '../../../src/authentication.ts'
import { BadRequest, NotAuthenticated } from '../../../src/errors.ts'
import { type Application, alula } from '../../../src/index.ts'
import { type MemoryService, memory } from '../../../src/memory.ts'
import { schema } from '../../../src/schema.ts'
import { createApp, USERS } from '../../../test/access/support/application.ts'
import { addAuthentication } from '../../../test/support/login.ts'
import type { ContractOptions, Coverage } from '../src/index.ts'
import { createBlog, toProof } from './support/blog.ts'
import { runContract } from './support/run-contract.ts'

const Note = z.object({ id: z.int(), text: z.enum(['a', 'b']) })

function createNotes(methods: string[], app = alula(), service: object = memory()): Application {
  app.use('notes', service as MemoryService, { methods, schema: schema(Note) })

  return app
}

/** Runs the tests of an application, and returns what those that fail say, and what was covered. */
async function run(app: Application, options: ContractOptions = {}) {
  await app.setup()

  const { failures, covered } = await runContract(app, options)

  return { failures, coverage: await covered }
}

/** The callers who succeeded, by operation. */
function listSucceeded({ rows }: Coverage): { [operation: string]: string[] } {
  const succeeded: { [operation: string]: string[] } = {}

  for (const { operation, caller, outcomes } of rows) {
    const isSuccess = Object.keys(outcomes).some((status) => Number(status) < 400)

    succeeded[operation] = [...(succeeded[operation] ?? []), ...(isSuccess ? [caller] : [])]
  }

  for (const callers of Object.values(succeeded)) callers.sort()

  return succeeded
}

function refuse(app: Application, toError: (params: any) => Error | undefined): Application {
  app.service('notes').hooks({
    before: {
      all: [
        async ({ params }: any) => {
          const error = params.provider && toError(params)

          if (error) throw error
        }
      ]
    }
  })

  return app
}

it('a record may have a field that is named as the list of an envelope or of a page', async () => {
  const Entry = z.object({ id: z.int(), data: z.string(), notes: z.string() })
  const app = alula()

  app.use('entries', memory(), { methods: ['create'], schema: schema(Entry) })
  app.use('wrapped', memory(), {
    methods: ['create'],
    schema: schema(Entry, { envelope: { many: 'notes' } })
  })

  expect((await run(app)).failures).toEqual([])
})

it('an operation that never succeeded fails, with its statuses and the last request', async () => {
  const app = refuse(createNotes(['create']), () => new BadRequest('No'))
  const { failures } = await run(app)
  const [first, ...others] = (failures[0] as string).split('\n')

  expect(failures).toHaveLength(1)
  expect(first).toMatch(
    /^No request to 'createNote' succeeded: 400 × \d+\. Give 'users' who may make it, records that it finds, or 'data: \{ createNote: … \}' with a body; 'skip' leaves it out$/
  )
  expect(others).toEqual([
    'The last one:',
    'POST /notes',
    expect.stringMatching(/^\{"text":"[ab]"\}$/),
    '{"name":"BadRequest","message":"No","code":400,"className":"bad-request"}',
    'Run it again with { seed: 7 }'
  ])
})

it('of the refusals, one of a caller with a login is shown', async () => {
  const app = createApp()

  app.use('notes', memory(), { methods: ['create'], schema: schema(Note), access: access({ create: user }) })
  refuse(app, () => new BadRequest('No'))

  const { failures } = await run(app, { users: [USERS[1]] })

  expect(failures).toHaveLength(1)
  expect(failures[0]).toContain('"message":"No"')
})

it('a single success is enough, and random requests that fail are followed by those that try for it', async () => {
  let count = 0
  const late = refuse(createNotes(['create']), () => (++count <= 11 ? new BadRequest('No') : undefined))
  const early = refuse(createNotes(['create']), () => (++count > 13 ? new BadRequest('No') : undefined))

  expect((await run(late)).failures).toEqual([])
  expect((await run(early)).failures).toEqual([])
})

it('a record is tried as each user', async () => {
  const app = createApp()
  const records = Object.fromEntries(
    Array.from({ length: 15 }, (_, index) => [1000 + index, { id: 1000 + index, text: 'a', ownerId: 99 }])
  )

  app.use('notes', memory({ store: { ...records, 1000: { id: 1000, text: 'a', ownerId: 2 } } as never }), {
    methods: ['find', 'patch'],
    schema: schema(Note.extend({ ownerId: z.int() }), { server: { ownerId: () => 2 } }),
    access: access({ find: user, patch: owner('ownerId') })
  })

  const { failures, coverage } = await run(app, { users: [USERS[1], USERS[2]] })

  expect(failures).toEqual([])
  expect(listSucceeded(coverage).patchNote).toEqual(['users[1]'])
})

it('a body that random data does not reach is given, and a query where there is no body', async () => {
  const app = () => {
    const notes = createNotes(['find', 'create'])

    notes.service('notes').hooks({
      before: {
        all: [
          async ({ params: { provider, query }, method, data }: any) => {
            const isKnown = method === 'find' ? query?.text === 'b' : data.text === 'z'

            if (provider && !isKnown) throw new BadRequest('No')
          }
        ]
      }
    })

    return notes
  }
  const open = () => {
    const notes = app()

    notes.use('plain', {
      find: async ({ query }: any) =>
        query.room === 'tea' ? [{ id: 1 }] : Promise.reject(new BadRequest('No'))
    })

    return notes
  }

  expect((await run(app(), { data: { createNote: { text: 'z' } } })).failures[0]).toContain(
    "The data of 'createNote' is not what the document says: /text must be equal to one of the allowed values"
  )
  expect((await run(open(), { skip: ['createNote', 'findNotes'] })).failures).toHaveLength(1)
  expect(
    (await run(open(), { skip: ['createNote', 'findNotes'], data: { findPlain: { room: 'tea' } } })).failures
  ).toEqual([])
})

it('a body that was given has to succeed itself', async () => {
  const app = createNotes(['create'])

  app.service('notes').hooks({
    before: {
      create: [
        async ({ data }: any) => {
          if (data.text === 'b') throw new BadRequest('No b')
        }
      ]
    }
  })

  expect((await run(app, { data: { createNote: { text: 'b' } } })).failures).toHaveLength(1)
})

it('a body is what JSON makes of it, so that a date may be a Date', async () => {
  const app = alula()
  const Reminder = z.object({ id: z.int(), at: z.date() })

  app.use('reminders', memory(), { methods: ['create'], schema: schema(Reminder) })

  expect(
    (await run(app, { data: { createReminder: { at: new Date('2026-12-01T10:00:00Z') } } })).failures
  ).toEqual([])
})

it('a function makes a body for each request', async () => {
  const app = createNotes(['create'])
  const made: string[] = []

  const { failures } = await run(app, {
    data: {
      createNote() {
        made.push(made.length === 0 ? 'a' : 'b')

        return { text: made.at(-1) }
      }
    },
    runs: 1
  })

  expect(failures).toEqual([])
  // The first one is compared with the document alone.
  expect(made).toEqual(['a', 'b'])
  expect((await app.service('notes').find({ query: { text: 'b' } })).length).toBeGreaterThan(0)
})

it('records that no response shows are given', async () => {
  const create = () =>
    createNotes(['get'], alula(), memory({ store: { 123456: { id: 123456, text: 'a' } } as never }))

  expect((await run(create())).failures[0]).toContain("No request to 'getNote' succeeded: 404 × ")
  expect((await run(create(), { records: { notes: [{ id: 123456 }] } })).failures).toEqual([])
})

it('a record that is given is found in the path of its parent', async () => {
  const app = alula()

  app.use('houses', memory({ store: { 5: { id: 5, name: 'a b' }, 6: { id: 6, name: 'c' } } as never }), {
    methods: ['get'],
    by: 'name',
    schema: schema(z.object({ id: z.int(), name: z.string() }))
  })
  app.use('houses/:house/rooms', memory({ store: { 7: { id: 7, houseId: 5 } } as never }), {
    methods: ['get'],
    parent: { houseId: 'houses' },
    schema: schema(z.object({ id: z.int(), houseId: z.int() }))
  })

  const houses = [
    { id: 5, name: 'a b' },
    { id: 6, name: 'c' }
  ]

  expect(
    (await run(app, { records: { houses, 'houses/:house/rooms': [{ id: 7, houseId: 5 }] } })).failures
  ).toEqual([])
})

it('a status of an error that is meant is declared', async () => {
  const create = () => {
    const service = Object.assign(memory(), {
      enter: async ({ word }: any) => {
        if (word !== 'sesame') throw new NotAuthenticated('Wrong word')

        return {}
      }
    })
    const app = alula()

    app.use('doors', service, {
      methods: ['enter'],
      schema: schema(Note, {
        methods: { enter: { data: z.object({ word: z.string() }), result: z.object({}) } }
      })
    })

    return app
  }
  const data = { enterDoors: { word: 'sesame' } }

  expect((await run(create(), { data })).failures[0]).toContain('the document does not have the status 401')
  expect((await run(create(), { data, statuses: { enterDoors: [401] } })).failures).toEqual([])
})

it('users log in and out with their tokens, and keep the logins of other requests', async () => {
  const app = createNotes(['find'], createApp())
  const { failures, coverage } = await run(app, { users: [USERS[1]] })

  expect(failures).toEqual([])
  expect(listSucceeded(coverage)).toMatchObject({
    createAuthentication: ['users[0]'],
    removeAuthentication: ['users[0]'],
    findNotes: ['nobody', 'users[0]']
  })
})

it('users log in for each operation: a new password has ended their logins', async () => {
  const app = alula()

  addAuthentication(app)
  app.use('users', memory(), {
    methods: ['patch'],
    schema: schema(z.object({ id: z.int(), password: z.string().min(1) }), { hidden: ['password'] }),
    access: access({ patch: owner('id') })
  })
  app.service('users').hooks({ before: { all: [hashPassword('password')] } })
  app.use('notes', memory({ store: { 1: { id: 1, text: 'a' }, 2: { id: 2, text: 'a' } } as never }), {
    methods: ['find', 'remove'],
    schema: schema(Note),
    access: access({ all: user })
  })

  const ada = await app.service('users').create({ password: 'old' })
  const { failures } = await run(app, { users: [ada], data: { patchUser: { password: 'new' } } })

  expect(failures).toEqual([])
})

it.each<[string, (result: any) => unknown]>([
  ['list', (result) => result],
  ['page', (result) => ({ total: 1, data: result })],
  ['wrapper', (result) => ({ notes: result, notesCount: 1 })],
  ['wrapper in another', (result) => ({ result: { items: { notes: result } } })]
])('the id of a record is found in a %s', async (_what, wrap) => {
  const app = alula()

  app.use('notes', memory({ store: { 123456: { id: 123456, text: 'a' } } as never }), {
    methods: ['find', 'get'],
    schema: schema(Note, {
      view: ({ dispatch, method }: any) => (method === 'find' ? wrap(dispatch) : dispatch)
    })
  })

  expect((await run(app)).failures).toEqual([])
})

it('the records in the path of another are found by its placeholder', async () => {
  const app = alula()
  const comments = memory({ store: { 654321: { id: 654321, text: 'a' } } as never })

  app.use('notes', memory({ store: { 123456: { id: 123456, text: 'a' } } as never }), {
    methods: ['find'],
    schema: schema(Note)
  })
  app.use('notes/:noteId/comments', comments, { methods: ['find', 'get', 'remove'], schema: schema(Note) })
  app.service('notes/:noteId/comments').hooks({
    before: {
      all: [
        async ({ params: { provider, route } }: any) => {
          if (provider && route.noteId !== '123456') throw new BadRequest('No such note')
        }
      ]
    }
  })

  expect((await run(app)).failures).toEqual([])
})

it('what was covered is printed once all tests have run, with what was left out', async () => {
  const app = createNotes(['find', 'get'], alula(), memory({ store: { 1: { id: 1, text: 'a' } } as never }))
  const printed: string[] = []
  const { coverage } = await run(app, { skip: ['getNote'], runs: 2, log: (text) => void printed.push(text) })

  expect(coverage).toEqual({
    rows: [{ operation: 'findNotes', transport: 'rest', caller: 'nobody', outcomes: { 200: 1, 400: 1 } }],
    notCovered: ['getNote']
  })
  expect(printed).toEqual([
    'contractTests: 2 calls of 1 operations over rest\n  findNotes: nobody 200, 400\n  not covered: getNote'
  ])
})

it('each operation of a blog succeeds', async () => {
  const app = await createBlog()
  const { users = {} } = await toProof(app)
  const { failures, coverage } = await run(app, {
    users: Object.values(users),
    data: { loginUsers: { email: 'ada@example.com', password: 'correct horse' }, openLetters: { id: 1 } },
    statuses: { loginUsers: [401] }
  })

  expect(failures).toEqual([])
  expect(Object.entries(listSucceeded(coverage)).filter(([, callers]) => callers.length === 0)).toEqual([])
  expect(Object.keys(listSucceeded(coverage))).toHaveLength(24)
})
