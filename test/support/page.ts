// Reads pages of the documents, and makes programs of their blocks of code.

import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import ts from 'typescript'

const BLOCK = /^```(\w*)\n([\s\S]*?)^```/gm
const IMPORT = /^import (?:(\w+)(?:, )?)?(?:\{([^}]+)\} )? ?from ('[^']*').*$/gm

/** A line that shows what an expression returns, or the error that it rejects with. */
const RESULT = /^( *)(.*\S)(?: +|\n *)\/\/ → (?:([A-Z]\w+): )?(.+)$/gm

/** A section of a guide. */
export interface Section {
  readonly blocks: readonly string[]
  readonly sessions: readonly string[]
}

/** The first program of a page, and the sections that add to it. */
export interface Guide {
  readonly program: string
  read(heading: string): Section
  /** The first program with further blocks of code, before the middleware for errors. */
  extend(...blocks: readonly string[]): string
}

/** A program of a page, and the blocks after it that show what it does. */
export interface ShownProgram {
  readonly heading: string
  readonly code: string
  /** Commands, and what they print. */
  readonly sessions: readonly string[]
  /** Expressions, and what they return. */
  readonly fragments: readonly string[]
}

/**
 * Reads a page of the documents.
 *
 * @param name The name of its file in `docs`, without the extension
 */
export async function readPage(name: string): Promise<string> {
  return await readFile(resolve(import.meta.dirname, '../../docs', `${name}.md`), 'utf8')
}

/** The part of a document below a heading, up to the next one of the same or a higher level. */
export function readSection(markdown: string, heading: string): string {
  const level = ['##', '###'].find((level) => markdown.includes(`\n${level} ${heading}\n`))

  if (level === undefined) throw new Error(`The document has no section '${heading}'`)

  const [, section = ''] = markdown.split(`\n${level} ${heading}\n`)

  return section.split(level === '##' ? /^## /m : /^##+ /m)[0] as string
}

/** The blocks of code of a document that are in one language. */
export function readBlocks(markdown: string, language: string): string[] {
  return [...markdown.matchAll(BLOCK)]
    .filter((block) => block[1] === language)
    .map((block) => block[2] as string)
}

/** Reads a page whose sections add to its first program. */
export async function readGuide(name: string): Promise<Guide> {
  const page = await readPage(name)
  const [program] = readBlocks(page, 'js') as [string]

  return {
    program,
    read(heading) {
      const section = readSection(page, heading)

      return { blocks: readBlocks(section, 'js'), sessions: readBlocks(section, 'console') }
    },
    extend: (...blocks) =>
      program.replace(/^(?=app\.use\(notFound\(\))/m, () => `${blocks.map((block) => `${block}\n`).join('')}`)
  }
}

/**
 * Lists the programs of a page with what it shows of each: `console` blocks, and blocks with `// →`. A block with
 * `const app =` is a program.
 *
 * @param markdown The page
 * @param frame Makes a program of another block and the first program; without it, such a block is none
 */
export function listPrograms(
  markdown: string,
  frame?: (part: string, first: string) => string
): ShownProgram[] {
  const programs: { heading: string; code: string; sessions: string[]; fragments: string[] }[] = []
  let heading = ''
  let fragments: string[] = []

  for (const [, title, language, block = ''] of markdown.matchAll(
    /^#+ (.+)$|^```(js|ts|console)\n([\s\S]*?)^```/gm
  )) {
    const code = language === 'ts' ? toJavaScript(block) : block

    if (title !== undefined) heading = title
    else if (language === 'console') programs.at(-1)?.sessions.push(code)
    else if (code.includes('const app = ')) {
      fragments = []
      programs.push({ heading, code, sessions: [], fragments })
    } else if (code.includes('// → ')) fragments.push(code)
    else if (frame) {
      const first = programs[0]?.code ?? ''

      programs.push({ heading, code: frame(code, first), sessions: [], fragments: [] })
    }
  }

  return programs
}

/** Removes the types of blocks of TypeScript, as one module. */
export function toJavaScript(...code: readonly string[]): string {
  return ts.transpile(code.join('\n'), {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true
  })
}

/** Joins blocks as one module: the imports, each name once, and then the statements. */
export function toModule(...blocks: readonly string[]): string {
  const code = blocks.join('\n')
  const imports = [...code.matchAll(IMPORT)].flatMap(([, standard, names, module]) => [
    ...(standard ? [`import ${standard} from ${module}`] : []),
    ...(names?.split(',') ?? []).map((name) => `import { ${name.trim()} } from ${module}`)
  ])

  return [...new Set(imports), code.replaceAll(IMPORT, '')].join('\n')
}

/** Makes a block that can follow a program that has the same imports and names. */
export function toLocal(block: string): string {
  const statements = block.replaceAll(IMPORT, (_line, standard, names, module) => {
    const list = [standard && `default: ${standard}`, names?.replaceAll(' as ', ': ')].filter(Boolean)

    return `const { ${list.join(', ')} } = await import(${module})`
  })

  return `{\n${statements}}\n`
}

/** Makes a program compare what expressions return with `// → value`, and errors with `// → Name: message`. */
export function toChecks(code: string): string {
  const checks = code.replace(RESULT, (_line, space, expression, error, value) => {
    const result = expression.replace(/^await /, '')

    return error
      ? `${space}await assert.rejects(${result}, ${JSON.stringify({ name: error, message: value })})`
      : `${space}assert.deepEqual(await ${result}, ${value})`
  })

  if (checks.includes('// → ')) throw new Error(`There is a value without an expression:\n${checks}`)

  return `import assert from 'node:assert/strict'\n${checks}`
}
