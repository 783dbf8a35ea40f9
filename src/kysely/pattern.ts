import { type PatternPart, parsePattern, toLowerPart } from '../query/like.ts'
import type { Field, Fragment, Table } from './dialect.ts'
import { toTyped } from './json.ts'
import { KINDS } from './kinds.ts'
import { ALWAYS, NEVER, negate } from './logic.ts'
import { isStorableText } from './values.ts'

/** Translates `$like`, `$notlike` and `$ilike`. Throws BadRequest for a pattern that is none. */
export function toPatternExpression(field: Field, operator: string, value: unknown, table: Table): Fragment {
  const parts = parsePattern(operator, value)
  const text = toText(field, table)
  const isPossible = text !== undefined && isStorableText(value)

  switch (operator) {
    case '$notlike':
      return isPossible ? negate(table.dialect.toLike(text, parts, table), table) : ALWAYS
    case '$ilike':
      return isPossible ? table.dialect.toLetterLike(text, parts.map(toLowerPart), table) : NEVER
    default:
      return isPossible ? table.dialect.toLike(text, parts, table) : NEVER
  }
}

/** The string to compare; `undefined` for a column that holds none. */
function toText(field: Field, table: Table): Fragment | undefined {
  const { column } = field

  switch (KINDS[column.kind].pattern) {
    case 'typed':
      return toTyped(field, table).string
    case 'value':
      // A pattern would be compared without the blanks that the record has.
      return column.filledTo === undefined ? column.reference : table.dialect.toText(column)
    case 'converted':
      return table.dialect.toText(column)
    default:
      return undefined
  }
}

/** Escapes in patterns of SQL. Not by a backslash: MySQL has a mode in which that is an ordinary character. */
export const ESCAPE = '|'

/** A pattern as `like` has it. */
export function toLikePattern(parts: readonly PatternPart[]): string {
  return writePattern(parts, { any: '%', one: '_' }, (text) => text.replace(/[%_|]/g, `${ESCAPE}$&`))
}

/** A pattern in the signs of an operator. */
export function writePattern(
  parts: readonly PatternPart[],
  signs: { readonly any: string; readonly one: string },
  toLiteral: (text: string) => string
): string {
  return parts.map((part) => (part.kind === 'text' ? toLiteral(part.text) : signs[part.kind])).join('')
}
