import { readFileSync } from 'node:fs'
import { type ExposureRow, exposure } from '../manifest/exposure.ts'
import { isSamePlain } from '../utils/object.ts'
import { type CommandOutcome, UsageError } from './command-outcome.ts'
import { assertFile, withApplication } from './load.ts'

/**
 * Lists who may call what of an application, which `file` exports as `default` or `app`; it is set up, and torn down.
 * `snapshot` is the path of what was printed before, to be compared. Returns the rows as JSON, one a line; with a snapshot, the
 * rows that differ. Throws UsageError for a file without an application, and a snapshot that is none.
 */
export async function auditFile(file: string, snapshot?: string): Promise<CommandOutcome> {
  const expected = snapshot === undefined ? undefined : readSnapshot(snapshot)
  const rows = await withApplication(file, exposure)

  return expected ? compare(expected, rows) : { code: 0, output: render(rows) }
}

function readSnapshot(path: string): readonly ExposureRow[] {
  assertFile(path)

  const rows = parse(decode(readFileSync(path)))

  if (
    !Array.isArray(rows) ||
    !rows.every((row) => typeof row?.service === 'string' && typeof row.method === 'string')
  ) {
    throw new UsageError(`'${path}' is no snapshot: expected what alula audit prints.`)
  }

  return rows
}

/** PowerShell writes what a command prints as UTF-16, with a mark at the start. */
function decode(bytes: Buffer): string {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe

  return new TextDecoder(isWide ? 'utf-16le' : 'utf-8').decode(bytes)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** One row a line, so that a comparison of two versions shows rows. */
function render(rows: readonly ExposureRow[]): string {
  return `[\n${rows.map((row) => `  ${JSON.stringify(row)}`).join(',\n')}\n]\n`
}

function compare(expected: readonly ExposureRow[], rows: readonly ExposureRow[]): CommandOutcome {
  const byName = new Map(rows.map((row) => [toName(row), row]))
  const known = new Set(expected.map(toName))
  const differences = [
    ...expected.flatMap((row) => describeDifference(row, byName.get(toName(row)))),
    ...rows.filter((row) => !known.has(toName(row))).map((row) => `${toName(row)}: is new, for ${row.who}`)
  ]

  return differences.length === 0
    ? { code: 0, output: `${rows.length} methods, as in the snapshot.\n` }
    : { code: 1, output: `${differences.join('\n')}\n` }
}

function describeDifference(expected: ExposureRow, row: ExposureRow | undefined): string[] {
  const name = toName(expected)

  if (!row) return [`${name}: is gone`]

  const columns = new Set([...Object.keys(expected), ...Object.keys(row)]) as Set<keyof ExposureRow>
  const changes = [...columns].filter((column) => !isSamePlain(expected[column], row[column]))

  return changes.map(
    (column) =>
      `${name}: ${column} is ${JSON.stringify(row[column])}, and was ${JSON.stringify(expected[column])}`
  )
}

function toName({ service, method }: ExposureRow): string {
  return `${service}.${method}`
}
