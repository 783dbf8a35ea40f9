import fc from 'fast-check'
import ts from 'typescript5'
import { expect, it } from 'vitest'
import { scaled } from '../../../test/support/scale.ts'
import { isClientFile, lookUp, REPLACEMENTS, type Replacement, resolveName } from '../src/packages.ts'
import { rewriteSource } from '../src/rewrite.ts'

// Modules of Feathers and of alula are declared with one name for each export: the place where the table says that it lives.
// A random program then has to mean the same to the compiler, before and after.

const PLAIN = ['alpha', 'beta']
const HASH = '@feathersjs/authentication-local/lib/hooks/hash-password'
const PACKAGES = [...Object.keys(REPLACEMENTS), HASH]

interface Program {
  readonly source: string
  readonly path: string
}

interface Universe {
  /** Kinds of names by module. */
  readonly modules: Map<string, Map<string, { readonly brand: string; readonly isFunction: boolean }>>
}

function replacementOf(name: string, isClient: boolean): Replacement {
  return (lookUp(name, isClient) as { replacement: Replacement }).replacement
}

function namesOf({ main, moved = {}, gone = {} }: Replacement): string[] {
  return [...PLAIN, ...Object.keys(moved), ...Object.keys(gone), ...(main ? ['default'] : [])]
}

function brandOf(name: string, exported: string, isClient: boolean): string {
  const replacement = replacementOf(name, isClient)
  const target = resolveName(replacement, exported)

  if (typeof target === 'string') return `${name}#${exported}`
  if (target.name === 'default' && target.from === replacement.entry)
    return `${target.from}#${replacement.main}`

  return `${target.from}#${target.name ?? exported}`
}

/** The modules of both libraries, as files that use them see them. */
function declareModules(isClient: boolean): string {
  const ours: Universe['modules'] = new Map()
  const texts: string[] = []

  for (const name of PACKAGES) {
    const replacement = replacementOf(name, isClient)
    const { main } = replacement
    const classes = namesOf(replacement)
      .filter((one) => one !== 'default')
      .map((one) => `export ${declareClass(one, brandOf(name, one, isClient))}`)
      .join('\n')
    const own = main && `function main(): { brand: '${replacement.entry}#${main}' }`

    texts.push(
      main
        ? `declare module '${name}' {\n${own}\nnamespace main {\n${classes}\nexport { main as default, main as ${main} }\n}\nexport = main\n}`
        : `declare module '${name}' {\n${classes}\n}`
    )
    for (const one of namesOf(replacement)) {
      const target = resolveName(replacement, one)

      if (typeof target === 'string') continue
      add(ours, target.from, target.name ?? one, one === 'default')
    }
    if (main) add(ours, replacement.entry, main, true)
    for (const one of PLAIN) add(ours, replacement.entry, one, false)
  }
  for (const [module, names] of ours) texts.push(declareOurs(module, names))

  return `${PRELUDE}${texts.join('\n')}`
}

function add(modules: Universe['modules'], from: string, name: string, isFunction: boolean): void {
  const names = modules.get(from) ?? new Map()

  modules.set(from, names)
  if (isFunction || !names.has(name)) names.set(name, { brand: `${from}#${name}`, isFunction })
}

function declareOurs(module: string, names: Map<string, { brand: string; isFunction: boolean }>): string {
  const main = REPLACEMENTS['@feathersjs/express']?.main
  const lines = [...names].map(([name, { brand, isFunction }]) => {
    if (name === 'default' && names.size > 1) return `export { ${main} as default }`
    if (name === 'default') return `${declareClass('only', brand)}\nexport = only`

    return `export ${isFunction ? `function ${name}(): { brand: '${brand}' }` : declareClass(name, brand)}`
  })

  return `declare module '${module}' {\n${lines.join('\n')}\n}`
}

function declareClass(name: string, brand: string): string {
  return `class ${name} { static brand: '${brand}'; brand: '${brand}' }`
}

