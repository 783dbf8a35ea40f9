import { describe, expect, it } from 'vitest'
import { SECRET } from '../support/login.ts'
import { listPrograms, readPage, type ShownProgram, toChecks, toLocal } from '../support/page.ts'
import { withoutListening } from '../support/program.ts'
import { expectSession } from '../support/session.ts'
import { shareProcess } from '../support/shared-process.ts'
import { DATABASE } from './database.ts'

/** The guides, each with what makes a program of a block that is part of one. */
const GUIDES: { readonly [name: string]: ((part: string, first: string) => string) | undefined } = {
  errors: undefined,
  hooks: undefined,
  http: undefined,
  idempotency: undefined,
  memory: undefined,
  query: undefined,
  services: undefined,
  access: (part, first) => `${first}${toLocal(part)}`,
  openapi: (part, first) => `${first}${toLocal(part)}`,
  page: (part, first) => `${first}${toLocal(part)}`,
  relations: (part, first) => first.replace('await app.setup()', `${toLocal(part)}await app.setup()`),
  nested: (part, first) =>
    part.includes('singleton')
      ? first
      : first.replace('await app.setup()', `${toLocal(part)}await app.setup()`),
  routes: (part, first) => first.replace('await app.setup()', `${toLocal(part)}await app.setup()`),
  schemas: (part) => `
import { createServer } from 'node:http'
import { alula } from 'alula'
import { memory as store } from 'alula/memory'
import { toListener } from 'alula/node'
const app = alula()
${part.includes('Model: db') ? DATABASE : ''}
${part}
${part.includes('app.use(') ? '' : "app.use('notes', store({ multi: true, paginate: { default: 10 } }), { schema: notes })"}
await app.setup()
createServer(toListener(app)).listen(3030)
`
}

/** One for each environment that sessions name. */
const PROCESSES = {
  development: shareProcess({ NODE_ENV: 'development', SECRET }),
  production: shareProcess({ NODE_ENV: 'production', SECRET })
}

const { runToEnd } = PROCESSES.development

describe.each(Object.keys(GUIDES))('%s', async (name) => {
  const programs = listPrograms(await readPage(name), GUIDES[name])
  const runs = programs.filter(({ sessions }) => sessions.some(isRun))
  const withResults = programs.filter(({ code, fragments }) => [code, ...fragments].join().includes('// → '))

  it.each(programs.flatMap(toServers))(
    '$heading: the server responds as the page shows',
    async ({ code, environment, sessions }) => {
      const { address } = await PROCESSES[environment].runServer(code)

      await expectSession(sessions, { 'localhost:3030': address })
    }
  )

  it.each(runs)('$heading: the program prints what the page shows', async ({ code, sessions }) => {
    const [shown] = sessions.filter(isRun) as [string]

    expect(await runToEnd(withoutListening(code))).toEqual(shown.trim().split('\n').slice(1))
  })

  it.each(withResults)(
    '$heading: expressions have the results that the page shows',
    async ({ code, fragments }) => {
      await runToEnd(toChecks(`${withoutListening(code)}${fragments.map(toLocal).join('')}`))
    }
  )
})

/** A program runs for each environment that its sessions name in a comment. */
function toServers({ heading, code, sessions }: ShownProgram) {
  const requests = sessions.filter((session) => !isRun(session))

  return [...new Set(requests.map(getEnvironment))].map((environment) => ({
    heading,
    code,
    environment,
    sessions: requests.filter((session) => getEnvironment(session) === environment)
  }))
}

function getEnvironment(session: string): keyof typeof PROCESSES {
  const [, name = 'development'] = /^# .*NODE_ENV=(\w+)/.exec(session) ?? []

  return name as keyof typeof PROCESSES
}

function isRun(session: string): boolean {
  return session.startsWith('$ node ')
}
