import { FIELD_OPERATORS, LIST_OPERATORS, NULL_OPERATOR, PATTERN_OPERATORS } from '../query/operators.ts'
import { ANY_FIELD, type Field, type FieldKind } from '../schema/fields.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { copyWith } from '../utils/object.ts'
import type { SchemaStore } from './convert.ts'
import { toPascal } from './names.ts'
import { toDeep, toForm, toListSchema } from './parameter-forms.ts'
import type { OpenApiParameter } from './types.ts'

/**
 * Makes the parameters that filter by a field. `names` are the operators that may stand under a field; `isOpen`: whether there
 * may be others, which the service does not name.
 */
export type ToFilters = (
  path: string,
  field: Field,
  names: readonly string[],
  isOpen: boolean
) => readonly OpenApiParameter[]

/** All documents share them. */
const SCALARS: { readonly [Kind in FieldKind]: JsonSchema } = {
  string: Object.freeze({ type: 'string' }),
  number: Object.freeze({ type: 'number' }),
  integer: Object.freeze({ type: 'integer' }),
  boolean: Object.freeze({ type: 'boolean' }),
  date: Object.freeze({ type: 'string', format: 'date-time' }),
  list: Object.freeze({}),
  any: Object.freeze({})
}

const EQUALITY: readonly string[] = ['$eq', '$ne', '$contains']

/** The kinds of fields that may be strings, which patterns match. */
const TEXTUAL: readonly FieldKind[] = ['string', 'any']

const BOOLEAN: JsonSchema = Object.freeze({ type: 'boolean' })

/**
 * Prepares the filters of a document: fields of the same kind share a schema, and those that have the same name and values
 * too share their parameters.
 */
export function createFilters(store: SchemaStore): ToFilters {
  const schemas = new Map<string, FilterSchemas>()
  const parameters = new Map<string, readonly OpenApiParameter[]>()

  return (path, field, names, isOpen) => {
    const { kinds, values } = toCompared(field)
    const listed = values ? JSON.stringify(values) : ''
    const key = `${names.join()} ${isOpen} ${toKey(field)} ${kinds.join()} ${listed} ${path}`
    const shared = parameters.get(key) ?? make(path, field, toOperators(field, names, isOpen))

    parameters.set(key, shared)

    return shared
  }

  function make(path: string, field: Field, operators: Operators): readonly OpenApiParameter[] {
    const isEmpty = operators.single.length + operators.lists.length === 0

    // No value is compared with a list itself.
    return isList(field) && isEmpty ? [] : toParameters(path, toFilterSchemas(field, operators), operators)
  }

  function toFilterSchemas(field: Field, operators: Operators): FilterSchemas {
    const { kinds, values } = toCompared(field)

    if (values) return toSchemas(field, operators)

    const key = `${toKey(field)} ${kinds.join()} ${operators.single.join()} ${operators.isOpen}`
    const made = schemas.get(key) ?? keep(toSchemas(field, operators), kinds, field)

    schemas.set(key, made)

    return made
  }

  function keep(
    { value, list, single }: FilterSchemas,
    kinds: readonly FieldKind[],
    field: Field
  ): FilterSchemas {
    const prefix = field.isNullable && !kinds.includes('any') ? 'Nullable' : ''
    const name = `${prefix}${kinds.map(toPascal).join('')}${isList(field) ? 'List' : ''}Filter`

    return { value, list, single: single && store.add(name, () => single) }
  }
}

function isList({ kinds }: Field): boolean {
  return kinds.includes('list')
}

/** What tells fields of the same kind apart. */
function toKey(field: Field): string {
  return `${isList(field)} ${field.isNullable}`
}

/** What values of a query are compared with: the field, or the elements of a list. */
function toCompared(field: Field): Field {
  return isList(field) ? (field.elements ?? ANY_FIELD) : field
}

/** The operators of a service, by what they take. */
interface Operators {
  /** Those that take one value. */
  readonly single: readonly string[]
  /** Those that take a list of values. */
  readonly lists: readonly string[]
  readonly isOpen: boolean
}

function toOperators(field: Field, all: readonly string[], isOpen: boolean): Operators {
  const names = all.filter((name) => isOffered(name, field))
  const takesList = (name: string) => FIELD_OPERATORS.get(name)?.list === true || name === '$overlaps'

  return { single: names.filter((name) => !takesList(name)), lists: names.filter(takesList), isOpen }
}

function isOffered(name: string, field: Field): boolean {
  if (name === NULL_OPERATOR) return field.isNullable
  if (PATTERN_OPERATORS.includes(name) && !field.kinds.some((kind) => TEXTUAL.includes(kind))) return false

  return LIST_OPERATORS.includes(name) === isList(field)
}

/** `age=30` and `age[$gt]=30` are one parameter; `age[$in][]=30` is another, because an object in an object has no form. */
function toParameters(
  path: string,
  { value, list, single }: FilterSchemas,
  { lists }: Operators
): readonly OpenApiParameter[] {
  return [
    ...(single ? [toDeep(path, single)] : value ? [toForm(path, value)] : []),
    ...lists.map((name) => toForm(`${path}[${name}][]`, list))
  ]
}

/** What filters of a field take. */
interface FilterSchemas {
  /** Missing for a list, which is compared with no value. */
  readonly value: JsonSchema | undefined
  readonly list: JsonSchema
  /** A value, or an object of values by operator; missing where no operator takes one value. */
  readonly single?: JsonSchema | undefined
}

function toSchemas(field: Field, operators: Operators): FilterSchemas {
  const compared = toCompared(field)
  const scalar = toScalar(compared)
  const value = isList(field) ? undefined : scalar
  const object = operators.single.length === 0 ? undefined : toFilter(compared, scalar, operators)

  return {
    value,
    list: toListSchema(scalar),
    single: object && (value ? { anyOf: [value, object] } : object)
  }
}

/** The schema of values of a field. */
export function toScalar({ kinds, values = [] }: Field): JsonSchema {
  if (values.length === 0) return toKinds(kinds)

  return kinds.length < 2 ? copyWith(toKinds(kinds), { enum: [...values] }) : { enum: [...values] }
}

function toKinds(kinds: readonly FieldKind[]): JsonSchema {
  return kinds.length < 2 ? SCALARS[kinds[0] ?? 'any'] : { anyOf: kinds.map((kind) => SCALARS[kind]) }
}

/** An object of values by operator. */
function toFilter({ kinds }: Field, value: JsonSchema, { single, isOpen }: Operators): JsonSchema {
  const ordered = toKinds(kinds)
  const properties: { [operator: string]: JsonSchema } = {}

  for (const name of single) properties[name] = toOperand(name)

  return isOpen ? { type: 'object', properties } : { type: 'object', properties, additionalProperties: false }

  function toOperand(name: string): JsonSchema {
    if (name === NULL_OPERATOR) return BOOLEAN
    if (PATTERN_OPERATORS.includes(name)) return SCALARS.string

    return EQUALITY.includes(name) ? value : ordered
  }
}
