// What a field takes, in words: for the forms and the reference of the page.
import { isJsonSchema, type JsonSchema } from '../schema/json-schema.ts'
import { holdsObject } from './convert.ts'

/** What is known of a field beside its schema. */
interface FieldFacts {
  /** The values that it may have, where the schema lists them. */
  readonly values: readonly unknown[] | undefined
  readonly isNullable: boolean
}

/** What kinds of fields are called, where the word is another. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['day', 'date'],
  ['date', 'date and time'],
  ['json', 'JSON']
])

/** From how many characters on a pattern, or a list of values, is cut. */
const MAX_LENGTH = 120

/** What a field takes: `email, at most 200 characters, or null`. */
export function toWords(kind: string, schema: JsonSchema, { values, isNullable }: FieldFacts): string {
  const words = values
    ? [`one of ${values.map(String).join(', ')}`]
    : [toName(kind, schema), ...listRules(schema)]
  const isSaid = 'default' in schema && !holdsObject(schema.default)
  const more = isSaid ? [`default ${JSON.stringify(schema.default)}`] : []

  return [...words.map(cut), ...(isNullable ? ['or null'] : []), ...more.map(cut)].join(', ')
}

function toName(kind: string, { type, format, items }: JsonSchema): string {
  if (kind === 'string' && typeof format === 'string') return format
  if (kind === 'json' && type === 'array') return toListName(items)

  return KINDS.get(kind) ?? kind
}

function toListName(items: unknown): string {
  const { type } = isJsonSchema(items) ? items : {}

  return typeof type === 'string' ? `JSON, a list of ${type}s` : 'JSON, a list'
}

function listRules(schema: JsonSchema): readonly string[] {
  const { pattern, multipleOf, uniqueItems, format } = schema

  return [
    ...toRange(schema.minLength, schema.maxLength, 'characters'),
    ...toRange(schema.minItems, schema.maxItems, 'elements'),
    ...toRange(schema.minimum, schema.maximum),
    ...(isNumber(schema.exclusiveMinimum) ? [`above ${schema.exclusiveMinimum}`] : []),
    ...(isNumber(schema.exclusiveMaximum) ? [`below ${schema.exclusiveMaximum}`] : []),
    ...(isNumber(multipleOf) ? [`a multiple of ${multipleOf}`] : []),
    ...(uniqueItems === true ? ['none twice'] : []),
    // A format says it shorter.
    ...(typeof pattern === 'string' && !format ? [`like ${pattern}`] : [])
  ]
}

function toRange(from: unknown, to: unknown, unit = ''): readonly string[] {
  const low = isNumber(from) ? from : undefined
  const high = isNumber(to) ? to : undefined
  const withUnit = (text: string) => [unit ? `${text} ${unit}` : text]

  if (low === undefined && high === undefined) return []
  if (low === undefined) return withUnit(`at most ${high}`)
  if (high === undefined) return withUnit(`at least ${low}`)

  return withUnit(low === high ? `exactly ${low}` : `${low} to ${high}`)
}

/** The bounds that Zod writes for every integer say nothing. */
function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER
}

function cut(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}…` : text
}
