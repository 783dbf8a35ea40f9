import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runProgram } from '../support/program.ts'
import { expectShellSession, importDynamically } from '../support/session.ts'

const PAGES = ['errors', 'hooks', 'http', 'query', 'services']

/** A line that shows what an expression returns, or the error that it rejects with. */
const RESULT = /^( *)(.*\S)(?: +|\n *)\/\/ → (?:([A-Z]\w+): )?(.+)$/gm

interface Program {
  readonly code: string
  /** The blocks after it that are commands. */
  readonly sessions: string[]
  /** The blocks after it that show results. */
  readonly fragments: string[]
}

describe.each(PAGES)('%s', async (name) => {
  const programs = await readPrograms(name)

  it.each(programs.flatMap(toServers))(
    'the server of the page responds as it shows',
    async ({ code, environment, sessions }) => {
      const program = runProgram(listenOnFreePort(code), { NODE_ENV: environment })
      const port = (await program.waitFor('port ')).slice('port '.length)

      await expectShellSession(sessions, { 'localhost:3030': `localhost:${port}` })
    }
  )

  it.each(programs.filter(({ sessions }) => sessions.some(isRun)))(
    'the program of the page prints what it shows',
    async ({ code, sessions }) => {
      const [shown] = sessions.filter(isRun) as [string]
      const program = runProgram(`${code}\nconsole.log('end')\n`)

      for (const line of shown.trim().split('\n').slice(1)) expect(await program.waitFor('')).toBe(line)
      expect(await program.waitFor('')).toBe('end')
    }
  )

  it.each(programs.filter(({ fragments }) => fragments.length > 0))(
    'expressions have the results that the page shows',
    async ({ code, fragments }) => {
      const checks = fragments
        .map((fragment) => `{\n${importDynamically(fragment).replace(RESULT, toCheck)}}\n`)
        .join('')
      const start = code.replace(/^await app\.listen.*$/m, '')

      expect(checks.match(/\bassert\./g)).toHaveLength(fragments.join('').split('// → ').length - 1)
      expect(
        await runProgram(`import assert from 'node:assert/strict'\n${start}\n${checks}process.exit()`).end()
      ).toBe(0)
    }
  )
})

async function readPrograms(name: string): Promise<Program[]> {
  const page = await readFile(resolve(import.meta.dirname, `../../docs/${name}.md`), 'utf8')
  const programs: Program[] = []

  for (const [, language, code = ''] of page.matchAll(/^```(js|console)\n([\s\S]*?)^```/gm)) {
    const program = programs.at(-1) as Program

    if (language === 'console') program.sessions.push(code)
    else if (isProgram(code)) programs.push({ code, sessions: [], fragments: [] })
    else if (code.includes('// → ')) program.fragments.push(code)
  }

  return programs
}

/** A block is a program when it makes its own application. */
function isProgram(code: string): boolean {
  return code.includes('const app = ')
}

/** A program runs once for each environment that its sessions name in a comment. */
function toServers({ code, sessions }: Program) {
  const requests = sessions.filter((session) => !isRun(session))

  return [...new Set(requests.map(getEnvironment))].map((environment) => ({
    code,
    environment,
    sessions: requests.filter((session) => getEnvironment(session) === environment)
  }))
}

function getEnvironment(session: string): string {
  return /^# .*NODE_ENV=(\w+)/.exec(session)?.[1] ?? 'development'
}

function isRun(session: string): boolean {
  return session.startsWith('$ node ')
}

function listenOnFreePort(code: string): string {
  return code.replace('listen(3030)', "listen(0, function () { console.log('port ' + this.address().port) })")
}

function toCheck(_line: string, space: string, expression: string, error: string | undefined, value: string) {
  const result = expression.replace(/^await /, '')

  return error
    ? `${space}await assert.rejects(${result}, ${JSON.stringify({ name: error, message: value })})`
    : `${space}assert.deepEqual(await ${result}, ${value})`
}
