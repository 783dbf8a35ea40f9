import { getTraits, type TRAITS } from '../hooks/traits.ts'
import type { FieldKind } from '../schema/fields.ts'
import { BYTES_SCHEMA, DATE_SCHEMA, type JsonSchema } from '../schema/json-schema.ts'
import type { Table } from './dialect.ts'
import { toLimitSchema } from './limits.ts'
import { makeNullable } from './nullable.ts'
import type { AnyKyselyParams } from './options.ts'
import { type Column, holdsUuid, isNumbered, type Kind } from './table.ts'

/** A service whose records are in a table. */
export interface StoredService {
  readonly [TRAITS]: {
    /**
     * The fields of its records, read in the transaction of the call that asks; `undefined` where there is no table. Throws
     * Unavailable for a database that is away.
     */
    readonly stored: (params?: AnyKyselyParams) => Promise<readonly StoredField[] | undefined>
  }
}

/** A kind of value in a record, with those that cannot be queried. */
export type ValueKind = FieldKind | 'day' | 'object'

/** A column as the field of a record. */
export interface StoredField {
  readonly name: string
  /** What its type is called in the database. */
  readonly type: string
  /** The kinds of value that it may hold; `any` where the database does not tell. */
  readonly kinds: readonly ValueKind[]
  /** The kinds that the elements of a list may have. */
  readonly elementKinds: readonly ValueKind[]
  /** Whether it may be null; `undefined` where the database does not tell. */
  readonly isNullable: boolean | undefined
  /** Whether a new record needs a value for it. */
  readonly isRequired: boolean
  /** Whether the database makes its value, and takes no other. */
  readonly isComputed: boolean
  /** Whether it is the id. */
  readonly isId: boolean
  /** Whether its values are stored as JSON, which has no dates. */
  readonly isJson: boolean
  /** Whether clients may give it to a new record. */
  readonly isChosen: boolean
  /** What it is in a record that was read, without null. */
  readonly output: JsonSchema
  /** What it may be in data, without null. */
  readonly input: JsonSchema
}

/** Whether the records of a service are in a table. */
export function isStoredService(service: object): service is StoredService {
  return getTraits(service).stored !== undefined
}

/** What a column of a kind holds, in the words of schemas. */
interface KindDescription {
  readonly kinds: readonly ValueKind[]
  /** What a record holds. */
  readonly output: JsonSchema
  /** What data may hold, where it may be more. */
  readonly input?: JsonSchema
}

const ANYTHING: KindDescription = { kinds: ['any'], output: {} }

/** An instance of `Date`, in the words of TypeBox. */
const DATE: JsonSchema = { type: 'Date' }

/** A string in records too. */
const DAY: JsonSchema = { ...DATE_SCHEMA, format: 'date' }

const KINDS: { readonly [kind in Kind]: KindDescription } = {
  any: ANYTHING,
  boolean: { kinds: ['boolean'], output: { type: 'boolean' } },
  bytes: { kinds: ['string'], output: BYTES_SCHEMA },
  // JSON has no dates.
  date: { kinds: ['date'], output: DATE, input: { anyOf: [DATE_SCHEMA, DAY, DATE] } },
  day: { kinds: ['day'], output: DAY },
  // It is exact as a string; settings of drivers make numbers of it.
  decimal: {
    kinds: ['string', 'number', 'integer'],
    output: { type: ['string', 'number'] },
    input: { type: ['string', 'number'], pattern: '^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?$' }
  },
  integer: { kinds: ['integer', 'number'], output: { type: 'integer' } },
  json: ANYTHING,
  list: { kinds: ['list'], output: { type: 'array' } },
  number: { kinds: ['number', 'integer'], output: { type: 'number' } },
  other: { kinds: ['any'], output: { type: 'string' } },
  text: { kinds: ['string'], output: { type: 'string' } },
  uuid: { kinds: ['string'], output: { type: 'string', format: 'uuid' } }
}

/** An integer beyond 2^53 is a string, so that it stays exact. */
const LARGE_INTEGER: JsonSchema = { type: ['integer', 'string'], pattern: '^-?(?:0|[1-9]\\d{0,19})$' }

/** Describes the columns of a table as fields of records, as the adapter reads and takes them. */
export function toStoredFields(
  { columns, isView, returning, takes }: Table,
  { id, allowId = false }: { readonly id: string; readonly allowId?: boolean | undefined }
): readonly StoredField[] {
  const needsId = isView === true && takes?.insert === true && !returning.insert

  return [...columns.values()].map((column) => {
    const { name, type, isComputed, isAutoIncrement, isNullable, fallback, element } = column
    const { kinds, output, input = output } = describe(column)
    const isId = name === id
    const hasValue = isComputed || isAutoIncrement || fallback !== undefined
    const isMade = isId && holdsUuid(column)
    // Nothing tells the id that a row of such a view has got.
    const isRequired = isView ? needsId && isId && !isMade : !isNullable && !hasValue && !isMade
    // A view does not tell whether its table numbers the id. A string is none that it numbers.
    const isNatural = isView === true && column.kind === 'text' && !isMade

    return {
      name,
      type,
      kinds,
      elementKinds: element ? KINDS[element.kind].kinds : ANYTHING.kinds,
      output,
      input,
      isComputed,
      isId,
      isJson: column.kind === 'json',
      isNullable: isView ? undefined : isNullable,
      isChosen: !(isId || isNumbered(column, id)) || isRequired || isNatural || allowId,
      isRequired
    }
  })
}

function describe(column: Column): KindDescription {
  const { kind, type, values, element, limits = {}, mayHoldBooleans } = column
  const { kinds, output, input = output } = KINDS[kind]

  if (values) return { kinds: ['string'], output: { type: 'string', enum: values } }
  if (element) return describeList(element)
  if (kind !== 'integer') return { kinds, output, input: { ...input, ...toLimitSchema(limits) } }

  return {
    kinds: mayHoldBooleans ? [...kinds, 'boolean'] : kinds,
    ...(/^(?:bigint|int8|bit)/.test(type) && !limits.range
      ? { output: LARGE_INTEGER }
      : { output, input: { ...output, ...toLimitSchema(limits) } })
  }
}

function describeList(element: Column): KindDescription {
  const { output, input = output } = describe(element)

  return {
    ...KINDS.list,
    output: { type: 'array', items: makeNullable(output) },
    input: { type: 'array', items: makeNullable(input) }
  }
}
