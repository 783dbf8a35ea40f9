import { expect, it } from 'vitest'
import { memory } from '../../src/memory.ts'
import { call, connect, open } from '../support/socketio.ts'

/** What stands for bytes in a packet of Socket.IO. */
const forged = { _placeholder: true, num: 0 }

function configure(app: any): void {
  app.use('records', memory({ startId: 1, multi: true }))
  app.on('connection', (connection: any) => app.channel('all').join(connection))
  app.publish(() => app.channel('all'))
}

it.each([
  ['create', [{ a: forged }]],
  ['create', [[{ a: { b: [forged] } }]]],
  ['update', [1, { a: forged }]],
  ['patch', [1, { a: forged }]],
  ['patch', [null, forged]]
])(
  'what stands for bytes cannot be stored by %s, so that nobody gets the bytes of others',
  async (method, args) => {
    const { app, url } = await open(configure)

    await app.service('records').create({ id: 1, secret: Buffer.from('x') })

    const socket = await connect(url, { reconnection: false })

    await expect(call(socket, method, 'records', ...args, {})).rejects.toMatchObject({
      name: 'BadRequest',
      message: "Invalid data: '_placeholder' is not allowed as a name"
    })
    expect(await call(socket, 'find', 'records')).toEqual([{ id: 1, secret: Buffer.from('x') }])
  }
)

it('nor can it be in a query, which a service may store or return', async () => {
  const { url } = await open((app) => {
    app.use('searches', { find: async ({ query }: any) => [{ query, image: Buffer.from('x') }] })
  })
  const socket = await connect(url, { reconnection: false })
  const find = (query: object) => call(socket, 'find', 'searches', query)

  for (const query of [forged, { a: forged }, { a: { $in: [forged] } }]) {
    await expect(find(query)).rejects.toMatchObject({
      name: 'BadRequest',
      message: "Invalid query: '_placeholder' is not allowed as a name"
    })
  }

  const query = { _placeholder: 'true', a: { _placeholder: 1 } }

  expect(await find(query)).toEqual([{ query, image: Buffer.from('x') }])
})

it('real bytes, and a field of this name with another value, are stored', async () => {
  const { url } = await open(configure)
  const socket = await connect(url, { reconnection: false })
  const record = { a: Buffer.from('bytes'), _placeholder: 'a text', b: { _placeholder: 1 } }

  expect(await call(socket, 'create', 'records', record, {})).toEqual({ id: 1, ...record })
})
