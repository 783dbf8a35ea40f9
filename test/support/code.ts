import { rm, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import ts from 'typescript'
import { runNode } from './command.ts'
import { createPackageFolder } from './package-folder.ts'

const COMPILER = resolve(import.meta.dirname, '../../node_modules/typescript7/bin/tsc')

/** What cannot be imported: a module that is not there, or a name that a module does not have. */
const IMPORTS = [2305, 2307, 2614, 2724]

/** Names that a block takes from its surroundings. */
const UNKNOWN_NAMES = [2304, 2503, 2552, 2582]

/** A module that is not there: one that is imported, or one whose types a block adds to. */
const UNKNOWN_MODULES = [2307, 2664]

/** A class whose methods are in other blocks. */
const UNFINISHED_CLASSES = [2515, 2653, 2654, 2655, 2656]

/** Readers have the options that `tsc --init` writes. */
const OPTIONS = {
  target: 'es2023',
  module: 'nodenext',
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  noEmit: true,
  skipLibCheck: true
}

/** Enough to parse one file. */
const PARSING: ts.CompilerOptions = { noResolve: true, noLib: true, types: [] }

/** A block of code of a document. */
export interface Block {
  readonly name: string
  readonly language: string
  readonly code: string
}

/** The blocks of code of a document that are JavaScript or TypeScript. */
export function readCode(page: string, markdown: string): Block[] {
  const blocks = [...markdown.matchAll(/^```(js|ts)\n([\s\S]*?)^```/gm)]

  return blocks.map(([, language, code], index) => ({
    name: `${page}, block ${index + 1}`,
    language: language as string,
    code: code as string
  }))
}

/**
 * What is wrong with blocks of code: what does not parse, what imports from alula what is not there, and in TypeScript
 * that needs nothing from outside, what does not compile. `…` stands for an expression, and a block may be a part of a
 * class or an object.
 */
export async function findFaults(blocks: readonly Block[]): Promise<string[]> {
  const parsed = blocks.map(({ code }) => parse(code))
  const errors = await compile(
    blocks.map(({ language }, index) => {
      const { source, faults } = parsed[index] as Parsed

      // The rest of JavaScript does not count, and behind what does not parse nothing is checked.
      return language === 'ts' && faults.length === 0 ? source.text : toImports(source)
    })
  )

  return blocks.flatMap(({ name, language }, index) => {
    const { faults } = parsed[index] as Parsed
    const semantics = errors.filter((error) => error.index === index && !isElsewhere(error))
    const isWhole = language === 'ts' && !semantics.some(({ code }) => UNKNOWN_NAMES.includes(code))
    const counting = isWhole ? semantics : semantics.filter(({ code }) => IMPORTS.includes(code))

    return [...faults, ...counting.map(({ message }) => message)].map((fault) => `${name}: ${fault}`)
  })
}

/** A block as a module, and what does not parse. */
interface Parsed {
  readonly source: ts.SourceFile
  readonly faults: readonly string[]
}

/** What the compiler says of a block. */
interface CompilerError {
  readonly index: number
  readonly code: number
  readonly message: string
}

/** Reads a block as what it is: a module, or a part of a class or an object. */
function parse(code: string): Parsed {
  const whole = code.replaceAll('…', 'undefined')
  const parsed = parseModule(whole)
  const readings = [`class Part {\n${whole}}`, `const part = {\n${whole}}`]

  return (
    [parsed, ...(parsed.faults.length > 0 ? readings.map(parseModule) : [])].find(
      ({ faults }) => faults.length === 0
    ) ?? parsed
  )
}

function parseModule(code: string): Parsed {
  const source = ts.createSourceFile('block.ts', `${code}\nexport {}\n`, ts.ScriptTarget.ES2023)
  const host = { ...ts.createCompilerHost(PARSING), getSourceFile: () => source }
  const faults = ts.createProgram([source.fileName], PARSING, host).getSyntacticDiagnostics()

  return {
    source,
    faults: faults.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
  }
}

/** What a module imports, without the rest of it. */
function toImports(source: ts.SourceFile): string {
  const statements = source.statements.filter(
    (statement) =>
      ts.isImportDeclaration(statement) || (ts.isExportDeclaration(statement) && statement.moduleSpecifier)
  )
  const imports = statements.map((statement) => statement.getText(source))
  const calls = ts
    .preProcessFile(source.text)
    .importedFiles.filter(({ fileName }) => !imports.some((text) => text.includes(`'${fileName}'`)))
    .map(({ fileName }) => `void import('${fileName}')`)

  return [...imports, ...calls, 'export {}\n'].join('\n')
}

/** Compiles modules, each with its index as its name. */
async function compile(texts: readonly string[]): Promise<CompilerError[]> {
  const folder = createPackageFolder()
  const config = { compilerOptions: OPTIONS, include: ['*.mts'] }

  try {
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    await Promise.all(texts.map((text, index) => writeFile(join(folder, `${index}.mts`), text)))

    const { stdout } = await runNode([COMPILER, '-p', folder, '--pretty', 'false'], { cwd: folder })
    const errors = stdout.matchAll(/^(\d+)\.mts\(.+?\): error TS(\d+): (.+)$/gm)

    return [...errors].map(([, index, code, message]) => ({
      index: Number(index),
      code: Number(code),
      message: message as string
    }))
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Packages that only the reader needs, files that a page tells of, and the other methods of a class. */
function isElsewhere({ code, message }: CompilerError): boolean {
  return UNFINISHED_CLASSES.includes(code) || (UNKNOWN_MODULES.includes(code) && !message.includes("'alula"))
}
