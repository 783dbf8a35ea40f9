import { sql } from 'kysely'
import { type PatternPart, parsePattern, toLowerLetters } from '../query/like.ts'
import { type Field, type Fragment, toReference } from './field.ts'
import { toJson } from './json.ts'
import type { Table } from './table.ts'
import { isSound } from './values.ts'

/** Escapes in patterns of SQL. Not by a backslash: MySQL has a mode in which that is an ordinary character. */
const ESCAPE = '|'

const ALWAYS = sql`true`
const NEVER = sql`false`

/**
 * Translates `$like`, `$notlike` and `$ilike`.
 *
 * @throws BadRequest for a pattern that is none
 */
export function toPatternExpression(field: Field, operator: string, value: unknown, table: Table): Fragment {
  const parts = parsePattern(operator, value)
  const text = toText(field, table)
  const isPossible = text !== undefined && isSound(value)

  switch (operator) {
    case '$notlike':
      return isPossible ? sql`(${toLike(text, parts, table)}) is not true` : ALWAYS
    case '$ilike':
      return isPossible ? toLetterLike(text, parts, value, table) : NEVER
    default:
      return isPossible ? toLike(text, parts, table) : NEVER
  }
}

/** The text to compare; `undefined` for a column that holds none. */
function toText(field: Field, table: Table): Fragment | undefined {
  const { kind } = field.column

  if (kind === 'json') return toJson(field, table).text
  if (kind === 'any')
    return sql`case when typeof(${toReference(field.column)}) = 'text' then ${toReference(field.column)} end`
  if (kind === 'text') return toReference(field.column)
  if (kind !== 'uuid' && kind !== 'other') return undefined

  return table.dialect === 'postgres'
    ? sql`cast(${toReference(field.column)} as text)`
    : sql`cast(${toReference(field.column)} as char)`
}

function toLike(text: Fragment, parts: readonly PatternPart[], { dialect, collation }: Table): Fragment {
  switch (dialect) {
    // There, LIKE takes upper and lower case for the same.
    case 'sqlite':
      return sql`${text} glob ${toGlob(parts)}`
    case 'postgres':
      return sql`${text} collate "C" like ${toPattern(parts)} escape ${ESCAPE}`
    case 'mysql':
      return sql`convert(${text} using utf8mb4) collate ${sql.raw(collation)} like ${toPattern(parts)} escape ${ESCAPE}`
  }
}

/** The letters of English in either case, and those alone. */
function toLetterLike(text: Fragment, parts: readonly PatternPart[], value: string, table: Table): Fragment {
  const pattern = toLowerLetters(toPattern(parts))

  switch (table.dialect) {
    case 'sqlite':
      return sql`${text} like ${pattern} escape ${ESCAPE}`
    case 'postgres':
      return sql`lower(${text} collate "C") like ${pattern} escape ${ESCAPE}`
    case 'mysql': {
      // LOWER knows more letters: only those of the pattern need be lower.
      const letters = new Set(toLowerLetters(value).match(/[a-z]/g))
      const lower = [...letters].reduce<Fragment>(
        (inner, letter) => sql`replace(${inner}, ${letter.toUpperCase()}, ${letter})`,
        sql`convert(${text} using utf8mb4) collate ${sql.raw(table.collation)}`
      )

      return sql`${lower} like ${pattern} escape ${ESCAPE}`
    }
  }
}

function toPattern(parts: readonly PatternPart[]): string {
  return parts.map((part) => toPatternPart(part)).join('')
}

function toPatternPart(part: PatternPart): string {
  if (part.kind === 'text') return part.text.replace(/[%_|]/g, `${ESCAPE}$&`)

  return part.kind === 'any' ? '%' : '_'
}

function toGlob(parts: readonly PatternPart[]): string {
  return parts.map((part) => toGlobPart(part)).join('')
}

function toGlobPart(part: PatternPart): string {
  if (part.kind === 'text') return part.text.replace(/[*?[]/g, '[$&]')

  return part.kind === 'any' ? '*' : '?'
}
