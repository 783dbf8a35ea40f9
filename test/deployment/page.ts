// Reads the page for operators.
import { readBlocks, readPage, readSection } from '../support/page.ts'

/** A line that begins with the name of a file, or ends with it and a colon, and the block of code below it. */
const FILE = /^(?:`([\w./@-]*\.\w+|Dockerfile)`.*|.*`([\w./@-]*\.\w+)`:)\n\n```\w+\n([\s\S]*?)^```/gm

/** The page `deployment`. */
export const PAGE = await readPage('deployment')

/** The files that a part of the page shows, by path. */
export function readFiles(markdown: string): ReadonlyMap<string, string> {
  return new Map(
    [...markdown.matchAll(FILE)].map(([, first, last, code]) => [(first ?? last) as string, code as string])
  )
}

/** The `sh` blocks of a section, in order. */
export function readCommands(heading: string): readonly string[] {
  return readBlocks(readSection(PAGE, heading), 'sh')
}
