import type { PatternPart } from '../query/like.ts'

/** Escapes in patterns of SQL. Not by a backslash: MySQL has a mode in which that is an ordinary character. */
export const ESCAPE = '|'

/** A pattern as `like` has it. */
export function toLikePattern(parts: readonly PatternPart[]): string {
  return parts.map((part) => toPart(part)).join('')
}

function toPart(part: PatternPart): string {
  if (part.kind === 'text') return part.text.replace(/[%_|]/g, `${ESCAPE}$&`)

  return part.kind === 'any' ? '%' : '_'
}
