import { expect, it } from 'vitest'
import { readBlocks, readPage, readSection, toModule } from '../support/page.ts'
import { runProgram, runServer, runToEnd } from '../support/program.ts'
import { expectSession } from '../support/session.ts'
import { shareProcess } from '../support/shared-process.ts'
import { SECRET } from './support.ts'

const shared = shareProcess({ SECRET })

it('real time: the server and the client show what the page shows', async () => {
  const page = await readPage('realtime')
  const [application, client] = readBlocks(page, 'js') as [string, string]
  const [session] = readBlocks(page, 'console') as [string]
  const { address } = await shared.runServer(application)
  const listening = shared.runProgram(client.replace('localhost:3030', address))
  const shown = [...client.matchAll(/(?:prints:|\/\/) ([^:]* ?\{ text.+)$/gm)].map(([, line]) => line)

  expect([await listening.waitFor(''), await listening.waitFor('')]).toEqual(shown)
  await expectSession([session], { 'localhost:3030': address })
  expect(await listening.waitFor('')).toBe("created { text: 'From HTTP', id: 2 }")
})

it('real time: channels and sessions follow logins', async () => {
  const [application] = readBlocks(await readPage('authentication'), 'js') as [string]
  const blocks = readBlocks(await readPage('realtime'), 'js')
  const [channels, rooms, login, sockets, sessions] = [
    ...["'anonymous'", 'rooms/', 'client.authenticate', 'extraHeaders', 'verifySessions']
  ].map((text) => blocks.find((block) => block.includes(text))) as [string, string, string, string, string]
  const verify = `app.use('check', { find: async () => {
  console.log(app.channel('rooms/7').length)
  const userId = undefined
  ${sessions}
  return []
} })\n`
  const server = await shared.runServer(
    application.replace('await app.listen', `${channels}${rooms}${verify}await app.listen`)
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

  const direct = shared.runProgram(sockets.replaceAll('localhost:3030', server.address))

  expect(await direct.waitFor('')).toBe('connected')
})

it('real time: each way to set up a server starts and ends', async () => {
  const [, page = ''] = (await readPage('realtime')).split('## Setting up')
  const [options, alone, own] = readBlocks(page, 'js') as [string, string, string]
  const application = "import { alula } from 'alula'\nconst app = alula()"

  await runToEnd(toModule(application, options, own.replace('3030', '0')))

  const { end } = await runServer(toModule("process.once('SIGTERM', () => app.teardown())", alone))

  expect(await end('SIGTERM')).toBe(0)
})

it('real time: what a client does, clients hear', async () => {
  const [application] = readBlocks(await readPage('realtime'), 'js') as [string]
  const clients = readBlocks(await readPage('client'), 'js')
  const overSocket = clients.find((block) => block.includes('socketio(socket, {')) as string
  const overHttp = clients.find((block) => block.includes("messages.on('created'")) as string
  const { address } = await shared.runServer(application)
  const listening = shared.runProgram(overSocket.replace('localhost:3030', address))

  expect(await listening.waitFor('created')).toBe("created { text: 'Hello', id: 1 }")

  const calling = runProgram(overHttp.replace('localhost:3030', address))

  expect(await calling.waitFor('created')).toBe("created { text: 'Hello', id: 2 }")
  expect(await listening.waitFor('created')).toBe("created { text: 'Hello', id: 2 }")
  expect(await calling.end()).toBe(0)
})

it('real time: events without sockets reach a REST client', async () => {
  const [, section = ''] = (await readPage('realtime')).split('## Without sockets')
  const [application, client] = readBlocks(section, 'js') as [string, string]
  const [session] = readBlocks(section, 'console') as [string]
  const [tab] = readBlocks(readSection(await readPage('client'), 'One stream for all tabs'), 'js') as [string]
  const server = await shared.runServer(
    application.replace("app.on('connection'", "app.on('connection', () => console.log('joined'))\n$&")
  )
  const { address } = server
  const listening = [client, tab].map((code) => shared.runProgram(code.replace('localhost:3030', address)))

  await server.waitFor('joined')
  await server.waitFor('joined')
  await expectSession([session], { 'localhost:3030': address })
  expect(await Promise.all(listening.map(({ waitFor }) => waitFor('created')))).toEqual(
    Array(2).fill("created { text: 'Hello', id: 1 }")
  )
})

it('real time: messages without a client of ours are answered', async () => {
  const blocks = readBlocks(await readPage('realtime'), 'js')
  const [application] = blocks as [string]
  const messages = blocks.find((block) => block.includes("socket.emit('get'")) as string
  const { address } = await shared.runServer(application)
  const calling = shared.runProgram(messages.replace('localhost:3030', address))

  const printed = await Promise.all([1, 2, 3, 4].map(() => calling.waitFor('Hello')))

  expect(printed.filter((line) => !line.startsWith('created'))).toEqual(
    [...messages.matchAll(/print\) \/\/ (.+)$/gm)].map(([, line]) => line)
  )
  expect(printed).toContain("created { text: 'Hello', id: 1 }")
})

it('client: pages on another port may call, over HTTP and over sockets', async () => {
  const section = readSection(await readPage('client'), 'A front end on another port')
  const [, setup] = readBlocks(section, 'js') as [string, string]
  const { address } = await shared.runServer(`
import { alula } from 'alula'
import express from 'alula/express'
import { memory } from 'alula/memory'
${setup.replace(/^const origin/m, 'const app = express(alula())\nconst origin')}
app.use('notes', memory())
await app.listen(3030)
`)
  const Origin = 'http://localhost:5173'

  for (const path of ['notes', 'socket.io/?EIO=4&transport=polling']) {
    const { status, headers } = await fetch(`http://${address}/${path}`, { headers: { Origin } })

    expect([status, headers.get('Access-Control-Allow-Origin')], path).toEqual([200, Origin])
  }
})
