/** How often a caller got each status from an operation. */
export interface CoverageRow {
  /** A method with the path of its service, such as `notes.find`, or the `operationId` of a document. */
  readonly operation: string
  /** The name of the transport, as in `params.provider`. */
  readonly transport: string
  readonly caller: string
  /** The number of responses by their status; a call of a socket that succeeds is a 200. */
  readonly outcomes: { readonly [status: string]: number }
}

/** What was called, by whom, and what came of it. */
export interface Coverage {
  readonly rows: readonly CoverageRow[]
  /** The operations that were left out, by options or by the test runner. */
  readonly notCovered: readonly string[]
}

/** Takes what a proof prints; `false` prints nothing. */
export type Log = ((text: string) => void) | false

/** Counts the outcomes of calls. */
export class CoverageCounter {
  private readonly counts = new Map<
    string,
    CoverageRow & { readonly outcomes: { [status: string]: number } }
  >()

  add(operation: string, transport: string, caller: string, status: number): void {
    const key = JSON.stringify([operation, transport, caller])
    const row = this.counts.get(key) ?? { operation, transport, caller, outcomes: {} }

    row.outcomes[status] = (row.outcomes[status] ?? 0) + 1
    this.counts.set(key, row)
  }

  /** What was counted; the callers of an operation are together. */
  toCoverage(notCovered: readonly string[]): Coverage {
    return { rows: [...this.counts.values()], notCovered }
  }
}

/** Prints what was covered, one line for each operation; `title` is what has covered it. */
export function logCoverage(log: Log, title: string, { rows, notCovered }: Coverage): void {
  if (log === false) return

  const operations = [...new Set(rows.map(({ operation }) => operation))]
  const calls = rows.flatMap(({ outcomes }) => Object.values(outcomes)).reduce((sum, count) => sum + count, 0)
  const transports = [...new Set(rows.map(({ transport }) => transport))]

  log(
    [
      `${title}: ${calls} calls of ${operations.length} operations over ${transports.join(', ') || 'no transport'}`,
      ...operations.map((operation) => describeOperation(operation, rows)),
      ...(notCovered.length > 0 ? [`  not covered: ${notCovered.join(', ')}`] : [])
    ].join('\n')
  )
}

/** The statuses that each caller got, over any transport. */
function describeOperation(operation: string, rows: readonly CoverageRow[]): string {
  const ofOperation = rows.filter((row) => row.operation === operation)
  const callers = [...new Set(ofOperation.map(({ caller }) => caller))].map((caller) => {
    const counts = new Map<string, number>()

    for (const { outcomes } of ofOperation.filter((row) => row.caller === caller)) {
      for (const [status, count] of Object.entries(outcomes)) {
        counts.set(status, (counts.get(status) ?? 0) + count)
      }
    }

    return `${caller} ${describeOutcomes(Object.fromEntries(counts))}`
  })

  return `  ${operation}: ${callers.join('; ')}`
}

/** Statuses with how often each came: `200 × 2, 404`. */
export function describeOutcomes(outcomes: CoverageRow['outcomes']): string {
  return Object.entries(outcomes)
    .map(([status, count]) => (count === 1 ? status : `${status} × ${count}`))
    .join(', ')
}
