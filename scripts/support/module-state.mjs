import ts from 'typescript'
import { visitNodes } from './sources.mjs'

/** Classes whose instances never change, or that a module cannot be told apart by. */
const CONSTANT_CLASSES = new Set(['RegExp', 'TextDecoder', 'TextEncoder', 'URL'])

/** Collections that are constant where their type says so. */
const READONLY_TYPES = new Map([
  ['Map', 'ReadonlyMap'],
  ['Set', 'ReadonlySet']
])

/** Methods that change an array or a collection. */
const CHANGING_METHODS = new Set(
  'add clear copyWithin delete fill pop push reverse set shift sort splice unshift'.split(' ')
)

/** Functions of `Object` and `Reflect` that change their first argument. */
const CHANGING_FUNCTIONS =
  /^(?:Object\.(?:assign|defineProperty|defineProperties|setPrototypeOf)|Reflect\.(?:set|deleteProperty|defineProperty))$/

const CONFIGURATION = {
  noLib: true,
  noResolve: true,
  jsx: ts.JsxEmit.Preserve,
  target: ts.ScriptTarget.Latest
}

/**
 * The state that modules keep: `let`, instances of classes whose type does not say that they are constant, and constants
 * that are changed, in their own module or in one that imports them.
 *
 * @param {readonly ts.SourceFile[]} sources
 * @returns {{ file: string, name: string }[]} In the order of the sources
 */
export function findModuleState(sources) {
  const readonlyNames = listReadonlyNames(sources)
  const creators = listCreators(sources)
  const declarations = sources.flatMap(listDeclarations)
  const changed = findChanged(sources)

  return declarations
    .filter(
      (declaration) =>
        isVariable(declaration) ||
        changed.has(toKey(declaration)) ||
        createsState(declaration, readonlyNames, creators)
    )
    .map((declaration) => ({
      file: declaration.getSourceFile().fileName,
      name: declaration.name.getText()
    }))
}

/** The variables of a module, and the static fields of its classes. */
function listDeclarations(source) {
  return source.statements.flatMap((statement) => {
    if (ts.isVariableStatement(statement)) return statement.declarationList.declarations
    if (!ts.isClassDeclaration(statement)) return []

    return statement.members.filter((member) => ts.isPropertyDeclaration(member) && isStatic(member))
  })
}

function isStatic(member) {
  return (ts.getCombinedModifierFlags(member) & ts.ModifierFlags.Static) !== 0
}

function isVariable(declaration) {
  return ts.isPropertyDeclaration(declaration)
    ? (ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Readonly) === 0
    : (ts.getCombinedNodeFlags(declaration) & ts.NodeFlags.Const) === 0
}

/** Whether an object that can change is created with the module; what a function creates when it is called does not count. */
function createsState({ initializer, type }, readonlyNames, creators) {
  let isState = false

  function enter(node, isTyped) {
    if (ts.isFunctionLike(node)) return
    if (isCreation(node) && !isTyped) isState = true
    ts.forEachChild(node, (child) => enter(child, false))
  }

  if (!initializer) return false
  if (ts.isCallExpression(initializer) && creators.has(initializer.expression.getText()))
    return ![...READONLY_TYPES.values()].some((name) => isTypedAs(name, type, readonlyNames))

  enter(initializer, isReadonly(initializer, type, readonlyNames))

  return isState
}

/** Whether a node makes an instance that can change. */
function isCreation(node) {
  return ts.isNewExpression(node) && !CONSTANT_CLASSES.has(node.expression.getText())
}

/** The names of the functions that return a new instance. */
function listCreators(sources) {
  const creators = sources
    .flatMap((source) => [...source.statements])
    .filter(
      (statement) => ts.isFunctionDeclaration(statement) && statement.body && returnsCreation(statement.body)
    )

  return new Set(creators.map(({ name }) => name?.text))
}

function returnsCreation(node) {
  if (ts.isFunctionLike(node)) return false
  if (ts.isReturnStatement(node)) return node.expression !== undefined && isCreated(node.expression)

  return ts.forEachChild(node, returnsCreation) ?? false
}

