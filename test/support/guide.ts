import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readBlocks } from './session.ts'

/** A section of a guide, by its heading. */
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

/**
 * Reads a page of the documents.
 *
 * @param name The name of its file
 */
export async function readGuide(name: string): Promise<Guide> {
  const page = await readFile(resolve(import.meta.dirname, '../../docs', `${name}.md`), 'utf8')
  const sections = new Map(
    page
      .split(/^##+ /m)
      .slice(1)
      .map((text) => [text.slice(0, text.indexOf('\n')), text])
  )
  const [program] = readBlocks(page, 'js') as [string]

  return {
    program,
    read(heading) {
      const text = sections.get(heading)

      if (text === undefined) throw new Error(`There is no section '${heading}'`)

      return { blocks: readBlocks(text, 'js'), sessions: readBlocks(text, 'console') }
    },
    extend: (...blocks) =>
      program.replace(/^(?=app\.use\(notFound\(\))/m, () => `${blocks.map((block) => `${block}\n`).join('')}`)
  }
}
