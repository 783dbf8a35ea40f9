import { readdirSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { readSources, visitNodes } from '../scripts/support/sources.mjs'

const SRC = resolve(import.meta.dirname, '../src')

/**
 * The floors of the house, the lowest first. A module imports from lower floors, types included, and from files of its
 * own folder without a circle.
 */
const FLOORS: readonly (readonly string[])[] = [
  ['utils'],
  ['errors'],
  ['hooks', 'query', 'redis'],
  ['core'],
  ['authentication-hooks', 'login-budget', 'schema', 'sessions'],
  ['access', 'log', 'relations'],
  ['scope'],
  ['transport', 'adapter', 'authentication', 'client', 'manifest'],
  ['application', 'node', 'idempotency'],
  ['express', 'koa', 'fetch', 'socketio', 'events', 'sync', 'oauth', 'memory', 'kysely', 'openapi'],
  ['cli', 'mcp', 'otel']
]

/** These run in a browser: nothing that they reach may import from Node. */
const PORTABLE = 'index errors hooks query adapter memory fetch client schema openapi events'.split(' ')

/** What Node and browsers both have, or a package provides under the same name. */
const NODE_MODULE = /^node:/

interface Module {
  /** Without `src/` and without the extension: `core/router`. */
  readonly name: string
  readonly source: ts.SourceFile
  readonly imports: readonly string[]
  /** Packages, and modules of Node. */
  readonly packages: readonly string[]
}

const sources = readSources()

const modules: readonly Module[] = sources
  .filter(({ fileName }) => fileName.startsWith('src/'))
  .map((source) => readModule(source))

function readModule(source: ts.SourceFile): Module {
  const file = source.fileName.slice('src/'.length)
  const targets = listTargets(source)

  return {
    name: toName(file),
    source,
    imports: targets
      .filter((target) => target.startsWith('.'))
      .map((target) => toName(relative(SRC, resolve(SRC, dirname(file), target)))),
    packages: targets.filter((target) => !target.startsWith('.'))
  }
}

/** What a source imports, in each form: declarations, `export … from`, types, and calls of `import`. */
function listTargets(source: ts.SourceFile): readonly string[] {
  const targets: string[] = []

  visitNodes(source, (node) => {
    const target = toTarget(node)

    if (target && ts.isStringLiteral(target)) targets.push(target.text)
  })

  return targets
}

function toTarget(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier
  if (ts.isImportTypeNode(node))
    return ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined
  if (!ts.isCallExpression(node)) return undefined

  return node.expression.kind === ts.SyntaxKind.ImportKeyword ? node.arguments[0] : undefined
}

function toName(file: string): string {
  return file.replace(/\.tsx?$/, '')
}

/**
 * The folder of a module; a file of its own at the top is a floor of its own, or an entry. A folder in a folder that has
 * no floor is part of that one.
 */
function folderOf(name: string): string {
  if (!name.includes('/')) return name

  const folder = dirname(name)

  return folder.includes('/') && !FLOORS.flat().includes(folder) ? folderOf(folder) : folder
}

function floorOf(name: string): number {
  const isEntry = !name.includes('/') && name !== 'errors'

  return isEntry ? FLOORS.length : FLOORS.findIndex((floor) => floor.includes(folderOf(name)))
}

/** The circles among modules of one folder, each as a path that ends where it begins. */
function findCircles(folder: string): readonly string[] {
  const inside = modules.filter(({ name }) => name.includes('/') && folderOf(name) === folder)
  const importsOf = new Map(inside.map(({ name, imports }) => [name, imports]))
  const finished = new Set<string>()
  const circles: string[] = []

  function visit(name: string, path: readonly string[]): void {
    if (path.includes(name)) {
      circles.push([...path.slice(path.indexOf(name)), name].join(' → '))
    } else if (!finished.has(name)) {
      for (const target of importsOf.get(name) ?? []) visit(target, [...path, name])
      finished.add(name)
    }
  }

  for (const { name } of inside) visit(name, [])

  return circles
}

it('every module stands on a floor', () => {
  const homeless = modules.filter(({ name }) => floorOf(name) === -1)

  expect(homeless.map(({ name }) => name)).toEqual([])
})

it('arrows between folders point down', () => {
  const upward = modules.flatMap(({ name, imports }) =>
    imports
      .filter((target) => folderOf(target) !== folderOf(name) || !name.includes('/'))
      .filter((target) => floorOf(target) >= floorOf(name))
      .map((target) => `${name} → ${target}`)
  )

  expect(upward).toEqual([])
})

it('no circle runs through the files of a folder, types included', () => {
  expect(FLOORS.flat().flatMap(findCircles)).toEqual([])
})

it('what runs in a browser imports nothing of Node', () => {
  const byName = new Map(modules.map((module) => [module.name, module]))

  for (const entry of PORTABLE) {
    const reached = new Set([entry])

    for (const name of reached) {
      for (const target of (byName.get(name) as Module).imports) reached.add(target)
    }

    const offending = [...reached].filter((name) =>
      byName.get(name)?.packages.some((target) => NODE_MODULE.test(target))
    )

    expect(offending, entry).toEqual([])
  }
})

it('adapters take only types from core, so that they run without an application', () => {
  const adapters = modules.filter(
    ({ name }) => ['adapter', 'memory'].includes(folderOf(name)) && name.includes('/')
  )
  const offending = adapters.filter(({ source }) =>
    /^(?:import|export) (?!type\b)[^'"]*?from '\.\.\/core\//m.test(source.text)
  )

  expect(offending.map(({ name }) => name)).toEqual([])
})

it('a database is a file: nothing but its dialect asks which one it is', () => {
  const outside = modules.filter(
    ({ name }) => name.startsWith('kysely/') && !name.startsWith('kysely/dialects/')
  )
  const asking = outside.filter(({ source }) => {
    const code = source.text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')

    return /['"`](?:sqlite|postgres(?:ql)?|mysql|mariadb)['"`]|dialect\.name\b/i.test(code)
  })

  expect(asking.map(({ name }) => name)).toEqual([])
})

it('every entry of the package is a file at the top of src, and the other way round', () => {
  const { exports } = JSON.parse(readFileSync(resolve(SRC, '../package.json'), 'utf8'))
  const entries = readdirSync(SRC).filter((file) => file.endsWith('.ts'))
  const expected = Object.fromEntries(
    entries.map((file) => {
      const name = file.slice(0, -3)
      const target = { types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` }

      return [name === 'index' ? '.' : `./${name}`, target]
    })
  )

  expect(exports).toEqual({ ...expected, './package.json': './package.json' })
})

it('at most 12 of 1,000 lines name `any`', () => {
  const lines = sources.reduce((sum, { text }) => sum + text.split('\n').length - 1, 0)
  const count = sources.reduce((sum, source) => sum + countAny(source), 0)

  expect((count / lines) * 1000).toBeLessThanOrEqual(12)
})

/** How often the type `any` is written in a source; strings and comments do not count. */
function countAny(source: ts.SourceFile): number {
  let count = 0

  visitNodes(source, ({ kind }) => {
    if (kind === ts.SyntaxKind.AnyKeyword) count++
  })

  return count
}
