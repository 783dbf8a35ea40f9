import { expect, it } from 'vitest'
import { SECRET } from '../support/login.ts'
import { readBlocks, readPage, toJavaScript, toLocal } from '../support/page.ts'
import { runToEnd, withoutListening } from '../support/program.ts'
import { shareProcess } from '../support/shared-process.ts'
import { DATABASE } from './database.ts'

const shared = shareProcess()

/** The first program of a guide, without its types. */
function readFirstProgram(page: string): string {
  const [, program = ''] = /^```(?:js|ts)\n([\s\S]*?)^```/m.exec(page) ?? []

  return toJavaScript(program)
}

it('relations: calls from inside include what the comment says', async () => {
  const page = await readPage('relations')
  const [calls = ''] = readBlocks(page, 'js')

  expect(await shared.runToEnd(`${withoutListening(readFirstProgram(page))}${toLocal(calls)}`)).toEqual([
    'Ada 2 Ada'
  ])
})

it('routes: each part of the guide runs', async () => {
  const page = await readPage('routes')
  const first = readFirstProgram(page)
  const parts = readBlocks(page, 'js').filter((code) => !code.includes('listen(3030'))
  const application = first.replace('await app.setup()', '').replace(
    'createServer(toListener(app)).listen(3030)',
    `const server = createServer(toListener(app))

app.configure(socketio())
await app.setup(server)
await new Promise((resolve) => server.listen(0, resolve))
console.log('localhost:' + server.address().port)`
  )
  const program = `import { socketio } from 'alula/socketio'
${application}
${parts.map(toLocal).join('').replaceAll("'http://localhost:3030'", "'http://localhost:' + server.address().port")}`
  const { waitFor } = await shared.runServer(program)
  const result = "{ slug: 'intro', favorited: true, note: 'Good' }"

  expect(parts).toHaveLength(4)
  expect(await waitFor('slug')).toBe(result)
  expect(await waitFor('slug')).toBe(result)
})

it('schemas: the hook of the guide checks data where it is', async () => {
  const page = await readPage('schemas')
  const block = readBlocks(page, 'js').find((code) => code.includes('validate()')) as string
  const { address } = await shared.runServer(`${readFirstProgram(page)}${toLocal(block)}`)
  const create = async (text: string) => {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ text })

    return await (await fetch(`http://${address}/notes`, { method: 'POST', headers, body })).json()
  }

  expect(await create(' Buy milk ')).toMatchObject({ text: 'Buy milk' })
  expect(await create('  ')).toMatchObject({ code: 400 })
})

it('schemas: a table that differs is refused as the guide says', async () => {
  const [message = ''] = readBlocks(await readPage('schemas'), '')
  const lines = message.trim().split('\n')
  const { waitFor } = shared.runProgram(`
import { alula } from 'alula'
import { kysely } from 'alula/kysely'
import { schema } from 'alula/schema'
import { z } from 'zod'
${DATABASE}
const Note = z.object({
  id: z.int(), title: z.string(), done: z.boolean(), text: z.string(), meta: z.object({ tag: z.string() }),
  remark: z.string().optional(), visit: z.object({ at: z.date() })
})
const app = alula()

database.exec("ALTER TABLE notes ADD COLUMN meta TEXT NOT NULL DEFAULT '{}'")
database.exec('ALTER TABLE notes ADD COLUMN remark TEXT')
database.exec("ALTER TABLE notes ADD COLUMN visit JSON NOT NULL DEFAULT '{}'")
app.use('notes', kysely({ Model: db, name: 'notes' }), { schema: schema(Note) })
await app.setup().catch(({ message }) => console.log(message))
`)

  for (const line of lines) expect(await waitFor(line)).toBe(line)
})

it('access: the rules are tested', async () => {
  const page = await readPage('access')
  const first = readFirstProgram(page)
  const block = readBlocks(page, 'js').find((code) => code.includes('proveExposure')) as string
  const test = toLocal(block.replace(/^import \{ app \}.*\n/m, ''))

  const printed = await runToEnd(`${withoutListening(first)}${test}`, { SECRET })
  const covered = readBlocks(page, '').find((text) => text.startsWith('proveExposure:')) as string

  expect(printed.join('\n')).toContain(covered.trim())
})
