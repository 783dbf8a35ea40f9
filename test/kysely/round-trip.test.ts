// What a client has read can be sent back as it is, for every kind of column that takes writes, and finds its record.
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { createTable, describeDatabases, type TestDatabase } from '../support/sql.ts'

type Random = () => number

/** Makes a value of each type; the rest of its type is in SQL. */
type Makers = { readonly [type: string]: (random: Random) => unknown }

const LETTERS = [
  'a',
  'B',
  ' ',
  "'",
  '"',
  '\\',
  '%',
  '_',
  '\n',
  'ö',
  'ß',
  '\u{1F426}',
  '0',
  '{',
  ',',
  'e\u0301'
]

const text = (length: number) => (random: Random) =>
  `${Array.from({ length: Math.floor(random() * (length - 1)) }, () => LETTERS[Math.floor(random() * LETTERS.length)]).join('')}x`.slice(
    -length
  )
const bytes = (length: number) => (random: Random) =>
  Buffer.from(
    Array.from({ length: Math.floor(random() * length) }, () => Math.floor(random() * 256))
  ).toString('base64')
const fixedBytes = (length: number) => (random: Random) =>
  Buffer.from(Array.from({ length }, () => Math.floor(random() * 256))).toString('base64')
const integer = (min: number, max: number) => (random: Random) => min + Math.floor(random() * (max - min + 1))
const double = (random: Random) =>
  pick(random, [0, 0.1, -0.1, 1e21, 1e-7, 123456789.123, random(), random() * 1e300])
const single = (random: Random) => pick(random, [0, 0.1, -0.05, 16777216, 0.333333, 1e20])
const boolean = (random: Random) => random() < 0.5
const large = (random: Random) =>
  pick(random, [0, -1, 2 ** 53 - 1, '9007199254740993', '-9223372036854775808', '9223372036854775807'])
const decimal = (random: Random) => pick(random, ['0.00', '1.50', '-999.99', '999.99', '0.01'])
const json = (random: Random) =>
  pick(random, ['text', '', 7, 0.1, true, null, {}, [], { a: { b: [1, null, '"'] } }, ['x', { 'a b': 1 }]])
const one =
  (...values: readonly unknown[]) =>
  (random: Random) =>
    pick(random, values)

const MAKERS: { readonly [database: string]: Makers } = {
  PostgreSQL: {
    text: text(50),
    'varchar(5)': text(5),
    'char(4)': one('abcd', 'äöüß'),
    name: text(10),
    smallint: integer(-32768, 32767),
    integer: integer(-(2 ** 31), 2 ** 31 - 1),
    bigint: large,
    oid: integer(0, 2 ** 32 - 1),
    real: single,
    'double precision': double,
    'numeric(5, 2)': decimal,
    numeric: one('0', '12345678901234567890.0123456789', '-1.10'),
    boolean,
    bytea: bytes(40),
    json,
    jsonb: json,
    uuid: () => crypto.randomUUID(),
    alula_round_state: one('new', 'it"s', 'ö {,}'),
    inet: one('10.0.0.1', '10.0.0.0/8', '::1'),
    macaddr: one('08:00:2b:01:02:03'),
    int4range: one('[1,5)', 'empty', '(,3)'),
    tsvector: one("'a' 'b':1", ''),
    interval: one('1 day', '-01:00:00', '1 year 2 mons'),
    point: one('(1,2)', '(0.5,-3)'),
    money: one('$1.00', '-$0.50'),
    xml: one('<a>b</a>', 'text'),
    'bit(3)': one('101', '000'),
    jsonpath: one('$."a"[*]'),
    time: one('10:00:00', '23:59:59.5'),
    'text[]': one(['a', 'b,"c"', null], []),
    'alula_round_state[]': one(['new', 'it"s'], [null])
  },
  MariaDB: {
    'varchar(200)': text(50),
    'varchar(5) collate utf8mb4_general_ci': text(5),
    text: text(50),
    'tinyint(4)': integer(-128, 127),
    'smallint unsigned': integer(0, 65535),
    mediumint: integer(-(2 ** 23), 2 ** 23 - 1),
    int: integer(-(2 ** 31), 2 ** 31 - 1),
    bigint: large,
    'bigint unsigned': one('18446744073709551615', 7),
    float: single,
    double,
    'decimal(5, 2)': decimal,
    'decimal(7, 2) zerofill': one('1.50', '0.00'),
    'int(6) zerofill': integer(0, 1000),
    boolean,
    'bit(1)': boolean,
    'bit(8)': integer(0, 255),
    'bit(64)': one('18446744073709551615', 0, 5),
    'varbinary(40)': bytes(40),
    'binary(4)': fixedBytes(4),
    blob: bytes(40),
    json,
    uuid: () => crypto.randomUUID(),
    inet6: one('::1', '2001:db8::1'),
    "enum('new','it''s','ö')": one('new', "it's", 'ö'),
    "set('a','b')": one('a', 'a,b', ''),
    year: one(1999, 2026),
    time: one('10:00:00', '-10:00:01'),
    point: one('AAAAAAEBAAAAAAAAAAAA8D8AAAAAAAAAQA==')
  },
  SQLite: {
    text: text(50),
    'text collate nocase': text(50),
    'varchar(5)': text(9),
    integer: integer(-(2 ** 40), 2 ** 40),
    bigint: large,
    real: double,
    numeric: one(0, 0.1, -7, 1e21),
    'decimal(5, 2)': one(1.5, 7),
    boolean,
    blob: bytes(40),
    json,
    '': one('text', '7', 7, 0.5, -1),
    uuid: () => crypto.randomUUID()
  }
}

