import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { readBlocks, readPage, readSection, toJavaScript, toLocal, toModule } from '../support/page.ts'
import { runProgram, runServer, runToEnd } from '../support/program.ts'
import { expectSession } from '../support/session.ts'

const SECRET = 'a secret for the programs of the documents'

/** Imports of files that a page tells of. */
const LOCAL_IMPORT = /^import [^']+ from '\..+'$/gm

it('quickstart: the application answers as it shows', async () => {
  const page = await readPage('quickstart')
  const [program, inside] = readBlocks(page, 'js') as [string, string]
  const sessions = readBlocks(page, 'console')

  expect(program).toBe(
    await readFile(resolve(import.meta.dirname, '../../examples/quickstart/app.js'), 'utf8')
  )
  expect(sessions).toHaveLength(2)

  const { address, waitFor } = await runServer(program)

  await expectSession(sessions, { 'localhost:3030': address })
  await waitFor('created note 1')

  const second = await runServer(`${program}${inside}console.log(page.data[0].text, note.id)\n`)

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
process.exit()
`
  const [hooks, describing, enforcing] = steps as [string, string, string]
  const run = async (...functions: readonly string[]) => {
    const configured = functions.map((code, index) => code.replace('const user =', `const step${index} =`))
    const program = [surroundings, ...[schemas, ...configured].map((code) => code.replace(LOCAL_IMPORT, ''))]
    const configure = functions.map((_code, index) => `app.configure(step${index})`).join('\n')
    const { waitFor } = runProgram(toJavaScript(...program, configure, calls))

    return JSON.parse(await waitFor('['))
  }
  const shown = [{ id: 0, email: 'ada' }, '$2b$', 'BadRequest']

  expect(steps).toHaveLength(3)
  expect(await run(hooks)).toEqual(shown)
  expect(await run(enforcing)).toEqual(shown)
  expect(await run(describing, hooks.replace(/^ {2}app\.use.*$/m, ''))).toEqual(shown)
})

it('deployment: the application answers as it shows, and ends on SIGTERM', async () => {
  const page = await readPage('deployment')
  const [program] = readBlocks(page, 'js') as [string]
  const [session] = readBlocks(page, 'console') as [string]
  const { address, end } = await runServer(program, { NODE_ENV: 'production' })

  await expectSession([session], { 'localhost:3030': address })
  expect(await end('SIGTERM')).toBe(0)
})

it('deployment: the proxy is trusted, and errors are logged', async () => {
  const [, proxy, logging] = readBlocks(await readPage('deployment'), 'js') as [string, string, string]
  const { address, waitFor } = await runServer(`
import { alula } from 'alula'
import express from 'alula/express'

const app = express(alula())
${proxy}${logging.replace('console.error', 'console.log').replace('app.use(errorHandler', 'const last = (errorHandler')}
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
  const { address } = await runServer(application, { SECRET })
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
  const server = await runServer(`
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

it('real time: the server and the client show what the page shows', async () => {
  const page = await readPage('realtime')
  const [application, client] = readBlocks(page, 'js') as [string, string]
  const [session] = readBlocks(page, 'console') as [string]
  const { address } = await runServer(application)
  const listening = runProgram(client.replace('localhost:3030', address))
  const shown = [...client.matchAll(/(?:prints:|\/\/) ([^:]* ?\{ text.+)$/gm)].map(([, line]) => line)

  expect([await listening.waitFor(''), await listening.waitFor('')]).toEqual(shown)
  await expectSession([session], { 'localhost:3030': address })
  expect(await listening.waitFor('')).toBe("created { text: 'From HTTP', id: 2 }")
})

it('real time: channels and sessions follow logins', async () => {
  const [application] = readBlocks(await readPage('authentication'), 'js') as [string]
  const blocks = readBlocks(await readPage('realtime'), 'js')
  const [channels, rooms, login, sessions] = ["'anonymous'", 'rooms/', 'wren@', 'verifySessions'].map(
    (text) => blocks.find((block) => block.includes(text))
  ) as [string, string, string, string]
  const room = "app.use('rooms', { find: async () => [{ id: 7 }] })\n"
  const verify = `app.use('check', { find: async () => {
  console.log(app.channel('rooms/7').length)
  const userId = undefined
  ${sessions}
  return []
} })\n`
  const server = await runServer(
    application.replace('await app.listen', `${channels}${room}${rooms}${verify}await app.listen`),
    { SECRET }
  )
  const post = (path: string, data: object) =>
    fetch(`http://${server.address}/${path}`, {
      method: 'POST',
      body: JSON.stringify(data),
      headers: { 'Content-Type': 'application/json' }
    })

  await post('users', { email: 'wren@example.org', password: 'correct horse' })

  const client = runProgram(`${login.replace('localhost:3030', server.address)}
client.service('messages').on('removed', (data) => console.log(data))
await client.service('messages').remove(1)
process.exit()`)

  expect(await client.waitFor('')).toBe('{ changed: true }')
  expect(await server.waitFor('gone')).toBe('gone wren@example.org')

  const staying = runProgram(`${login.replace('localhost:3030', server.address)}console.log('ready')`)

  await staying.waitFor('ready')
  expect((await fetch(`http://${server.address}/check`)).status).toBe(200)
  expect(await server.waitFor('')).toBe('1')
  await staying.end('SIGTERM')
})

