import { createTypeError } from '../utils/developer-error.ts'
import { isJsonSchema, type JsonSchema } from './json-schema.ts'
import { isStandardSchema, type StandardSchema } from './standard.ts'
import type { AnySchema } from './validator.ts'

/** Libraries whose schemas are objects with these methods. */
interface WithMethods {
  readonly omit: (...names: unknown[]) => AnySchema
  readonly partial: () => AnySchema
}

/**
 * A schema of the record without some of its fields; those that it does not declare are skipped. Throws TypeError where the
 * library cannot do it, with the line to write.
 */
export function omitFields(
  schema: AnySchema,
  names: readonly string[],
  declared: readonly string[]
): AnySchema {
  const present = names.filter((name) => declared.includes(name))

  if (present.length === 0) return schema
  if (!isStandardSchema(schema)) return omitProperties(schema as JsonSchema, present)

  return derive(schema, 'create', present, (methods, vendor) =>
    vendor === 'zod'
      ? methods.omit(Object.fromEntries(present.map((name) => [name, true])))
      : methods.omit(...present)
  )
}

/** Keywords that say nothing but which fields a record has. A change has only some of them. */
const OF_PRESENCE: readonly string[] = ['required', 'minProperties', 'dependentRequired']

/** Keywords with which an object is one of several schemas, or all of them. */
const COMBINING: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else']

/** Other keywords that may require fields. */
const REQUIRING: readonly string[] = [...COMBINING, '$ref', 'dependentSchemas', 'dependencies']

/**
 * A schema in which no field is required. `omitted` are the fields that were left out of the record, for the message;
 * `isEnforced`: whether data are checked by it; otherwise it only describes them. Throws TypeError where the library cannot do
 * it, with the line to write.
 */
export function makePartial(schema: AnySchema, omitted: readonly string[], isEnforced: boolean): AnySchema {
  if (!isStandardSchema(schema)) return makePropertiesPartial(schema as JsonSchema, isEnforced)

  return derive(schema, 'patch', omitted, (methods) => methods.partial())
}

function derive(
  schema: StandardSchema,
  method: 'create' | 'patch',
  omitted: readonly string[],
  make: (methods: WithMethods, vendor: string) => AnySchema
): AnySchema {
  const { vendor } = schema['~standard']
  const methods = schema as Partial<WithMethods> & StandardSchema

  try {
    if (['zod', 'arktype'].includes(vendor) && methods.omit && methods.partial) {
      return make(methods as WithMethods & StandardSchema, vendor)
    }
  } catch (cause) {
    // Zod cannot leave a field out that a refinement may read.
    throw createTypeError('ALULA_UNDERIVABLE_SCHEMA', toAdvice(vendor, method, omitted), { cause })
  }

  throw createTypeError('ALULA_UNDERIVABLE_SCHEMA', toAdvice(vendor, method, omitted))
}

function toAdvice(vendor: string, method: string, omitted: readonly string[]): string {
  const names = omitted.map((name) => `'${name}'`).join(', ')
  const lines: { readonly [vendor: string]: string | undefined } = {
    valibot: `schema({ record, create: v.omit(Record, [${names}]), patch: v.partial(v.omit(Record, [${names}])) }), each in toStandardJsonSchema()`,
    joi: `schema({ record, create: Record.fork([${names}], (field) => field.forbidden()), patch: Record.fork([${names}], (field) => field.forbidden()).fork(fields, (field) => field.optional()) })`,
    zod: `schema({ record, create: Base.omit({ ${omitted.map((name) => `${name}: true`).join(', ')} }), patch: Base.partial() }), where Base is the object without refinements`
  }

  return `The schema for '${method}' cannot be derived from the record. Write ${lines[vendor] ?? 'schema({ record, create, patch })'}`
}

function omitProperties(schema: JsonSchema, names: readonly string[]): JsonSchema {
  const { properties, required, ...others } = schema

  assertObject(properties)

  return {
    ...others,
    properties: Object.fromEntries(Object.entries(properties).filter(([name]) => !names.includes(name))),
    ...(Array.isArray(required) && { required: required.filter((name) => !names.includes(name)) })
  }
}

function makePropertiesPartial(schema: JsonSchema, isEnforced: boolean): JsonSchema {
  const { properties, ...others } = schema
  const entries = Object.entries(others).filter(([keyword, value]) => !isPresence(keyword, value))
  const rule = entries.map(([keyword]) => keyword).find((keyword) => REQUIRING.includes(keyword))

  assertObject(properties)

  if (isEnforced && rule !== undefined) {
    throw createTypeError(
      'ALULA_UNDERIVABLE_SCHEMA',
      `The schema for 'patch' cannot be derived from a JSON Schema with '${rule}' beside its properties, which may require fields. Write schema({ record, create, patch })`
    )
  }

  const optional = Object.entries(properties).map(([name, property]) => [name, withoutDefault(property)])

  return { ...Object.fromEntries(entries), properties: Object.fromEntries(optional) }
}

/** Whether a keyword says nothing but which fields there are. */
function isPresence(keyword: string, value: unknown): boolean {
  if (OF_PRESENCE.includes(keyword)) return true

  return (
    COMBINING.includes(keyword) &&
    [value]
      .flat()
      .every(
        (part) => isJsonSchema(part) && Object.entries(part).every(([name, own]) => isPresence(name, own))
      )
  )
}

function withoutDefault(property: unknown): unknown {
  if (!isJsonSchema(property)) return property

  const { default: _, ...others } = property

  return others
}

function assertObject(properties: unknown): asserts properties is object {
  if (isJsonSchema(properties)) return

  throw createTypeError(
    'ALULA_UNDERIVABLE_SCHEMA',
    'The schemas of a service cannot be derived from a JSON Schema without properties. Write schema({ record, create, patch })'
  )
}
