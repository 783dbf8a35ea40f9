import type { FeathersService, Params, ServiceExtension } from '../core/types.ts'
import type { SchemaDefinition } from './compile.ts'
import type { LongForm } from './declaration.ts'
import type { Relations } from './relation.ts'
import type { Validator } from './validator.ts'

/** Where the value of `schema()` has its declaration. The copies of a bundle share it. */
export const DECLARED: unique symbol = Symbol.for('alula/declared')

/** What `schema()` was given, and what an application has made of it. */
export interface Declaration {
  readonly form: LongForm
  /** The validator of the record. */
  readonly record: Validator
  /** What the service that was registered last with it checks. */
  definition?: SchemaDefinition
}

/** An extension that says what it checks. */
export interface DescribedExtension extends ServiceExtension {
  /** What the service checks, as plain data; there once the service is registered. */
  readonly definition: SchemaDefinition | undefined
  /** What is related to a record, where the schema is enforced. */
  readonly relations?: Relations | undefined
  /** The names of those that are included by default. */
  readonly include?: readonly string[] | undefined
  /** What takes part in calls for the sake of these relations. */
  inner?: InnerExtension
  /**
   * Whether it may add conditions to the query of `find`: by defaults of a schema for queries, or by a resolver. Left out
   * where that is not known.
   */
  readonly narrowsFind?: boolean
  /**
   * Reads what the definition is made of, where that is not known at once: a table.
   *
   * @param params The params of a call of any service, whose transaction is used
   * @throws Error where it cannot be read now
   */
  readDefinition?(params: Params): Promise<void>
}

/** What takes part in calls inside of a schema. */
export interface InnerExtension extends ServiceExtension {
  /** @param params Those of the call, where the first call of the service does what its set-up could not */
  setup?(service: FeathersService, path: string, app: object, params?: Params): Promise<void>
}
