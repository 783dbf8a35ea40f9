import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { findReferences } from '../src/references.ts'
import { parseSource } from '../src/syntax.ts'

const ROOT = resolve(import.meta.dirname, '../../..')

it.each(['examples', 'node_modules/@feathersjs', 'node_modules/express'])(
  'in every file of %s the modules are those that TypeScript finds',
  (folder) => {
    // Bundlers and servers are installed below `test`.
    const files = readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).filter(
      (file) => /\.[cm]?[jt]sx?$/.test(file) && !file.includes('node_modules')
    )
    const different = files.filter((file) => {
      const source = readFileSync(join(ROOT, folder, file), 'utf8')

      return findOurs(file, source).join() !== findTheirs(file, source).join()
    })

    expect(files.length).toBeGreaterThan(5)
    expect(different).toEqual([])
  }
)

function findOurs(file: string, source: string): string[] {
  return findReferences(parseSource(source, file), source)
    .filter(({ kind }) => !['comment', 'computed', 'mock', 'text'].includes(kind))
    .map(({ specifier }) => specifier)
    .sort()
}

function findTheirs(file: string, source: string): string[] {
  const kind = isTypeScript(file) ? ts.ScriptKind.TS : ts.ScriptKind.JSX
  const found: ts.Node[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) {
      if (node.moduleSpecifier) found.push(node.moduleSpecifier)
    } else if (ts.isExternalModuleReference(node)) found.push(node.expression)
    else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument))
      found.push(node.argument.literal)
    else if (ts.isModuleDeclaration(node)) found.push(node.name)
    else if (ts.isCallExpression(node) && LOADERS.has(node.expression.getText())) {
      found.push(...node.arguments.slice(0, 1))
    }
    ts.forEachChild(node, visit)
  }

  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true, kind))

  return found
    .filter(ts.isStringLiteralLike)
    .filter((node) => !node.getText().includes('\\'))
    .map(({ text }) => text)
    .sort()
}

const LOADERS = new Set(['import', 'require', 'require.resolve'])

function isTypeScript(file: string): boolean {
  return /\.[cm]?ts$/.test(file)
}
