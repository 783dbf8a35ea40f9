import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { readBlocks, readPage, readSection, toJavaScript, toLocal } from '../support/page.ts'
import { runProgram, runToEnd } from '../support/program.ts'
import { expectSession } from '../support/session.ts'
import { shareProcess } from '../support/shared-process.ts'
import { LOCAL_IMPORT, SECRET } from './support.ts'

const shared = shareProcess({ SECRET })

it('quickstart: the application answers as it shows', async () => {
  const page = await readPage('quickstart')
  const [program, inside] = readBlocks(page, 'js') as [string, string]
  const sessions = readBlocks(page, 'console')

  expect(program).toBe(
    await readFile(resolve(import.meta.dirname, '../../examples/quickstart/app.js'), 'utf8')
  )
  expect(sessions).toHaveLength(2)

  const { address, waitFor } = await shared.runServer(program)

  await expectSession(sessions, { 'localhost:3030': address })
  await waitFor('created note 1')

  const second = await shared.runServer(`${program}${inside}console.log(page.data[0].text, note.id)\n`)

  expect(await second.waitFor('Call Ada')).toBe('Call Ada 1')
})

it('quickstart: an application in CommonJS serves requests', async () => {
  const [program] = readBlocks(await readPage('quickstart'), 'cjs') as [string]
  const call = `app.use('notes', { find: async () => [] })
app.listen(0).then(async (server) => {
  console.log('status', (await fetch('http://localhost:' + server.address().port + '/notes')).status)
})`

  expect(await runProgram(`${program}${call}`, {}, 'commonjs').waitFor('status')).toBe('status 200')
})

it('schemas: each step of moving from Feathers shows the same', async () => {
  const page = readSection(await readPage('schemas'), "Moving from Feathers' schemas")
  const [schemas] = readBlocks(page, 'ts') as [string]
  const steps = readBlocks(page, 'js')
  const surroundings = `
import { Ajv } from '@feathersjs/schema'
import { alula, createContext } from 'alula'
import { AuthenticationService, LocalStrategy } from 'alula/authentication'
import { MemoryService as UserService } from 'alula/memory'

const dataValidator = new Ajv({})
const queryValidator = new Ajv({ coerceTypes: true })
const getOptions = () => ({ multi: true })
const app = alula()

app.set('authentication', {
  secret: '${SECRET}', entity: 'user', service: 'users', authStrategies: ['local'],
  local: { usernameField: 'email', passwordField: 'password' }
})
app.use('authentication', new AuthenticationService(app))
app.service('authentication').register('local', new LocalStrategy())
`
  const calls = `
const service = app.service('users')
const context = await service.create({ email: 'ada', password: 'x' }, { provider: 'rest' }, createContext(service, 'create'))
const refused = await service.find({ provider: 'rest', query: { secret: '1' } }).catch(({ name }) => name)

console.log(JSON.stringify([context.dispatch, context.result.password?.slice(0, 4), refused]))
`
  const [hooks, describing, enforcing] = steps as [string, string, string]
  const run = async (...functions: readonly string[]) => {
    const configured = functions.map((code, index) => code.replace('const user =', `const step${index} =`))
    const program = [surroundings, ...[schemas, ...configured].map((code) => code.replace(LOCAL_IMPORT, ''))]
    const configure = functions.map((_code, index) => `app.configure(step${index})`).join('\n')
    const { waitFor } = shared.runProgram(toJavaScript(...program, configure, calls))

    return JSON.parse(await waitFor('['))
  }
  const shown = [{ id: 0, email: 'ada' }, '$2b$', 'BadRequest']

  expect(steps).toHaveLength(3)
  expect(await run(hooks)).toEqual(shown)
  expect(await run(enforcing)).toEqual(shown)
  expect(await run(describing, hooks.replace(/^ {2}app\.use.*$/m, ''))).toEqual(shown)
})

it('deployment: the proxy is trusted, and errors are logged', async () => {
  const page = await readPage('deployment')
  const [proxy, logging] = ['Reverse proxy', 'Logging'].flatMap((heading) =>
    readBlocks(readSection(page, heading), 'js')
  ) as [string, string]
  const { address, waitFor } = await shared.runServer(`
import { alula } from 'alula'
import express from 'alula/express'

const app = express(alula())
${proxy.replace(/^.*socketio.*\n/gm, '')}${logging.replace('console.error', 'console.log').replace('app.use(errorHandler', 'const last = (errorHandler')}
app.use('broken', { find: async () => { throw new Error('broken') } })
app.use('/addresses', (request, response) => response.json(request.ip))
app.use(last)
await app.listen(3030)
`)
  const headers = { 'X-Forwarded-For': '10.1.1.1, 10.2.2.2' }

  expect(await (await fetch(`http://${address}/addresses`, { headers })).json()).toBe('10.2.2.2')
  expect((await fetch(`http://${address}/broken`)).status).toBe(500)
  expect(JSON.parse(await waitFor('broken'))).toMatchObject({
    message: expect.stringContaining('Error: broken'),
    path: 'broken',
    method: 'find',
    status: 500
  })
})

it('authentication: the application does not start without a secret', async () => {
  const [program] = readBlocks(await readPage('authentication'), 'js') as [string]
  const start = `${program.replace('await app.listen(3030)', '')}
await app.listen(0).catch(({ message }) => console.log(message))
`

  expect(await runProgram(start, { SECRET: undefined }).waitFor('secret')).toContain('secret')
})

it('client: a login and its end, on the application of the page on authentication', async () => {
  const [application] = readBlocks(await readPage('authentication'), 'js') as [string]
  const login = readBlocks(await readPage('client'), 'js').find((block) => block.includes('wren@')) as string
  const { address } = await shared.runServer(application)
  const user = { email: 'wren@example.org', password: 'correct horse' }

  await fetch(`http://${address}/users`, {
    method: 'POST',
    body: JSON.stringify(user),
    headers: { 'Content-Type': 'application/json' }
  })

  await runToEnd(login.replace('localhost:3030', address))
})

