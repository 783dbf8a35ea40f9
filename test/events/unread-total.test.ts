import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { runServer } from '../support/program.ts'
import { until } from '../support/until.ts'

/** Where a quarter of the heap is less than what three clients missed. */
const HEAP = { NODE_OPTIONS: '--max-old-space-size=192' }

const CLIENTS = 8

/** Keeps 30 MB of events, and says how many streams there are. */
const APP = `
  import { createServer } from 'node:http'
  import { alula } from 'alula'
  import { events } from 'alula/events'
  import { toListener } from 'alula/node'

  const maxBytes = 64_000_000
  const app = alula().configure(events({ maxUnsentBytes: maxBytes })).set('eventLog', { maxBytes })

  app.on('connection', (connection) => app.channel('all').join(connection))
  app.use('things', { create: async () => ({ text: 'x'.repeat(500_000) }) })
  app.use('streams', { find: async () => app.channel('all').length })
  app.service('things').publish(() => app.channel('all'))
  await app.setup()
  createServer(toListener(app)).listen(3030)
`

it('of clients that do not read what they missed, those that wait longest are closed', async () => {
  const { address } = await runServer(APP, HEAP)
  const [host, port] = address.split(':') as [string, string]
  const count = async () => (await fetch(`http://${address}/streams`)).json()
  const create = (path: string) => fetch(`http://${address}/${path}`, { method: 'POST' })

  async function open(headers = '') {
    const socket = connect(Number(port), host)
    let received = ''

    onTestFinished(() => void socket.destroy())
    socket.setEncoding('latin1').on('data', (text: string) => {
      received += text
    })
    socket.write(`GET /events HTTP/1.1\r\nHost: a\r\n${headers}\r\n`)

    return { socket, received: () => received }
  }

  const reader = await open()

  await until(async () => expect(await count()).toBe(1))
  for (let n = 0; n < 60; n++) await create('things')
  await until(() => expect(reader.received().match(/^id: /gm)).toHaveLength(60))

  const [first] = /(?<=^id: ).*/m.exec(reader.received()) as RegExpExecArray

  for (let n = 0; n < CLIENTS; n++) {
    const { socket } = await open(`Last-Event-ID: ${first}\r\n`)

    await once(socket, 'data')
    socket.pause()
  }

  // Some have been closed, and neither the last ones nor the one that reads.
  await until(async () => expect(await count()).toBeLessThan(CLIENTS / 2 + 1))
  expect(await count()).toBeGreaterThan(2)
  await create('things')
  await until(() => expect(reader.received().match(/^id: /gm)).toHaveLength(61))
}, 60_000)
