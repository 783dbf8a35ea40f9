import type { SchemaSettings } from './declaration.ts'
import type { JsonSchema } from './json-schema.ts'

/**
 * How a service is asked to compare a schema with its store. A symbol, because every other name may be that of a method.
 */
export const COMPARE: unique symbol = Symbol.for('alula/compare')

/** How a service is asked for the fields that its store has. A symbol for the same reason. */
export const STORED: unique symbol = Symbol.for('alula/stored')

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

/**
 * The names of the fields that the store of a service has.
 *
 * @param service The service
 * @returns `undefined` where the store has any, and where it cannot be asked now: its calls say why
 */
export async function listStored(service: object): Promise<readonly string[] | undefined> {
  try {
    const stored = await (service as StoringService)[STORED]?.()

    return stored?.map(({ name }) => name)
  } catch {
    return undefined
  }
}

interface StoringService {
  [STORED]?(): Promise<readonly { readonly name: string }[] | undefined>
}
