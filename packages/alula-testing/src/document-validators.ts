import type { ErrorObject } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { OpenApiDocument } from 'alula/openapi'
import type { JsonSchema } from 'alula/schema'
import { isObject } from './check.ts'

/** Validates values by the schemas of a document. */
export interface Validators {
  isValid(schema: JsonSchema, value: unknown): boolean
  /** What is wrong with a value; `undefined` where nothing is. */
  findFault(schema: JsonSchema, value: unknown): string | undefined
}

const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i
const DATE = /^\d{4}-\d\d-\d\d$/

/** Prepares the validation by a document. It is done by Ajv. */
export function createValidators(document: OpenApiDocument): Validators {
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    formats: { 'date-time': DATE_TIME, date: DATE }
  })
  const checks = new Map<JsonSchema, ReturnType<typeof ajv.compile>>()

  ajv.addSchema({ components: loosen(document.components) } as object, 'document')

  return {
    isValid: (schema, value) => check(schema)(value) as boolean,
    findFault(schema, value) {
      const validate = check(schema)

      if (validate(value)) return undefined

      const [{ instancePath, message }] = validate.errors as [ErrorObject]

      return `${instancePath || 'the body'} ${message}`
    }
  }

  function check(schema: JsonSchema) {
    const known = checks.get(schema) ?? ajv.compile(loosen(schema) as object)

    checks.set(schema, known)

    return known
  }
}

/** Where the server takes other values too, none is wrong, and there may be none. References lead into the document. */
function loosen(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(loosen)
  if (!isObject(schema)) return schema
  if (isLenient(schema)) return {}

  const { required, properties } = schema
  const loose = Object.fromEntries(
    Object.entries(schema).map(([keyword, part]) => [
      keyword,
      keyword === '$ref' && typeof part === 'string' ? `document${part}` : loosen(part)
    ])
  )

  return Array.isArray(required) && isObject(properties)
    ? { ...loose, required: required.filter((name) => !isLenient(properties[name])) }
    : loose
}

function isLenient(schema: unknown): boolean {
  return isObject(schema) && schema['x-lenient'] === true
}
