// A generic that nobody tests becomes `any` unnoticed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, it } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

it('every generic that an entry exports is used by a test of types', () => {
  const entries = listEntries()
  const tests = ts.sys.readDirectory(import.meta.dirname, ['.test-d.ts'])
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, ROOT)
  const program = createProgram([...entries.values(), ...tests], { ...options, noLib: true, types: [] })
  const used = new Set(tests.flatMap((file) => listImports(file, program)).map(getOrigin))

  const exported = [...entries].flatMap(([entry, file]) =>
    listExports(file, program).map((symbol) => ({ name: `${entry} ${symbol.name}`, symbol }))
  )
  const generics = exported
    .filter(({ symbol }) => isGeneric(symbol))
    .map(({ name, symbol }) => ({ name, isUsed: used.has(getOrigin(symbol)) }))

  // What comes from outside is unknown here: Express and Koa themselves, which are no generics.
  expect(exported.filter(({ symbol }) => !symbol.declarations).map(({ name }) => name)).toEqual([
    'alula/express unknown',
    'alula/koa unknown'
  ])
  expect(generics.length).toBeGreaterThan(50)
  expect(generics.filter(({ isUsed }) => !isUsed).map(({ name }) => name)).toEqual([])
})

/** A program of our own files. Nothing is checked, so that what comes from outside need not be there. */
function createProgram(files: readonly string[], options: ts.CompilerOptions): ts.Program {
  const host = ts.createCompilerHost(options)

  host.resolveModuleNameLiterals = (literals, containing) =>
    literals.map(({ text }) =>
      text.startsWith('.')
        ? ts.resolveModuleName(text, containing, options, host)
        : { resolvedModule: undefined }
    )

  return ts.createProgram(files, options, host)
}

/** The sources of the entries by their names. */
function listEntries(): Map<string, string> {
  const { name, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

  return new Map(
    Object.entries<{ types?: string }>(exports)
      .filter(([, { types }]) => types !== undefined)
      .map(([key, { types }]) => [
        name + key.slice(1),
        join(ROOT, types?.replace('dist', 'src').replace('.d.ts', '.ts') as string)
      ])
  )
}

function listExports(file: string, program: ts.Program): ts.Symbol[] {
  const checker = program.getTypeChecker()
  const module = checker.getSymbolAtLocation(program.getSourceFile(file) as ts.SourceFile) as ts.Symbol

  return checker.getExportsOfModule(module).map((symbol) => toTarget(symbol, checker))
}

function listImports(file: string, program: ts.Program): ts.Symbol[] {
  const checker = program.getTypeChecker()
  const source = program.getSourceFile(file) as ts.SourceFile

  return source.statements.filter(ts.isImportDeclaration).flatMap(({ importClause }) => {
    const bindings = importClause?.namedBindings
    const named = bindings && ts.isNamedImports(bindings) ? bindings.elements : []
    const names = [importClause?.name, ...named.map((element) => element.name)]

    return names
      .filter((name) => name !== undefined)
      .map((name) => toTarget(checker.getSymbolAtLocation(name) as ts.Symbol, checker))
  })
}

/** What an export or an import stands for. */
function toTarget(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

/** An interface that is augmented is another symbol, and is declared in the same place. */
function getOrigin({ declarations }: ts.Symbol): ts.Declaration | undefined {
  return declarations?.[0]
}

function isGeneric({ declarations = [] }: ts.Symbol): boolean {
  return declarations.some(
    (declaration) =>
      'typeParameters' in declaration && (declaration.typeParameters as unknown[] | undefined)?.length
  )
}
