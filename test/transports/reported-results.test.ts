import { sql } from 'kysely'
import { expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { alula, createContext } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { createTable, SQLITE } from '../support/sql.ts'
import { configure, Note, Notes, note, SECRET, User } from './support/notes.ts'

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

it('no field is reported that a hook has removed, that has points in its name, or is a large integer', async () => {
  const app = alula()
  const reports: string[] = []
  const db = await createTable(
    SQLITE,
    'alula_results',
    '"id" integer primary key, "a.b" text not null, size integer, pay text not null'
  )
  const Row = z.object({ id: z.int(), 'a.b': z.string(), size: z.int().nullable(), pay: z.string() })

  await sql`insert into alula_results values (1, 'c', 9007199254740993, 'a lot')`.execute(db)
  app.on('error', (error) => reports.push(error.message))
  app.use('tables', kysely({ Model: db, name: 'alula_results' }), { schema: table() })
  app.use('rows', kysely({ Model: db, name: 'alula_results' }), { schema: schema(Row) })

  for (const path of ['tables', 'rows']) {
    const seen = { id: 1, 'a.b': 'c', size: '9007199254740993' }

    app.service(path).hooks({
      after: {
        find: [(context: any) => void delete context.result[0].pay],
        get: [(context: any) => Object.assign(context, { result: seen }) && undefined]
      }
    })
    expect(await app.service(path).find()).toEqual([seen])
    expect(await app.service(path).get(1)).toEqual(seen)
  }

  expect(reports).toEqual([])
  // One that the store lacks still is.
  app.use('others', memory({ store: { 1: { id: 1, 'a.b': 5, size: '12' } } }), { schema: schema(Row) })
  await app.service('others').find()
  expect(reports.map((report) => report.slice(report.indexOf("'", 13) + 2))).toEqual([
    "(find) is not what its schema says: 'a.b' expects a string, got a number (ALULA_RESULT)",
    "(find) is not what its schema says: 'size' expects an integer or null, got a string (ALULA_RESULT)",
    "(find) is not what its schema says: 'pay' is missing (ALULA_RESULT)"
  ])
})

it('a field that is dropped is named once in development', async () => {
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)

  onTestFinished(() => warn.mockRestore())

  const app = alula()

  await configure(app)
  for (let times = 0; times < 2; times++) await app.asClient().service('notes').get(0)

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

  expect(await app.asClient().service('notes').raw({})).toBeDefined()
  expect(warn).not.toHaveBeenCalled()
})

it('a result of another kind than its schema describes does not leave, and is reported once', async () => {
  const app: any = alula()
  const reports: any[] = []

  app.on('error', ({ message }: any) => reports.push(message))
  app.use(
    'notes',
    Object.assign(memory({ paginate: { default: 10 } }), {
      page: async () => ({ total: 0, limit: 10, skip: 0, data: [] }),
      none: async () => null
    }),
    {
      methods: ['page', 'none'],
      schema: schema(Note, {
        methods: { page: { result: z.array(Note) }, none: { result: z.array(Note) } }
      })
    }
  )

  const notes = app.asClient().service('notes')

  for (const method of ['page', 'page', 'none']) expect(await notes[method]({})).toBeNull()
  expect(reports).toEqual([
    "The result of 'notes' (page) does not leave: its schema does not describe an object (ALULA_RESULT)"
  ])
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
