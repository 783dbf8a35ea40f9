// Ajv ignores keywords that it does not know, because others have keywords of their own. A misspelt rule would not hold,
// and what it forbids would be stored: a keyword that is nearly a rule is refused.
import { createTypeError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { isJsonSchema, type JsonSchema, OF_NAMED } from './json-schema.ts'
import { toValidator } from './libraries.ts'
import { isStandardSchema } from './standard.ts'
import type { AjvLike, AnySchema, Validator } from './validator.ts'
import { toSafeSchema } from './zod.ts'

/** The rules whose names are long enough to be told from other words. */
const RULES: readonly string[] = [
  ...['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['minProperties', 'maxProperties', 'required', 'dependentRequired', 'dependentSchemas'],
  ...['prefixItems', 'additionalItems', 'unevaluatedItems', 'minItems', 'maxItems', 'uniqueItems'],
  ...['contains', 'minContains', 'maxContains', 'minLength', 'maxLength', 'pattern', 'format', 'nullable'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']
]

/** Keywords that hold a schema, or a list of them. */
const OF_SCHEMAS: readonly string[] = [
  ...['items', 'prefixItems', 'additionalItems', 'unevaluatedItems', 'contains'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames'],
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else']
]

/**
 * Makes a validator as {@link toValidator} does. An instance of Ajv may have keywords of its own. Throws TypeError for a schema
 * that does not describe itself, and for a JSON Schema with a misspelt keyword.
 */
export function toCheckedValidator(schema: AnySchema, owner: string, ajv?: AjvLike): Validator {
  assertKeywords(schema, owner, ajv)

  const isZod = isStandardSchema(schema) && schema['~standard'].vendor === 'zod'

  return toValidator(isZod ? toSafeSchema(schema) : schema, owner, ajv)
}

/** The check alone, for a schema that has a validator. */
export function assertKeywords(schema: AnySchema, owner: string, ajv?: AjvLike): void {
  if (ajv || isStandardSchema(schema)) return

  const sentence = findMisspelt(schema)

  if (sentence !== undefined) throw createTypeError('ALULA_INVALID_SCHEMA', `${owner} ${sentence}`)
}

function findMisspelt(schema: unknown): string | undefined {
  if (Array.isArray(schema)) return findFirst(schema)
  if (!isJsonSchema(schema)) return undefined

  for (const keyword of Object.keys(schema)) {
    const question = RULES.includes(keyword) ? '' : didYouMean(keyword, listLike(keyword))

    if (question) return `has the unknown keyword '${keyword}'${question}`
  }

  return findFirst(listParts(schema))
}

/** Keywords of others are rules with something before or after them: `x-nullable`, `uiFormat`, `requiredIf`. */
function listLike(keyword: string): readonly string[] {
  const [first] = keyword.toLowerCase()

  return RULES.filter((rule) => rule[0] === first && Math.abs(rule.length - keyword.length) < 2)
}

function findFirst(schemas: readonly unknown[]): string | undefined {
  return schemas.map(findMisspelt).find((sentence) => sentence !== undefined)
}

/** The schemas in a schema. Keywords of others may hold anything. */
function listParts(schema: JsonSchema): readonly unknown[] {
  const named = OF_NAMED.map((keyword) => schema[keyword]).filter(isJsonSchema)

  return [...OF_SCHEMAS.map((keyword) => schema[keyword]), ...named.flatMap((parts) => Object.values(parts))]
}