const PRELUDE = `
interface Array<T> { [index: number]: T }
interface Boolean {} interface CallableFunction {} interface Function {} interface IArguments {}
interface NewableFunction {} interface Number {} interface Object {} interface RegExp {} interface String {}
interface PromiseLike<T> { then<R>(f: (value: T) => R): PromiseLike<R> }
interface Promise<T> { then<R>(f: (value: T) => R): Promise<R> }
interface PromiseConstructor { new <T>(f: (resolve: (value: T) => void) => void): Promise<T> }
declare var Promise: PromiseConstructor
declare function use(id: number, value: unknown): void
`

const STUBS = [false, true].map((isClient) => {
  const text = declareModules(isClient)

  return ts.createSourceFile('stubs.d.ts', text, ts.ScriptTarget.ES2022, true)
})

/** What a program means: the place of each name that it uses or exports, by number or name, and its errors. */
function readMeaning({ source, path }: Program, isClient: boolean) {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    target: ts.ScriptTarget.ES2022,
    allowSyntheticDefaultImports: true,
    esModuleInterop: false,
    allowJs: true,
    checkJs: true,
    noLib: true,
    noEmit: true,
    types: []
  }
  const kind = path.endsWith('.js') ? ts.ScriptKind.JS : ts.ScriptKind.TS
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.ES2022, true, kind)
  const stubs = STUBS[Number(isClient)]
  const program = ts.createProgram([path, 'stubs.d.ts'], options, {
    getSourceFile: (name) => (name === path ? file : name === 'stubs.d.ts' ? stubs : undefined),
    fileExists: (name) => [path, 'stubs.d.ts'].includes(name),
    readFile: () => undefined,
    writeFile: () => undefined,
    getDefaultLibFileName: () => 'lib.d.ts',
    getCurrentDirectory: () => '',
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n'
  })
  const checker = program.getTypeChecker()
  const meaning = new Map<string, string>()
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && node.expression.getText() === 'use') {
      const [id, value] = node.arguments as unknown as [ts.Node, ts.Node]

      meaning.set(id.getText(), checker.typeToString(checker.getTypeAtLocation(value)))
    }
    if (ts.isVariableDeclaration(node) && /^t\d+$/.test(node.name.getText())) {
      meaning.set(node.name.getText(), checker.typeToString(checker.getTypeAtLocation(node)))
    }
    ts.forEachChild(node, visit)
  }
  const module = checker.getSymbolAtLocation(file)

  visit(file)
  for (const symbol of module ? checker.getExportsOfModule(module) : []) {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol

    meaning.set(`export ${symbol.name}`, readBrand(target))
  }

  const errors = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].map(
    ({ start, messageText }) =>
      `${file.getLineAndCharacterOfPosition(start as number).line + 1}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`
  )

  return { meaning, errors }
}

function readBrand(symbol: ts.Symbol): string {
  return (
    /brand: ("[^"]+")|$/.exec(symbol.declarations?.[0]?.getText().replaceAll("'", '"') ?? '')?.[1] ??
    symbol.name
  )
}

/** One statement, and lines that use what it binds. */
interface Piece {
  readonly statement: string
  readonly uses: readonly string[]
}

const packageNames = fc.constantFrom(...PACKAGES)
const quotes = fc.constantFrom("'", '"')
const semicolons = fc.constantFrom('', ';')
const lists = fc.constantFrom(
  (names: string[]) => `{ ${names.join(', ')} }`,
  (names: string[]) => `{${names.join(',')}}`,
  (names: string[]) => `{\n  ${names.join(',\n  ')}\n}`,
  (names: string[]) => `{\n  ${names.join(', // why\n  ')},\n}`
)
const forms = fc.constantFrom(
  ...[
    'named',
    'mixed',
    'default',
    'both',
    'namespace',
    'type',
    'export',
    'exportType',
    'star',
    'equals',
    'importType'
  ],
  ...['awaited', 'member']
)
const requires = fc.constantFrom('named', 'whole', 'member', 'several')

/** Numbers statements and uses, so that each has a name of its own. */
class Writer {
  count = 0

