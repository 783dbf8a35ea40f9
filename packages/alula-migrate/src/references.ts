import { isDot, type Token, toStringValue } from './lexer.ts'

/** One name of a list between braces: `imported as local`, or `imported: local`. */
export interface NamedBinding {
  readonly imported: string
  readonly local: string
  /** Whether the name itself says `type`. */
  readonly isType: boolean
}

/** What a statement takes out of a module. */
export interface Bindings {
  /** The local name of the default export. */
  readonly defaultName?: string
  /** The local name of the module itself. */
  readonly namespace?: string
  /** Names between braces. */
  readonly named?: readonly NamedBinding[]
}

/**
 * How a module is named:
 * - `import` and `export`: a statement with names, or `export *`
 * - `sideEffect`: `import 'module'`
 * - `require`: a variable that becomes `require('module')`, `await import('module')`, or `import x = require('module')`
 * - `member`: `require('module').name`, `import('module').name`
 * - `call`: any other `require('module')` or `import('module')`, and `require.resolve`
 * - `augmentation`: `declare module 'module'`
 * - `computed`: a call that loads a module whose name only begins with the string
 * - `mock`: `jest.mock('module')` and similar calls
 * - `text`: a string that is the name of a module, and nothing that loads it
 */
export type ReferenceKind =
  | 'import'
  | 'export'
  | 'sideEffect'
  | 'require'
  | 'member'
  | 'call'
  | 'augmentation'
  | 'computed'
  | 'mock'
  | 'text'

/** A place where a module is named. */
export interface Reference {
  readonly kind: ReferenceKind
  readonly specifier: string
  /** The string that names the module. */
  readonly token: Token
  /** Where the statement begins; for `require` the variable or its braces, for `member` the name. */
  readonly start: number
  /** Where it ends, with its semicolon. */
  readonly end: number
  readonly bindings?: Bindings
  /** `import type`, or `export type`. */
  readonly isType?: boolean
  /** The word in front of the variable of a `require`, when it stands alone in its declaration. */
  readonly declarator?: string
  /** Of a call whose result is called: the place between the two. */
  readonly calledAt?: number
  /** The name after the dot. */
  readonly member?: string
}

const MOCKERS: ReadonlySet<string> = new Set(['jest', 'vi', 'vitest', 'mock'])
const LOADERS: ReadonlySet<string> = new Set(['import', 'require', 'require.resolve'])
const DECLARATORS: ReadonlySet<string> = new Set(['const', 'import', 'let', 'var'])
/** Members of a promise, and not of the module that it stands for. */
const PROMISE_MEMBERS: ReadonlySet<string> = new Set(['then', 'catch', 'finally'])

/**
 * Finds every place where a source text names a module.
 *
 * @param tokens The text as tokens
 */
export function findReferences(tokens: readonly Token[]): Reference[] {
  const references: Reference[] = []

  for (const [index, token] of tokens.entries()) {
    const specifier = toStringValue(token)

    if (specifier !== undefined) references.push(readReference(tokens, index, specifier))
    else if (token.text.endsWith('${')) {
      const reference = readReference(tokens, index, token.text.slice(1, -2))

      if (reference.kind === 'computed') references.push(reference)
    }
  }

  return references
}

function readReference(tokens: readonly Token[], index: number, specifier: string): Reference {
  const token = tokens[index] as Token
  const text = (offset: number) => tokens[index + offset]?.text
  const plain: Reference = { kind: 'text', specifier, token, start: token.start, end: token.end }

  if (isKeyword(tokens, index - 1, 'import')) {
    return { ...plain, kind: 'sideEffect', ...statement(tokens, index - 1, index) }
  }
  if (text(-1) === 'from') return readStatement(tokens, index, plain) ?? plain
  if (text(-1) === 'module' && text(-2) === 'declare') return { ...plain, kind: 'augmentation' }
  if (text(-1) === '(') return readCall(tokens, index, plain)

  return plain
}

/** `import … from` and `export … from`, read from the string back to the first word. */
function readStatement(tokens: readonly Token[], index: number, plain: Reference): Reference | undefined {
  let first = index - 2
  let named: readonly NamedBinding[] | undefined

  if (tokens[first]?.text === '}') {
    const open = findOpening(tokens, first)

    named = readNames(tokens.slice(open + 1, first), 'as')
    if (named === undefined) return undefined
    first = open - 1
    if (tokens[first]?.text === ',') first -= 1
  }

  let namespace: string | undefined
  let isStar = false

  if (tokens[first - 1]?.text === 'as') {
    namespace = tokens[first]?.text
    first -= 2
  }
  if (tokens[first]?.text === '*') {
    isStar = true
    first -= 1
    if (tokens[first]?.text === ',') first -= 1
  }

  const keyword = (position: number) =>
    isKeyword(tokens, position, 'import') || isKeyword(tokens, position, 'export')
  let defaultName: string | undefined

  // `import type from 'module'` and `import type, { a } from 'module'` have a default export called type.
  if (!keyword(first) && tokens[first]?.kind === 'name') {
    const isModifier =
      tokens[first]?.text === 'type' && tokens[first + 1]?.text !== ',' && (named !== undefined || isStar)

    if (!isModifier) {
      defaultName = tokens[first]?.text
      first -= 1
    }
  }

  const isType = tokens[first]?.text === 'type'

  if (isType) first -= 1
  if (!keyword(first)) return undefined

  return {
    ...plain,
    kind: tokens[first]?.text === 'import' ? 'import' : 'export',
    ...statement(tokens, first, index),
    isType,
    bindings: { defaultName, namespace, named }
  }
}

