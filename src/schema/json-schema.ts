import { isObject } from '../utils/check.ts'
import { isEmpty } from '../utils/object.ts'

/** A JSON Schema, or a part of one. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** The keyword that marks what is a `Date` in records, and a string with a time in JSON. */
export const DATE_KEYWORD = 'x-alula-date'

/** What stands for a `Date` in a JSON Schema. */
export const DATE_SCHEMA: JsonSchema = Object.freeze({
  type: 'string',
  format: 'date-time',
  [DATE_KEYWORD]: true
})

/** The keyword that marks bytes: base64 in records and in JSON, which code may also give as a `Uint8Array`. */
export const BYTES_KEYWORD = 'x-alula-bytes'

/** What stands for bytes in a JSON Schema. */
export const BYTES_SCHEMA: JsonSchema = Object.freeze({
  type: 'string',
  contentEncoding: 'base64',
  [BYTES_KEYWORD]: true
})

/** The keyword that marks what its library cannot describe, and not what may be anything. */
export const UNDESCRIBED_KEYWORD = 'x-alula-undescribed'

/** Lead from a part of a schema to another one, or to one that holds the part. */
export const REFERENCES: readonly string[] = ['$ref', '$dynamicRef', '$recursiveRef']

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

/** The reference of a schema to another one, if it has any. */
export function getReference(schema: JsonSchema): string | undefined {
  return REFERENCES.map((keyword) => schema[keyword]).find((value) => typeof value === 'string')
}

/** The part that the reference of a schema leads to; `undefined` without one, and for one that leads elsewhere. */
export function toTarget(schema: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  const reference = getReference(schema)

  return reference === undefined ? undefined : resolveReference(reference, root)
}

/** A schema without its reference. */
export function withoutReference(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !REFERENCES.includes(keyword)))
}

/** The properties that a schema declares. */
export function getProperties(schema: JsonSchema): ReadonlyMap<string, JsonSchema> {
  return new Map(isObject(schema.properties) ? Object.entries(schema.properties) : [])
}

/** The names of the properties that some of these parts declare. */
export function listProperties(parts: readonly JsonSchema[]): readonly string[] {
  return [...new Set(parts.flatMap((part) => [...getProperties(part).keys()]))]
}

/** The values that something may have, where its schema lists them. */
export function listValues(part: JsonSchema | undefined): readonly unknown[] {
  if (part?.const !== undefined) return [part.const]

  return Array.isArray(part?.enum) ? part.enum : []
}

/** What each of these parts that declares a property says of it. */
export function findProperty(parts: readonly JsonSchema[], name: string): readonly JsonSchema[] {
  return parts.map((part) => getProperties(part).get(name)).filter(isJsonSchema)
}

/** The names of the fields that a schema declares at its top. */
export function toNames(schema: JsonSchema): readonly string[] {
  return listProperties(toAlternatives(schema, schema))
}

/**
 * All that is in a schema, and in those that it refers to: itself too, where it holds itself.
 *
 * @param schema The schema
 * @param root The schema that holds it
 */
export function listReachable(schema: JsonSchema, root: JsonSchema): ReadonlySet<JsonSchema> {
  const reached = new Set<JsonSchema>()
  const addParts = (part: JsonSchema): void => {
    for (const inner of [...Object.values(part), toTarget(part, root)]) {
      if (typeof inner === 'object' && inner !== null) reached.add(inner as JsonSchema)
    }
  }

  addParts(schema)
  for (const part of reached) addParts(part)

  return reached
}

/** Whether a value is a JSON Schema in the form of an object. */
export function isJsonSchema(value: unknown): value is JsonSchema {
  return isObject(value)
}

/** Keywords that hold values or names, and no schemas. */
const OF_VALUES: readonly string[] = [
  ...['enum', 'const', 'default', 'examples', 'example'],
  ...['required', 'dependentRequired']
]

/** Keywords that hold schemas by a name, which may be that of a keyword. */
export const OF_NAMED: readonly string[] = [
  ...['properties', 'patternProperties', '$defs', 'definitions'],
  ...['dependentSchemas', 'dependencies']
]

/**
 * Whether a schema, or a schema in it, has one of these keywords. Fields of that name do not count, and neither do the
 * values that a schema names.
 *
 * @param schema The schema, or a list of them
 * @param keywords The keywords
 */
export function hasKeyword(schema: unknown, keywords: readonly string[]): boolean {
  if (Array.isArray(schema)) return schema.some((part) => hasKeyword(part, keywords))
  if (!isJsonSchema(schema)) return false

  for (const keyword in schema) {
    if (keywords.includes(keyword)) return true

    const part = schema[keyword]

    if (typeof part !== 'object' || OF_VALUES.includes(keyword)) continue
    if (hasKeyword(OF_NAMED.includes(keyword) && isObject(part) ? Object.values(part) : part, keywords))
      return true
  }

  return false
}