it('real time: each way to set up a server starts and ends', async () => {
  const [, page = ''] = (await readPage('realtime')).split('## Setting up')
  const [options, alone, own] = readBlocks(page, 'js') as [string, string, string]
  const imports = `import { createServer } from 'node:http'\nimport { alula } from 'alula'\n`
  const together = `${imports}const app = alula()\nconst server = createServer()\n${options}${own.replace('3030', '0')}`

  await runToEnd(together)

  const { end } = await runServer(
    `${imports}import { socketio } from 'alula/socketio'\nprocess.once('SIGTERM', () => app.teardown())\n${alone}`
  )

  expect(await end('SIGTERM')).toBe(0)
})

it('real time: what a client does, clients hear', async () => {
  const [application] = readBlocks(await readPage('realtime'), 'js') as [string]
  const clients = readBlocks(await readPage('client'), 'js')
  const overSocket = clients.find((block) => block.includes('socketio(socket, {')) as string
  const overHttp = clients.find((block) => block.includes("messages.on('created'")) as string
  const { address } = await runServer(application)
  const listening = runProgram(overSocket.replace('localhost:3030', address))

  expect(await listening.waitFor('created')).toBe("created { text: 'Hello', id: 1 }")

  const calling = runProgram(overHttp.replace('localhost:3030', address))

  expect(await calling.waitFor('created')).toBe("created { text: 'Hello', id: 2 }")
  expect(await listening.waitFor('created')).toBe("created { text: 'Hello', id: 2 }")
  expect(await calling.end()).toBe(0)
})

it('real time: messages without a client of ours are answered', async () => {
  const blocks = readBlocks(await readPage('realtime'), 'js')
  const [application] = blocks as [string]
  const messages = blocks.find((block) => block.includes("socket.emit('get'")) as string
  const { address } = await runServer(application)
  const calling = runProgram(messages.replace('localhost:3030', address))

  const printed = await Promise.all([1, 2, 3, 4].map(() => calling.waitFor('Hello')))

  expect(printed.filter((line) => !line.startsWith('created'))).toEqual(
    [...messages.matchAll(/print\) \/\/ (.+)$/gm)].map(([, line]) => line)
  )
  expect(printed).toContain("created { text: 'Hello', id: 1 }")
})

