import { expect, it } from 'vitest'
import { getTraits } from '../../src/hooks/traits.ts'
import { toKind } from '../../src/kysely/table.ts'
import { kysely } from '../../src/kysely.ts'
import { createTable, SQLITE } from '../support/sql.ts'

it.each([
  [
    'integer',
    'tinyint smallint mediumint bigint int integer int2 int4 int8 serial bigserial serial8 year oid'
  ],
  ['number', 'real double float float4 float8'],
  ['text', 'text tinytext longtext char character varchar nchar nvarchar bpchar citext clob name enum set'],
  ['date', 'datetime timestamp timestamptz'],
  ['day', 'date'],
  ['bytes', 'bytea blob tinyblob longblob binary varbinary'],
  ['boolean', 'bool boolean'],
  ['decimal', 'decimal numeric'],
  ['json', 'json jsonb'],
  ['uuid', 'uuid'],
  ['other', 'interval point inet time point4 dateint mytext textual blobs unreal']
])('types that hold %s: %s', (kind, types) => {
  for (const type of types.split(' ')) expect([type, toKind(type)]).toEqual([type, kind])
})

it.each([
  ['integer', ['int unsigned', 'bigint unsigned']],
  ['number', ['double precision']],
  ['text', ['character varying', 'char varying']],
  ['other', ['int signed', 'double double', 'time with time zone']]
])('types of several words that hold %s: %j', (kind, types) => {
  for (const type of types) expect([type, toKind(type)]).toEqual([type, kind])
})

it('types of SQLite are what their names say, by its own rules for those that it does not know', async () => {
  const types = {
    'bigint unsigned': 'integer',
    'POINT INTEGERS': 'integer',
    'VARCHAR (40)': 'string',
    'native character(70)': 'string',
    uuid: 'string',
    'decimal(10, 2)': 'number',
    numeric: 'number',
    'real8(3)': 'number',
    doubles: 'number',
    floating: 'number',
    boolean: 'boolean',
    date: 'day',
    'timestamp(3)': 'date',
    blobs: 'string',
    money: 'any',
    '': 'any'
  }
  const columns = Object.keys(types).map((type, index) => `c${index} ${type}`)
  const db = await createTable(SQLITE, 'alula_types', `id integer primary key, ${columns.join(', ')}`)
  const stored: any = await getTraits(kysely({ Model: db, name: 'alula_types' })).stored?.()
  const [, ...fields] = stored as any[]

  expect(fields.map(({ kinds }, index) => [Object.keys(types)[index], kinds[0]])).toEqual(
    Object.entries(types)
  )
})
