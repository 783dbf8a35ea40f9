import { existsSync, readdirSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { lookUp, MODULES, REPLACEMENTS, type Replacement, resolveName } from '../src/packages.ts'

const SRC = resolve(import.meta.dirname, '../../../src')
const PROBE = join(import.meta.dirname, 'probe.ts')

/** Part of a package that is installed, and of no use without the rest: its names are those of the others. */
const NOT_INSTALLED = ['@feathersjs/client']

const installed = Object.keys(REPLACEMENTS).filter((name) => !NOT_INSTALLED.includes(name))
const entries = readdirSync(SRC).filter((file) => file.endsWith('.ts'))
/** Modules of packages that are read as the package. */
const deep = installed.flatMap((name) =>
  Object.keys(MODULES)
    .filter((path) => existsSync(resolve(SRC, `../node_modules/${name}/lib/${path}.d.ts`)))
    .map((path) => `${name}/lib/${path}`)
)
const exported = readExports([...deep, ...installed, ...entries.map((file) => `../../../src/${file}`)])

it.each(installed)('every name that %s exports is found where the table says', (name) => {
  const known = lookUp(name)

  expect(known?.kind).toBe('replaced')
  expect(findLost(name, (known as { replacement: Replacement }).replacement)).toEqual([])
})

it.each(deep)('every name that %s exports is found where the table says', (name) => {
  const known = lookUp(name)

  expect(known?.kind).toBe('replaced')
  expect(findLost(name, (known as { replacement: Replacement }).replacement)).toEqual([])
})

it('every name of the core is found where a client imports it from', () => {
  const known = lookUp('@feathersjs/feathers', true) as { replacement: Replacement }

  expect(findLost('@feathersjs/feathers', known.replacement)).toEqual([])
})

it('what is said to have no counterpart has none under its name', () => {
  const found = installed.flatMap((name) => {
    const { entry, gone = {} } = (lookUp(name) as { replacement: Replacement }).replacement

    return Object.keys(gone).filter((lost) => exported.get(toFile(entry))?.has(lost))
  })

  expect(found).toEqual([])
})

it('a default export has a name in the entry that replaces the package', () => {
  for (const [name, { entry, main, hasDefault }] of Object.entries(REPLACEMENTS)) {
    const names = exported.get(toFile(entry))

    if (main) expect(names, name).toContain(main)
    if (hasDefault) expect(names, name).toContain('default')
  }
})

function findLost(name: string, replacement: Replacement): string[] {
  const names = [...(exported.get(name) as Set<string>)]

  expect(names.length).toBeGreaterThan(0)

  return names.filter((exportedName) => {
    const target = resolveName(replacement, exportedName)

    if (typeof target === 'string' || !target.from.startsWith('alula')) return false

    return !exported.get(toFile(target.from))?.has(target.name ?? exportedName)
  })
}

function toFile(entry: string): string {
  return `../../../src/${entry === 'alula' ? 'index' : basename(entry)}.ts`
}

/** What modules export, types included, by module. */
function readExports(modules: readonly string[]): Map<string, Set<string>> {
  const source = modules.map((module, index) => `import * as m${index} from '${module}'`).join('\n')
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    allowImportingTsExtensions: true,
    esModuleInterop: true,
    noEmit: true,
    types: ['node']
  }
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile } = host

  host.fileExists = (file) => file === PROBE || fileExists(file)
  host.getSourceFile = (file, ...others) =>
    file === PROBE
      ? ts.createSourceFile(file, source, ts.ScriptTarget.ES2023, true)
      : getSourceFile(file, ...others)

  const program = ts.createProgram([PROBE], options, host)
  const checker = program.getTypeChecker()
  const imports = program.getSourceFile(PROBE)?.statements.filter(ts.isImportDeclaration) ?? []

  return new Map(
    imports.map((statement, index) => {
      const symbol = checker.getSymbolAtLocation(statement.moduleSpecifier)
      const names = symbol ? checker.getExportsOfModule(symbol).map(({ name }) => name) : []

      // The module is the function, with its type in a namespace of the same name.
      return [modules[index] as string, new Set(names.length > 0 ? names : symbol ? ['default'] : [])]
    })
  )
}
