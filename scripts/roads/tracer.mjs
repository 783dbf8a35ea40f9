import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'

/** On no road: data in the form of a module, and commands. */
const LEFT_OUT = /^(?:cli|openapi\/(?:assets|page))\b/

const MAX_NAME_LENGTH = 40

/**
 * Has each function of the modules in a folder call `globalThis.traceEntry?.(file, name)` when it is entered. Constructors
 * of derived classes are left out: no statement may come before `super()`.
 *
 * @param {string} folder Modules of JavaScript, which are changed
 */
export function traceFunctions(folder) {
  for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.js') || LEFT_OUT.test(path)) continue

    const file = join(folder, path)

    writeFileSync(file, addCalls(path.slice(0, -'.js'.length), readFileSync(file, 'utf8')))
  }
}

function addCalls(module, code) {
  const source = ts.createSourceFile(`${module}.js`, code, ts.ScriptTarget.Latest, true)
  const inserts = []

  function visit(node) {
    if (ts.isFunctionLike(node) && node.body) inserts.push(...toInserts(node, module, source))
    ts.forEachChild(node, visit)
  }

  visit(source)

  // From the end, so that the positions before it stay right.
  return inserts
    .sort((a, b) => b.position - a.position)
    .reduce((text, { position, text: added }) => text.slice(0, position) + added + text.slice(position), code)
}

function toInserts(node, module, source) {
  const names = [module, toName(node, source)].map((name) => JSON.stringify(name)).join(',')
  const call = `globalThis.traceEntry?.(${names})`

  if (!ts.isBlock(node.body)) {
    return [
      { position: node.body.getStart(source), text: `(${call},` },
      { position: node.body.getEnd(), text: ')' }
    ]
  }
  if (ts.isConstructorDeclaration(node) && isDerived(node.parent)) return []

  return [{ position: node.body.getStart(source) + 1, text: `${call};` }]
}

function isDerived({ heritageClauses = [] }) {
  return heritageClauses.some(({ token }) => token === ts.SyntaxKind.ExtendsKeyword)
}

/** The name of a function; for one without a name, that of what it is assigned to or of the function around it. */
function toName(node, source) {
  const { name, parent } = node
  const prefix = ts.isClassLike(parent) ? `${parent.name?.text ?? 'class'}.` : ''

  if (ts.isConstructorDeclaration(node)) return `${prefix}constructor`
  if (name) return prefix + name.getText(source)
  if (ts.isVariableDeclaration(parent) || ts.isPropertyAssignment(parent)) return parent.name.getText(source)
  if (ts.isBinaryExpression(parent)) return parent.left.getText(source).slice(0, MAX_NAME_LENGTH)

  const outer = ts.findAncestor(parent, (node) => ts.isFunctionLike(node))

  return `<${outer ? toName(outer, source) : 'module'}>`
}
