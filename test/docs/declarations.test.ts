import { expect, it } from 'vitest'
import { SECRET } from '../support/login.ts'
import { runProgram, runServer } from '../support/program.ts'
import { expectShellSession, readBlocks } from '../support/session.ts'
import {
  LISTENING,
  listShownPrograms,
  readFirstProgram,
  readGuide,
  toLocal,
  toServer
} from '../support/shown-programs.ts'

const GUIDES = ['access', 'openapi', 'page', 'relations', 'routes', 'schemas']

/** The database that guides speak of. */
const DATABASE = `
const { Kysely, SqliteDialect } = await import('kysely')
const { default: SQLite } = await import('libsql')
const database = new SQLite(':memory:')
const db = new Kysely({ dialect: new SqliteDialect({ database }) })

database.exec(\`
  CREATE TABLE articles (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
  CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT NOT NULL, password TEXT NOT NULL, createdAt DATETIME NOT NULL);
  CREATE TABLE notes (id INTEGER PRIMARY KEY, titel TEXT NOT NULL, done TEXT NOT NULL, text TEXT);
  CREATE TABLE favorites (id INTEGER PRIMARY KEY, articleId INTEGER NOT NULL, userId INTEGER NOT NULL);
  INSERT INTO articles VALUES (1, 'Intro');
  INSERT INTO favorites VALUES (1, 1, 1), (2, 1, 2);
\`)
`

/** What the parts of a guide are parts of. */
const FRAMES: { readonly [guide: string]: (part: string, first: string) => string } = {
  access: (part, first) => `${first}${toLocal(part)}`,
  openapi: (part, first) => `${first}${toLocal(part)}`,
  relations: (part, first) =>
    first.replace('await app.setup()', `${DATABASE}${toLocal(part)}await app.setup()`),
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

const programs = await Promise.all(
  GUIDES.map(async (guide) => {
    const page = await readGuide(guide)
    const first = readFirstProgram(page)

    return listShownPrograms(page).map((program) => {
      const isWhole = program.code.includes('listen(3030')

      return {
        ...program,
        guide,
        code: isWhole ? program.code : FRAMES[guide]?.(program.code, first)
      }
    })
  })
)

it.each(programs.flat())(
  '$guide, $heading: the program does what it shows',
  async ({ code = '', sessions }) => {
    if (sessions[0]?.startsWith('$ node')) {
      const { waitFor } = runProgram(toServer(code), { SECRET })

      for (const line of sessions[0].trim().split('\n').slice(1)) expect(await waitFor(line)).toBe(line)
    } else {
      const { address } = await runServer(toServer(code), { SECRET })

      await expectShellSession(sessions, { 'localhost:3030': address })
    }
  }
)

it('relations: calls from inside include what the comment says', async () => {
  const page = await readGuide('relations')
  const [calls = ''] = readBlocks(page, 'js')
  const { waitFor } = runProgram(toServer(`${readFirstProgram(page)}${toLocal(calls)}`))

  expect(await waitFor('Ada')).toBe('Ada 2 Ada')
})

it('routes: each part of the guide runs', async () => {
  const page = await readGuide('routes')
  const first = readFirstProgram(page)
  const parts = readBlocks(page, 'js').filter((code) => !code.includes('listen(3030'))
  const application = first.replace('await app.setup()', '').replace(
    LISTENING,
    `const server = createServer(toListener(app))

app.configure(socketio())
await app.setup(server)
await new Promise((resolve) => server.listen(0, resolve))
console.log('localhost:' + server.address().port)`
  )
  const program = `import { socketio } from 'alula/socketio'
${application}
${parts.map(toLocal).join('').replaceAll("'http://localhost:3030'", "'http://localhost:' + server.address().port")}`
  const { waitFor } = await runServer(program)
  const result = "{ slug: 'intro', favorited: true, note: 'Good' }"

  expect(parts).toHaveLength(4)
  expect(await waitFor('slug')).toBe(result)
  expect(await waitFor('slug')).toBe(result)
})

it.each([
  ['access', 'loginAs'],
  ['schemas', 'schema: false']
])('%s: calls have the outcome that the comments say', async (guide, text) => {
  const page = await readGuide(guide)
  const block = readBlocks(page, 'js').find((code) => code.includes(text)) as string
  const comments = [...block.matchAll(/^await .+ \/\/ (.+)$/gm)].map(([, comment]) => comment as string)
  const calls = toLocal(block).replace(/^await (.+) \/\/ .*$/gm, 'await report($1)')
  const report = `
async function report(call) {
  console.log('code', await call.then(() => 0, ({ code }) => code))
}
`
  const { waitFor } = runProgram(toServer(`${readFirstProgram(page)}${calls}${report}`), { SECRET })

  expect(comments.length).toBeGreaterThan(2)
  for (const comment of comments) {
    expect(await waitFor('code')).toBe(`code ${/\b4\d\d\b/.exec(comment)?.[0] ?? 0}`)
  }
})

it('schemas: the hook of the guide checks data where it is', async () => {
  const page = await readGuide('schemas')
  const block = readBlocks(page, 'js').find((code) => code.includes('validate()')) as string
  const { address } = await runServer(toServer(`${readFirstProgram(page)}${toLocal(block)}`))
  const create = async (text: string) => {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ text })

    return await (await fetch(`http://${address}/notes`, { method: 'POST', headers, body })).json()
  }

  expect(await create(' Buy milk ')).toMatchObject({ text: 'Buy milk' })
  expect(await create('  ')).toMatchObject({ code: 400 })
})

it('schemas: a table that differs is refused as the guide says', async () => {
  const [message = ''] = readBlocks(await readGuide('schemas'), '')
  const lines = message.trim().split('\n')
  const { waitFor } = runProgram(`
import { alula } from 'alula'
import { kysely } from 'alula/kysely'
import { schema } from 'alula/schema'
import { z } from 'zod'
${DATABASE}
const Note = z.object({ id: z.int(), title: z.string(), done: z.boolean(), text: z.string() })
const app = alula()

app.use('notes', kysely({ Model: db, name: 'notes' }), { schema: schema(Note) })
await app.setup().catch(({ message }) => console.log(message))
`)

  for (const line of lines) expect(await waitFor(line)).toBe(line)
})

it('access: the rules are tested', async () => {
  const page = await readGuide('access')
  const first = readFirstProgram(page)
  const block = readBlocks(page, 'js').find((code) => code.includes('proveExposure')) as string
  const application = first.replace(LISTENING, '')
  const test = toLocal(block.replace(/^import \{ app \}.*\n/m, ''))

  expect(await runProgram(`${application}${test}`, { SECRET }).end()).toBe(0)
})