/** `f('module'`: what `f` is, and what becomes of its result. */
function readCall(tokens: readonly Token[], index: number, plain: Reference): Reference {
  const callee = tokens[index - 2]
  const holder = isDot(tokens[index - 3]) ? tokens[index - 4]?.text : undefined
  const name = holder === undefined ? callee?.text : `${holder}.${callee?.text}`

  if (MOCKERS.has(holder as string)) return { ...plain, kind: 'mock' }
  if (!LOADERS.has(name as string)) return plain

  const closing = tokens[index + 1]
  const call: Reference = { ...plain, kind: 'call' }

  // More arguments are settings; anything else makes another name of it.
  if (closing?.text === ',') return call
  if (closing?.text !== ')') return { ...plain, kind: 'computed' }
  if (holder !== undefined) return call
  if (tokens[index + 2]?.text === '(') return { ...call, calledAt: closing.end }

  return readMember(tokens, index, plain) ?? readVariable(tokens, index, plain) ?? call
}

function readMember(tokens: readonly Token[], index: number, plain: Reference): Reference | undefined {
  const name = tokens[index + 3]

  if (!isDot(tokens[index + 2]) || name?.kind !== 'name') return undefined
  if (tokens[index - 2]?.text === 'import' && PROMISE_MEMBERS.has(name.text)) return undefined

  return { ...plain, kind: 'member', start: name.start, end: name.end, member: name.text }
}

function readVariable(tokens: readonly Token[], index: number, plain: Reference): Reference | undefined {
  const callee = index - 2
  const isAwaited = tokens[callee - 1]?.text === 'await'
  const equals = isAwaited ? callee - 2 : callee - 1
  const isImport = tokens[callee]?.text === 'import'

  if (tokens[equals]?.text !== '=' || (isImport && !isAwaited)) return undefined

  const last = equals - 1
  const following = tokens[index + 2]
  const end = following?.text === ';' ? following.end : (tokens[index + 1] as Token).end

  // After the variable, only another one or another statement.
  if (following !== undefined && ['[', '?.', '!', 'as'].includes(following.text)) return undefined

  const read = (first: number, bindings: Bindings): Reference | undefined => {
    const before = tokens[first - 1]?.text ?? ''
    const isTypeImport = before === 'type' && tokens[first - 2]?.text === 'import'
    const word = isTypeImport ? 'import' : before

    // Anything else is an assignment, or the default of a parameter.
    if (!DECLARATORS.has(word) && word !== ',') return undefined

    return {
      ...plain,
      kind: 'require',
      start: (tokens[first] as Token).start,
      end,
      bindings,
      declarator: word !== ',' && following?.text !== ',' ? word : undefined
    }
  }

  if (tokens[last]?.text === '}') {
    const open = findOpening(tokens, last)
    const named = readNames(tokens.slice(open + 1, last), ':')

    return named && read(open, { named })
  }

  return tokens[last]?.kind === 'name' ? read(last, { namespace: (tokens[last] as Token).text }) : undefined
}

/** `a, type b, c as d`; nothing for what is more than names. */
function readNames(tokens: readonly Token[], separator: 'as' | ':'): NamedBinding[] | undefined {
  const names: NamedBinding[] = []
  let position = 0

  while (position < tokens.length) {
    const words: string[] = []

    for (; position < tokens.length && tokens[position]?.text !== ','; position++) {
      const token = tokens[position] as Token

      if (token.kind !== 'name' && token.kind !== 'string' && token.text !== ':') return undefined
      words.push(toName(token))
    }
    position += 1

    const isType = words[0] === 'type' && words.length % 2 === 0
    const [imported, word, local] = isType ? words.slice(1) : words

    if (imported === undefined || (word !== undefined && (word !== separator || local === undefined))) {
      return undefined
    }
    names.push({ imported, local: local ?? imported, isType })
  }

  return names
}

/** A name without its quotes, where it needs none. */
function toName(token: Token): string {
  const text = toStringValue(token)

  return text !== undefined && /^[\w$]+$/.test(text) ? text : token.text
}

/** Where a statement begins and ends whose module is the string at `index`. */
function statement(tokens: readonly Token[], first: number, index: number): { start: number; end: number } {
  let last = index

  if (['with', 'assert'].includes(tokens[last + 1]?.text ?? '') && tokens[last + 2]?.text === '{') {
    while (tokens[last]?.text !== '}' && last < tokens.length - 1) last += 1
  }
  if (tokens[last + 1]?.text === ';') last += 1

  return { start: (tokens[first] as Token).start, end: (tokens[last] as Token).end }
}

function findOpening(tokens: readonly Token[], closing: number): number {
  let open = closing

  while (open > 0 && tokens[open]?.text !== '{') open -= 1

  return open
}

function isKeyword(tokens: readonly Token[], index: number, word: string): boolean {
  return tokens[index]?.kind === 'name' && tokens[index]?.text === word && !isDot(tokens[index - 1])
}
