// Finds calls of clients that read records one by one, where one call could read them all. Only in development.
import { type CallCounter, warnOnce } from './internals.ts'

/** How many reads by one method are usual within a call. A page has ten records unless it is set otherwise. */
const USUAL_READS = 20

/** The methods that read. Others are not counted: each write has its own data, and `create` of an array has to be allowed. */
const READS: readonly string[] = ['find', 'get']

interface RunningCall {
  /** The reads by their names; none is counted when the call has finished, such as those of a timer that it has set. */
  counts?: Map<string, number>
}

/** An `AsyncLocalStorage`, whose type is one of Node. */
interface Storage {
  run<Result>(call: RunningCall, run: () => Result): Result
  getStore(): RunningCall | undefined
}

/** Counts the reads that calls of clients make. */
export class RepeatedCalls implements CallCounter {
  private readonly app: object
  private readonly running: Storage

  private constructor(app: object, running: Storage) {
    this.app = app
    this.running = running
  }

  /**
   * Makes it for an application.
   *
   * @param app The application, which warns once for each pair of methods
   * @returns `undefined` for a runtime that does not know which call runs
   */
  static create(app: object): RepeatedCalls | undefined {
    // Not an import: bundlers for browsers would fail on it.
    const hooks = globalThis.process?.getBuiltinModule?.('node:async_hooks')

    return hooks && new RepeatedCalls(app, new hooks.AsyncLocalStorage<RunningCall>())
  }

  async run<Result>(
    { path, method }: { readonly path: string; readonly method: string },
    run: () => Promise<Result>
  ): Promise<Result> {
    const name = `${path}.${method}`
    // The call itself is counted too, when it begins.
    const counts = new Map([[name, -1]])
    const call: RunningCall = { counts }

    try {
      return await this.running.run(call, run)
    } finally {
      delete call.counts
      for (const [read, count] of counts) if (count > USUAL_READS) this.warn(read, count, name)
    }
  }

  count(path: string, method: string): void {
    const counts = READS.includes(method) ? this.running.getStore()?.counts : undefined
    const name = `${path}.${method}`

    counts?.set(name, (counts.get(name) ?? 0) + 1)
  }

  private warn(read: string, count: number, name: string): void {
    warnOnce(
      this.app,
      'ALULA_REPEATED_CALLS',
      `'${read}' was called ${count} times in one '${name}': read the records with one 'find' and $in, or with a relation`,
      `ALULA_REPEATED_CALLS ${read} ${name}`
    )
  }
}
