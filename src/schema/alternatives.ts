import { isEmpty } from '../utils/object.ts'
import { isJsonSchema, isOpenObject, type JsonSchema, listProperties } from './json-schema.ts'
import { toTarget, withoutReference } from './references.ts'

/**
 * The parts that a value must match one of: the schema itself, or what its `$ref`, `anyOf`, `oneOf` and `allOf` hold. A
 * part keeps a `$ref` that leads elsewhere.
 *
 * @param schema The schema
 * @param root The schema that holds it, where `$ref` finds its target
 */
export function toAlternatives(schema: JsonSchema, root: JsonSchema): readonly JsonSchema[] {
  return toExpanded(schema, root).alternatives
}

/** What a value must match one of, and the schemas that this was read from: what they refer to, and what they choose between. */
export interface Expanded {
  readonly alternatives: readonly JsonSchema[]
  readonly sources: ReadonlySet<JsonSchema>
}

/** The same as {@link toAlternatives}, with the schemas that it was read from. */
export function toExpanded(schema: JsonSchema, root: JsonSchema): Expanded {
  const sources = new Set<JsonSchema>()

  return { alternatives: expand(schema, new Set(), { root, sources, done: new Map(), cuts: 0 }), sources }
}

/**
 * Prepares a function that makes one schema of several that a value may match. It makes the same schema of the same parts:
 * what is prepared for a schema that holds itself is then prepared once, and not anew at each depth of a value.
 *
 * @param root The schema that holds the parts
 */
export function createUnion(root: JsonSchema): (parts: readonly JsonSchema[]) => JsonSchema {
  const numbers = new Map<JsonSchema, number>()
  const unions = new Map<string, JsonSchema>()

  return (parts) => {
    const different = [...new Set(parts.map((part) => follow(part, root)))]
    const [only] = different

    if (only && different.length === 1) return only

    for (const part of different) if (!numbers.has(part)) numbers.set(part, numbers.size)

    const key = different
      .map((part) => numbers.get(part))
      .sort()
      .join()
    const union = unions.get(key) ?? { anyOf: different }

    unions.set(key, union)

    return union
  }
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

/** The names of the fields that a schema declares at its top. */
export function toNames(schema: JsonSchema): readonly string[] {
  return listProperties(toAlternatives(schema, schema))
}

/** One list of alternatives. */
interface Expansion {
  readonly root: JsonSchema
  /** All schemas on the way. */
  readonly sources: Set<JsonSchema>
  /** Those of parts that hold no reference to what they are in: parts may refer to the same others again and again. */
  readonly done: Map<JsonSchema, readonly JsonSchema[]>
  /** How often a part was left out because it is in itself. */
  cuts: number
}

function expand(
  schema: JsonSchema,
  seen: ReadonlySet<JsonSchema>,
  expansion: Expansion
): readonly JsonSchema[] {
  const { root, sources, done, cuts } = expansion
  const known = done.get(schema)

  sources.add(schema)
  if (known) return known

  // A schema that refers to itself without a value in between says nothing.
  if (seen.has(schema)) {
    expansion.cuts++

    return []
  }

  const path = new Set([...seen, schema])
  const { anyOf, oneOf, allOf, ...rest } = schema
  const target = toTarget(schema, root)
  const own = target ? withoutReference(rest) : rest
  const required = [target, allOf].flat().filter(isJsonSchema)
  const groups = [
    ...required.map((part) => expand(part, path, expansion)),
    ...[anyOf, oneOf].map((choices) => [
      ...new Set(
        [choices]
          .flat()
          .filter(isJsonSchema)
          .flatMap((choice) => expand(choice, path, expansion))
      )
    ])
  ].filter((group) => group.length > 0)
  const [only, ...others] = groups
  const expanded =
    only && others.length === 0 && isEmpty(own)
      ? only
      : groups.reduce<readonly JsonSchema[]>(
          (merged, group) => merged.flatMap((first) => group.map((second) => merge(first, second))),
          [own]
        )

  if (expansion.cuts === cuts) done.set(schema, expanded)

  return expanded
}

/** Both must hold. What only one of them says counts. */
function merge(first: JsonSchema, second: JsonSchema): JsonSchema {
  const properties = {
    ...(first.properties as object | undefined),
    ...(second.properties as object | undefined)
  }
  const isOpen = [first, second].every(isOpenObject)
  const hasProperties = Boolean(first.properties ?? second.properties)

  return {
    ...first,
    ...second,
    ...(hasProperties && { properties }),
    ...(hasProperties && isOpen && { additionalProperties: true })
  }
}
