import { expect, it } from 'vitest'
import { memory } from '../../src/memory.ts'
import { call, connect, open, openRaw } from '../support/socketio.ts'

// A packet of Socket.IO names its attachments by number, as often as it likes: one of 200 kB stood for 300 MB of data.

it.each([
  ['records', 'create', (repeated: unknown[]) => [{ a: repeated }]],
  ['records', 'create', (repeated: unknown[]) => [repeated.map((bytes) => ({ bytes }))]],
  ['records', 'patch', (repeated: unknown[]) => [1, { a: { b: repeated } }]],
  ['records', 'echo', (repeated: unknown[]) => [{ a: repeated }]]
])('data of %s.%s can not have the same bytes twice', async (path, method, toArguments) => {
  const { app, url } = await open((app) =>
    app.use('records', Object.assign(memory({ multi: true }), { echo: async (data: unknown) => data }), {
      methods: ['create', 'patch', 'echo']
    })
  )
  const raw = await openRaw(url)
  const placeholder = { _placeholder: true, num: 0 }
  const args = toArguments([placeholder, placeholder])

  await app.service('records').create({ id: 1 })
  raw.send('40')
  await raw.receive('40{')
  raw.send(`451-7${JSON.stringify([method, path, ...args, {}])}`, Buffer.alloc(1000))

  expect(await raw.receive('437')).toContain('Invalid data: expected the same bytes only once')
  expect(await app.service('records').find()).toEqual([{ id: 1 }])
})

it('different bytes that are alike are data', async () => {
  const { url } = await open((app) => app.use('records', memory({ startId: 1 })))
  const socket = await connect(url, { reconnection: false })
  const record = { a: Buffer.from('bytes'), b: [Buffer.from('bytes')] }

  expect(await call(socket, 'create', 'records', record, {})).toEqual({ id: 1, ...record })
})

// Clients close their connection at a packet with more than ten attachments: two records were enough to lock out
// everybody who listed them.

const many = (count: number) => Array.from({ length: count }, (_, index) => Buffer.from([index]))

it.each([
  ['of the transport WebSocket', ['websocket']],
  ['that polls', ['polling']]
])(
  'a client %s stays when an answer or an event has more bytes than it takes',
  async (_title, transports) => {
    const { app, url } = await open((app) => {
      app.use('records', memory({ startId: 1 }))
      app.on('connection', (connection: any) => app.channel('all').join(connection))
      app.publish(() => app.channel('all'))
    })
    const socket = await connect(url, { reconnection: false, transports })
    const created = new Promise((resolve) => socket.once('records created', resolve))
    const asJson = (count: number) => JSON.parse(JSON.stringify(many(count)))

    await app.service('records').create({ bytes: many(11) })
    expect(await created).toEqual({ id: 1, bytes: asJson(11) })
    expect(await call(socket, 'get', 'records', 1)).toEqual({ id: 1, bytes: asJson(11) })

    await app.service('records').create({ bytes: many(10) })
    expect(await call(socket, 'get', 'records', 2)).toEqual({ id: 2, bytes: many(10) })
    expect(await call(socket, 'find', 'records')).toHaveLength(2)
  }
)
