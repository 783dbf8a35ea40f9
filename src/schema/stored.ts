import { getTraits } from '../hooks/traits.ts'
import type { SchemaSettings } from './declaration.ts'
import type { JsonSchema } from './json-schema.ts'

declare module '../hooks/traits.ts' {
  interface Traits {
    /**
     * Of a service whose store knows the fields of its records: compares a schema with them. Throws an Error that names each
     * difference, unless `drift` is `'warn'`.
     */
    readonly compare?: (comparison: SchemaComparison) => Promise<void>
    /** Of the same: the fields that its store has; `undefined` where it has none. */
    readonly stored?: (params?: any) => Promise<readonly { readonly name: string }[] | undefined>
  }
}

/** A schema that is compared with the store of a service. */
export interface SchemaComparison extends Pick<SchemaSettings, 'computed' | 'drift' | 'server'> {
  /** The path of the service, for messages. */
  readonly path: string
  /** The schema of the record. */
  readonly record: JsonSchema
  /** The schema of new records, where the service has `create`. */
  readonly create: JsonSchema | undefined
}

/**
 * The names of the fields that the store of a service has, read in the transaction of the call that asks; `undefined` where the
 * store has any, and where it cannot be asked now: its calls say why.
 */
export async function listStored(service: object, params?: object): Promise<readonly string[] | undefined> {
  try {
    const stored = await getTraits(service).stored?.(params)

    return stored?.map(({ name }) => name)
  } catch {
    return undefined
  }
}
