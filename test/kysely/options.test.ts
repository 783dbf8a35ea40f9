import { CamelCasePlugin, Kysely, MssqlAdapter, MssqlQueryCompiler, ParseJSONResultsPlugin } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type KyselyOptions, kysely } from '../../src/kysely.ts'
import { SQLITE } from '../support/sql.ts'

function open(): Kysely<any> {
  const db = SQLITE.open()

  onTestFinished(() => db.destroy())

  return db
}

/** An instance for a database that we do not know. */
function openMssql(): Kysely<any> {
  return new Kysely({
    dialect: {
      createAdapter: () => new MssqlAdapter(),
      createDriver: () => ({}) as any,
      createIntrospector: () => ({}) as any,
      createQueryCompiler: () => new MssqlQueryCompiler()
    }
  })
}

describe('a service for a table is refused', () => {
  it.each<[string, () => Partial<KyselyOptions>, string]>([
    ['nothing', () => ({ Model: undefined as any }), "'Model' of KyselyService: expected a Kysely instance"],
    [
      'what is no instance',
      () => ({ Model: {} as any }),
      "'Model' of KyselyService: expected a Kysely instance"
    ],
    [
      'an instance that renames columns',
      () => ({ Model: open().withPlugin(new CamelCasePlugin()) }),
      "'Model' of KyselyService: expected an instance without a plugin that changes names"
    ],
    [
      'a word for allowId',
      () => ({ allowId: 'yes' as any }),
      "'allowId' of KyselyService: expected true or false"
    ],
    ['no name', () => ({ name: undefined as any }), "'name' of KyselyService: expected the name of a table"],
    ['an empty name', () => ({ name: '' }), "'name' of KyselyService: expected the name of a table"],
    [
      'an operator without a meaning',
      () => ({ operators: ['$not', '$near'] }),
      `'operators' of KyselyService: expected names that have a meaning in a table, got ["$not","$near"]`
    ]
  ])('with %s', (_name, options, expected) => {
    expect(() => kysely({ Model: open(), name: 'people', ...options() })).toThrow(
      `Invalid option ${expected}`
    )
  })
})

it('a service for a table is refused with an unknown database', () => {
  expect(() => kysely({ Model: openMssql(), name: 'people' })).toThrow(
    'expected SQLite, PostgreSQL, MySQL or MariaDB, got what writes "a" = @1'
  )
})

it('an instance with a schema, and with plugins that leave names alone, is accepted', () => {
  const Model = open().withSchema('main').withPlugin(new ParseJSONResultsPlugin())

  expect(kysely({ Model, name: 'people', operators: ['$like', '$or'] }).options.name).toBe('people')
})
