import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { beforeAll, onTestFinished } from 'vitest'
import { expectSafeLogins, LOGIN_CHECK } from './logins.ts'

/** An example that runs as its reader would run it. */
export interface RunningExample {
  readonly url: string
  /** What it has printed so far, line by line. */
  readonly lines: readonly string[]
  /** Waits for a line that contains a text. */
  waitFor(text: string): Promise<string>
  /** Sends a signal and waits for the end of the process; returns its exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>
}

/**
 * Starts an example of `examples/` on a free port and waits for the URL that it prints. It ends with the test.
 *
 * @param file Its path below `examples/`
 */
export function runExample(file: string): Promise<RunningExample> {
  return start(file, {}, onTestFinished)
}

/**
 * Starts an example once for the tests of a group, which must not disturb each other: a start takes longer than most.
 *
 * @param file Its path below `examples/`
 * @param env What is added to the environment
 * @returns A function that returns it while tests run
 */
export function shareExample(file: string, env: NodeJS.ProcessEnv = {}): () => RunningExample {
  let example: RunningExample | undefined

  beforeAll(async () => {
    let end = async () => {}

    example = await start(file, env, (stop) => {
      end = stop
    })

    return () => end()
  })

  return () => example as RunningExample
}

async function start(
  file: string,
  env: NodeJS.ProcessEnv,
  onEnd: (end: () => Promise<void>) => void
): Promise<RunningExample> {
  const child = spawn(
    process.execPath,
    [...LOGIN_CHECK, resolve(import.meta.dirname, '../../examples', file)],
    {
      env: { ...process.env, PORT: '0', ...env },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc']
    }
  )
  const lines: string[] = []
  const printed = createInterface({ input: child.stdout as NonNullable<ChildProcess['stdout']> })

  printed.on('line', (line) => lines.push(line))
  onEnd(async () => {
    await expectSafeLogins(child)
    child.kill('SIGKILL')
  })

  async function waitFor(text: string): Promise<string> {
    for (;;) {
      const found = lines.find((line) => line.includes(text))

      if (found !== undefined) return found
      await once(printed, 'line')
    }
  }

  const [url] = /http:\/\/localhost:\d+/.exec(await waitFor('http://localhost:')) as unknown as [string]

  return {
    url,
    lines,
    waitFor,
    stop: async (signal = 'SIGTERM') => {
      const exit = once(child, 'exit')

      child.kill(signal)

      return (await exit)[0]
    }
  }
}
