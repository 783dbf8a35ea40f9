import { type Node, toStringValue, walk } from './syntax.ts'

/** A name that a statement takes out of a module. */
export interface Binding {
  /** The default export, the module itself, or a name between braces. */
  readonly form: 'default' | 'namespace' | 'name'
  /** Of the module itself `*`. */
  readonly imported: string
  readonly local: string
  /** Whether the name itself says `type`. */
  readonly isType?: boolean
  /** Where it is between the braces. */
  readonly place?: Node
}

/** Source text from one place to another. */
export interface Range {
  readonly start: number
  readonly end: number
}

/**
 * How a module is named:
 * - `import` and `export`: a statement with names, or `export *`
 * - `sideEffect`: `import 'module'`
 * - `require`: a variable that becomes `require('module')` or `await import('module')`
 * - `equals`: `import x = require('module')`
 * - `member`: `require('module').name`, `import('module').name`
 * - `call`: any other `require('module')` or `import('module')`, and `require.resolve`
 * - `augmentation`: `declare module 'module'`
 * - `computed`: a call that loads a module whose name only begins with the string
 * - `mock`: `jest.mock('module')` and similar calls
 * - `comment`: a type of JSDoc, `import('module')`, `import('module').name` or `@import … from 'module'`
 * - `text`: a string that is the name of a module, and nothing that loads it
 */
export type ReferenceKind =
  | 'import'
  | 'export'
  | 'sideEffect'
  | 'require'
  | 'equals'
  | 'member'
  | 'call'
  | 'augmentation'
  | 'computed'
  | 'mock'
  | 'comment'
  | 'text'

/** A place where a module is named. */
export interface Reference {
  readonly kind: ReferenceKind
  readonly specifier: string
  /** The string that names the module. */
  readonly string: Node
  /** Where the statement begins; for a variable that is one of several the variable, for `member` the name. */
  readonly start: number
  /** Where it ends, with its semicolon. */
  readonly end: number
  /** What it binds, in order. */
  readonly bindings?: readonly Binding[]
  readonly braces?: Range
  /** `import type`, or `export type`. */
  readonly isType?: boolean
  /** Of a `require`, the variable or its braces. */
  readonly variable?: Range
  /** Whether the variable of a `require` is the only one of its statement. */
  readonly isAlone?: boolean
  /** Whether the variable of a `require` is exported. */
  readonly isExported?: boolean
  /** Whether the module is awaited. */
  readonly isAwaited?: boolean
  /** Of a call whose result is called: the place between the two. */
  readonly calledAt?: number
  /** The name after the dot. */
  readonly member?: string
}

