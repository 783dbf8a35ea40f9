// Finds calls of clients that read records one by one, where one call could read them all. Only in development.

/** How many reads by one method are usual within a call. A page has ten records unless it is set otherwise. */
const USUAL_READS = 20

/** The methods that read. Others are not counted: each write has its own data, and `create` of an array has to be allowed. */
const READS: readonly string[] = ['find', 'get']

/**
 * Counts the reads of calls that run alone, as they usually do in development: then no reads but theirs are made. Which call
 * a read belongs to where several run is known only with an `AsyncLocalStorage`, which costs something at each promise.
 */
export class RepeatedCalls {
  private readonly warn: (read: string, count: number, name: string) => void
  /** How many calls of clients have not finished. */
  private running = 0
  /** The reads of the call that runs alone, by their names. */
  private counts: Map<string, number> | undefined

  /** @param warn Called with a method that was called too often, how often, and the call of a client that did so */
  constructor(warn: (read: string, count: number, name: string) => void) {
    this.warn = warn
  }

  /** Counts what a call of a client reads, and warns when it has read too often. */
  async run<Result>(
    { path, method }: { readonly path: string; readonly method: string },
    run: () => Promise<Result>
  ): Promise<Result> {
    const name = `${path}.${method}`
    // The call itself is counted too, when it begins.
    const counts = new Map([[name, -1]])

    this.running++
    this.counts = this.running === 1 ? counts : undefined

    try {
      return await run()
    } finally {
      this.running--
      if (this.counts === counts) {
        this.counts = undefined
        for (const [read, count] of counts) if (count > USUAL_READS) this.warn(read, count, name)
      }
    }
  }

  /** Counts a call of any service that begins. */
  count(path: string, method: string): void {
    const { counts } = this

    if (!counts || !READS.includes(method)) return

    const name = `${path}.${method}`

    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
}