  next(): number {
    this.count += 1

    return this.count
  }

  useValue(local: string, isMain = false): string {
    return `use(${this.next()}, ${local}${isMain ? '()' : ''}.brand)`
  }

  useType(local: string): string {
    return `let t${this.next()}!: ${local}['brand']`
  }
}

const ingredients = fc.record({
  name: packageNames,
  form: forms,
  require: requires,
  quote: quotes,
  end: semicolons,
  list: lists,
  chosen: fc.infiniteStream(fc.nat()),
  isShadowed: fc.boolean(),
  hasMembers: fc.boolean()
})

type Ingredients = typeof ingredients extends fc.Arbitrary<infer One> ? One : never

function pick(all: readonly string[], chosen: Iterator<number>, count: number): string[] {
  const picked = new Set<string>()

  for (let index = 0; index < count; index++) picked.add(all[chosen.next().value % all.length] as string)

  return [...picked]
}

/** A statement of TypeScript. */
function writePiece(writer: Writer, one: Ingredients): Piece {
  const { name, form, quote, end, list, chosen, isShadowed, hasMembers } = one
  const replacement = replacementOf(name, false)
  const names = pick(
    namesOf(replacement).filter((exported) => exported !== 'default'),
    chosen,
    1 + (chosen.next().value % 4)
  )
  const from = `from ${quote}${name}${quote}${end}`
  const locals = names.map(() => `l${writer.next()}`)
  const bind = (prefix = '') =>
    list(names.map((exported, index) => `${prefix}${exported} as ${locals[index]}`))
  const values = locals.map((local) => writer.useValue(local))
  const types = locals.map((local) => writer.useType(local))
  const whole = `w${writer.next()}`
  const shadow = isShadowed
    ? [`{ const ${whole} = { default: { brand: 1 } }; ${writer.useValue(`${whole}.default`)} }`]
    : []
  const members = hasMembers ? names.map((exported) => writer.useValue(`${whole}.${exported}`)) : []
  const ofMain = [writer.useValue(whole, true), ...members, ...shadow]

  switch (replacement.main || !['default', 'both'].includes(form) ? form : 'named') {
    case 'mixed':
      return { statement: `import ${bind('type ')} ${from}`, uses: types }
    case 'default':
      return { statement: `import ${whole} ${from}`, uses: ofMain }
    case 'both':
      return { statement: `import ${whole}, ${bind()} ${from}`, uses: [...ofMain, ...values, ...types] }
    case 'namespace':
      return {
        statement: `import * as ${whole} ${from}`,
        uses: [...names.map((exported) => writer.useValue(`${whole}.${exported}`)), ...shadow]
      }
    case 'type':
      return { statement: `import type ${bind()} ${from}`, uses: types }
    case 'export':
      return { statement: `export ${bind()} ${from}`, uses: [] }
    case 'exportType':
      return { statement: `export type ${bind()} ${from}`, uses: [] }
    case 'star':
      return { statement: `export * ${from}`, uses: [] }
    case 'equals':
      return {
        statement: `import ${whole} = require(${quote}${name}${quote})${end}`,
        uses: names.map((exported) => writer.useValue(`${whole}.${exported}`))
      }
    case 'importType':
      return {
        statement: '',
        uses: names.map((exported) => writer.useType(`import(${quote}${name}${quote}).${exported}`))
      }
    case 'awaited':
      return {
        statement: `const ${list(names.map((exported, index) => `${exported}: ${locals[index]}`))} = await import(${quote}${name}${quote})${end}`,
        uses: values
      }
    case 'member':
      return {
        statement: `const ${locals[0]} = (await import(${quote}${name}${quote})).${names[0]}${end}`,
        uses: values.slice(0, 1)
      }
    default:
      return { statement: `import ${bind()} ${from}`, uses: [...values, ...types] }
  }
}

