import { FIELD_OPERATORS } from '../query/operators.ts'
import type { Field, FieldKind } from '../schema/fields.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { SchemaStore } from './convert.ts'
import { toPascal } from './names.ts'
import { toDeep, toForm, toListSchema } from './parameter-forms.ts'
import type { OpenApiParameter } from './types.ts'

/** The operators of the filters of a service. */
export interface FilterOperators {
  /** Those that take one value. */
  readonly single: readonly string[]
  /** Those that take a list of values. */
  readonly lists: readonly string[]
  /** Whether there may be others, which the service does not name. */
  readonly isOpen: boolean
  /** The same for services with the same operators. */
  readonly key: string
}

/** Makes the parameters that filter by a field. */
export type ToFilters = (
  path: string,
  field: Field,
  operators: FilterOperators
) => readonly OpenApiParameter[]

const SCALARS: { readonly [Kind in FieldKind]: JsonSchema } = {
  string: { type: 'string' },
  number: { type: 'number' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date-time' },
  list: {},
  any: {}
}

const EQUALITY: readonly string[] = ['$eq', '$ne']

/**
 * Prepares the filters of a document, in which fields of the same kind share a schema.
 *
 * @param store Where the schemas are kept
 */
export function createFilters(store: SchemaStore): ToFilters {
  const known = new Map<string, FilterSchemas>()

  // `age=30` and `age[$gt]=30` are one parameter; `age[$in][]=30` is another, because an object in an object has no form.
  return (path, field, operators) => {
    // A list is compared by no operator.
    if (field.kinds.includes('list')) return []

    const { value, list, single } = field.values ? toSchemas(field, operators) : share(field, operators)
    const toParameter = (name: string) => toForm(`${path}[${name}][]`, list)

    return [single ? toDeep(path, single) : toForm(path, value)].concat(operators.lists.map(toParameter))
  }

  function share(field: Field, operators: FilterOperators): FilterSchemas {
    const key = `${field.kinds.join()} ${operators.key}`
    const made = known.get(key) ?? keep(toSchemas(field, operators), field)

    known.set(key, made)

    return made
  }

  function keep(schemas: FilterSchemas, { kinds }: Field): FilterSchemas {
    const { single } = schemas

    if (!single) return schemas

    return { ...schemas, single: store.add(`${kinds.map(toPascal).join('')}Filter`, () => single) }
  }
}

/** What filters of a field take. */
interface FilterSchemas {
  readonly value: JsonSchema
  readonly list: JsonSchema
  /** A value, or an object of values by operator; missing where no operator takes one value. */
  readonly single?: JsonSchema | undefined
}

function toSchemas(field: Field, operators: FilterOperators): FilterSchemas {
  const value = toScalar(field)
  const list = toListSchema(value)

  return operators.single.length === 0
    ? { value, list }
    : { value, list, single: toFilter(field, value, operators) }
}

/**
 * Sorts operators by what they take.
 *
 * @param names The operators
 * @param isOpen Whether there may be others
 */
export function toFilterOperators(names: readonly string[], isOpen: boolean): FilterOperators {
  const takesList = (name: string) => FIELD_OPERATORS.get(name)?.list === true
  const single = names.filter((name) => !takesList(name))

  return { single, lists: names.filter(takesList), isOpen, key: `${single.join()} ${isOpen}` }
}

/** The schema of values of a field. */
export function toScalar({ kinds, values = [] }: Field): JsonSchema {
  const kindsOfValues = values.length > 0 ? { enum: [...values] } : {}

  if (kinds.length < 2) return { ...SCALARS[kinds[0] ?? 'any'], ...kindsOfValues }

  return values.length > 0 ? kindsOfValues : { anyOf: kinds.map((kind) => SCALARS[kind]) }
}

function toFilter(field: Field, value: JsonSchema, { single, isOpen }: FilterOperators): JsonSchema {
  const ordered = field.values ? toScalar({ ...field, values: [] }) : value
  const properties = Object.fromEntries(
    single.map((name) => [name, EQUALITY.includes(name) ? value : ordered])
  )

  return {
    anyOf: [value, { type: 'object', properties, ...(!isOpen && { additionalProperties: false }) }]
  }
}
