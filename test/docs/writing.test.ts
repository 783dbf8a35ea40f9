import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { readBlocks, readPage, readSection, toJavaScript, toModule } from '../support/page.ts'
import { runProgram, runToEnd } from '../support/program.ts'
import { shareProcess } from '../support/shared-process.ts'
import { LOCAL_IMPORT, SECRET } from './support.ts'

const shared = shareProcess()

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
  const { address, waitFor } = await shared.runServer(`
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
  const { waitFor } = shared.runProgram(`
import { alula } from 'alula'
import { memory } from 'alula/memory'
import { openapi } from 'alula/openapi'
${transport}
const app = alula()

app.use('notes', memory({ startId: 1 }))
app.configure(openapi())
app.mount('picture', async () => new Response(new Uint8Array([0x89, 0x50, 0xff])))
await app.setup()
${handler}
const send = (method, rawPath, { rawQueryString = '', ...others } = {}) => handler({
  rawPath, rawQueryString, headers: { host: 'localhost', 'content-type': 'application/json' }, ...others,
  requestContext: { http: { method, sourceIp: '127.0.0.1' } }
})

for (const { statusCode, body, isBase64Encoded } of [
  await send('POST', '/notes', { body: '{"text":"Hello"}' }),
  await send('GET', '/notes', { rawQueryString: '$select=text' }),
  await send('HEAD', '/notes/1'),
  await send('GET', '/notes/2'),
  await send('GET', '/openapi.json'),
  await send('GET', '/picture'),
  await send('POST', '/notes', { body: JSON.stringify({ text: 'x'.repeat(200_000) }) })
]) console.log('response', statusCode, Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8').toString('latin1').slice(0, 60))
`)
  const lines: string[] = []

  for (let count = 0; count < 7; count++) lines.push(await waitFor('response'))

  expect(lines).toEqual([
    'response 201 {"text":"Hello","id":1}',
    'response 200 [{"text":"Hello","id":1}]',
    'response 200 ',
    `response 404 {"name":"NotFound","message":"No record found for id '2'","c`,
    expect.stringMatching(/^response 200 \{"openapi":"3\.1/),
    'response 200 \x89P\xff',
    'response 413 {"name":"PayloadTooLarge","message":"The request body is lar'
  ])
})

it('writing an adapter: the adapter passes the suite', async () => {
  const [adapter, suite] = readBlocks(await readPage('writing-an-adapter'), 'ts') as [string, string]
  const tests = suite.replace(/^import \{ MapService.*\n/m, '')

  await runToEnd(toJavaScript(adapter, tests))
})

it('writing an adapter: it gets pages with cursors', async () => {
  const page = await readPage('writing-an-adapter')
  const [adapter, suite] = readBlocks(page, 'ts') as [string, string]
  const [methods] = readBlocks(readSection(page, 'Return pages with cursors'), 'ts') as [string]
  const [find, store] = methods.split(/ {2}…\n\}\n/) as [string, string]
  const whole = adapter
    .replace(/ {2}async _find\(.*\n/, find)
    .replace(
      'where, sort, skip, limit, select } = this.parseQuery(params)',
      'where, sort, skip, limit, select } = query'
    )
    .replace('  /** Replaces the record of an id', `${store}\n  /** Replaces the record of an id`)
  const tests = suite
    .replace(/^import \{ MapService.*\n/m, '')
    .replace('create:', 'features: { cursors: true }, create:')

  expect(whole).toContain('} = query')
  expect(tests).toContain('cursors: true')
  await runToEnd(toJavaScript(whole, tests))
})

it('writing an adapter: queries become the tree and the SQL that it shows', async () => {
  const page = await readPage('writing-an-adapter')
  const [tree] = readBlocks(readSection(page, 'The tree'), 'js') as [string]
  const [shown] = readBlocks(page, 'json') as [string]
  const section = readSection(page, 'Translating a query to SQL')
  const { waitFor } = shared.runProgram(toJavaScript(...readBlocks(section, 'ts')))
  const parsed = await shared.runProgram(tree.replace(', null, 2', '')).waitFor('{')

  expect(JSON.parse(parsed)).toEqual(JSON.parse(shown))
  expect(`${await waitFor('team')}\n${await waitFor('[')}\n`).toBe(readBlocks(section, '')[0])
})
