import type { Column } from './table.ts'

/** Whether a column keeps a value of data as it is. Where it may convert, round or cut it, it does not. */
export function keepsValue(column: Column, value: unknown): boolean {
  switch (column.kind) {
    case 'text':
      return typeof value === 'string' && keepsText(column, value)
    case 'integer':
      // It takes nothing but integers; a year of two digits becomes another one.
      return column.type !== 'year' && typeof value !== 'boolean'
    case 'decimal':
    case 'number':
      return typeof value === 'number' && keepsNumber(column, value)
    case 'boolean':
      return typeof value === 'boolean'
    case 'uuid':
      return typeof value === 'string' && value === value.toLowerCase()
    case 'any':
      return ['string', 'number'].includes(typeof value)
    case 'json':
      return true
    default:
      return column.values?.includes(value as string) ?? false
  }
}

/** Types whose values lose blanks at their end. */
const PADDED: readonly string[] = ['char', 'bpchar']

/** A set has one of several orders, and a name of PostgreSQL is cut. */
const CONVERTED: readonly string[] = ['set', 'name']

function keepsText({ type, values, limits, filledTo = 0 }: Column, text: string): boolean {
  if (values) return values.includes(text)
  if (CONVERTED.includes(type) || (PADDED.includes(type) && text.endsWith(' '))) return false
  // It is filled with blanks.
  if ([...text].length < filledTo) return false

  // Too many blanks at its end are cut.
  return limits?.maxLength === undefined || text.length <= limits.maxLength
}

function keepsNumber({ type, isSingle, scale }: Column, number: number): boolean {
  if ((isSingle || type === 'float4') && Math.fround(number) !== number) return false
  if (scale === undefined) return true

  return scale < 0 ? number % 10 ** -scale === 0 : Number(number.toFixed(scale)) === number
}
