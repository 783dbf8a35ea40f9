import type { JsonSchema } from './json-schema.ts'
import { compileVisit } from './visit.ts'

/** A value without the fields that its schema does not declare, and the paths of those. */
export interface KnownAndUnknown {
  readonly value: unknown
  readonly unknown: readonly string[]
}

const NO_NAMES: readonly string[] = Object.freeze([])

/**
 * Prepares a function that finds the fields that a schema does not declare, at any depth. An object with `properties`
 * has no others unless its schema says `additionalProperties`.
 *
 * @param schema The schema of the value
 */
export function compileUnknown(schema: JsonSchema): (value: unknown) => KnownAndUnknown {
  const visit = compileVisit<string[]>(schema, { onUnknown: (path, unknown) => unknown.push(path) })

  return (value) => {
    const unknown: string[] = []
    const rest = visit(value, '', unknown)

    return { value: rest, unknown: unknown.length > 0 ? unknown : NO_NAMES }
  }
}
