// Schemas that are made of others.
import { isJsonSchema, type JsonSchema } from './json-schema.ts'
import { REFERENCES, toTarget } from './references.ts'

/**
 * Makes the same schema of the same parts: what is prepared for a schema that holds itself is prepared once, and not anew at each
 * depth of a value.
 */
type Combine = (parts: readonly JsonSchema[]) => JsonSchema

/** Prepares a function that makes one schema of several that a value may match. `root` holds them. */
export function createUnion(root: JsonSchema): Combine {
  const combine = createCombine((parts) => ({ anyOf: parts }))

  return (parts) => combine(parts.map((part) => follow(part, root)))
}

/** Makes of the properties of two schemas those that both have: a value has to match both. */
export type Intersect = (first: unknown, second: unknown) => JsonSchema

/** Prepares a function that intersects the properties of schemas. It makes the same schema of the same parts. */
export function createIntersect(): Intersect {
  const parts = new Map<JsonSchema, readonly JsonSchema[]>()
  const combine = createCombine((different) =>
    different.some(holdsSchemas) ? { allOf: different } : Object.assign({}, ...different)
  )
  const toOne = (first: JsonSchema, second: JsonSchema) => {
    // Of intersections their parts: types that hold each other would have intersections of intersections without an end.
    const all = [...new Set([first, second].flatMap((part) => parts.get(part) ?? [part]))]
    const intersection = combine(all)

    parts.set(intersection, all)

    return intersection
  }

  return (first, second) => {
    if (!isJsonSchema(first) || !isJsonSchema(second)) return {}

    return Object.fromEntries(
      Object.entries(second).flatMap(([name, part]) => {
        const other = Object.hasOwn(first, name) ? first[name] : undefined

        return isJsonSchema(other) && isJsonSchema(part) ? [[name, toOne(other, part)]] : []
      })
    )
  }
}

function createCombine(toSchema: (different: readonly JsonSchema[]) => JsonSchema): Combine {
  const numbers = new Map<JsonSchema, number>()
  const combined = new Map<string, JsonSchema>()

  return (parts) => {
    const different = [...new Set(parts)]
    const [only] = different

    if (only && different.length === 1) return only

    for (const part of different) if (!numbers.has(part)) numbers.set(part, numbers.size)

    const key = different
      .map((part) => numbers.get(part))
      .sort()
      .join()
    const schema = combined.get(key) ?? toSchema(different)

    combined.set(key, schema)

    return schema
  }
}

/** Keywords by which a schema leads to others. */
const HOLDERS: readonly string[] = [
  ...REFERENCES,
  ...['anyOf', 'oneOf', 'allOf', 'items', 'prefixItems'],
  ...['properties', 'patternProperties', 'additionalProperties']
]

function holdsSchemas(schema: JsonSchema): boolean {
  return HOLDERS.some((keyword) => Object.hasOwn(schema, keyword))
}

/** Keywords that no value depends on. */
const ANNOTATIONS: readonly string[] = ['title', 'description', '$comment', 'deprecated', 'examples']

/** What a schema stands for that is a reference, and says nothing more of a value. */
function follow(schema: JsonSchema, root: JsonSchema): JsonSchema {
  const passed = new Set<JsonSchema>()
  let target = schema

  while (!passed.has(target) && isReference(target)) {
    passed.add(target)
    target = toTarget(target, root) ?? target
  }

  return target
}

function isReference(schema: JsonSchema): boolean {
  return Object.keys(schema).filter((keyword) => !ANNOTATIONS.includes(keyword)).length === 1
}