const COMMENT_TYPE = /(?:\bimport\(\s*|@import\b[^'"]*)(['"]@[^'"]+['"])(?:\s*\)\.(\w+))?/g
const MOCKERS: readonly unknown[] = ['jest', 'vi', 'vitest', 'mock']
/** Members of a promise, and not of the module that it stands for. */
const PROMISE_MEMBERS: readonly unknown[] = ['then', 'catch', 'finally']

type Found = Reference | undefined

/** Finds every place where a source text names a module. */
export function findReferences(file: Node, source: string): Reference[] {
  const references = new Map<Node, Reference>()

  walk(file, (node, parents) => {
    const found = node.type === 'CommentBlock' ? readComment(node) : [readReference(node, parents, source)]

    // What loads a module comes before the string in it.
    for (const reference of found)
      if (reference && !references.has(reference.string)) references.set(reference.string, reference)
  })

  return [...references.values()]
}

function readReference(node: Node, parents: readonly Node[], source: string): Found {
  switch (node.type) {
    case 'ImportDeclaration':
    case 'ExportNamedDeclaration':
    case 'ExportAllDeclaration':
      return readStatement(node, source)
    case 'TSImportEqualsDeclaration':
      return readImportEquals(node)
    case 'TSImportType':
      return readImportType(node)
    case 'TSModuleDeclaration':
      return toReference(node.id, { kind: 'augmentation' })
    case 'CallExpression':
      return readCall(node, parents, source)
    case 'StringLiteral':
    case 'TemplateLiteral':
      return parents.at(-1)?.type === 'JSXAttribute' ? undefined : toReference(node, { kind: 'text' })
    default:
      return undefined
  }
}

/** A reference by a string, at its place unless another one is given. */
function toReference(
  string: Node | null | undefined,
  parts: Pick<Reference, 'kind'> & Partial<Reference>,
  specifier = toStringValue(string)
): Found {
  if (!string || specifier === undefined) return undefined

  return { specifier, string, start: string.start, end: string.end, ...parts }
}

function readStatement(node: Node, source: string): Found {
  const { type, start, specifiers = [], importKind, exportKind } = node
  const kind = type === 'ImportDeclaration' ? 'import' : 'export'
  const open = source.slice(start, node.source?.start).indexOf('{')
  const braces = open === -1 ? undefined : { start: start + open, end: source.indexOf('}', start + open) + 1 }
  const isSideEffect = kind === 'import' && specifiers.length === 0 && !braces

  return toReference(node.source, {
    kind: isSideEffect ? 'sideEffect' : kind,
    start,
    end: endOf(node, source),
    isType: [importKind, exportKind].includes('type'),
    bindings: specifiers.map(toBinding),
    braces
  })
}

function toBinding(place: Node): Binding {
  const { type, imported, exported, local, importKind, exportKind } = place
  const name = toName(exported && type !== 'ImportSpecifier' ? exported : local)

  if (/Default/.test(type)) return { form: 'default', imported: 'default', local: name }
  if (/Namespace/.test(type)) return { form: 'namespace', imported: '*', local: name }

  const isType = [importKind, exportKind].includes('type')

  return { form: 'name', imported: toName(imported ?? local), local: name, isType, place }
}

function readImportEquals({ id, start, end, importKind, moduleReference }: Node): Found {
  return toReference(moduleReference?.expression, {
    kind: 'equals',
    start,
    end,
    isType: importKind === 'type',
    bindings: [{ form: 'namespace', imported: '*', local: toName(id) }]
  })
}

function readImportType({ argument, qualifier }: Node): Found {
  let name = qualifier

  while (name?.left) name = name.left

  return toReference(argument, name ? toMember(name) : { kind: 'call' })
}

function toMember({ name, start, end }: Node) {
  return { kind: 'member', start, end, member: name } as const
}

/** `require('module')`, `import('module')` and `jest.mock('module')`: what is called, and what becomes of its result. */
function readCall(node: Node, parents: readonly Node[], source: string): Found {
  const { callee, arguments: [argument, ...others] = [] } = node
  const isImport = callee?.type === 'Import'
  const isResolve = callee?.object?.name === 'require' && callee.property?.name === 'resolve'

  if (MOCKERS.includes(callee?.object?.name)) return toReference(argument, { kind: 'mock' })
  if (!isImport && callee?.name !== 'require' && !isResolve) return undefined

  const call = toReference(argument, { kind: 'call' })

  // More arguments are settings.
  if (!call || others.length > 0 || isResolve) return call ?? readComputed(argument)

  const isAwaited = parents.at(-1)?.type === 'AwaitExpression'
  const result = isAwaited ? (parents.at(-1) as Node) : node
  const around = isAwaited ? parents.slice(0, -1) : parents
  const { callee: called, object, property, computed } = around.at(-1) ?? {}
  const isOfPromise = isImport && !isAwaited && PROMISE_MEMBERS.includes(property?.name)

  if (called === result) return { ...call, calledAt: result.end }
  if (object === result && property?.name && !computed) {
    return isOfPromise ? call : { ...call, ...toMember(property) }
  }

  return (isImport === isAwaited && readVariable(call, result, around, source)) || call
}

/** A name that only begins with a string: `'module' + name`, or a template. */
function readComputed(argument: Node | undefined): Found {
  let first: Node | null | undefined = argument

  while (first?.type === 'BinaryExpression') first = first.left

  return toReference(first, { kind: 'computed' }, toStringValue(first) ?? first?.quasis?.[0]?.value.raw)
}

function readVariable(call: Reference, value: Node, around: readonly Node[], source: string): Found {
  const [variable, declaration, list, above] = around.slice(-4).reverse()
  const { type, init, id } = variable ?? {}

  if (type !== 'VariableDeclarator' || init !== value || !id || id.typeAnnotation) return undefined

  const named = (id.properties ?? []).flatMap((place): Binding[] => {
    const { type, computed, key, value } = place
    const isName = type === 'ObjectProperty' && !computed && (value as Node).type === 'Identifier'

    return isName ? [{ form: 'name', imported: toName(key), local: toName(value as Node), place }] : []
  })

  if (id.type !== 'Identifier' && named.length !== id.properties?.length) return undefined

  const isExported = list?.type === 'ExportNamedDeclaration'
  const statement = (isExported ? list : declaration) as Node
  const isAlone = declaration?.declarations?.length === 1 && Array.isArray((isExported ? above : list)?.body)
  const { start, end } = isAlone ? statement : (variable as Node)

  return {
    ...call,
    kind: 'require',
    start,
    end: endOf({ start, end }, source),
    variable: id,
    isAlone,
    isExported,
    isAwaited: value.type === 'AwaitExpression',
    bindings: id.properties ? named : [{ form: 'namespace', imported: '*', local: toName(id) }],
    braces: id.properties && id
  }
}

function readComment({ value, start }: Node): Found[] {
  const text = String(value)
  const matches = text.startsWith('*') ? [...text.matchAll(COMMENT_TYPE)] : []

  return matches.map(({ 0: all, 1: string = '', 2: name, index }) => {
    // After the two characters that begin the comment.
    const begin = start + 2 + index + all.indexOf(string)
    const end = start + 2 + index + all.length
    const member = name && toMember({ type: 'Identifier', name, start: end - name.length, end })
    const module = {
      type: 'StringLiteral',
      value: string.slice(1, -1),
      start: begin,
      end: begin + string.length
    }

    return toReference(module, { ...(member || {}), kind: 'comment' })
  })
}

/** A name without its quotes, where it needs none. */
function toName(node: Node | null | undefined): string {
  const text = toStringValue(node)

  if (text === undefined) return node?.name as string

  return /^[\w$]+$/.test(text) ? text : JSON.stringify(text)
}

/** A semicolon that begins the next line belongs to that line. */
export function endOf({ start, end }: Range, source: string): number {
  return end - (/\s*\n\s*;$/.exec(source.slice(start, end))?.[0].length ?? 0)
}
