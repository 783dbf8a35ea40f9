import { FIELD_OPERATORS } from '../query/operators.ts'
import type { Field, FieldKind } from '../schema/fields.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { copyWith } from '../utils/object.ts'
import type { SchemaStore } from './convert.ts'
import { toPascal } from './names.ts'
import { toDeep, toForm, toListSchema } from './parameter-forms.ts'
import type { OpenApiParameter } from './types.ts'

/** Makes the parameters that filter by a field. */
export type ToFilters = (path: string, field: Field) => readonly OpenApiParameter[]

/**
 * Prepares {@link ToFilters} for a service.
 *
 * @param names The operators that may stand under a field
 * @param isOpen Whether there may be others, which the service does not name
 */
export type FiltersByOperators = (names: readonly string[], isOpen: boolean) => ToFilters

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

const EQUALITY: readonly string[] = ['$eq', '$ne']

/**
 * Prepares the filters of a document: fields of the same kind share a schema, and those that have the same name and values
 * too share their parameters.
 *
 * @param store Where the schemas are kept
 */
export function createFilters(store: SchemaStore): FiltersByOperators {
  const schemas = new Map<string, FilterSchemas>()
  const prepared = new Map<string, ToFilters>()

  return (names, isOpen) => {
    const key = `${names.join()} ${isOpen}`
    const toFilters = prepared.get(key) ?? prepare(toOperators(names, isOpen))

    prepared.set(key, toFilters)

    return toFilters
  }

  function prepare(operators: Operators): ToFilters {
    const parameters = new Map<string, readonly OpenApiParameter[]>()

    return (path, field) => {
      // A list is compared by no operator.
      if (field.kinds.includes('list')) return []

      const values = field.values ? JSON.stringify(field.values) : ''
      const key = `${field.kinds.join()} ${values} ${path}`
      const shared = parameters.get(key) ?? toParameters(path, toFilterSchemas(field, operators), operators)

      parameters.set(key, shared)

      return shared
    }
  }

  function toFilterSchemas(field: Field, operators: Operators): FilterSchemas {
    return field.values ? toSchemas(field, operators) : share(field, operators)
  }

  function share(field: Field, operators: Operators): FilterSchemas {
    const key = `${field.kinds.join()} ${operators.single.join()} ${operators.isOpen}`
    const made = schemas.get(key) ?? keep(toSchemas(field, operators), field)

    schemas.set(key, made)

    return made
  }

  function keep({ value, list, single }: FilterSchemas, { kinds }: Field): FilterSchemas {
    const name = `${kinds.map(toPascal).join('')}Filter`

    return { value, list, single: single && store.add(name, () => single) }
  }
}

/** The operators of a service, by what they take. */
interface Operators {
  /** Those that take one value. */
  readonly single: readonly string[]
  /** Those that take a list of values. */
  readonly lists: readonly string[]
  readonly isOpen: boolean
}

function toOperators(names: readonly string[], isOpen: boolean): Operators {
  const takesList = (name: string) => FIELD_OPERATORS.get(name)?.list === true

  return { single: names.filter((name) => !takesList(name)), lists: names.filter(takesList), isOpen }
}

/** `age=30` and `age[$gt]=30` are one parameter; `age[$in][]=30` is another, because an object in an object has no form. */
function toParameters(
  path: string,
  { value, list, single }: FilterSchemas,
  { lists }: Operators
): readonly OpenApiParameter[] {
  return [
    single ? toDeep(path, single) : toForm(path, value),
    ...lists.map((name) => toForm(`${path}[${name}][]`, list))
  ]
}

/** What filters of a field take. */
interface FilterSchemas {
  readonly value: JsonSchema
  readonly list: JsonSchema
  /** A value, or an object of values by operator; missing where no operator takes one value. */
  readonly single?: JsonSchema | undefined
}

function toSchemas(field: Field, operators: Operators): FilterSchemas {
  const value = toScalar(field)
  const single = operators.single.length === 0 ? undefined : toFilter(field, value, operators)

  return { value, list: toListSchema(value), single }
}

/** The schema of values of a field. */
export function toScalar({ kinds, values = [] }: Field): JsonSchema {
  if (values.length === 0) return toKinds(kinds)

  return kinds.length < 2 ? copyWith(toKinds(kinds), { enum: [...values] }) : { enum: [...values] }
}

function toKinds(kinds: readonly FieldKind[]): JsonSchema {
  return kinds.length < 2 ? SCALARS[kinds[0] ?? 'any'] : { anyOf: kinds.map((kind) => SCALARS[kind]) }
}

function toFilter({ kinds }: Field, value: JsonSchema, { single, isOpen }: Operators): JsonSchema {
  const ordered = toKinds(kinds)
  const properties: { [operator: string]: JsonSchema } = {}

  for (const name of single) properties[name] = EQUALITY.includes(name) ? value : ordered

  return {
    anyOf: [
      value,
      isOpen ? { type: 'object', properties } : { type: 'object', properties, additionalProperties: false }
    ]
  }
}
