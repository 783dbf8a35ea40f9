import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import ts from 'typescript'
import { onTestFinished } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')

/** A program of a page that runs. */
export interface RunningProgram {
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

/** A program that listens on a free port, and the address of that. */
export interface RunningServer extends RunningProgram {
  readonly address: string
}

/**
 * Runs a module that calls `app.listen(3030)`, or listens on `PORT` and prints its address, and waits until it listens.
 *
 * @param code Its text
 * @param env What is added to the environment
 */
export async function runServer(code: string, env?: NodeJS.ProcessEnv): Promise<RunningServer> {
  const listen = `
async function listen(...args) {
  const server = await app.listen(...args)

  console.log(\`localhost:\${server.address().port}\`)

  return server
}`
  const program = runProgram(code.replace('app.listen(3030', 'listen(0') + listen, { PORT: '0', ...env })
  const [address] = /localhost:\d+/.exec(await program.waitFor('localhost:')) as unknown as [string]

  return { ...program, address }
}

/** Removes the types of blocks of TypeScript, as one module. */
export function toJavaScript(...code: readonly string[]): string {
  return ts.transpile(code.join('\n'), {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true
  })
}
