import type { SchemaSettings } from './declaration.ts'
import type { JsonSchema } from './json-schema.ts'

/**
 * How a service is asked to compare a schema with its store. A symbol, because every other name may be that of a method.
 */
export const COMPARE: unique symbol = Symbol.for('alula/compare')

/** A schema that is compared with the store of a service. */
export interface SchemaComparison extends Pick<SchemaSettings, 'computed' | 'drift' | 'server'> {
  /** The path of the service, for messages. */
  readonly path: string
  /** The schema of the record. */
  readonly record: JsonSchema
}

/** A service whose store knows the fields of its records. */
export interface ComparableService {
  /**
   * Compares a schema with what the store holds.
   *
   * @throws Error that names each difference, unless `drift` is `'warn'`
   */
  [COMPARE](comparison: SchemaComparison): Promise<void>
}

/** Whether the store of a service knows the fields of its records. */
export function isComparable(service: object): service is ComparableService {
  return COMPARE in service
}
