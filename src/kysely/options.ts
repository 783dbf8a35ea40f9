import type { Kysely } from 'kysely'
import type { AdapterOptions, AdapterParams } from '../adapter/options.ts'
import { OPERATORS } from '../adapter/query.ts'
import type { Query } from '../core/types.ts'
import { PATTERN_OPERATORS } from '../query/like.ts'
import { findDialect } from './dialect.ts'
import type { Transaction } from './transaction.ts'

/** The options of a service for a table. */
export interface KyselyOptions extends AdapterOptions {
  /** The Kysely instance. */
  Model: Kysely<any>
  /** The name of the table. */
  name: string
  /** The schema of the table, where it is not the usual one. */
  schema?: string
}

/** The params that the adapter understands. */
export interface KyselyParams<Q = Query> extends AdapterParams<Q, KyselyOptions> {
  /** The transaction that the call joins. */
  transaction?: Transaction
}

/** Operators that have a meaning. */
const KNOWN_OPERATORS = [...OPERATORS, '$not', '$nor', ...PATTERN_OPERATORS]

/**
 * Refuses options that are not valid.
 *
 * @throws Error that names the option
 */
export function assertOptions(options: KyselyOptions): void {
  const { Model, name, operators = [] } = options
  const unknown = operators.find((operator) => !KNOWN_OPERATORS.includes(operator))

  if (typeof Model?.selectFrom !== 'function') {
    throw new Error("Invalid adapter option 'Model': expected a Kysely instance")
  }
  if (typeof name !== 'string' || name === '') {
    throw new Error("Invalid adapter option 'name': expected the name of a table")
  }
  if (unknown !== undefined) {
    throw new Error(`Invalid adapter option 'operators': '${unknown}' has no meaning in a table`)
  }

  findDialect(Model)
}