it('writing a transport: the conversation goes as it shows', async () => {
  const page = await readPage('writing-a-transport')
  const [transport, application] = readBlocks(page, 'js') as [string, string]
  const [conversation] = readBlocks(page, '') as [string]
  const port = 'server.address().port'
  const program = runProgram(
    toModule(transport.replace('export ', ''), application.replace(LOCAL_IMPORT, ''))
      .replace('4040', '0')
      .replace("'listening')", `'listening')\n      console.log('port', ${port})`)
      .replace('await app.setup()', "await app.setup()\nprocess.once('SIGTERM', () => app.teardown())")
  )
  const socket = connect(Number((await program.waitFor('port')).slice('port '.length)))
  const answers = createInterface({ input: socket })[Symbol.asyncIterator]()

  // The server does not read to the end what is too long.
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())

  for (const line of conversation.trim().split('\n')) {
    if (line.startsWith('> ')) socket.write(`${line.slice(2)}\n`)
    else expect(`< ${(await answers.next()).value}`).toBe(line)
  }

  // What is not a message, and what is none that ends.
  socket.write('{}\nnull\n[1,{"toString":2},"notes"]\n')
  for (let count = 0; count < 3; count++) expect((await answers.next()).value).toContain('Invalid message')
  socket.write('x'.repeat(200_000))
  await new Promise((resolve) => socket.once('close', resolve))

  expect(await program.end('SIGTERM')).toBe(0)
})

it('writing a transport: a WebSocket logs in, and one with an invalid token is refused', async () => {
  const [transport] = readBlocks(readSection(await readPage('writing-a-transport'), 'WebSocket'), 'js') as [
    string
  ]
  const { address, waitFor } = await runServer(`
import { alula } from 'alula'
import { AuthenticationService, JWTStrategy } from 'alula/authentication'
import express, { rest } from 'alula/express'
import { memory } from 'alula/memory'
${transport.replace('export ', '')}
const app = express(alula())

app.set('authentication', { secret: '${SECRET}', entity: 'user', service: 'users', authStrategies: ['jwt'] })
app.use('users', memory({ store: { 1: { id: 1, email: 'ada@example.org' } } }))
app.use('authentication', new AuthenticationService(app))
app.service('authentication').register('jwt', new JWTStrategy())
app.configure(rest())
app.on('connection', (connection) => app.channel('all').join(connection))
app.on('disconnect', () => console.log('disconnected', app.channel('all').length))
app.configure(websocket((_app, { user }, webSocket) => webSocket.send(user?.email ?? 'not logged in')))
await app.listen(3030)
console.log('token', await app.service('authentication').createAccessToken({}, { subject: '1' }))
`)
  const token = (await waitFor('token')).slice('token '.length)
  const connectAs = (Authorization?: string) => {
    const socket = new WebSocket(`ws://${address}`, { headers: { ...(Authorization && { Authorization }) } })

    onTestFinished(() => socket.terminate())

    return socket
  }
  const user = connectAs(`Bearer ${token}`)

  expect(String((await once(user, 'message'))[0])).toBe('ada@example.org')
  expect(String((await once(connectAs(), 'message'))[0])).toBe('not logged in')
  expect((await once(connectAs('Bearer nonsense'), 'error'))[0].message).toContain('401')
  expect(await waitFor('disconnected')).toBe('disconnected 2')
  user.terminate()
  expect(await waitFor('disconnected')).toBe('disconnected 1')
})

