import { readFile } from 'node:fs/promises'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { kysely, pglite } from '../../src/kysely.ts'
import { describePostgres, POSTGRES_VERSIONS, startPostgres } from '../support/postgres.ts'
import { describeDatabases, openPool, POSTGRES, POSTGRES_URL } from '../support/sql.ts'

/** The columns of the catalog that the dialect reads. Those that a version lacks are read by `to_jsonb`. */
const CATALOG: { readonly [table: string]: readonly string[] } = {
  pg_attrdef: ['adbin', 'adnum', 'adrelid'],
  pg_attribute: [
    ...['attcollation', 'attgenerated', 'attidentity', 'attisdropped', 'attname', 'attnotnull', 'attnum'],
    ...['attndims', 'attrelid', 'atttypid', 'atttypmod']
  ],
  pg_class: ['oid', 'relam', 'relhasrules', 'relkind', 'relname', 'reloptions', 'relrowsecurity'],
  pg_am: ['amname', 'oid'],
  pg_collation: ['collcollate', 'collisdeterministic', 'collname', 'collprovider', 'oid'],
  pg_constraint: ['conkey', 'conname', 'conrelid', 'contype'],
  pg_database: ['datcollate', 'datname'],
  pg_enum: ['enumlabel', 'enumsortorder', 'enumtypid'],
  pg_index: [
    ...['indcollation', 'indexrelid', 'indimmediate', 'indisunique', 'indisvalid', 'indkey', 'indnkeyatts'],
    ...['indpred', 'indrelid']
  ],
  pg_depend: ['classid', 'objid', 'refclassid', 'refobjid'],
  pg_inherits: ['inhparent', 'inhrelid'],
  pg_roles: ['rolbypassrls', 'rolname', 'rolsuper'],
  pg_rewrite: ['ev_class', 'ev_type', 'is_instead', 'oid'],
  pg_trigger: ['tgisinternal', 'tgrelid', 'tgtype'],
  pg_type: [
    ...['oid', 'typbasetype', 'typcategory', 'typdefault', 'typelem', 'typname', 'typnotnull', 'typtype'],
    'typtypmod'
  ]
}

/** What it calls, as it does. It reads one setting, to refuse what rounds numbers. */
const FUNCTIONS: { readonly [name: string]: string } = {
  coalesce: "coalesce(null, 'a')",
  current_database: 'current_database()',
  current_setting: "current_setting('extra_float_digits')::int > 0",
  current_user: 'current_user',
  format_type: "format_type('varchar'::regtype, 24)",
  json_agg: 'json_agg(json_build_array(1))::text',
  json_build_array: "json_build_array(1, 'a')::text",
  jsonb_array_elements: "(select count(*) from jsonb_array_elements('[1]'::jsonb))",
  jsonb_typeof: `jsonb_typeof('{"a":1}'::jsonb -> 'a'::text)`,
  lower: `lower('A' collate "C")`,
  max: 'max(1)',
  min: 'min(1)',
  pg_get_expr: 'pg_get_expr(null, 0)',
  pg_column_is_updatable: "pg_column_is_updatable('pg_class'::regclass, 1::smallint, true)",
  pg_get_ruledef: 'pg_get_ruledef(0)',
  pg_get_serial_sequence: "pg_get_serial_sequence('pg_class', 'relname')",
  pg_relation_is_updatable: "pg_relation_is_updatable('pg_class'::regclass, true)",
  row_security_active: "row_security_active('pg_class'::regclass)",
  setval: 'setval(null, 1)',
  to_json: "to_json('{a}'::text[])::text",
  to_jsonb: "to_jsonb(1) ->> 'a'",
  to_regclass: "to_regclass('pg_class')"
}

const TEXTS = ['Z', 'a', '_', 'B', '\u{1F426}', 'é', '\u{FFFD}', 'z', 'ß', 'A', '1', '-']
const SORTED = ['-', '1', 'A', 'B', 'Z', '_', 'a', 'z', 'ß', 'é', '\u{FFFD}', '\u{1F426}']

it('the dialect for PostgreSQL reads no table of the catalog and no setting besides', async () => {
  const source = await readFile(new URL('../../src/kysely/dialects/postgres.ts', import.meta.url), 'utf8')
  const names = new Set(source.match(/\b(?:pg|current|row|to|json|jsonb)_[a-z_]+\b/g))

  expect(
    [...names].filter((name) => !Object.hasOwn(CATALOG, name) && !Object.hasOwn(FUNCTIONS, name))
  ).toEqual([])
})

describe('PGlite', () => {
  check(async (onEnd) => {
    const db = new Kysely<any>({ dialect: pglite(new PGlite()) })

    onEnd(() => db.destroy())

    return db
  })
})

describeDatabases('the version of the machine', () => {
  check(openShared(''))
  describe('with ICU', () => check(openShared("locale_provider icu icu_locale 'en-US'")))
}, [POSTGRES])

for (const version of POSTGRES_VERSIONS) {
  describePostgres(version, (bin) => {
    const locales = {
      'without a locale': "locale_provider libc locale 'C'",
      'with ICU': "locale_provider icu icu_locale 'en-US'",
      ...(version !== '16' && {
        'with a locale of its own': "locale_provider builtin builtin_locale 'C.UTF-8'"
      })
    }
    let url: string
    let stop = async () => {}

    beforeAll(async () => {
      const server = await startPostgres(bin, (end) => {
        stop = end
      })

      url = server.url
    })
    afterAll(() => stop())

    for (const [name, locale] of Object.entries(locales)) {
      describe(name, () => check((onEnd) => openDatabase(url, locale, onEnd)))
    }
  })
}

