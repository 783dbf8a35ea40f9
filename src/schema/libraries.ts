import { createTypeError } from '../utils/developer-error.ts'
import { isPromise } from '../utils/promise.ts'
import { createJsonValidator } from './ajv.ts'
import { type Fault, MAX_FAULTS } from './faults.ts'
import {
  DATE_SCHEMA,
  isJsonSchema,
  type JsonSchema,
  LENIENT_KEYWORD,
  mapParts,
  UNDESCRIBED_KEYWORD
} from './json-schema.ts'
import { isStandardSchema, type StandardIssue, type StandardResult, type StandardSchema } from './standard.ts'
import type { AjvLike, AnySchema, ValidationOutcome, Validator } from './validator.ts'

/** What an object says that may have other fields. */
const OPEN: JsonSchema = { additionalProperties: true }

/** What is there for a schema that has no form in JSON. */
const UNDESCRIBED: JsonSchema = { [UNDESCRIBED_KEYWORD]: true }

/** What is there for `z.coerce`, `z.catch` and `v.fallback`. */
const LENIENT: JsonSchema = { [LENIENT_KEYWORD]: true }

/** The types of Zod that have none. */
const UNREPRESENTABLE: readonly string[] = [
  ...['bigint', 'symbol', 'undefined', 'void', 'map', 'set', 'nan', 'custom', 'function', 'transform']
]

/** The part of a schema of Zod that says what kind it is. */
interface ZodNode {
  readonly _zod: { readonly def: { readonly type: string; readonly coerce?: boolean } }
}

/** What each library needs for its description: a date is a string with a time, and what has no form in JSON is anything. */
const LIBRARY_OPTIONS: { readonly [vendor: string]: Record<string, unknown> | undefined } = {
  zod: {
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }: { zodSchema: ZodNode; jsonSchema: object }) => {
      const { type, coerce } = zodSchema._zod.def

      if (coerce || type === 'catch') Object.assign(jsonSchema, LENIENT)
      if (type === 'date') Object.assign(jsonSchema, DATE_SCHEMA)
      if (UNREPRESENTABLE.includes(type)) Object.assign(jsonSchema, UNDESCRIBED)
    }
  },
  valibot: {
    errorMode: 'ignore',
    overrideSchema: ({
      valibotSchema: { type, fallback },
      jsonSchema,
      errors
    }: {
      valibotSchema: { type: string; fallback?: unknown }
      jsonSchema: object
      errors?: readonly string[]
    }) => {
      const lenient = fallback === undefined ? {} : LENIENT

      if (type === 'date') return { ...DATE_SCHEMA, ...lenient }
      if (errors) return { ...jsonSchema, ...UNDESCRIBED }

      // The converter describes an object that has other fields as one that has none.
      if (type === 'loose_object') return { ...jsonSchema, ...OPEN, ...lenient }

      return fallback === undefined ? undefined : { ...jsonSchema, ...lenient }
    }
  },
  arktype: {
    fallback: {
      default: ({ base }: { base: object }) => ({ ...base, ...UNDESCRIBED }),
      date: ({ base }: { base: object }) => ({ ...base, ...DATE_SCHEMA })
    }
  }
}

/** Libraries whose messages may contain the value. */
const QUOTING: readonly string[] = ['arktype', 'joi']

const TARGET = 'draft-2020-12'

/**
 * Makes a validator from a schema. `owner` is what it is for, for messages: `'the record of schema()'`. Throws TypeError for a
 * schema that does not describe itself.
 */
export function toValidator(schema: AnySchema, owner: string, ajv?: AjvLike): Validator {
  if (!isStandardSchema(schema)) return createJsonValidator(schema as JsonSchema, owner, ajv)

  const { validate, vendor } = schema['~standard']
  const finish = (result: StandardResult<unknown>): ValidationOutcome =>
    result.issues
      ? { faults: result.issues.slice(0, MAX_FAULTS).map((issue) => toFault(issue, vendor)) }
      : result

  return {
    input: describeSchema(schema, 'input', owner),
    output: describeSchema(schema, 'output', owner),
    validate(value) {
      try {
        const result = validate(value)

        return isPromise(result) ? Promise.resolve(result).then(finish, toOverflow) : finish(result)
      } catch (error) {
        return toOverflow(error)
      }
    }
  }
}

/** Zod passes all faults of a list as arguments of one call: of more than about 100,000 it throws a RangeError. */
function toOverflow(error: unknown): ValidationOutcome {
  const isOverflow = error instanceof RangeError && error.message.includes('call stack')

  if (isOverflow) return { faults: [{ path: '', message: 'is too complex' }] }

  throw error
}

function describeSchema(schema: StandardSchema, side: 'input' | 'output', owner: string): JsonSchema {
  const { jsonSchema, vendor } = schema['~standard']

  if (!jsonSchema)
    throw createTypeError(
      'ALULA_UNDESCRIBABLE_SCHEMA',
      `${owner} does not describe itself: ${toAdvice(vendor)}`
    )

  try {
    const description: JsonSchema = jsonSchema[side]({
      target: TARGET,
      libraryOptions: LIBRARY_OPTIONS[vendor]
    })

    return vendor === 'joi' ? (completeJoi(description) as JsonSchema) : description
  } catch (cause) {
    throw createTypeError(
      'ALULA_UNDESCRIBABLE_SCHEMA',
      `${owner} cannot be described as JSON Schema: ${(cause as Error).message}`,
      { cause }
    )
  }
}

function toAdvice(vendor: string): string {
  if (vendor === 'valibot') {
    return "use toStandardJsonSchema(schema) of '@valibot/to-json-schema'"
  }

  const versions: { readonly [name: string]: string | undefined } = {
    zod: '4.2',
    arktype: '2.1.28',
    joi: '18.1'
  }
  const version = versions[vendor]

  return version
    ? `${vendor} does from version ${version}`
    : `${vendor} has no '~standard.jsonSchema'; use a JSON Schema`
}

/** Dates of Joi are dates in records, and objects are closed where it says so: it does not tell otherwise. */
function completeJoi(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(completeJoi)
  if (!isJsonSchema(schema)) return schema

  const { type, format } = schema
  const isDate = type === 'string' && format === 'date-time'

  return { ...(type === 'object' && OPEN), ...mapParts(schema, completeJoi), ...(isDate && DATE_SCHEMA) }
}

function toFault(issue: StandardIssue, vendor: string): Fault {
  // The path of ArkType is an array of its own class, whose `map` makes ['0'] of an empty one.
  const path = [...(issue.path ?? [])].map((segment) =>
    String(typeof segment === 'object' ? segment.key : segment)
  )

  return { path: path.join('.'), message: toMessage(issue, vendor) }
}

/** The message of the library, unless it contains the value. */
function toMessage(issue: StandardIssue, vendor: string): string {
  if (QUOTING.includes(vendor)) return 'is not valid'
  if (vendor !== 'valibot') return issue.message

  const { received, expected } = issue as { received?: string; expected?: string | null }

  if (received === 'undefined' || !received || !issue.message.includes(received)) return issue.message

  return expected ? `expects ${expected}` : 'is not valid'
}
