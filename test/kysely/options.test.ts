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
    ['nothing', () => ({ Model: undefined as any }), "'Model': expected a Kysely instance"],
    ['what is no instance', () => ({ Model: {} as any }), "'Model': expected a Kysely instance"],
    [
      'an unknown database',
      () => ({ Model: openMssql() }),
      '\'Model\': expected SQLite, PostgreSQL, MySQL or MariaDB, got what writes "a" = @1'
    ],
    [
      'an instance that renames columns',
      () => ({ Model: open().withPlugin(new CamelCasePlugin()) }),
      "'Model': expected an instance that takes names as they are, got one with a plugin that changes them"
    ],
    ['a word for allowId', () => ({ allowId: 'yes' as any }), "'allowId': expected true or false"],
    ['no name', () => ({ name: undefined as any }), "'name': expected the name of a table"],
    ['an empty name', () => ({ name: '' }), "'name': expected the name of a table"],
    [
      'an operator without a meaning',
      () => ({ operators: ['$not', '$near'] }),
      "'operators': '$near' has no meaning in a table"
    ]
  ])('with %s', (_name, options, expected) => {
    expect(() => kysely({ Model: open(), name: 'people', ...options() })).toThrow(
      `Invalid adapter option ${expected}`
    )
  })
})

it('an instance with a schema, and with plugins that leave names alone, is accepted', () => {
  const Model = open().withSchema('main').withPlugin(new ParseJSONResultsPlugin())

  expect(kysely({ Model, name: 'people', operators: ['$like', '$or'] }).options.name).toBe('people')
})
