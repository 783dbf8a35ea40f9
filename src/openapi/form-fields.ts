import { toField } from '../schema/fields.ts'
import {
  DATE_KEYWORD,
  getProperties,
  getTypes,
  isJsonSchema,
  isOpenObject,
  type JsonSchema
} from '../schema/json-schema.ts'
import { createShapes, type Shape, type ToShape } from '../schema/shape.ts'
import { copyWith } from '../utils/object.ts'
import { toWords } from './field-words.ts'

/** What a field of a form takes: one of the kinds of scalars, one value of a list, or JSON for everything else. */
export type FormKind = 'string' | 'number' | 'integer' | 'boolean' | 'date' | 'day' | 'choice' | 'json'

/** A field of a form. */
export interface FormField {
  /** What faults name it by: `address.city`, with the field of an envelope in front. */
  readonly path: string
  /** The names on the way, which may have dots themselves; without an envelope. */
  readonly names: readonly string[]
  readonly kind: FormKind
  /** What it takes, in words: `email, at most 200 characters, or null`. */
  readonly words: string
  readonly isRequired: boolean
  readonly isNullable: boolean
  /** Whether it may be long, or has several lines. */
  readonly isLong: boolean
  readonly isSecret: boolean
  /** Whether a truth value is true where it is left out. */
  readonly isOn?: true
  /** The values that it may have. */
  readonly values?: readonly unknown[]
  readonly description?: string
}

/** From how many characters on a string gets several lines. */
const LONG = 200

/** How many names the path of a field has at most: kinds that hold one another have a field for each way through them. */
const MAX_NAMES = 4

/** With more fields than these, those of objects further in are left to JSON. */
const MAX_FIELDS = 1000

/** The fields of a form for a value; `null` where the value is no object, or one of several: it has to be written as JSON. */
export function toFormFields(schema: JsonSchema): readonly FormField[] | null {
  const toShape = createShapes(schema)
  const shape = toShape(schema)
  const only = toObject(shape)

  if (!only) return null

  const list = (maxNames: number, max: number) => {
    const run: Run = { toShape, maxNames, left: max }
    const fields = listFields(only, run, [], true, [shape])

    return run.left < 0 ? undefined : fields
  }
  let fields = list(1, Number.POSITIVE_INFINITY) ?? []

  for (let names = 2; names <= MAX_NAMES; names++) {
    const more = list(names, Math.max(MAX_FIELDS, fields.length))

    if (!more) break

    fields = more
  }

  return fields
}

/** One listing of the fields of a schema. */
interface Run {
  readonly toShape: ToShape
  /** How many names the path of a field has at most. */
  readonly maxNames: number
  /** How many fields more there may be; below zero when there were too many. */
  left: number
}

/** The one object that a value may be. */
function toObject({ alternatives }: Shape): JsonSchema | undefined {
  const [only, ...others] = alternatives

  return only?.properties && others.length === 0 && (getProperties(only).size > 0 || !isOpenObject(only))
    ? only
    : undefined
}

function listFields(
  object: JsonSchema,
  run: Run,
  prefix: readonly string[],
  isNeeded: boolean,
  above: readonly Shape[]
): readonly FormField[] {
  const required = Array.isArray(object.required) ? object.required : []

  return [...getProperties(object)].filter(hasSchema).flatMap(([name, part]) => {
    if (run.left < 0) return []

    const names = [...prefix, name]
    const isRequired = isNeeded && required.includes(name)
    const shape = run.toShape(part)
    // A record that holds others of its kind has no end.
    const isLast = names.length === run.maxNames || above.includes(shape)
    const object = isLast ? undefined : toObject(shape)
    // An object is sent as a whole: a form would leave out what its schema does not name.
    const inner = object && isOpenObject(object) ? undefined : object

    if (inner) return listFields(inner, run, names, isRequired, [...above, shape])

    run.left--

    return [toFormField(names, part, shape, isRequired)]
  })
}

function hasSchema(entry: readonly [string, unknown]): boolean {
  return isJsonSchema(entry[1])
}

function toFormField(
  names: readonly string[],
  part: JsonSchema,
  { alternatives }: Shape,
  isRequired: boolean
): FormField {
  const [first] = alternatives.filter((one) => getTypes(one).some((type) => type !== 'null'))
  const { kinds, isNullable, values } = toField(alternatives)
  const description = part.description ?? first?.description
  const kind = toKind(kinds, values, first)
  const path = names.join('.')
  const isSecret = /password/i.test(path) || first?.format === 'password'

  return {
    path,
    names,
    kind,
    words: toWords(isSecret ? 'secret' : kind, copyWith(first ?? {}, part), { values, isNullable }),
    isRequired,
    isNullable,
    isLong: kind === 'string' && isLong(first),
    isSecret,
    ...(kind === 'boolean' && (part.default ?? first?.default) === true && { isOn: true as const }),
    ...(kind === 'choice' && { values }),
    ...(typeof description === 'string' && { description })
  }
}

/** Whether a schema is one of numbers that may also be strings of a pattern, such as decimals and large integers. */
function isWrittenNumber(kinds: readonly string[], { pattern, type }: JsonSchema = {}): boolean {
  return (
    typeof pattern === 'string' &&
    Array.isArray(type) &&
    kinds.every((kind) => ['string', 'number', 'integer'].includes(kind))
  )
}

/** A string with a format has one line. */
function isLong({ maxLength, contentEncoding, format }: JsonSchema = {}): boolean {
  return contentEncoding === 'base64' || (!format && typeof maxLength === 'number' && maxLength >= LONG)
}

function toKind(
  kinds: readonly string[],
  values: readonly unknown[] | undefined,
  first: JsonSchema | undefined
): FormKind {
  if (values) return 'choice'
  // A number that may be a string keeps its digits as one.
  if (kinds.includes('string') && isWrittenNumber(kinds, first)) return 'string'
  if (kinds.length !== 1 || !first) return 'json'
  if (first.format === 'date') return 'day'
  if (first[DATE_KEYWORD] || first.format === 'date-time') return 'date'

  switch (kinds[0]) {
    case 'string':
    case 'number':
    case 'integer':
    case 'boolean':
      return kinds[0]
    default:
      return 'json'
  }
}
