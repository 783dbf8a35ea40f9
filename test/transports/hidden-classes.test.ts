import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const PROGRAM = resolve(import.meta.dirname, 'support/warm-requests.mjs')

// V8 makes a hidden class for each copy that a spread has made and that then gets another property. That takes ten times as
// long as the copy, and slows down all that reads it; a profile shows neither.
it('a warm server makes no hidden classes', { timeout: 120_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alula-maps-'))
  const log = join(folder, 'v8.log')

  try {
    await promisify(execFile)(process.execPath, [
      ...['--log-maps', `--logfile=${log}`, '--no-logfile-per-isolate'],
      PROGRAM
    ])

    const lines = (await readFile(log, 'latin1')).split('\n').filter((line) => line.startsWith('map,'))
    const [start, end] = ['watchedFromHere', 'watchedUntilHere'].map((name) =>
      lines.findIndex((line) => line.endsWith(name))
    ) as [number, number]

    expect(start).toBeGreaterThan(0)
    expect(end).toBeGreaterThan(start)
    expect(listRepeated(lines.slice(start + 1, end))).toEqual([])
  } finally {
    await rm(folder, { recursive: true })
  }
})

/** The classes that were made again and again, each with what made it: event, line, column, and the name of the property. */
function listRepeated(lines: readonly string[]): string[] {
  const counts = new Map<string, number>()

  for (const line of lines) {
    const [, event, , , , , row, column, , name] = line.split(',')

    // The class of an error whose stack is captured: it is made once.
    if (event === 'NormalizeCached') continue

    const place = `${event} ${row}:${column} ${name}`

    counts.set(place, (counts.get(place) ?? 0) + 1)
  }

  // A few are made late.
  return [...counts].filter(([, count]) => count >= 20).map(([place, count]) => `${place}, ${count} times`)
}
