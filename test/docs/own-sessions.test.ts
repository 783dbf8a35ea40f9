import { expect, it } from 'vitest'
import { readBlocks, readPage, readSection } from '../support/page.ts'
import { runProgram } from '../support/program.ts'

/** A login of the application: what Passport does, with the user in a header. */
const BEFORE = `
import { alula } from 'alula'
import express, { errorHandler } from 'alula/express'
import { memory } from 'alula/memory'

const app = express(alula())

app.use((request, _response, next) => {
  const id = request.get('X-Session')

  if (id) request.user = { id: Number(id) }
  next()
})
`

const AFTER = `
app.use(errorHandler({ logger: false }))
await app.service('notes').create({ text: 'A', ownerId: 7 })

const server = await app.listen(0)
const url = 'http://localhost:' + server.address().port + '/notes/0'
const patch = async (headers) =>
  (await fetch(url, { method: 'PATCH', body: '{"text":"B"}', headers: { 'Content-Type': 'application/json', ...headers } })).status

console.log('statuses', await patch({ 'X-Session': '7' }), await patch({ 'X-Session': '8' }), await patch({}))
process.exit()
`

it('access: the owner of a session patches the record, and nobody else', async () => {
  const section = readSection(await readPage('access'), 'Your own sessions and Passport')
  const [middleware] = readBlocks(section, 'js') as [string]

  expect(await runProgram(`${BEFORE}${middleware}${AFTER}`).waitFor('statuses')).toBe('statuses 200 404 401')
})
