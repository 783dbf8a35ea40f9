import { adapterTests } from '../../src/adapters.ts'

type AdapterTestOptions = Parameters<typeof adapterTests>[1]

/** What came of a run of the suite: the sentences of its tests. */
export interface Outcome {
  readonly passed: readonly string[]
  readonly skipped: readonly string[]
  /** With the messages. */
  readonly failed: ReadonlyMap<string, string>
}

/**
 * Runs the suite by itself, without random tests unless `random` is given.
 *
 * @param options Those of the suite
 * @param isWanted Which tests to run, by their sentences; all by default
 */
export async function collect(
  options: Omit<AdapterTestOptions, 'name'>,
  isWanted: (sentence: string) => boolean = () => true
): Promise<Outcome> {
  const tests: [string, () => Promise<void>][] = []
  const passed: string[] = []
  const skipped: string[] = []
  const failed = new Map<string, string>()
  const it = Object.assign((name: string, body: () => Promise<void>) => void tests.push([name, body]), {
    skip: (name: string) => void skipped.push(name)
  })

  adapterTests({ describe: (_name, body) => body(), it }, { name: 'tested', random: { runs: 0 }, ...options })

  for (const [name, body] of tests.filter(([name]) => isWanted(name))) {
    try {
      await body()
      passed.push(name)
    } catch (error: any) {
      failed.set(name, error.message)
    }
  }

  return { passed, skipped, failed }
}
