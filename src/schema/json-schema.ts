import { isObject, isObjectLike } from '../utils/check.ts'

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

/** The keyword that marks data of which other values are taken too: they are converted, or replaced. */
export const LENIENT_KEYWORD = 'x-alula-lenient'

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

/** Whether a value is a JSON Schema in the form of an object. */
export function isJsonSchema(value: unknown): value is JsonSchema {
  return isObject(value)
}

/** Keywords that combine a schema of others. */
const COMBINED: readonly string[] = ['allOf', 'anyOf', 'oneOf']

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
 */
export function hasKeyword(schema: unknown, keywords: readonly string[]): boolean {
  return hasPart(schema, (part) => keywords.some((keyword) => Object.hasOwn(part, keyword)))
}

/** Whether a schema, or a schema in it, is one that is looked for. `true` in the place of a schema is an empty one. */
export function hasPart(schema: unknown, isSought: (part: JsonSchema) => boolean): boolean {
  if (Array.isArray(schema)) return schema.some((part) => hasPart(part === true ? {} : part, isSought))
  if (!isJsonSchema(schema)) return false
  if (isSought(schema)) return true

  for (const keyword in schema) {
    const part = schema[keyword]

    if (typeof part !== 'object' || OF_VALUES.includes(keyword)) continue
    if (hasPart(OF_NAMED.includes(keyword) && isObject(part) ? Object.values(part) : part, isSought))
      return true
  }

  return false
}

/** Copies a schema with each schema in it, and each list of them, replaced. The values that it names stay as they are. */
export function mapParts(schema: JsonSchema, replace: (part: unknown) => unknown): JsonSchema {
  return mapValues(schema, (part, keyword) => {
    if (OF_VALUES.includes(keyword)) return part

    return OF_NAMED.includes(keyword) && isObject(part) ? mapValues(part, replace) : replace(part)
  })
}

function mapValues(parts: object, replace: (part: unknown, name: string) => unknown): JsonSchema {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, replace(part, name)]))
}

/**
 * The types that a part names, `null` among them where it is one of its values. Where it names none, and objects or lists are
 * among its values, the types are those of the values.
 */
export function getTypes(part: JsonSchema): readonly string[] {
  const values = listValues(part)
  const types = [part.type ?? (values.some(isObjectLike) ? values.map(toType) : [])].flat() as string[]

  return part.nullable === true || values.includes(null) ? [...new Set([...types, 'null'])] : types
}

/** Whether a value may be anything but null, which libraries write beside another type, or as an alternative. */
export function mayBeSomething(part: JsonSchema): boolean {
  const types = getTypes(part)

  return types.length === 0 || types.some((type) => type !== 'null')
}

/** The type of a JSON value. */
export function toType(value: unknown): string {
  if (Array.isArray(value)) return 'array'

  return value === null ? 'null' : typeof value
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

/** Whether a part of a schema says nothing of what a value of it holds. */
export function isUndescribed(part: JsonSchema): boolean {
  const elements = [part.items, part.prefixItems].flat()

  if (getTypes(part).includes('array') && !elements.some(isJsonSchema)) return true
  if (describesObject(part)) return isOpenObject(part)

  return isAnything(part) && !COMBINED.some((keyword) => part[keyword] !== undefined)
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
