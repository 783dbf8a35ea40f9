import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { runServer } from '../support/program.ts'
import { until } from '../support/until.ts'

/** Where a quarter of the heap is less than what three clients missed. */
const HEAP = { NODE_OPTIONS: '--max-old-space-size=192' }

const CLIENTS = 8

/** Keeps 30 MB of events, and says how many clients there are. */
const APP = `
  import { createServer } from 'node:http'
  import { alula } from 'alula'
  import { events } from 'alula/events'
  import { toListener } from 'alula/node'
  import { socketio } from 'alula/socketio'

  const maxBytes = 60_000_000
  const app = alula()
    .configure(events({ maxUnsentBytes: maxBytes }))
    .configure(socketio({ pingInterval: 600_000 }))
    .set('eventLog', { maxBytes })
  const server = createServer(toListener(app))

  app.on('connection', (connection) => app.channel('all').join(connection))
  app.use('things', { create: async () => ({ text: 'x'.repeat(500_000) }) })
  app.use('connections', { find: async () => app.channel('all').length })
  app.service('things').publish(() => app.channel('all'))
  await app.setup(server)
  server.listen(3030)
`

/** A client that has asked for all events after a position. */
interface Client {
  /** What it has received. */
  readonly text: string
  pause(): void
}

const TRANSPORTS: { readonly [name: string]: (address: string, position: string) => Promise<Client> } = {
  async 'streams of events'(address, position) {
    const [host, port] = address.split(':') as [string, string]
    const socket = connect(Number(port), host)
    let text = ''

    onTestFinished(() => void socket.destroy())
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk
    })
    socket.write(`GET /events HTTP/1.1\r\nHost: a\r\nLast-Event-ID: ${position}\r\n\r\n`)
    await once(socket, 'data')

    return {
      get text() {
        return text
      },
      pause: () => void socket.pause()
    }
  },
  async sockets(address, position) {
    const socket = new WebSocket(`ws://${address}/socket.io/?EIO=4&transport=websocket`)
    let text = ''

    onTestFinished(() => socket.terminate())
    await once(socket, 'open')
    socket.on('message', (data) => {
      text += String(data)
    })
    socket.send('40')
    await until(() => expect(text).toContain('40{'))
    socket.send(`420["$resume",${JSON.stringify(position || null)}]`)
    await once(socket, 'message')

    return {
      get text() {
        return text
      },
      pause: () => socket.pause()
    }
  }
}

it.each(Object.entries(TRANSPORTS))(
  '%s: of clients that do not read what they missed, those that wait longest are closed',
  async (_name, open) => {
    const { address } = await runServer(APP, HEAP)
    const count = async () => (await fetch(`http://${address}/connections`)).json()
    const create = (path: string) => fetch(`http://${address}/${path}`, { method: 'POST' })
    const reader = await open(address, '')
    const expectEvents = (events: number) =>
      until(() => expect(reader.text.match(/x{500000}/g)).toHaveLength(events))

    for (let n = 0; n < 60; n++) await create('things')
    await expectEvents(60)

    const [, position] = /(?:^id: |"position":")([^"\n]*)/m.exec(reader.text) as RegExpExecArray

    for (let n = 0; n < CLIENTS; n++) (await open(address, position as string)).pause()

    // The last ones wait, and the one that reads has lost nothing.
    await until(async () => expect(await count()).toBeLessThan(CLIENTS / 2 + 1))
    expect(await count()).toBeGreaterThan(2)
    await create('things')
    await expectEvents(61)
  },
  60_000
)