/** A statement of JavaScript in CommonJS. */
function writeRequire(writer: Writer, one: Ingredients): Piece {
  const { name, require: form, quote, end, list, chosen, hasMembers, isShadowed } = one
  const replacement = replacementOf(name, false)
  const names = pick(
    namesOf(replacement).filter((exported) => exported !== 'default'),
    chosen,
    1 + (chosen.next().value % 4)
  )
  const locals = names.map(() => `l${writer.next()}`)
  const values = locals.map((local) => writer.useValue(local))
  const load = `require(${quote}${name}${quote})`
  const pattern = list(names.map((exported, index) => `${exported}: ${locals[index]}`))
  const whole = `w${writer.next()}`
  const members = names.map((exported) => writer.useValue(`${whole}.${exported}`))
  const shadow = isShadowed
    ? [`((${whole}) => { ${writer.useValue(`${whole}.default`)} })({ default: { brand: 1 } })`]
    : []

  switch (form) {
    case 'whole':
      return {
        statement: `const ${whole} = ${load}${end}`,
        uses: [
          ...(replacement.main ? [writer.useValue(whole, true)] : []),
          ...(hasMembers || !replacement.main ? members : []),
          ...shadow
        ]
      }
    case 'member':
      return { statement: `const ${locals[0]} = ${load}.${names[0]}${end}`, uses: values.slice(0, 1) }
    case 'several':
      return { statement: `const ${whole} = 1, ${pattern} = ${load}${end}`, uses: values }
    default:
      return { statement: `const ${pattern} = ${load}${end}`, uses: values }
  }
}

function toProgram(pieces: readonly Ingredients[], isScript: boolean): Program {
  const writer = new Writer()
  const written = pieces.map((piece) => (isScript ? writeRequire(writer, piece) : writePiece(writer, piece)))
  const lines = [
    ...written.map(({ statement }) => statement),
    ...written.flatMap(({ uses }) => uses.map((use) => `;${use}`))
  ]

  return { source: `${lines.join('\n')}\n${isScript ? '' : 'export {}\n'}`, path: isScript ? 'a.js' : 'a.ts' }
}

/** Names that the tool has reported: their lines in the old text. */
function readReported(program: Program, lines: readonly number[]): Set<string> {
  const reported = lines.map((line) => program.source.split('\n')[line - 1] ?? '')

  return new Set(
    reported.map((line) => /^;use\((\d+)/.exec(line)?.[1] ?? /^;let (t\d+)/.exec(line)?.[1] ?? '')
  )
}

let compared = 0

it.each([
  ['imports, re-exports and types', false],
  ['requires', true]
])(
  'what the tool leaves of random programs means the same: %s',
  (_, isScript) => {
    compared = 0

    fc.assert(
      fc.property(fc.array(ingredients, { minLength: 1, maxLength: 4 }), (pieces) => {
        const program = toProgram(pieces, isScript)
        const isClient = isClientFile(pieces.map(({ name }) => name))
        const before = readMeaning(program, isClient)

        fc.pre(before.errors.length === 0)

        const { text, remarks } = rewriteSource(program.source, program.path)
        const after = readMeaning({ ...program, source: text }, isClient)
        const reported = readReported(
          program,
          remarks.map(({ line }) => line)
        )
        const shown = () => `${program.source}\n→\n${text}\n${after.errors.join('\n')}`

        for (const [name, meaning] of before.meaning) {
          const isOfStar = /^export (?!l\d)/.test(name)
          const isGone =
            isOfStar &&
            (meaning.includes('@feathersjs') || remarks.some(({ text }) => /^not every/.test(text)))

          if (reported.has(name) || isGone || meaning === 'any') continue
          expect(after.meaning.get(name), `${name} of\n${shown()}`).toBe(meaning)
          compared += 1
        }
        if (reported.size === 0) expect(after.errors, shown()).toEqual([])

        const again = rewriteSource(text, program.path)

        expect(again.text, shown()).toBe(text)
        expect(again.changes).toEqual([])
      }),
      { numRuns: scaled(2_500) }
    )

    expect(compared).toBeGreaterThan(scaled(2_500))
  },
  600_000
)