it('client: headers, placeholders, libraries, custom methods and errors', async () => {
  const blocks = readBlocks(await readPage('client'), 'js')
  const [params, libraries, methods, storage, errors] = [
    ...["'X-Trace': '7'", 'superagent(', 'shout', 'sessionStorage', 'NotFound']
  ].map((text) => blocks.find((block) => block.includes(text))?.replace(/^import .*client'$/m, '')) as [
    ...[string, string, string, string, string]
  ]
  const server = await shared.runServer(`
import { alula } from 'alula'
import express, { errorHandler, rest } from 'alula/express'

const app = express(alula())
const show = ({ id, headers, route }) =>
  console.log(id, route.roomId, headers['x-trace'], headers['x-version'], headers['x-client'])
const messages = {
  find: async (params) => (show(params), []),
  get: async (id, params) => (show({ ...params, id }), { id }),
  shout: async ({ text }) => console.log(text) ?? {}
}

app.configure(rest())
app.use('rooms/:roomId/messages', { find: messages.find })
app.use('messages', messages, { methods: ['find', 'get', 'shout'] })
app.use(errorHandler())
await app.listen(3030)
`)
  const [importsOfLibraries = '', clients = ''] = libraries.split('\n\nconst url')
  const program = runProgram(
    `${importsOfLibraries}
import { alula, authentication, errors, rest } from 'alula/client'

const app = alula().configure(rest('http://localhost:3030').fetch(fetch))
const messages = app.service('messages')
const sessionStorage = new Map()
const [showNothing, showOffline] = ['nothing', 'offline'].map((text) => () => console.log(text))

sessionStorage.getItem = sessionStorage.get
sessionStorage.setItem = sessionStorage.set
globalThis.sessionStorage = sessionStorage
${params}
await messages.get(2)
const url${clients.replaceAll(/^(alula.+)$/gm, "await $1.service('messages').find()")}
{${methods}}
const client = ${storage}
await client.authentication.setAccessToken('a token')
console.log(sessionStorage.get('notes-token'))

for (const name of ['NotFound', 'Timeout']) {
  messages.get = async () => { throw new errors[name]() }
  ${errors}
}
`.replaceAll('localhost:3030', server.address)
  )

  for (const line of ['a token', 'nothing', 'offline']) expect(await program.waitFor('')).toBe(line)
  expect(await program.end()).toBe(0)

  for (const line of [
    ...['1 undefined 7 undefined undefined', 'undefined 7 undefined undefined undefined'],
    ...['undefined undefined undefined undefined undefined', '2 undefined undefined 3 undefined'],
    ...['undefined undefined undefined undefined web', 'undefined undefined undefined undefined undefined'],
    ...['undefined undefined undefined undefined undefined', 'Hello', 'Hello']
  ])
    expect(await server.waitFor('')).toBe(line)
})

it('Koa: the applications answer as they show', async () => {
  const page = await readPage('koa')
  const [program, routes, uploads, login, files, errors] = readBlocks(page, 'js') as [
    ...[string, string, string, string, string, string]
  ]
  const [first, second, third] = readBlocks(page, 'console') as [string, string, string]
  const { address } = await shared.runServer(program)

  await expectSession([first], { 'localhost:3030': address })

  const { address: larger } = await shared.runServer(
    program.replace('app.configure(rest())', `${routes}${login}app.configure(rest())\n${uploads}`)
  )

  await expectSession([second, third], { 'localhost:3030': larger })
  expect((await fetch(`http://${larger}/me`)).status).toBe(401)

  const form = new FormData()

  form.set('other', new Blob(['12345']), 'five.txt')
  for (const init of [{ body: form }, { body: '--a', headers: { 'Content-Type': 'multipart/form-data' } }])
    expect((await fetch(`http://${larger}/uploads`, { method: 'POST', ...init })).status).toBe(400)

  const { address: other } = await shared.runServer(
    program.replace('app.use(errorHandler())', `${files.replace(' errorHandler,', '')}${errors}`)
  )
  const { status, headers } = await fetch(`http://${other}/nowhere`, {
    headers: { Origin: 'https://example.com' }
  })

  expect([status, headers.get('Access-Control-Allow-Origin')]).toEqual([404, 'https://example.com'])
})

it('page: the application serves the page, and the restricted one does not', async () => {
  const [program, call, login, ...others] = readBlocks(await readPage('page'), 'js') as [
    string,
    string,
    string
  ]
  const { address } = await shared.runServer(
    program.replace(/^app\.use\(notFound/m, `${toLocal(login)}app.use(notFound`)
  )
  const data = (await (await fetch(`http://${address}/docs/data.json`)).json()) as any

  expect(await (await fetch(`http://${address}/docs`)).text()).toContain('page.js')
  expect(data.services.map(({ path }: any) => path)).toEqual(['notes', 'users', 'authentication'])
  await runToEnd(call.replace('localhost:3030', address))

  const statuses = await Promise.all(
    others.map(async (configuration) => {
      const text = `import { createHandler } from 'alula/fetch'\nimport { alula } from 'alula'\nconst app = alula()\n${configuration}
const handler = createHandler(app)
const ask = async (file) => (await handler(new Request('http://localhost/' + file))).status
console.log('status', await ask('docs/'), await ask('docs/data.json'), await ask('openapi.json'))\n`

      return await shared.runProgram(text).waitFor('status')
    })
  )

  expect(statuses).toEqual(['status 200 401 401', 'status 404 404 200', 'status 200 404 200'])
})
