import { expect, it } from 'vitest'
import { toKind } from '../../src/kysely/table.ts'

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