function isCreated(expression) {
  return ts.isConditionalExpression(expression)
    ? isCreated(expression.whenTrue) || isCreated(expression.whenFalse)
    : isCreation(expression)
}

/** Whether an instance is typed as constant: `const NAMES: ReadonlySet<string> = new Set()`. */
function isReadonly(initializer, type, readonlyNames) {
  if (!ts.isNewExpression(initializer)) return false

  const expected = READONLY_TYPES.get(initializer.expression.getText())

  return expected !== undefined && isTypedAs(expected, type, readonlyNames)
}

function isTypedAs(name, type, readonlyNames) {
  return type && ts.isTypeReferenceNode(type) && readonlyNames.get(name).has(type.typeName.getText())
}

/** The names of each constant type: its own, and those that sources give to it. */
function listReadonlyNames(sources) {
  const names = new Map([...READONLY_TYPES.values()].map((name) => [name, new Set([name])]))

  for (const statement of sources.flatMap((source) => [...source.statements])) {
    if (ts.isTypeAliasDeclaration(statement) && ts.isTypeReferenceNode(statement.type)) {
      names.get(statement.type.typeName.getText())?.add(statement.name.text)
    }
  }

  return names
}

/** The constants of modules that some source changes, as {@link toKey} names them. */
function findChanged(sources) {
  const byName = new Map(sources.map((source) => [source.fileName, source]))
  const host = {
    ...ts.createCompilerHost(CONFIGURATION),
    getSourceFile: (name) => byName.get(name),
    fileExists: (name) => byName.has(name)
  }
  const checker = ts.createProgram([...byName.keys()], CONFIGURATION, host).getTypeChecker()
  const changed = new Set()

  for (const source of sources) {
    visitNodes(source, (node) => {
      const target = toTarget(node)
      const declaration = target && checker.getSymbolAtLocation(target)?.declarations?.[0]

      if (declaration) changed.add(toOrigin(declaration, byName))
    })
  }

  return changed
}

/** The identifier at the start of what a node changes: `TABLE` of `TABLE.rows.push(1)`. */
function toTarget(node) {
  const changed = toChanged(node)

  return changed && toRoot(changed)
}

function toChanged(node) {
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken
    const isAssignment = kind >= ts.SyntaxKind.FirstAssignment && kind <= ts.SyntaxKind.LastAssignment

    return isAssignment ? toOwner(node.left) : undefined
  }
  if (ts.isDeleteExpression(node)) return toOwner(node.expression)
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) {
    const isStep = [ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken].includes(node.operator)

    return isStep ? toOwner(node.operand) : undefined
  }
  if (!ts.isCallExpression(node)) return undefined
  if (CHANGING_FUNCTIONS.test(node.expression.getText())) return node.arguments[0]
  if (!ts.isPropertyAccessExpression(node.expression)) return undefined

  return CHANGING_METHODS.has(node.expression.name.text) ? node.expression.expression : undefined
}

/** The object that has the property: `TABLE` of `TABLE.rows`. A bare variable is none: `let` is found by itself. */
function toOwner(node) {
  return ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)
    ? node.expression
    : undefined
}

function toRoot(node) {
  if (ts.isIdentifier(node)) return node
  if (
    ts.isPropertyAccessExpression(node) ||
    ts.isElementAccessExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node)
  ) {
    return toRoot(node.expression)
  }
}

/** A declaration as {@link toKey} names it; for an import, what it imports. */
function toOrigin(declaration, byName) {
  if (!ts.isImportSpecifier(declaration)) return toKey(declaration)

  const { fileName } = declaration.getSourceFile()
  const specifier = declaration.parent.parent.parent.moduleSpecifier.text
  const file = new URL(specifier, `file:///${fileName}`).pathname.slice(1)

  return byName.has(file)
    ? `${file}#${(declaration.propertyName ?? declaration.name).text}`
    : toKey(declaration)
}

/** Names a declaration of a module; what is declared inside of a function has its position in the name. */
function toKey(declaration) {
  const { fileName } = declaration.getSourceFile()
  const isInside = ts.findAncestor(declaration.parent, ts.isFunctionLike) !== undefined

  return `${fileName}#${declaration.name?.getText() ?? ''}${isInside ? `@${declaration.pos}` : ''}`
}
