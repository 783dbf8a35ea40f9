import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { buildCommand, createFolder, runNode } from '../../../test/support/command.ts'
import { SECRET } from '../../../test/support/login.ts'
import { readBlocks, readPage, readSection } from '../../../test/support/page.ts'
import { shareProcess } from '../../../test/support/shared-process.ts'
import manifest from '../package.json' with { type: 'json' }

const { runToEnd } = shareProcess({ NODE_ENV: 'production' })
const page = await readPage('migrating')
const [differences = '', rest = ''] = page.split('## What the tool does')

/** What the blocks of the page speak of. */
const SURROUNDINGS = `
import { alula } from 'alula'
import { AuthenticationService, JWTStrategy, LocalStrategy, authenticate, hashPassword } from 'alula/authentication'
import { BadRequest } from 'alula/errors'
import express, { errorHandler, rest } from 'alula/express'
import { memory } from 'alula/memory'

const app = express(alula())
const pass = async () => undefined
const [checkText, sendMail] = [pass, pass]
const [page, file] = [(_request, response) => response.end(), (_request, response) => response.end()]
const request = {}
const log = (message, stack, path) => console.log(typeof message, typeof stack, path)
class NotFoundOfOthers extends Error {
  type = 'FeathersError'
  name = 'NotFound'
  code = 404
}

app.configure(rest())
app.set('authentication', {
  secret: '${SECRET}', service: 'users', entity: 'user', authStrategies: ['jwt', 'local'],
  local: { usernameField: 'email', passwordField: 'password' }
})

const authentication = new AuthenticationService(app)

authentication.register('jwt', new JWTStrategy())
authentication.register('local', new LocalStrategy())
app.use('authentication', authentication)
app.use('users', memory({ id: 'email' }), { methods: [] })
app.service('users').hooks({ before: { create: [hashPassword('password')], patch: [hashPassword('password')] } })
app.use('messages', memory({ multi: true }))
app.use('old', { get: async () => { throw new NotFoundOfOthers() } })
`

const LISTEN = `
const server = await app.listen(0)
const { fetch: send } = globalThis
const fetch = async (url, options) => {
  const response = await send(url.replace('3030', server.address().port), options)

  console.log(response.status)

  return response
}
`

/** The block of a heading. */
function readBlock(heading: string): string {
  return readBlocks(readSection(differences, heading), 'js')[0] as string
}

/** Runs a program in its surroundings and returns the lines that it prints. */
function run(program: string): Promise<string[]> {
  return runToEnd(`${SURROUNDINGS}${program}`)
}

it('there are ten differences, each with code', () => {
  const headings = differences.match(/^### .+\n\n```[jt]s$/gm)

  expect(headings).toHaveLength(10)
})

it('a logout revokes the token', async () => {
  const printed = await run(`
app.service('messages').hooks({ before: { all: [authenticate('jwt')] } })
${LISTEN}
const user = { email: 'ada', password: 'correct horse' }

await app.service('users').create(user)

const { accessToken } = await app.service('authentication').create({ strategy: 'local', ...user })
${readBlock('A logout revokes the token')}
console.log(app.service('authentication').configuration.revocation)
`)

  expect(printed).toEqual(['401', 'false'])
})

it('unexpected errors are masked, and Feathers errors are not', async () => {
  const printed = await run(`
${readBlock('Unexpected errors are masked in production')}
app.use('charges', { find: charge, get: chargeAgain })
app.use(errorHandler({ logger: false }))
${LISTEN}
for (const path of ['charges', 'charges/1'])
  console.log((await (await fetch('http://localhost:3030/' + path)).json()).message)
`)

  expect(printed).toEqual(['500', expect.not.stringContaining('Card'), '400', 'Card declined'])
})

it.each([
  'A malformed query is a 400',
  'An undefined condition on several records is a 400',
  'A listener cannot fail a call',
  'Names of hooks are checked'
])('%s', async (heading) => {
  const parts = readBlock(heading).trim().split('\n\n')
  const calls = parts.filter((part) => !part.startsWith('const '))
  const program = parts.map((part) =>
    calls.includes(part)
      ? `try {\n${part}\nconsole.log('fine')\n} catch (error) {\nconsole.log(error.message)\n}\n`
      : part
  )

  expect(await run(program.join('\n'))).toEqual(
    calls.map((part) => /Now: (?:BadRequest|throws), (.+)$/m.exec(part)?.[1] ?? 'fine')
  )
})

it('Express 5: the new lines are accepted, and the old ones are not', async () => {
  const [before, now] = readBlock('Express 5').trim().split('\n\n') as [string, string]
  const tried = `for (const path of ['*', '/files/:name?'])
  try { app.get(path, page) } catch { console.log('refused', path) }\n`

  expect(before).toContain("app.get('*'")
  expect(await run(`${tried}${now}\nconsole.log(request.query.$limit)`)).toEqual([
    'refused *',
    'refused /files/:name?',
    '5'
  ])
})

it('the logger gets a string, and the error and the call', async () => {
  const [, now] = readBlock('Loggers of `errorHandler`').trim().split('\n\n') as [string, string]
  const printed = await run(`
app.use('broken', { find: async () => { throw new Error('x') } })
${now}
${LISTEN}
await fetch('http://localhost:3030/broken')
`)

  expect(printed).toEqual(['string string broken', '500'])
})

it('errors of other packages are recognised by name', async () => {
  const printed = await run(readBlock('Errors'))

  expect(printed).toEqual(['false', 'true'])
})

it('the command prints and writes what the page shows', async () => {
  const [before, after] = readBlocks(rest, 'js') as [string, string]
  const [session] = readBlocks(rest, 'console') as [string]
  const dependencies = { '@feathersjs/express': '5', '@feathersjs/feathers': '5', '@feathersjs/memory': '5' }
  const folder = createFolder({
    'app.js': before,
    'package.json': `${JSON.stringify({ name: 'notes', type: 'module', dependencies }, null, 2)}\n`
  })
  const command = await buildCommand(createFolder({}), 'packages/alula-migrate')
  const [, ...lines] = session.trim().split('\n')
  const shown = lines.join('\n').replace(/(?<=alula@\^)[\d.]+/, manifest.version)
  const { stdout } = await runNode([command, folder, '--dry-run'])

  expect(stdout.trim()).toBe(shown)
  await runNode([command, folder])
  expect(readFileSync(join(folder, 'app.js'), 'utf8')).toBe(after)
})
