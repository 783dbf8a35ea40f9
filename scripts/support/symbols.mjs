import ts from 'typescript'
import { visitNodes } from './sources.mjs'

const FEATHERS = /^Symbol\.for\('@feathersjs\//

/**
 * The symbols that sources create, with the constant each is assigned to. A symbol that is the key of a property somewhere
 * is a mark: it carries meaning on an object that others made. Other symbols are values, as `undefined` is one.
 *
 * @param {readonly ts.SourceFile[]} sources
 * @returns {{ file: string, name: string, isMark: boolean, isFeathers: boolean }[]}
 */
export function findSymbols(sources) {
  const keys = new Set()
  const symbols = []

  for (const source of sources) {
    visitNodes(source, (node) => {
      if (isKey(node)) keys.add(node.text)
      if (ts.isCallExpression(node) && /^Symbol(?:\.for)?$/.test(node.expression.getText(source))) {
        const declaration = ts.findAncestor(node, ts.isVariableDeclaration)

        symbols.push({
          file: source.fileName,
          name: declaration?.name.getText(source) ?? '',
          isFeathers: FEATHERS.test(node.getText(source))
        })
      }
    })
  }

  return symbols.map((symbol) => ({ ...symbol, isMark: keys.has(symbol.name) }))
}

/** Whether an identifier is used as a key: `object[NAME]`, `{ [NAME]: 1 }`, `NAME in object`. */
function isKey(node) {
  const { parent } = node

  if (!ts.isIdentifier(node)) return false
  if (ts.isElementAccessExpression(parent)) return parent.argumentExpression === node
  if (ts.isComputedPropertyName(parent)) return true

  return (
    ts.isBinaryExpression(parent) &&
    parent.operatorToken.kind === ts.SyntaxKind.InKeyword &&
    parent.left === node
  )
}
