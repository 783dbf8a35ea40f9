// What the start says of relations that no client could load.
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { access, anyone, closed } from '../../src/access.ts'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { count, many, one, schema } from '../../src/schema.ts'
import { SQLITE } from '../support/sql.ts'
import { openTables } from './support/tables.ts'

const PREFIX = 'alula_reach_'

const Note = z.object({ id: z.int(), owner: z.int() })

interface Chosen {
  readonly people?: object
  readonly relations?: object
  readonly service?: object
  readonly prepare?: (app: any) => void
}

/** What the start of notes with related people says. */
async function start({ people = {}, relations, service = memory(), prepare }: Chosen): Promise<string[]> {
  const app: any = alula()
  const mistakes: string[] = []

  app.on('error', (error: Error & { code: string }) => {
    expect(error.code).toBe('ALULA_UNREACHABLE_RELATION')
    mistakes.push(error.message)
  })
  app.use('people', service, people)
  app.use('links', memory(), { methods: [] })
  app.use('notes', memory(), {
    schema: schema(Note, {
      relations: (relations ?? { author: one('people', { from: 'owner' }) }) as never
    }),
    access: access({ all: anyone })
  })
  prepare?.(app)
  await app.setup()

  return mistakes
}

const empty = (reason: string, name = 'author') => [
  `The relation '${name}' of service 'notes' is empty for every client: ${reason}. Write access({ find: … }) for 'people': the rule decides what relations show, and 'methods' need not list 'find' (ALULA_UNREACHABLE_RELATION)`
]

it('names a relation to a service without a rule for find, and without find', async () => {
  const reason = "'people' has neither 'find' in its 'methods' nor a rule for it"

  expect(await start({ people: { methods: ['get'] } })).toEqual(empty(reason))
  expect(await start({ people: { methods: [] } })).toEqual(empty(reason))
  expect(await start({ people: { methods: ['get'], access: access({ get: anyone }) } })).toEqual(
    empty("the access of 'people' has no rule for 'find'")
  )
  expect(
    await start({
      people: { methods: [] },
      relations: {
        all: many('people', { through: { path: 'links', from: 'a', to: 'b' } }),
        number: count('people', { to: 'id', from: 'owner' })
      }
    })
  ).toEqual([...empty(reason, 'all'), ...empty(reason, 'number')])
})

it('names a relation to a service that closed() refuses', async () => {
  expect(await start({ prepare: (app) => app.configure(closed()) })).toEqual(
    empty("closed() refuses 'find' of 'people'")
  )
  expect(await start({ prepare: (app) => app.configure(closed({ open: { people: ['find'] } })) })).toEqual([])
})

it('names no relation that some client may load, and none to what links', async () => {
  for (const people of [
    {},
    { methods: ['find'] },
    { methods: [], access: access({ find: anyone }) },
    { methods: [], access: access({ find: () => false }) }
  ]) {
    expect(await start({ people })).toEqual([])
  }
})

it('is a warning of the process where nobody listens for errors, in production too', async () => {
  const { NODE_ENV } = process.env
  const { emitWarning } = process
  const warnings: unknown[] = []
  const app: any = alula()

  onTestFinished(() => {
    process.env.NODE_ENV = NODE_ENV
    process.emitWarning = emitWarning
  })
  process.env.NODE_ENV = 'production'
  process.emitWarning = ((...warning: unknown[]) => void warnings.push(warning)) as typeof emitWarning
  app.use('people', memory(), { methods: [] })
  app.use('notes', memory(), {
    schema: schema(Note, { relations: { author: one('people', { from: 'owner' }) } })
  })
  await app.setup()

  expect(warnings).toEqual([
    [
      expect.stringContaining("The relation 'author' of service 'notes'"),
      { code: 'ALULA_UNREACHABLE_RELATION' }
    ]
  ])
})

it('names a field that no column of a service without a schema has', async () => {
  const db = await openTables(SQLITE, PREFIX, { people: 'note integer' })
  const service = kysely({ Model: db, name: `${PREFIX}people` })
  const says = (to: string, more: string) => [
    `The relation 'all' of service 'notes' asks 'people' for '${to}', which is no column of its table${more}. Its calls fail (ALULA_UNREACHABLE_RELATION)`
  ]
  const relate = (to: string) => start({ service, relations: { all: many('people', { to }) } })

  expect(await relate('note')).toEqual([])
  expect(await relate('nte')).toEqual(says('nte', ". Did you mean 'note'?"))
  expect(await relate('text')).toEqual(says('text', ''))
})

it.each<[string, object, string]>([
  [
    'an unknown field',
    many('comments', { to: 'nte' }),
    "asks 'comments' for 'nte', which its schema does not declare. Did you mean 'note'?"
  ],
  [
    'a field that is made for each result',
    many('comments', { to: 'size' }),
    "asks 'comments' for 'size', which is made for each result, and not stored"
  ],
  [
    'an unknown field to sort by',
    many('comments', { to: 'note', sort: { positon: 1 } }),
    "asks 'comments' for 'positon', which its schema does not declare. Did you mean 'position'?"
  ],
  [
    'a list to sort by',
    many('comments', { to: 'note', sort: { tags: 1 } }),
    "asks 'comments' for 'tags', which is an object or a list, and has no order"
  ],
  [
    'an unknown field to filter by',
    many('comments', { to: 'note', filter: ['positon'] }),
    "asks 'comments' for 'positon', which its clients cannot query. Did you mean 'position'?"
  ]
])('refuses the start for %s', async (_title, relation, message) => {
  const app: any = alula()
  const Comment = z.object({ id: z.int(), note: z.int(), position: z.int(), tags: z.array(z.string()) })

  app.use('comments', memory(), {
    schema: schema(Comment, { computed: { size: { from: ['id'], many: (all) => all } } })
  })
  app.use('notes', memory(), { schema: schema(Note, { relations: { all: relation as never } }) })

  await expect(app.setup()).rejects.toMatchObject({
    code: 'ALULA_UNKNOWN_FIELD',
    message: `The relation 'all' of service 'notes' ${message} (ALULA_UNKNOWN_FIELD)`
  })
})
