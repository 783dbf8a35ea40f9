import { type Kysely, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { toOpenApi } from '../../src/openapi/document.ts'
import { openPglite } from '../support/pglite.ts'
import { describeDatabases, POSTGRES } from '../support/sql.ts'

const UUID = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'
const ODD = ['', ' ', 'NULL', 'null', '"', '\\', '\\"', '{}', '{a}', 'a,b', 'ö\n\t', "'", '\\x00', '(1,2)']

/** Lists by the types of their columns: each is read as it is written. */
const LISTS: { readonly [type: string]: readonly (readonly unknown[])[] } = {
  'text[]': [ODD, ['a', null], [null]],
  'varchar(20)[]': [ODD],
  'alula_list_state[]': [['new', 'paid', null], ['it"s, {so}']],
  'alula_list_email[]': [['a@b.c', null]],
  'alula_list_count[]': [[1, 2, null]],
  alula_list_tags: [ODD],
  'citext[]': [['A', 'a']],
  'uuid[]': [[UUID, null]],
  'inet[]': [['10.0.0.1', '10.0.0.0/8', '::1', null]],
  'cidr[]': [['10.0.0.0/8']],
  'boolean[]': [[true, false, null]],
  'smallint[]': [[1, -1, null]],
  'integer[]': [[2147483647, null]],
  'bigint[]': [[7, '9007199254740993', null]],
  'real[]': [[0.1, 16777216]],
  'double precision[]': [[0.1, 1e-7, 1e21, -5, null]],
  'numeric[]': [['1.50', '12345678901234567890.123456789', null]],
  'bytea[]': [['AP8=', '', null]],
  'date[]': [['2026-11-22', '0001-01-01', null]],
  'timestamptz[]': [
    ['2026-11-22T10:00:00.123Z', '2026-11-22T10:00:00.123456Z', '2026-11-22T10:00:00.123400Z', null]
  ],
  'timestamp[]': [['2026-11-22T10:00:00.000Z', '2026-11-22T10:00:00.123456Z', null]],
  'time[]': [['10:00:00', '10:00:00.5', null]],
  'interval[]': [['1 day', '02:00:00', null]],
  'jsonb[]': [[{ a: [1, '"'] }, 'text', 7, true, null]],
  'json[]': [[{ a: 1 }, [1, { b: 2 }].length]],
  'int4range[]': [['[1,5)', 'empty', null]],
  'box[]': [['(3,4),(1,2)', null]],
  'point[]': [['(1,2)']],
  'alula_list_pair[]': [['(1,"a,b")', '(,)', null]],
  'text[][]': [
    [
      ['a', '"'],
      ['b', null]
    ]
  ],
  'alula_list_state[][]': [[['new'], ['paid']]]
}

const FIELDS = Object.keys(LISTS).map((type, index) => [`c${index}`, type] as const)

async function prepare(db: Kysely<any>): Promise<void> {
  const clear = async () => {
    await sql`drop table if exists alula_arrays`.execute(db)
    await sql`drop domain if exists alula_list_email, alula_list_count, alula_list_tags`.execute(db)
    await sql`drop type if exists alula_list_state, alula_list_pair`.execute(db)
  }

  await clear()
  onTestFinished(async () => {
    await clear()
    await db.destroy()
  })
  await sql`create type alula_list_state as enum ('new', 'paid', 'it"s, {so}')`.execute(db)
  await sql`create type alula_list_pair as (a integer, b text)`.execute(db)
  await sql`create domain alula_list_email as text check (value like '%@%')`.execute(db)
  await sql`create domain alula_list_count as integer`.execute(db)
  await sql`create domain alula_list_tags as text[]`.execute(db)
}

async function open(connect: () => Kysely<any>, withSchema: boolean) {
  const db = connect()

  await prepare(db)

  const hasCitext = await sql`create extension if not exists citext`.execute(db).then(
    () => true,
    () => false
  )
  const fields = FIELDS.filter(([, type]) => hasCitext || type !== 'citext[]')
  const columns = fields.map(([name, type]) => `${name} ${type}`).join(', ')

  await sql`create table alula_arrays (id serial primary key, ${sql.raw(columns)})`.execute(db)

  const app = alula()

  app.use('lists', kysely({ Model: db, name: 'alula_arrays' }), withSchema ? { schema: table() } : {})
  await app.setup()

  const handle = createHandler(app)
  const call = async (method: string, path: string, body?: unknown) => {
    const response = await handle(
      new Request(`http://localhost/lists${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) })
      })
    )

    return { status: response.status, body: (await response.json()) as any }
  }

  return { app, db, call, fields, lists: app.service('lists') as any }
}

describeDatabases(
  'arrays',
  (database) => {
    for (const [driver, connect] of [
      ['pg', () => database.open()],
      ['PGlite', openPglite]
    ] as const) {
      for (const withSchema of driver === 'pg' ? [false, true] : [true]) {
        it(`are lists both ways, through ${driver}, ${withSchema ? 'with' : 'without'} a schema`, async () => {
          const { call, fields, lists } = await open(connect, withSchema)

          // A record with the first list of each type, one with the second, and so on.
          for (const round of [0, 1, 2]) {
            const toList = (type: string) => (round === 2 ? null : (LISTS[type]?.[round] ?? []))
            const data = Object.fromEntries(fields.map(([name, type]) => [name, toList(type)]))
            const { status, body } = await call('POST', '', data)
            const { id, ...written } = body

            expect([status, written]).toEqual([201, data])
            expect((await call('PUT', `/${id}`, written)).body).toEqual(body)
            expect((await call('GET', `/${id}`)).body).toEqual(body)
            expect(JSON.parse(JSON.stringify(await lists.get(id)))).toMatchObject(data)
          }
        })
      }
    }

    it('of more levels than their type says work, or are a 400', async () => {
      const { call } = await open(() => database.open(), false)

      expect((await call('POST', '', { c0: [['a'], ['b']] })).body.c0).toEqual([['a'], ['b']])
      expect((await call('POST', '', { c0: [['a'], ['b', 'c']] })).body).toMatchObject({
        code: 400,
        errors: { c0: 'cannot be stored' }
      })
    })

    it('refuse elements of another type', async () => {
      const { call, fields } = await open(() => database.open(), false)
      const name = (type: string) => fields.find(([, one]) => one === type)?.[0] as string

      for (const [type, list] of [
        ['text[]', [7]],
        ['text[]', ['a\0']],
        ['integer[]', [1, 'x']],
        ['integer[]', [1.5]],
        ['boolean[]', ['yes']],
        ['bytea[]', ['?']],
        ['uuid[]', ['x']],
        ['date[]', ['soon']],
        ['timestamptz[]', ['soon']],
        ['alula_list_state[]', ['lost']],
        ['alula_list_email[]', ['nobody']],
        ['inet[]', ['x']],
        ['numeric[]', [{}]],
        ['text[]', 'a']
      ] as const) {
        const { status, body } = await call('POST', '', { [name(type)]: list })

        expect([type, status, Object.keys(body.errors ?? {})]).toEqual([type, 400, [name(type)]])
      }
    })

    it('are given as dates and bytes by code', async () => {
      const { lists, fields } = await open(() => database.open(), true)
      const name = (type: string) => fields.find(([, one]) => one === type)?.[0] as string
      const at = new Date('2026-11-22T10:00:00.123Z')

      expect(
        await lists.create({
          [name('timestamptz[]')]: [at],
          [name('timestamp[]')]: [at],
          [name('bytea[]')]: [Buffer.of(0)]
        })
      ).toMatchObject({
        [name('timestamptz[]')]: [at],
        [name('timestamp[]')]: [at],
        [name('bytea[]')]: ['AA==']
      })
    })

    it('are in the document with their elements', async () => {
      const { app, fields } = await open(() => database.open(), true)
      const { properties } = (toOpenApi(app) as any).components.schemas.ListCreate
      const items = (type: string) => properties[fields.find(([, one]) => one === type)?.[0] as string].items

      expect(items('alula_list_state[]')).toEqual({
        type: ['string', 'null'],
        enum: ['new', 'paid', 'it"s, {so}', null]
      })
      expect(items('bytea[]')).toEqual({ type: ['string', 'null'], contentEncoding: 'base64' })
      expect(items('alula_list_count[]')).toMatchObject({ type: ['integer', 'null'], maximum: 2147483647 })
      expect(items('text[][]')).toEqual({ type: ['array', 'null'], items: { type: ['string', 'null'] } })
    })
  },
  [POSTGRES]
)
