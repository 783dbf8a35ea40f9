import { isDot, type Token, toStringValue } from './lexer.ts'

/** A place where a local name is used. */
export interface Use {
  /** `name(…)`, `name.member`, `… instanceof name`, or anything else. */
  readonly kind: 'call' | 'member' | 'instanceof' | 'value'
  readonly token: Token
  readonly member?: Member
}

/** A member name and its place: after the dot, in the string between brackets, or in `{ member } = name`. */
export interface Member {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** What every function has, and no module. */
const FUNCTION_MEMBERS: ReadonlySet<string> = new Set([
  'apply',
  'bind',
  'call',
  'length',
  'name',
  'prototype'
])

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

    if (token.text !== name || isDeclaration) continue

    const before = tokens[index - 1]?.text
    const after = tokens[index + 1]?.text
    const isMember = isDot(tokens[index - 1])
    const isKey = after === ':' && (before === '{' || before === ',')

    if (isMember || isKey) continue

    uses.push(...toUses(tokens, index))
  }

  return uses
}

/** What a name is used for: once, or once for each name that is taken out of it. */
function toUses(tokens: readonly Token[], index: number): Use[] {
  const token = tokens[index] as Token
  const before = tokens[index - 1]?.text
  const after = tokens[index + 1]?.text

  if (before === 'instanceof') return [{ kind: 'instanceof', token }]
  if (after === '(' && before !== 'function' && before !== 'new') return [{ kind: 'call', token }]

  const members = readMember(tokens, index) ?? readDestructured(tokens, index)

  return members.length > 0
    ? members.map((member): Use => ({ kind: 'member', token, member }))
    : [{ kind: 'value', token }]
}

/** `name.member`, and `name['member']`. A member that every function has is none. */
function readMember(tokens: readonly Token[], index: number): Member[] | undefined {
  const [after, next] = [tokens[index + 1]?.text, tokens[index + 2]]
  const text = toStringValue(next)

  if (after === '[' && next && text !== undefined) return [{ text, start: next.start + 1, end: next.end - 1 }]
  if ((after !== '.' && after !== '?.') || next?.kind !== 'name') return undefined

  return FUNCTION_MEMBERS.has(next.text) ? [] : [next]
}

/** `{ member, member: other } = name`. */
function readDestructured(tokens: readonly Token[], index: number): Member[] {
  const members: Member[] = []

  if (tokens[index - 1]?.text !== '=') return members

  for (let position = index - 2, depth = 0; position > 0; position--) {
    const token = tokens[position] as Token
    const before = tokens[position - 1]?.text

    if (['}', ')', ']'].includes(token.text)) depth += 1
    if (['{', '(', '['].includes(token.text)) depth -= 1
    if (depth === 0) break
    if (depth === 1 && token.kind === 'name' && (before === '{' || before === ',')) members.unshift(token)
  }

  return members
}
