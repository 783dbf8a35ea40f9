import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { expect, onTestFinished } from 'vitest'
import { expectSafeLogins, LOGIN_CHECK } from './logins.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** What a program prints. */
export interface Printed {
  readonly lines: AsyncIterableIterator<string>
  /** Waits for the next line, of those that contain a text. */
  waitFor(text: string): Promise<string>
}

/** A program of a page that runs. */
export interface RunningProgram extends Printed {
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
  const child = spawn(process.execPath, [...LOGIN_CHECK, `--input-type=${type}`, '--eval', code], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc']
  })
  const printed = readLines(child.stdout as Readable)
  const exit = once(child, 'exit')

  onTestFinished(async () => {
    await expectSafeLogins(child)
    child.kill('SIGKILL')
  })

  return {
    ...printed,
    async end(signal) {
      if (signal) child.kill(signal)

      // What nobody reads would hold it up.
      while (!(await printed.lines.next()).done);

      return (await exit)[0]
    }
  }
}

/** What a program prints on a stream. */
export function readLines(input: Readable): Printed {
  const lines = createInterface({ input })[Symbol.asyncIterator]()

  return {
    lines,
    async waitFor(text) {
      for (;;) {
        const { value, done } = await lines.next()

        if (done) throw new Error(`The program ended before it printed '${text}'`)
        if (value.includes(text)) return value
      }
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
export type RunningServer = RunningProgram & ServerAddress

export interface ServerAddress {
  readonly address: string
}

/**
 * Runs a module that listens on port 3030, or on `PORT` and prints its address, and waits until it listens.
 *
 * @param code Its text
 * @param env What is added to the environment
 */
export async function runServer(code: string, env?: NodeJS.ProcessEnv): Promise<RunningServer> {
  const program = runProgram(toListening(code), { PORT: '0', ...env })

  return { ...program, address: await readAddress(program) }
}

/** A module that listens on port 3030, on a free port instead, with its address printed. */
export function toListening(code: string): string {
  const print = "function () { console.log('localhost:' + this.address().port) }"

  return code.replace(/\blisten\(3030(, [^()]+)?\)/, `listen(0$1, ${print})`)
}

/** Waits for the address that a program prints. */
export async function readAddress({ waitFor }: Printed): Promise<string> {
  return (/localhost:\d+/.exec(await waitFor('localhost:')) as RegExpExecArray)[0]
}

/** A program that does not listen, so that it can end. */
export function withoutListening(code: string): string {
  return code.replace(/^.*\blisten\(3030.*$/m, '')
}
