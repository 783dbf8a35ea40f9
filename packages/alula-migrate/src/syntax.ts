import { type ParserPlugin, parse } from '@babel/parser'

type Fields<Names extends string, Value> = { readonly [Name in Names]?: Value }

type ModulePart = 'exported' | 'imported' | 'local' | 'moduleReference' | 'program' | 'source'
type ExpressionPart = 'argument' | 'callee' | 'expression' | 'key' | 'label' | 'object' | 'property'
type PatternPart = 'declaration' | 'id' | 'init' | 'left' | 'param' | 'parameter' | 'right'
type TypePart = 'qualifier' | 'typeAnnotation'
type Children =
  | 'arguments'
  | 'cases'
  | 'consequent'
  | 'declarations'
  | 'parameters'
  | 'params'
  | 'properties'
  | 'specifiers'
type Text = 'exportKind' | 'importKind' | 'kind' | 'name' | 'operator'

/** A node of a syntax tree of Babel, with those of its fields that are read here. */
export interface Node
  extends Fields<ModulePart | ExpressionPart | PatternPart | TypePart, Node | null>,
    Fields<Children, readonly Node[]>,
    Fields<Text, string> {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly computed?: boolean
  readonly value?: string | Node | null
  readonly body?: Node | readonly Node[]
  readonly elements?: readonly (Node | null)[]
  readonly quasis?: readonly { readonly value: { readonly raw: string } }[]
}

const PLUGINS: readonly ParserPlugin[] = [
  'decorators-legacy',
  'decoratorAutoAccessors',
  'deferredImportEvaluation',
  'explicitResourceManagement',
  ['importAttributes', { deprecatedAssertSyntax: true }] as unknown as ParserPlugin
]

/**
 * Parses a source text into a file: a program, and comments. The ending of `path` tells the language; only in `.ts`, `.mts` and
 * `.cts` can `<` begin no element. Throws SyntaxError for what is neither JavaScript nor TypeScript.
 */
export function parseSource(source: string, path: string): Node {
  const language: ParserPlugin = /\.[cm]?tsx?$/.test(path) ? 'typescript' : 'flow'
  const elements: ParserPlugin[] = /\.[cm]?ts$/.test(path) ? [] : ['jsx']

  // Babel reads no hashbang after a byte order mark.
  return parse(source.replace(/^\uFEFF#!/, ' //'), {
    sourceType: 'unambiguous',
    errorRecovery: true,
    allowReturnOutsideFunction: true,
    attachComment: false,
    plugins: [language, ...elements, ...PLUGINS]
  }) as unknown as Node
}

/**
 * Visits a node and all below it, from the outside in. `visit` gets a node and those around it, the nearest last; it returns
 * `false` to leave out what is below.
 */
export function walk(
  node: Node,
  visit: (node: Node, parents: readonly Node[]) => boolean | void,
  parents: Node[] = []
): void {
  if (visit(node, parents) === false) return

  parents.push(node)
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string' && child !== node) walk(child, visit, parents)
    }
  }
  parents.pop()
}

/** The text of a string without escapes, which is how modules are named. */
export function toStringValue(node: Node | null | undefined): string | undefined {
  if (node?.type === 'StringLiteral') return node.value as string
  if (node?.type === 'TemplateLiteral' && node.quasis?.length === 1) return node.quasis[0]?.value.raw

  return undefined
}

/** The names that a pattern binds. */
export function namesOf(pattern: Node | null | undefined): string[] {
  if (!pattern) return []
  if (pattern.type === 'Identifier') return [pattern.name as string]

  const { type, properties = [], elements = [], left, argument, parameter } = pattern
  const inner = type === 'AssignmentPattern' ? left : type === 'RestElement' ? argument : parameter

  return [...properties.map((one) => (one.value ?? one.argument) as Node), ...elements, inner].flatMap(
    namesOf
  )
}
