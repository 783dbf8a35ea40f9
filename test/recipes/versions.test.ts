import { io } from 'socket.io-client'
import { expect, it, onTestFinished } from 'vitest'
import { readBlocks, readPage, toModule } from '../support/page.ts'
import { runServer } from '../support/program.ts'
import { call, HEADER_LOGIN } from './header-login.ts'

const [versions, ended] = readBlocks(await readPage('recipes/18-versions'), 'js') as [string, string]

const APP = `
import { alula } from 'alula'
import express, { errorHandler, rest } from 'alula/express'
import { socketio } from 'alula/socketio'

const app = express(alula())
`

/** Prints the events of version 1 that listeners in the process get. */
const LISTENERS = `
for (const event of ['created', 'patched'])
  app.service('v1/notes').on(event, ({ title }) => console.log(event, title))`

function toProgram(...blocks: readonly string[]): string {
  return toModule(
    APP,
    HEADER_LOGIN,
    `app.configure(rest())
app.configure(socketio())
app.on('connection', (connection) => app.channel('users/1').join(connection))`,
    ...blocks,
    'app.use(errorHandler())\nawait app.listen(3030)'
  )
}

it('two versions have one table, and the old one says when it ends', async () => {
  const { address, lines } = await runServer(toProgram(versions, LISTENERS))
  const received: unknown[] = []
  const socket = io(`http://${address}`, { transports: ['websocket'] })

  onTestFinished(() => void socket.close())
  socket.onAny((event, record) => received.push([event, record]))
  await new Promise((resolve) => socket.on('connect', () => resolve(undefined)))

  const [v1, v2] = [`${address}/v1/notes`, `${address}/v2/notes`]
  const created = await call(v1, { user: 1, data: { text: 'Milk' } })

  expect([created.status, created.body]).toEqual([201, { id: 1, text: 'Milk' }])
  expect(created.headers.get('deprecation')).toBe('@1793491200')
  expect(created.headers.get('sunset')).toBe('Wed, 30 Jun 2027 00:00:00 GMT')
  expect(created.headers.get('link')).toBe('</v2/docs>; rel="successor-version"')

  const note = { id: 1, ownerId: 1, title: 'Milk', body: '' }
  const { body, headers } = await call(`${v2}/1`, { user: 1 })

  expect([body, headers.has('deprecation')]).toEqual([note, false])
  await call(`${v2}/1`, { user: 1, method: 'PATCH', body: '{"body":"Two litres"}' })
  await call(`${v1}/1`, { user: 1, method: 'PATCH', body: '{"text":"Oats"}' })
  expect((await call(`${v2}/1`, { user: 1 })).body).toEqual({ ...note, title: 'Oats', body: 'Two litres' })
  expect((await call(`${v1}?text=Oats&$sort[id]=-1`, { user: 1 })).body).toEqual([{ id: 1, text: 'Oats' }])

  // Each change is one event in each version.
  await expect.poll(() => received.length).toBe(6)
  expect(received).toEqual(
    [
      ['created', note, 'Milk'],
      ['patched', { ...note, body: 'Two litres' }, 'Milk'],
      ['patched', { ...note, title: 'Oats', body: 'Two litres' }, 'Oats']
    ].flatMap(([event, record, text]) => [
      [`v2/notes ${event}`, record],
      [`v1/notes ${event}`, { id: 1, text }]
    ])
  )

  for (const line of ['created Milk', 'patched Milk', 'patched Oats'])
    expect((await lines.next()).value).toBe(line)

  // The rule of version 2 holds in version 1.
  expect((await call(`${v1}/1`, { user: 2 })).status).toBe(404)
  expect((await call(v1, { user: 2 })).body).toEqual([])
  expect((await call(v1)).status).toBe(401)
  expect((await call(v1, { user: 1, data: { text: '' } })).status).toBe(400)
  expect((await call(`${v1}?title=Oats`, { user: 1 })).status).toBe(400)
})

it('a version that has ended is gone', async () => {
  const { address } = await runServer(toProgram(versions, ended))
  const { status, body } = await call(`${address}/v1/notes/1`, { user: 1 })

  expect([status, body.message]).toEqual([410, 'Version 1 ended on 30 June 2027: use /v2'])
  expect((await call(`${address}/v2/notes`, { user: 1 })).status).toBe(200)
})
