import { type ChildProcess, fork } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { PassThrough } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { afterAll, expect } from 'vitest'
import { defer } from './deferred.ts'
import { expectSafeLogins } from './logins.ts'
import { createPackageFolder } from './package-folder.ts'
import { type Printed, readAddress, readLines, type ServerAddress, toListening } from './program.ts'

const ROOT = resolve(import.meta.dirname, '../..')

/** Runs programs in one process. They end with it, behind the last test. */
export interface SharedProcess {
  /** Runs a module. */
  runProgram(code: string): Printed
  /** Runs a module that listens, as `runServer` of `program.ts` does. */
  runServer(code: string): Promise<Printed & ServerAddress>
  /** Runs a module up to its last statement, without an error; returns the lines that it prints meanwhile. */
  runToEnd(code: string): Promise<string[]>
}

interface Program {
  readonly output: PassThrough
  /** Whether it came to its last statement. */
  readonly isFine: ReturnType<typeof defer<boolean>>
}

/** What the process tells of a program. */
interface Message {
  readonly id?: number
  readonly text?: string
  readonly isFine?: boolean
}

/**
 * A process for the programs of a file or a group of tests: to load the packages takes longer than what most of them
 * do. Each is a module of its own. What has to end by itself or by a signal runs with `program.ts`.
 *
 * @param env What is added to the environment
 */
export function shareProcess(env: NodeJS.ProcessEnv = {}): SharedProcess {
  const programs: Program[] = []
  let host: { readonly child: ChildProcess; readonly folder: string } | undefined

  afterAll(async () => {
    if (!host) return

    try {
      await expectSafeLogins(host.child)
    } finally {
      host.child.kill('SIGKILL')
      rmSync(host.folder, { recursive: true })
    }
  })

  function start() {
    const child = fork(resolve(import.meta.dirname, 'host.mjs'), {
      cwd: ROOT,
      env: { ...process.env, PORT: '0', ...env },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc']
    })

    child.on('message', ({ id, text, isFine }: Message) => {
      // An answer to another question.
      if (id === undefined) return

      const { output, ...program } = programs[id] as Program

      // Behind its end nobody reads.
      if (text !== undefined && !output.writableEnded) output.write(`${text}\n`)
      if (isFine !== undefined) program.isFine.resolve(isFine)
      if (isFine === false) output.end()
    })
    child.on('exit', () => {
      for (const { output, isFine } of programs) {
        isFine.resolve(false)
        output.end()
      }
    })

    return { child, folder: createPackageFolder() }
  }

  function run(code: string): Program & Printed {
    host ??= start()

    const id = programs.length
    const file = join(host.folder, `${id}.mjs`)
    const program = { output: new PassThrough(), isFine: defer<boolean>() }

    programs.push(program)
    writeFileSync(file, `const console = globalThis.consoles[${id}];${code}`)
    host.child.send({ id, url: pathToFileURL(file).href })

    return { ...program, ...readLines(program.output) }
  }

  return {
    runProgram: run,
    async runServer(code) {
      const program = run(toListening(code))

      return { ...program, address: await readAddress(program) }
    },
    async runToEnd(code) {
      const { lines, output, isFine } = run(code)
      const hasEnded = await isFine.promise
      const printed: string[] = []

      output.end()
      for await (const line of lines) printed.push(line)
      expect(hasEnded, printed.join('\n')).toBe(true)

      return printed
    }
  }
}
