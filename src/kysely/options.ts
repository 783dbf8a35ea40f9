import { sql } from 'kysely'
import { ADAPTER_CHECKS, type AdapterOptions, type AdapterParams } from '../adapter/options.ts'
import { OPERATORS } from '../adapter/query.ts'
import type { Query } from '../core/types.ts'
import { LIST_OPERATORS, PATTERN_OPERATORS } from '../query/operators.ts'
import { isBoolean, isFunction, isString } from '../utils/check.ts'
import { assertOptions as assertAll, assertOption, type OptionChecks } from '../utils/options.ts'
import type { AnyKysely } from './any-kysely.ts'
import { findDatabase, type SessionOption } from './databases.ts'
import type { Transaction } from './transaction.ts'

/** The options of a service for a table. */
export interface KyselyOptions extends AdapterOptions {
  /** The Kysely instance, without plugins that change names. */
  Model: AnyKysely
  /** The name of the table. */
  name: string
  /** The schema of the table, where it is not the usual one. */
  schema?: string | undefined
  /**
   * Makes settings of each call for row level security, by their names, on PostgreSQL alone:
   * `(params) => ({ 'app.user_id': params.user?.id })`. A role for which it does not hold is an error when the application is
   * set up. Services with one function can read their relations together.
   */
  session?: SessionOption | undefined
  /**
   * Whether clients may choose ids and other keys that the database numbers itself, and with `table()` the ids that the adapter
   * makes; `false` by default. One of them can choose the largest number there is, and leave none for others.
   */
  allowId?: boolean | undefined
}

/** The params that the adapter understands. */
export interface KyselyParams<Q = Query> extends AdapterParams<Q, KyselyOptions> {
  /** The transaction that the call joins. */
  transaction?: Transaction | undefined
}

/** The params of any service for a table. `any` because a type for queries may be narrower than `Query`. */
export type AnyKyselyParams = KyselyParams<any>

/** Operators that have a meaning. */
const KNOWN_OPERATORS = [...OPERATORS, '$not', '$nor', ...PATTERN_OPERATORS, ...LIST_OPERATORS]

const CHECKS: OptionChecks = {
  ...ADAPTER_CHECKS,
  Model: [
    (Model) => isFunction((Model as Partial<AnyKysely> | null)?.selectFrom),
    'a Kysely instance',
    'required'
  ],
  name: [isString, 'the name of a table', 'required'],
  schema: [isString, 'the name of a schema'],
  session: [isFunction, 'a function of the params'],
  allowId: [isBoolean, 'true or false']
}

/**
 * Refuses options that are not valid, by a TypeError that names the option. `further` are the names of those that a subclass
 * adds.
 */
export function assertOptions(owner: string, options: KyselyOptions, further?: readonly string[]): void {
  assertAll(owner, options, CHECKS, further ? { further } : { others: 'unlike' })

  const { Model, operators = [], session } = options
  const { findUnheld } = findDatabase(Model).dialect

  assertOption(owner, 'operators', operators, [
    () => operators.every((name) => KNOWN_OPERATORS.includes(name)),
    'names that have a meaning in a table'
  ])
  assertOption(owner, 'session', session, [
    () => session === undefined || findUnheld !== undefined,
    'none, because the database has no row level security'
  ])
  assertOption(owner, 'Model', Model, [
    () => !renames(Model),
    'an instance without a plugin that changes names'
  ])
}

/**
 * Whether plugins change names, as `CamelCasePlugin` does. Records would come back with names that no query can use,
 * and with values that are not those of their columns.
 */
function renames(Model: AnyKysely): boolean {
  const toText = (db: AnyKysely) => db.selectNoFrom(sql`1`.as('aName')).compile().sql

  return toText(Model) !== toText(Model.withoutPlugins())
}
