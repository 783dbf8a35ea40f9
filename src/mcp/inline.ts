import { type JsonSchema, mapParts } from '../schema/json-schema.ts'
import { isObject } from '../utils/check.ts'

const REFERENCE = '#/components/schemas/'

/** Words for people, and what clients need not know. */
const LEFT_OUT: readonly string[] = ['title', 'examples', 'deprecated', 'readOnly', 'writeOnly']

/** Schemas whose parts refer to parts that refer to parts grow fast. */
const MAX_PARTS = 500

/**
 * Copies a schema of a document with what it refers to in its place: many clients follow no references. What refers to itself,
 * and what comes after the first few hundred parts, is anything: the service checks it all the same.
 */
export function inlineSchema(schema: JsonSchema, all: ReadonlyMap<string, JsonSchema>): JsonSchema {
  let parts = 0

  return copy(schema, []) as JsonSchema

  /** @param within The names of the schemas that this one is in */
  function copy(value: unknown, within: readonly string[]): unknown {
    if (Array.isArray(value)) return value.map((one) => copy(one, within))
    if (!isObject(value)) return value

    const { $ref } = value

    if (typeof $ref === 'string') {
      const name = $ref.slice(REFERENCE.length)
      const target = all.get(name)

      return !target || within.includes(name) || parts > MAX_PARTS ? {} : copy(target, [...within, name])
    }

    parts++

    const kept = Object.entries(value).filter(([keyword]) => !isLeftOut(keyword, value))

    return mapParts(Object.fromEntries(kept), (part) => copy(part, within))
  }
}

/** A format says in a word what its pattern says in a line, and integers are no larger than they can be. */
function isLeftOut(name: string, schema: Record<string, unknown>): boolean {
  if (name === 'pattern') return schema.format !== undefined
  if (name === 'maximum' || name === 'minimum')
    return Math.abs(Number(schema[name])) === Number.MAX_SAFE_INTEGER

  return LEFT_OUT.includes(name)
}