it('writing a transport: the one for HTTP responds to requests', async () => {
  const [transport, handler] = readBlocks(
    readSection(await readPage('writing-a-transport'), 'HTTP'),
    'js'
  ) as [string, string]
  const { waitFor } = runProgram(`
import { alula } from 'alula'
import { memory } from 'alula/memory'
${transport}
const app = alula()

app.use('notes', memory({ startId: 1 }))
await app.setup()
${handler}
const send = (method, rawPath, { rawQueryString = '', ...others } = {}) => handler({
  rawPath, rawQueryString, headers: { host: 'localhost', 'content-type': 'application/json' }, ...others,
  requestContext: { http: { method, sourceIp: '127.0.0.1' } }
})

for (const { statusCode, body } of [
  await send('POST', '/notes', { body: '{"text":"Hello"}' }),
  await send('GET', '/notes', { rawQueryString: '$select=text' }),
  await send('HEAD', '/notes/1'),
  await send('GET', '/notes/2'),
  await send('POST', '/notes', { body: JSON.stringify({ text: 'x'.repeat(200_000) }) })
]) console.log('response', statusCode, body.slice(0, 60))
`)
  const lines: string[] = []

  for (let count = 0; count < 5; count++) lines.push(await waitFor('response'))

  expect(lines).toEqual([
    'response 201 {"text":"Hello","id":1}',
    'response 200 [{"text":"Hello","id":1}]',
    'response 200 ',
    `response 404 {"name":"NotFound","message":"No record found for id '2'","c`,
    'response 413 {"name":"PayloadTooLarge","message":"The request body is lar'
  ])
})

it('writing an adapter: the adapter passes the suite', async () => {
  const [adapter, suite] = readBlocks(await readPage('writing-an-adapter'), 'ts') as [string, string]
  const tests = suite.replace(/^import \{ MapService.*\n/m, '')

  await runToEnd(toJavaScript(adapter, tests))
})

it('writing an adapter: queries become the tree and the SQL that it shows', async () => {
  const page = await readPage('writing-an-adapter')
  const [tree] = readBlocks(readSection(page, 'The tree'), 'js') as [string]
  const [shown] = readBlocks(page, 'json') as [string]
  const section = readSection(page, 'Translating a query to SQL')
  const { waitFor } = runProgram(toJavaScript(...readBlocks(section, 'ts')))
  const parsed = await runProgram(tree.replace(', null, 2', '')).waitFor('{')

  expect(JSON.parse(parsed)).toEqual(JSON.parse(shown))
  expect(`${await waitFor('team')}\n${await waitFor('[')}\n`).toBe(readBlocks(section, '')[0])
})

it('Koa: the applications answer as they show', async () => {
  const page = await readPage('koa')
  const [program, routes, uploads, login, files, errors] = readBlocks(page, 'js') as [
    ...[string, string, string, string, string, string]
  ]
  const [first, second, third] = readBlocks(page, 'console') as [string, string, string]
  const { address } = await runServer(program)

  await expectSession([first], { 'localhost:3030': address })

  const { address: larger } = await runServer(
    program.replace('app.configure(rest())', `${routes}${login}app.configure(rest())\n${uploads}`)
  )

  await expectSession([second, third], { 'localhost:3030': larger })
  expect((await fetch(`http://${larger}/me`)).status).toBe(401)

  const { address: other } = await runServer(
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
  const { address } = await runServer(
    program.replace(/^app\.use\(notFound/m, `${toLocal(login)}app.use(notFound`),
    { SECRET }
  )
  const data = (await (await fetch(`http://${address}/docs/data.json`)).json()) as any

  expect(await (await fetch(`http://${address}/docs`)).text()).toContain('page.js')
  expect(data.services.map(({ path }: any) => path)).toEqual(['notes', 'authentication', 'users'])
  await runToEnd(call.replace('localhost:3030', address))

  const statuses = await Promise.all(
    others.map(async (configuration) => {
      const text = `import { createHandler } from 'alula/fetch'\nimport { alula } from 'alula'\nconst app = alula()\n${configuration}
const handler = createHandler(app)
const ask = async (file) => (await handler(new Request('http://localhost/' + file))).status
console.log('status', await ask('docs/'), await ask('docs/data.json'), await ask('openapi.json'))\n`

      return await runProgram(text).waitFor('status')
    })
  )

  expect(statuses).toEqual(['status 200 401 401', 'status 404 404 200', 'status 200 404 200'])
})
