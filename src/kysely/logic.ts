import { sql } from 'kysely'
import type { Fragment, Table } from './dialect.ts'

const AND = sql` and `
const OR = sql` or `

/** What holds for every record. SQLite reads the word `true` as a column with that name. */
export const ALWAYS: Fragment = sql`(1 = 1)`

/** What holds for no record. A call with it runs no statement. */
export const NEVER: Fragment = sql`(1 = 0)`

/** Holds where all parts do; without parts, everywhere. */
export function allOf(parts: readonly Fragment[]): Fragment {
  if (parts.includes(NEVER)) return NEVER

  return join(
    parts.filter((part) => part !== ALWAYS),
    AND,
    ALWAYS
  )
}

/** Holds where one of the parts does; without parts, nowhere. */
export function anyOf(parts: readonly Fragment[]): Fragment {
  if (parts.includes(ALWAYS)) return ALWAYS

  return join(
    parts.filter((part) => part !== NEVER),
    OR,
    NEVER
  )
}

/** Holds where an expression does not, which is so where it is unknown. */
export function negate(expression: Fragment, { dialect }: Table): Fragment {
  if (expression === NEVER) return ALWAYS
  if (expression === ALWAYS) return NEVER

  return dialect.toNegation(expression)
}

/** In halves: as a chain, a thousand conditions would be deeper than SQLite goes. */
function join(parts: readonly Fragment[], connective: Fragment, empty: Fragment): Fragment {
  if (parts.length < 2) return parts[0] ?? empty

  const middle = Math.ceil(parts.length / 2)
  const [first, second] = [parts.slice(0, middle), parts.slice(middle)]

  return sql`(${join(first, connective, empty)}${connective}${join(second, connective, empty)})`
}
