import { sql } from 'kysely'
import type { Comparison } from '../query/ast.ts'
import { toReadings } from '../query/coerce.ts'
import { assertNever, copyWith } from '../utils/object.ts'
import type { Field, Fragment, Table } from './dialect.ts'
import { toTyped } from './json.ts'
import { type Form, KINDS, toOperand } from './kinds.ts'
import { anyOf, NEVER, negate } from './logic.ts'
import { Subquery } from './subquery.ts'
import type { Column, Kind } from './table.ts'
import { NOTHING } from './values.ts'

const SIGNS = { lt: sql`<`, lte: sql`<=`, gt: sql`>`, gte: sql`>=` } as const

type OrderComparison = keyof typeof SIGNS

/** Compares a field with a value. Values of another type than that of the column are equal to none of its values. */
export function compare(field: Field, operator: Comparison, value: unknown, table: Table): Fragment {
  switch (operator) {
    case 'eq':
      return equals(field, value, table)
    case 'ne':
      return negate(equals(field, value, table), table)
    case 'in':
      return among(field, value as readonly unknown[], table)
    case 'nin':
      return negate(among(field, value as readonly unknown[], table), table)
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
  if (values instanceof Subquery) return amongRelated(field, values, table)

  const operands = values.map((value) => (isNull(value) ? NOTHING : toOperand(field.column, value)))
  const present = [...new Set(operands.filter((operand) => !isEqualToNone(field, operand)))]
  const alternatives = [
    ...(values.some(isNull) ? [toNullTest(field, table)] : []),
    ...(present.length > 0 ? [toEquality(field, present, table)] : [])
  ]

  return anyOf(alternatives)
}

/** Whether a column has one of the values of a column in another table. */
function amongRelated({ column }: Field, { column: other, select }: Subquery, table: Table): Fragment {
  const [value, related] = toAlike([column, other], table)

  return sql`${value} in ${select(related)}`
}

/** Two columns as statements compare them: their values where these are equal as in records, and else their texts. */
export function toAlike(
  [one, other]: readonly [Column, Column],
  table: Table
): readonly [Fragment, Fragment] {
  if (areAlike(one, other)) {
    // A database may have times and days in several forms.
    return KINDS[one.kind].form === 'time'
      ? [table.dialect.toTime(one), table.dialect.toTime(other)]
      : [one.reference, other.reference]
  }

  return [toExactText(one, table), toExactText(other, table)]
}

/** Whether the values of two columns are equal where those of records are. */
export function areAlike(one: Column, other: Column): boolean {
  if (one.kind !== other.kind) return [one, other].every(({ kind }) => NUMERIC.includes(kind))

  switch (one.kind) {
    case 'json':
    case 'text':
      return (
        one.isExact && other.isExact && one.collation === other.collation && one.filledTo === other.filledTo
      )
    case 'decimal':
      return one.scale === other.scale
    case 'other':
      return one.type === other.type
    default:
      return true
  }
}

/** Kinds whose values are numbers in records too: the texts of equal ones may differ. */
const NUMERIC: readonly Kind[] = ['integer', 'number']

/** The text of a column with a collation that is given by name, because a database compares no columns of two collations. */
function toExactText(column: Column, table: Table): Fragment {
  const { toText, toOrderedText } = table.dialect

  return COLLATED.includes(column.kind)
    ? toOrderedText(copyWith(column, { isOrdered: false }), table)
    : toText(column)
}

/** Kinds whose texts differ by case. */
const COLLATED: readonly Kind[] = ['json', 'other', 'text']

/** A column whose values are the same in a group of rows where they are the same in records. */
export function toGroup(column: Column, table: Table): Fragment {
  switch (column.kind) {
    case 'json':
    case 'text':
      return column.isExact ? column.reference : toExactText(column, table)
    // A database may take texts that differ, such as 1 and 1.0, for the same value.
    case 'decimal':
    case 'other':
      return toExactText(column, table)
    default:
      return column.reference
  }
}

function toNullTest(field: Field, table: Table): Fragment {
  return field.column.kind === 'json' ? toTyped(field, table).isNull : sql`${field.column.reference} is null`
}

function toEquality(field: Field, values: readonly unknown[], table: Table): Fragment {
  const { column } = field
  const { form } = KINDS[column.kind]

  switch (form) {
    case 'typed':
      return toTypedEquality(field, values, table)
    case 'text':
      return toTextEquality(field, values, table)
    case 'time':
      return isOneOf(table.dialect.toTime(column), field, values, table)
    case 'truth':
      return anyOf(values.map((value) => table.dialect.isTruth(column, value as boolean)))
    case 'value':
      return isOneOf(column.reference, field, values, table)
    default:
      return assertNever(form)
  }
}

function toTextEquality(field: Field, values: readonly unknown[], table: Table): Fragment {
  const { column } = field
  const equality = isOneOf(column.reference, field, values, table)

  if (column.isExact) return equality

  const exactly = isOneOf(table.dialect.toOrderedText(column, table), field, values, table)
  const isUnicode = (column.charset ?? 'utf8mb4') === 'utf8mb4'

  // What is the same letter by letter is the same for every collation: the first part can use an index.
  return column.kind === 'text' && isUnicode ? sql`(${equality} and ${exactly})` : exactly
}

/** Values of each type with what the field has of it; a string also with the number or boolean that is written so. */
function toTypedEquality(field: Field, values: readonly unknown[], table: Table): Fragment {
  const typed = toTyped(field, table)
  const types = ['string', 'number', 'boolean'] as const
  const readings = [...new Set(values.flatMap(toReadings))]
  const alternatives = types.flatMap((type) => {
    const ofType = readings.filter((value) => typeof value === type)

    return ofType.length === 0 ? [] : [isOneOf(typed[type], field, ofType, table)]
  })

  return anyOf(alternatives)
}

/** From how many values on a list is one value of a statement, where it can be: that is quicker to make and to parse. */
const LONG_LIST = 10

function isOneOf(subject: Fragment, field: Field, values: readonly unknown[], table: Table): Fragment {
  const { dialect } = table

  if (values.length === 1) return sql`${subject} = ${dialect.bind(field, values[0])}`

  const list = values.length < LONG_LIST ? undefined : dialect.isOneOfMany(subject, field, values)

  return list ?? sql`${subject} in (${sql.join(values.map((value) => dialect.bind(field, value)))})`
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
    const isPositive = operand > 0

    // Every number is less than infinity.
    return isPositive === operator.startsWith('lt')
      ? sql`${toOrdered(field, operand, table)} is not null`
      : NEVER
  }

  return sql`${toOrdered(field, operand, table)} ${SIGNS[operator]} ${table.dialect.bind(field, operand)}`
}

function toOrdered(field: Field, value: unknown, table: Table): Fragment {
  const { form, comparison = form } = KINDS[field.column.kind]

  return comparison === 'typed'
    ? toTyped(field, table)[typeof value as 'string' | 'number' | 'boolean']
    : toForm(field.column, comparison, table)
}

/** A form of a column, to be ordered by. */
export function toForm(column: Column, form: Exclude<Form, 'typed'>, table: Table): Fragment {
  switch (form) {
    case 'text':
      return table.dialect.toOrderedText(column, table)
    case 'time':
      return table.dialect.toTime(column)
    case 'truth':
      return table.dialect.isTruth(column, true)
    case 'value':
      return column.reference
    default:
      return assertNever(form)
  }
}

function isInfinite(value: unknown): value is number {
  return value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
}

function isNull(value: unknown): boolean {
  return value === null || value === undefined
}
