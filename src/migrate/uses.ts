import type { Token } from './lexer.ts'

/** A place where a local name is used. */
export interface Use {
  /** `name(…)`, `name.member`, `… instanceof name`, or anything else. */
  readonly kind: 'call' | 'member' | 'instanceof' | 'value'
  readonly token: Token
  /** The name behind the dot. */
  readonly member?: Token
}

/** What every function has, and no module. */
const FUNCTION_MEMBERS = new Set(['apply', 'bind', 'call', 'length', 'name', 'prototype'])

/**
 * Finds where a local name is used. Scopes are not looked at: a name that is declared twice counts as one.
 *
 * @param tokens The source text as tokens
 * @param name The local name
 * @param declaration The statement that declares it, which is left out
 */
export function findUses(
  tokens: readonly Token[],
  name: string,
  declaration: { readonly start: number; readonly end: number }
): Use[] {
  const uses: Use[] = []

  for (const [index, token] of tokens.entries()) {
    const isDeclaration = token.start >= declaration.start && token.end <= declaration.end

    if (token.kind !== 'name' || token.text !== name || isDeclaration) continue

    const before = tokens[index - 1]?.text
    const after = tokens[index + 1]?.text
    const isMember = before === '.' || before === '?.'
    const isKey = after === ':' && (before === '{' || before === ',')

    if (isMember || isKey) continue

    uses.push(toUse(token, before, after, tokens[index + 2]))
  }

  return uses
}

function toUse(token: Token, before: string | undefined, after: string | undefined, next?: Token): Use {
  if (before === 'instanceof') return { kind: 'instanceof', token }
  if (after === '(' && before !== 'function' && before !== 'new') return { kind: 'call', token }
  if ((after === '.' || after === '?.') && next?.kind === 'name' && !FUNCTION_MEMBERS.has(next.text)) {
    return { kind: 'member', token, member: next }
  }

  return { kind: 'value', token }
}
