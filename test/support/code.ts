import { join, resolve } from 'node:path'
import ts from 'typescript'

const ROOT = resolve(import.meta.dirname, '../..')

/** What cannot be imported: a module that is not there, or a name that a module does not have. */
const IMPORTS = [2305, 2307, 2614, 2724]

/** Names that a block takes from its surroundings. */
const UNKNOWN_NAMES = [2304, 2503, 2552, 2582]

/** A class whose methods are in other blocks. */
const UNFINISHED_CLASSES = [2515, 2653, 2654, 2655, 2656]

const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
  strict: true,
  noEmit: true,
  skipLibCheck: true
}

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
export function findFaults(blocks: readonly Block[]): string[] {
  const files = new Map(blocks.map((block, index) => [join(ROOT, `block-${index}.ts`), block]))
  const program = createProgram(new Map([...files].map(([file, { code }]) => [file, toModule(code)])))

  return [...files].flatMap(([file, { name, language }]) => {
    const source = program.getSourceFile(file) as ts.SourceFile
    const syntax = program.getSyntacticDiagnostics(source)
    const semantics = program.getSemanticDiagnostics(source).filter((fault) => !isElsewhere(fault))
    const isWhole = language === 'ts' && !semantics.some(({ code }) => UNKNOWN_NAMES.includes(code))
    const counting = isWhole ? semantics : semantics.filter(({ code }) => IMPORTS.includes(code))

    return [...syntax, ...counting].map((fault) => `${name}: ${toMessage(fault)}`)
  })
}

function createProgram(contents: ReadonlyMap<string, string>): ts.Program {
  const host = ts.createCompilerHost(OPTIONS)
  const { fileExists, getSourceFile } = host

  host.fileExists = (file) => contents.has(file) || fileExists(file)
  host.getSourceFile = (file, ...rest) => {
    const content = contents.get(file)

    return content === undefined ? getSourceFile(file, ...rest) : ts.createSourceFile(file, content, rest[0])
  }

  return ts.createProgram([...contents.keys()], OPTIONS, host)
}

function toModule(code: string): string {
  const whole = code.replaceAll('…', 'undefined')
  const readings = [whole, `class Part {\n${whole}}`, `const part = {\n${whole}}`]

  return `${readings.find(isValid) ?? whole}\nexport {}\n`
}

function isValid(code: string): boolean {
  return (
    ts.transpileModule(code, { reportDiagnostics: true, compilerOptions: OPTIONS }).diagnostics?.length === 0
  )
}

/** Packages that only the reader needs, files that a page tells of, and the other methods of a class. */
function isElsewhere(fault: ts.Diagnostic): boolean {
  return (
    UNFINISHED_CLASSES.includes(fault.code) || (fault.code === 2307 && !toMessage(fault).includes("'alula"))
  )
}

function toMessage({ messageText }: ts.Diagnostic): string {
  return ts.flattenDiagnosticMessageText(messageText, ' ')
}
