import type { Range } from './references.ts'
import { type Node, namesOf, toStringValue, walk } from './syntax.ts'

/** A place where a local name is used. */
export interface Use {
  /** `name(…)`, `name.member`, `… instanceof name`, or anything else. */
  readonly kind: 'call' | 'member' | 'instanceof' | 'value'
  readonly node: Node
  /** What is around it, the nearest last. */
  readonly parents: readonly Node[]
  readonly member?: Member
}

/** A member name and its place: after the dot, in the string between brackets, or in `{ member } = name`. */
export interface Member {
  readonly text: string
  readonly start: number
  readonly end: number
  /** Whether it names a variable too, as in `{ member } = name`. */
  readonly isShorthand?: boolean
}

/** What every function has, and no module. */
const FUNCTION_MEMBERS: readonly unknown[] = ['apply', 'bind', 'call', 'length', 'name', 'prototype']

/**
 * Finds where a name of a module is used: in the scope that declares it, without the declaration, but not where an inner scope
 * declares the same name, which is another one there.
 */
export function findUses(file: Node, name: string, declaration: Range): Use[] {
  const { scope, around } = findScope(file.program as Node, name, declaration)
  const uses: Use[] = []

  const visit = (node: Node, parents: readonly Node[]) => {
    if (isWithin(node, declaration) && node !== scope) return false
    // The declaration is in its scope, and may be in blocks of it.
    if (node !== scope && !isWithin(declaration, node) && declares(node, name, parents.at(-1))) return false
    if (/^(JSX)?Identifier$/.test(node.type) && node.name === name && isReference(node, parents.at(-1))) {
      uses.push(...toUses(node, parents))
    }
  }

  walk(scope, visit, around)

  return uses
}

/** The innermost node around a declaration that has its name, with those around it. */
function findScope(program: Node, name: string, declaration: Range): { scope: Node; around: Node[] } {
  let found = { scope: program, around: [] as Node[] }

  walk(program, (node, parents) => {
    if (!isWithin(declaration, node)) return node === program
    if (declares(node, name, parents.at(-1))) found = { scope: node, around: [...parents] }
  })

  return found
}

function isWithin(inner: Range, outer: Range): boolean {
  return inner.start >= outer.start && inner.end <= outer.end
}

/** Whether a name is declared in a node, so that it is another variable outside. */
function declares(node: Node, name: string, parent: Node | undefined): boolean {
  // What one case of a `switch` declares, the others have too.
  const cases = node.type === 'SwitchCase' ? (parent?.cases ?? []) : []
  const statements = [
    ...[node.init, node.left],
    ...(Array.isArray(node.body) ? (node.body as readonly Node[]) : []),
    ...cases.flatMap(({ consequent = [] }) => consequent)
  ].filter((statement) => !isVariable(statement))
  const declared = [
    ...(node.params ?? node.parameters ?? []),
    ...[...statements, ...(isBody(node, parent) ? listVariables(node) : [])].flatMap(declarationsOf),
    ...(node.type === 'CatchClause' ? [node.param] : []),
    ...(/^(Function|Class)Expression$/.test(node.type) ? [node.id] : [])
  ]

  return declared.flatMap(namesOf).includes(name)
}

function declarationsOf(statement: Node | null | undefined): (Node | null | undefined)[] {
  const declaration = statement?.declaration ?? statement

  if (declaration?.type === 'VariableDeclaration') return declaration.declarations?.map(({ id }) => id) ?? []

  return /Declaration$/.test(declaration?.type ?? '') ? [declaration?.id] : []
}

/** Whether a statement is a `var`: it declares something in the function around it, and not in its block. */
function isVariable(statement: Node | null | undefined): boolean {
  return statement?.type === 'VariableDeclaration' && statement.kind === 'var'
}

/** Whether a `var` in a node, at any depth, is a variable of this node. */
function isBody(node: Node, parent: Node | undefined): boolean {
  return isBlockOfVariables(node) || (parent?.params !== undefined && parent.body === node)
}

function isBlockOfVariables({ type }: Node): boolean {
  return type === 'StaticBlock' || type === 'TSModuleBlock'
}

/** The statements with `var` in a node, but not those of functions that are in it. */
function listVariables(body: Node): Node[] {
  const found: Node[] = []

  walk(body, (node) => {
    if (node !== body && (node.params !== undefined || isBlockOfVariables(node))) return false
    if (isVariable(node)) found.push(node)
  })

  return found
}

/** Whether an identifier stands for a variable, and is not the name of a member, a key or a label. */
function isReference(node: Node, parent: Node | undefined): boolean {
  if (!parent) return false

  const { type, key, property, label, imported, exported, right, id } = parent
  const named = [label, imported, exported, id, ...(type === 'TSQualifiedName' ? [right] : [])]

  return !named.includes(node) && (Boolean(parent.computed) || (key !== node && property !== node))
}

/** What a name is used for: once, or once for each name that is taken out of it. */
function toUses(node: Node, parents: readonly Node[]): Use[] {
  const parent = parents.at(-1) as Node
  const isTested = (one: Node, around?: Node) =>
    around?.type === 'BinaryExpression' && around.right === one && around.operator === 'instanceof'
  const use = { node, parents: [...parents] }

  if (isTested(node, parent) || isTested(parent, parents.at(-2))) return [{ ...use, kind: 'instanceof' }]
  if (parent.callee === node && parent.type !== 'NewExpression') return [{ ...use, kind: 'call' }]

  const members = readMembers(node, parent)

  return members.length > 0
    ? members.map((member): Use => ({ ...use, kind: 'member', member }))
    : [{ ...use, kind: 'value' }]
}

function readMembers(node: Node, parent: Node): Member[] {
  const { type, object, property, left, right, init, id } = parent

  if (object === node && property) {
    const text = parent.computed ? toStringValue(property) : property.name

    if (text === undefined || FUNCTION_MEMBERS.includes(text)) return []

    const quote = parent.computed ? 1 : 0

    return [{ text, start: property.start + quote, end: property.end - quote }]
  }
  if (type === 'TSQualifiedName' && left === node && right) return [toMember(right)]

  const pattern = init === node ? id : right === node ? left : undefined

  return (pattern?.properties ?? []).flatMap((one) =>
    one.key?.type === 'Identifier' && !one.computed
      ? [{ ...toMember(one.key), isShorthand: one.key.start === (one.value as Node).start }]
      : []
  )
}

function toMember({ name, start, end }: Node): Member {
  return { text: name as string, start, end }
}