/** What is called when the tests of a database have ended, the last one first. */
type OnEnd = (end: () => Promise<unknown>) => void

function openShared(locale: string): (onEnd: OnEnd) => Promise<Kysely<any>> {
  return (onEnd) => openDatabase(POSTGRES_URL, locale, onEnd)
}

/** Opens a database of a server that no other test uses, with a locale. */
async function openDatabase(url: string, locale: string, onEnd: OnEnd): Promise<Kysely<any>> {
  const server = open(url)
  const name = `alula_catalog_${process.pid}_${databases++}`

  onEnd(() => server.destroy())
  await sql`create database ${sql.id(name)} template template0 encoding 'UTF8' ${sql.raw(locale)}`.execute(
    server
  )
  onEnd(() => sql`drop database ${sql.id(name)} with (force)`.execute(server))

  const db = open(Object.assign(new URL(url), { pathname: `/${name}` }).href)

  onEnd(() => db.destroy())

  return db
}

let databases = 0

function open(connectionString: string): Kysely<any> {
  return new Kysely({ dialect: new PostgresDialect({ pool: openPool({ connectionString }) }) })
}

function check(connect: (onEnd: OnEnd) => Promise<Kysely<any>>): void {
  const ends: (() => Promise<unknown>)[] = []
  let db: Kysely<any>

  beforeAll(async () => {
    db = await connect((end) => ends.unshift(end))
    await sql`create type alula_state as enum ('new', 'paid')`.execute(db)
    await sql`create table alula_catalog (id serial primary key, text text, number double precision,
      big bigint, at timestamptz, doc jsonb, tags text[], state alula_state, twice double precision
      generated always as (number * 2) stored, other text collate "POSIX", check (number < 1000))`.execute(db)
  })
  afterAll(async () => {
    for (const end of ends) await end()
  })

  it.each(Object.entries(CATALOG))('the catalog has what is read of %s', async (table, columns) => {
    await sql`select ${sql.join(columns.map((name) => sql.ref(name)))} from ${sql.table(table)} limit 1`.execute(
      db
    )
  })

  it.each(Object.values(FUNCTIONS))('there is %s', async (call) => {
    await sql`select ${sql.raw(call)}`.execute(db)
  })

  it('records are created, found, changed and removed', async () => {
    const service: any = kysely({
      Model: db,
      name: 'alula_catalog',
      multi: true,
      operators: ['$like', '$ilike']
    })
    const record = {
      ...{ text: 'Ada', number: 1.5, big: '9007199254740993', at: new Date('2026-01-01T00:00:00.123Z') },
      ...{ doc: { a: [1] }, tags: ['x', 'y'], state: 'paid', other: 'o' }
    }

    // An id that is chosen moves the sequence.
    expect(await service.create({ id: 1, ...record })).toEqual({ id: 1, ...record, twice: 3 })
    expect(await service.create({ text: 'Bob' })).toMatchObject({ id: 2, text: 'Bob', doc: null })
    expect(await service.patch(2, { doc: { a: 5 } })).toMatchObject({ doc: { a: 5 } })
    expect(await service.find({ query: { 'doc.a': 5, $select: ['text'] } })).toEqual([{ id: 2, text: 'Bob' }])
    expect(await service.find({ query: { text: { $ilike: 'a%' }, at: record.at } })).toHaveLength(1)
    expect(
      await service.find({ query: { id: { $in: Array.from({ length: 20 }, (_, id) => id) } } })
    ).toHaveLength(2)
    await expect(service.create({ id: 2 })).rejects.toMatchObject({ code: 409, errors: { id: 'is taken' } })
    await expect(service.patch(2, { number: 1000 })).rejects.toMatchObject({
      code: 400,
      errors: { number: 'is not allowed' }
    })
    await sql`create table alula_referrer (catalog integer references alula_catalog on delete restrict)`.execute(
      db
    )
    await sql`insert into alula_referrer values (2)`.execute(db)
    await expect(service.remove(2)).rejects.toMatchObject({
      ...{ code: 409, message: "A record is in use: records of 'alula_referrer' refer to it" }
    })
    await sql`drop table alula_referrer`.execute(db)
    expect(await service.remove(2)).toMatchObject({ text: 'Bob' })
    await expect(service.get(2)).rejects.toMatchObject({ code: 404 })
    expect(await service.remove(null)).toHaveLength(1)
  })

  it('text is compared by its code points', async () => {
    const service: any = kysely({ Model: db, name: 'alula_catalog', multi: true })

    onTestFinished(() => service.remove(null))
    await service.create(TEXTS.map((text) => ({ text, other: text })))

    for (const field of ['text', 'other']) {
      const find = async (query: object) =>
        (await service.find({ query: { ...query, $sort: { [field]: 1 } } })).map((row: any) => row[field])

      expect(await find({})).toEqual(SORTED)
      expect(await find({ [field]: { $gt: 'Z' } })).toEqual(SORTED.slice(5))
      expect(await find({ [field]: { $lte: 'Z' } })).toEqual(SORTED.slice(0, 5))
      expect(await find({ [field]: 'a' })).toEqual(['a'])
    }
  })
}