/**
 * Copies a schema with each schema in it replaced. The values that it names stay as they are.
 *
 * @param schema The schema
 * @param replace Gets a schema, a list of schemas, or the value of another keyword
 */
export function mapParts(schema: JsonSchema, replace: (part: unknown) => unknown): JsonSchema {
  return mapValues(schema, (part, keyword) => {
    if (OF_VALUES.includes(keyword)) return part

    return OF_NAMED.includes(keyword) && isObject(part) ? mapValues(part, replace) : replace(part)
  })
}

function mapValues(parts: object, replace: (part: unknown, name: string) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, replace(part, name)]))
}

/** The types that a part names, `null` among them where it is one of its values. */
export function getTypes({ type, nullable, enum: values, const: value }: JsonSchema): readonly string[] {
  const named = Array.isArray(type) ? type : type === undefined ? [] : [type]
  const hasNull = nullable === true || value === null || (Array.isArray(values) && values.includes(null))

  return hasNull && !named.includes('null') ? [...named, 'null'] : named
}

/** Whether a part says that the value is an object, or what an object has. One that may be anything says neither. */
export function describesObject(part: JsonSchema): boolean {
  const types = getTypes(part).filter((type) => type !== 'null')

  return (
    types.includes('object') ||
    (types.length === 0 && (part.properties ?? part.patternProperties) !== undefined)
  )
}

/** Whether a schema allows every value, as `z.any()` does. */
export function isAnything(part: JsonSchema): boolean {
  return (
    getTypes(part).length === 0 &&
    ![part.properties, part.patternProperties, part.items, part.enum, part.$ref].some(Boolean) &&
    part.const === undefined
  )
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

/** Whether an object may have properties that the schema does not name. */
export function isOpenObject({ properties, patternProperties, additionalProperties }: JsonSchema): boolean {
  if (additionalProperties === undefined) return properties === undefined && patternProperties === undefined

  return additionalProperties !== false
}

/** The parts of an object whose names match a pattern. */
export function getPatterns({ patternProperties }: JsonSchema): readonly (readonly [RegExp, JsonSchema])[] {
  return Object.entries(isObject(patternProperties) ? patternProperties : {})
    .filter((entry): entry is [string, JsonSchema] => isJsonSchema(entry[1]))
    .map(([pattern, part]) => [new RegExp(pattern, 'u'), part])
}

/**
 * Finds the part that a reference of a schema leads to.
 *
 * @param reference The reference: `#/$defs/Address`, an `$id`, or an anchor such as `#address`
 * @param root The schema that holds it
 * @returns `undefined` for a reference that leads elsewhere
 */
function resolveReference(reference: string, root: JsonSchema): JsonSchema | undefined {
  const [name = '', fragment = ''] = reference.split('#')

  if (name !== '') {
    // An instance of Ajv may have a part of a schema under the whole reference.
    const exact = findPart(root, ({ $id }) => $id === reference)

    if (exact) return exact
  }

  const base = name === '' ? root : findByUrl(name, root)

  if (!base || fragment === '') return base
  if (!fragment.startsWith('/'))
    return findPart(base, ({ $anchor, $dynamicAnchor }) => [$anchor, $dynamicAnchor].includes(fragment))

  let target: unknown = base

  for (const part of fragment.split('/').slice(1)) {
    const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')

    target = isObject(target) && Object.hasOwn(target, key) ? target[key] : undefined
  }

  return isJsonSchema(target) ? target : undefined
}

function findByUrl(name: string, root: JsonSchema): JsonSchema | undefined {
  const url = toUrl(name, root)

  return findPart(root, ({ $id }) => $id !== undefined && toUrl($id, root) === url)
}

/** Names are relative to the `$id` of the whole schema. */
function toUrl(name: unknown, { $id = '' }: JsonSchema): unknown {
  const base = `${$id}`.includes(':/') ? `${$id}` : 'schema:///'
  const url = typeof name === 'string' && URL.canParse(name, base) ? new URL(name, base).href : name

  return `${url}`.replace(/#$/, '')
}

function findPart(part: unknown, matches: (part: JsonSchema) => boolean): JsonSchema | undefined {
  if (isJsonSchema(part) && matches(part)) return part

  for (const inner of typeof part === 'object' ? Object.values(part ?? {}) : []) {
    const found = findPart(inner, matches)

    if (found) return found
  }

  return undefined
}
