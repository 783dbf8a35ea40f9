import { type Kysely, sql } from 'kysely'
import { type AdapterOptions, type AdapterParams, assertNames } from '../adapter/options.ts'
import { OPERATORS } from '../adapter/query.ts'
import type { Query } from '../core/types.ts'
import { PATTERN_OPERATORS } from '../query/operators.ts'
import { findDatabase } from './databases.ts'
import type { Transaction } from './transaction.ts'

/** The options of a service for a table. */
export interface KyselyOptions extends AdapterOptions {
  /** The Kysely instance, without plugins that change names. */
  Model: Kysely<any>
  /** The name of the table. */
  name: string
  /** The schema of the table, where it is not the usual one. */
  schema?: string | undefined
  /**
   * Whether clients may choose ids that the database numbers itself; `false` by default. One of them can choose the
   * largest number there is, and leave none for others.
   */
  allowId?: boolean | undefined
}

/** The params that the adapter understands. */
export interface KyselyParams<Q = Query> extends AdapterParams<Q, KyselyOptions> {
  /** The transaction that the call joins. */
  transaction?: Transaction | undefined
}

const OWN_OPTIONS = ['Model', 'name', 'schema', 'allowId']

/** Operators that have a meaning. */
const KNOWN_OPERATORS = [...OPERATORS, '$not', '$nor', ...PATTERN_OPERATORS]

/**
 * Refuses options that are not valid.
 *
 * @param options The options
 * @param further The names of options that a subclass adds
 * @throws Error that names the option
 */
export function assertOptions(options: KyselyOptions, further?: readonly string[]): void {
  const { Model, name, operators = [], allowId } = options
  const unknown = operators.find((operator) => !KNOWN_OPERATORS.includes(operator))

  assertNames(options, OWN_OPTIONS, further)
  if (typeof Model?.selectFrom !== 'function') {
    throw new Error("Invalid adapter option 'Model': expected a Kysely instance")
  }
  if (typeof name !== 'string' || name === '') {
    throw new Error("Invalid adapter option 'name': expected the name of a table")
  }
  if (unknown !== undefined) {
    throw new Error(`Invalid adapter option 'operators': '${unknown}' has no meaning in a table`)
  }

  if (allowId !== undefined && typeof allowId !== 'boolean') {
    throw new Error("Invalid adapter option 'allowId': expected true or false")
  }

  findDatabase(Model)

  if (renames(Model)) {
    throw new Error(
      "Invalid adapter option 'Model': expected an instance that takes names as they are, got one with a plugin that changes them"
    )
  }
}

/**
 * Whether plugins change names, as `CamelCasePlugin` does. Records would come back with names by which nobody can ask,
 * and with values that are not those of their columns.
 */
function renames(Model: Kysely<any>): boolean {
  const toText = (db: Kysely<any>) => db.selectNoFrom(sql`1`.as('aName')).compile().sql

  return toText(Model) !== toText(Model.withoutPlugins())
}