const NAMES = [
  'a b',
  "it's",
  'a"b',
  'a`b',
  'a.b',
  'a.b.c',
  '$price',
  'ö',
  'select',
  'order',
  'x[y]',
  '%',
  'a\\b',
  'constructor',
  '-'
]

/** Query strings have a use of their own for the others, or refuse them. */
const QUERYABLE = NAMES.filter((name) => !['$price', 'x[y]', 'constructor'].includes(name))

function pick<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T
}

/** The same numbers each time. */
function seeded(): Random {
  let state = 7

  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0

    return state / 2 ** 32
  }
}

async function open(database: TestDatabase, columns: string, settings: object = {}) {
  const db = await createTable(database, 'alula_round', columns)
  const app = alula()

  app.use('rows', kysely({ Model: db, name: 'alula_round' }), settings)
  await app.setup()

  const handle = createHandler(app)

  return async (method: string, path: string, body?: unknown) => {
    const response = await handle(
      new Request(`http://localhost/rows${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) })
      })
    )

    return { status: response.status, text: await response.text() }
  }
}

describeDatabases('what was read', (database) => {
  const { name, countedId } = database
  const makers = Object.entries(MAKERS[name] ?? {})
  const generated =
    name === 'PostgreSQL' ? 'generated always as (1 + 1) stored' : 'generated always as (1 + 1) virtual'
  const id = name === 'PostgreSQL' ? 'integer generated always as identity primary key' : countedId

  async function openTypes(withSchema: boolean) {
    if (name === 'PostgreSQL') {
      const db = database.open()

      await sql`drop table if exists alula_round`.execute(db)
      await sql`drop type if exists alula_round_state`.execute(db)
      await sql`create type alula_round_state as enum ('new', 'it"s', 'ö {,}')`.execute(db)
      await db.destroy()
    }

    const columns = makers.map(([type], index) => `c${index} ${type}`).join(', ')

    return await open(
      database,
      `id ${id}, ${columns}, made integer ${generated}`,
      withSchema ? { schema: table() } : {}
    )
  }

  for (const withSchema of [false, true]) {
    it(`is written back and read again byte for byte, ${withSchema ? 'with' : 'without'} a schema`, async () => {
      const call = await openTypes(withSchema)
      const random = seeded()

      for (let run = 0; run < 20; run++) {
        const data = Object.fromEntries(
          makers.map(([, make], index) => [`c${index}`, random() < 0.1 ? null : make(random)])
        )
        const created = await call('POST', '', data)

        expect([created.status, created.status === 201 || created.text]).toEqual([201, true])

        const record = JSON.parse(created.text)

        expect(record).toMatchObject({ ...data, made: 2 })

        const { made, id: key, ...writable } = record
        const written = await call('PUT', `/${key}`, withSchema ? writable : record)

        expect([written.status, written.text]).toEqual([200, created.text])
        expect((await call('GET', `/${key}`)).text).toBe(created.text)
        expect((await call('PATCH', `/${key}`, writable)).text).toBe(created.text)
      }
    })
  }

  it('finds its record by each value', async () => {
    const call = await openTypes(false)
    const random = seeded()

    for (let run = 0; run < 10; run++) {
      const data = Object.fromEntries(makers.map(([, make], index) => [`c${index}`, make(random)]))
      const record = JSON.parse((await call('POST', '', data)).text)

      for (const [index, [type]] of makers.entries()) {
        const value = record[`c${index}`]

        if (value === null || typeof value === 'object') continue

        const query = `?id=${record.id}&c${index}=${encodeURIComponent(String(value))}`

        expect([type, value, JSON.parse((await call('GET', query)).text).length]).toEqual([type, value, 1])
      }
    }
  })

  it('may have any name', async () => {
    const quote = (one: string) =>
      name === 'MariaDB' ? `\`${one.replaceAll('`', '``')}\`` : `"${one.replaceAll('"', '""')}"`
    const columns = NAMES.map((one) => `${quote(one)} varchar(50)`).join(', ')
    const data = Object.fromEntries(NAMES.map((one) => [one, `value of ${one}`]))

    for (const settings of [{}, { schema: table() }]) {
      const call = await open(database, `id ${countedId}, ${columns}`, settings)
      const created = await call('POST', '', data)

      expect(JSON.parse(created.text)).toEqual({ id: 1, ...data })
      expect((await call('PUT', '/1', data)).text).toBe(created.text)
      expect((await call('PATCH', '/1', data)).text).toBe(created.text)
      expect((await call('GET', '/1')).text).toBe(created.text)

      for (const one of QUERYABLE) {
        const [key, value] = [encodeURIComponent(one), encodeURIComponent(`value of ${one}`)]

        expect([one, (await call('GET', `?${key}=${value}`)).text]).toEqual([one, `[${created.text}]`])
        expect([one, (await call('GET', `?${key}=nothing`)).text]).toEqual([one, '[]'])
        expect([one, (await call('GET', `?$sort[${key}]=1`)).status]).toEqual([one, 200])
        expect([one, JSON.parse((await call('GET', `/1?$select[]=${key}`)).text)]).toEqual([
          one,
          { id: 1, [one]: `value of ${one}` }
        ])
      }
    }
  })
})
