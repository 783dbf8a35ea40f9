// Reads the rows of docs/compatibility.md: each is written there alone, and tests name it by its anchor.

import { readPage } from './page.ts'

/** A difference from Feathers v5, or what is kept of it. */
export interface Row {
  /** The first two cells. */
  readonly text: string
  /** By which tests and other pages name the row; not every row needs one. */
  readonly anchor: string | undefined
  /** Its tests, without `test/` and `.test.ts`, or scripts of the package. */
  readonly tests: readonly string[]
}

/** Reads the rows of the tables whose last column is `Test`. */
export async function readRows(): Promise<Row[]> {
  const page = await readPage('compatibility')
  const tables = page.matchAll(/^\|.*\| Test \|\n\|[-|]+\|\n((?:\|.*\n)+)/gm)

  return [...tables].flatMap(([, lines = '']) => lines.trim().split('\n').map(toRow))
}

function toRow(line: string): Row {
  const [feathers = '', alula = '', , tests = ''] = line.slice(1, -1).split('|')
  const [, anchor] = /<a id="([^"]*)">/.exec(feathers) ?? []

  return {
    text: `${feathers} | ${alula}`.trim(),
    anchor,
    tests: [...tests.replaceAll(/\([^)]*\)/g, '').matchAll(/`([^`]+)`/g)].map(([, name]) => name as string)
  }
}
