import { sql } from 'kysely'
import type { Comparison } from '../query/ast.ts'
import { toReadings } from '../query/coerce.ts'
import { bind, bindList } from './bind.ts'
import { type Field, type Fragment, toOrderedText, toReference, toTime } from './field.ts'
import { toJson } from './json.ts'
import { anyOf, NEVER, negate } from './logic.ts'
import type { Table } from './table.ts'
import { NOTHING, toOperand } from './values.ts'

const SIGNS = { lt: sql`<`, lte: sql`<=`, gt: sql`>`, gte: sql`>=` } as const

type OrderComparison = keyof typeof SIGNS

/** Compares a field with a value. Values of another type than that of the column are equal to none of its values. */
export function compare(field: Field, operator: Comparison, value: unknown, table: Table): Fragment {
  switch (operator) {
    case 'eq':
      return equals(field, value, table)
    case 'ne':
      return negate(equals(field, value, table))
    case 'in':
      return among(field, value as readonly unknown[], table)
    case 'nin':
      return negate(among(field, value as readonly unknown[], table))
    default:
      return orders(field, operator, value, table)
  }
}

function equals(field: Field, value: unknown, table: Table): Fragment {
  if (isNull(value)) return toNullTest(field, table)

  const operand = toOperand(field.column, value)

  return isEqualToNone(field, operand) ? NEVER : toEquality(field, [operand], table)
}

/** Whether no value of a field equals an operand. A number beyond 2^53 may stand for an integer beside it. */
function isEqualToNone({ column }: Field, operand: unknown): boolean {
  return (
    operand === NOTHING ||
    isInfinite(operand) ||
    (column.kind === 'integer' && Number.isInteger(operand) && !Number.isSafeInteger(operand))
  )
}

/** Whether a field equals one of some values. */
function among(field: Field, values: readonly unknown[], table: Table): Fragment {
  const operands = values.map((value) => (isNull(value) ? NOTHING : toOperand(field.column, value)))
  const present = [...new Set(operands.filter((operand) => !isEqualToNone(field, operand)))]
  const alternatives = [
    ...(values.some(isNull) ? [toNullTest(field, table)] : []),
    ...(present.length > 0 ? [toEquality(field, present, table)] : [])
  ]

  return anyOf(alternatives)
}

function toNullTest(field: Field, table: Table): Fragment {
  return field.column.kind === 'json'
    ? toJson(field, table).isNull
    : sql`${toReference(field.column)} is null`
}

function toEquality(field: Field, values: readonly unknown[], table: Table): Fragment {
  const { column } = field
  const reference = toReference(column)

  switch (column.kind) {
    case 'json':
    case 'any':
      return toTypedEquality(field, values, table)
    case 'text':
    case 'other': {
      const exactly = isOneOf(toOrderedText(column, table), field, values, table)

      if (table.dialect === 'sqlite') return exactly
      if (table.dialect === 'postgres' && column.kind === 'other') return exactly

      const equality = isOneOf(reference, field, values, table)

      if (column.isExact) return equality

      // What is the same letter by letter is the same for every collation: the first part can use an index.
      return column.charset === 'utf8mb4' ? sql`(${equality} and ${exactly})` : exactly
    }
    case 'date':
    case 'day':
      return isOneOf(toTime(column, table), field, values, table)
    default:
      return isOneOf(reference, field, values, table)
  }
}

/** Values of each type with what the field has of it; a string also with the number or boolean that is written so. */
function toTypedEquality(field: Field, values: readonly unknown[], table: Table): Fragment {
  const types = ['string', 'number', 'boolean'] as const
  const readings = [...new Set(values.flatMap(toReadings))]
  const alternatives = types.flatMap((type) => {
    const ofType = readings.filter((value) => typeof value === type)

    if (ofType.length === 0) return []

    return [isOneOf(toTyped(field, type, table), field, ofType, table)]
  })

  return anyOf(alternatives)
}

/** What a field holds of one type; null where it is of another. */
function toTyped(field: Field, type: 'string' | 'number' | 'boolean', table: Table): Fragment {
  if (field.column.kind === 'json') {
    const { text, number, boolean } = toJson(field, table)

    return type === 'string' ? text : type === 'number' ? number : boolean
  }

  const reference = toReference(field.column)

  switch (type) {
    case 'string':
      return sql`case when typeof(${reference}) = 'text' then ${reference} end collate binary`
    case 'number':
      return sql`case when typeof(${reference}) in ('integer', 'real') then ${reference} end`
    case 'boolean':
      return sql`null`
  }
}

/** How many values a statement names one by one. Beyond that a list is one value, because their number is limited. */
const LONG_LIST = 1000

function isOneOf(subject: Fragment, field: Field, values: readonly unknown[], table: Table): Fragment {
  const bound = values.map((value) => bind(field, value, table))

  if (bound.length === 1) return sql`${subject} = ${bound[0]}`
  if (bound.length >= LONG_LIST && table.dialect === 'postgres') {
    return sql`${subject} = any(${bindList(field, values)})`
  }
  if (bound.length >= LONG_LIST && table.dialect === 'sqlite' && bound.every(isJson)) {
    return sql`${subject} in (select value from json_each(${JSON.stringify(bound)}))`
  }

  return sql`${subject} in (${sql.join(bound)})`
}

/** JSON has neither bytes nor all large integers. */
function isJson(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}

function orders(field: Field, operator: OrderComparison, value: unknown, table: Table): Fragment {
  if (isNull(value)) return NEVER

  const { kind } = field.column
  const readings = kind === 'json' || kind === 'any' ? toReadings(value) : [value]

  return anyOf(readings.map((reading) => ordersOne(field, operator, reading, table)))
}

function ordersOne(field: Field, operator: OrderComparison, value: unknown, table: Table): Fragment {
  const operand = toOperand(field.column, value)

  if (operand === NOTHING) return NEVER
  if (isInfinite(operand)) {
    return isBeyondAll(operator, operand) ? sql`${toOrdered(field, operand, table)} is not null` : NEVER
  }

  return sql`${toOrdered(field, operand, table)} ${SIGNS[operator]} ${bind(field, operand, table)}`
}

/** Every number is less than infinity. */
function isBeyondAll(operator: OrderComparison, value: number): boolean {
  return value > 0 ? operator === 'lt' || operator === 'lte' : operator === 'gt' || operator === 'gte'
}

function toOrdered(field: Field, value: unknown, table: Table): Fragment {
  const { column } = field

  switch (column.kind) {
    case 'json':
    case 'any':
      return toTyped(field, typeof value as 'string', table)
    case 'text':
    case 'uuid':
    case 'other':
      return toOrderedText(column, table)
    case 'date':
    case 'day':
      return toTime(column, table)
    default:
      return toReference(column)
  }
}

function isInfinite(value: unknown): value is number {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
}

function isNull(value: unknown): boolean {
  return value === null || value === undefined
}
