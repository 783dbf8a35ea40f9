import { isEmpty } from '../utils/object.ts'
import { createIntersect, type Intersect } from './combine.ts'
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
  return toExpanded(schema, root, createIntersect()).alternatives
}

/** What a value must match one of, and the schemas that this was read from: what they refer to, and what they choose between. */
export interface Expanded {
  readonly alternatives: readonly JsonSchema[]
  readonly sources: ReadonlySet<JsonSchema>
}

/** The same as {@link toAlternatives}, with the schemas that it was read from. Without `intersect`, fields are only named. */
export function toExpanded(schema: JsonSchema, root: JsonSchema, intersect?: Intersect): Expanded {
  const sources = new Set<JsonSchema>()
  const expansion = { root, intersect, sources, done: new Map(), cuts: 0 }

  return { alternatives: expand(schema, new Set(), expansion), sources }
}

/** The names of the fields that a schema declares at its top. */
export function toNames(schema: JsonSchema): readonly string[] {
  return listProperties(toExpanded(schema, schema).alternatives)
}

/** One list of alternatives. */
interface Expansion {
  readonly root: JsonSchema
  readonly intersect: Intersect | undefined
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
  const { root, intersect, sources, done, cuts } = expansion
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
          (merged, group) =>
            merged.flatMap((first) => group.map((second) => merge(first, second, intersect))),
          [own]
        )

  if (expansion.cuts === cuts) done.set(schema, expanded)

  return expanded
}

/** Both must hold. What only one of them says counts. */
function merge(first: JsonSchema, second: JsonSchema, intersect: Intersect | undefined): JsonSchema {
  const isOpen = [first, second].every(isOpenObject)
  const hasProperties = Boolean(first.properties ?? second.properties)
  const properties = {
    ...(first.properties as object | undefined),
    ...(second.properties as object | undefined),
    ...intersect?.(first.properties, second.properties)
  }

  const required = [first.required, second.required].filter(Array.isArray).flat()

  return {
    ...first,
    ...second,
    ...(hasProperties && { properties }),
    ...(required.length > 0 && { required: [...new Set(required)] }),
    ...(hasProperties && isOpen && { additionalProperties: true }),
    // A closed object leaves the fields that the first one describes.
    ...(isJsonSchema(first.additionalProperties) &&
      second.additionalProperties === false && { additionalProperties: first.additionalProperties })
  }
}
