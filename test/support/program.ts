import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

/** A program of a page that runs. */
export interface RunningProgram {
  /** What it prints. */
  readonly lines: AsyncIterableIterator<string>
  /** Waits for the next line that it prints, of those that contain a text. */
  waitFor(text: string): Promise<string>
  /** Waits for its end, after a signal where one is given; returns its exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>
}

/**
 * Runs a module as if it were a file of the project.
 *
 * @param code Its text
 * @param env What is added to the environment
 * @param type The kind of module
 */
export function runProgram(
  code: string,
  env: NodeJS.ProcessEnv = {},
  type: 'module' | 'commonjs' = 'module'
): RunningProgram {
  const child = spawn(process.execPath, [`--input-type=${type}`, '--eval', code], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const exit = once(child, 'exit')

  onTestFinished(() => void child.kill('SIGKILL'))

  return {
    lines,
    async waitFor(text) {
      for (;;) {
        const { value, done } = await lines.next()

        if (done) throw new Error(`The program ended before it printed '${text}'`)
        if (value.includes(text)) return value
      }
    },
    async end(signal) {
      if (signal) child.kill(signal)

      // What nobody reads would hold it up.
      while (!(await lines.next()).done);

      return (await exit)[0]
    }
  }
}

/**
 * Runs a module to its end, which is without an error, and returns the lines that it prints.
 *
 * @param code Its text
 * @param env What is added to the environment
 */
export async function runToEnd(code: string, env?: NodeJS.ProcessEnv): Promise<string[]> {
  const { lines, end } = runProgram(code, env)
  const printed: string[] = []

  for await (const line of lines) printed.push(line)
  expect(await end(), printed.join('\n')).toBe(0)

  return printed
}

/** A program that listens on a free port, and the address of that. */
export interface RunningServer extends RunningProgram {
  readonly address: string
}

/**
 * Runs a module that listens on port 3030, or on `PORT` and prints its address, and waits until it listens.
 *
 * @param code Its text
 * @param env What is added to the environment
 */
export async function runServer(code: string, env?: NodeJS.ProcessEnv): Promise<RunningServer> {
  const print = "function () { console.log('localhost:' + this.address().port) }"
  const program = runProgram(code.replace(/\blisten\(3030(, [^()]+)?\)/, `listen(0$1, ${print})`), {
    PORT: '0',
    ...env
  })
  const [address] = /localhost:\d+/.exec(await program.waitFor('localhost:')) as unknown as [string]

  return { ...program, address }
}

/** A program that does not listen, so that it can end. */
export function withoutListening(code: string): string {
  return code.replace(/^.*\blisten\(3030.*$/m, '')
}
