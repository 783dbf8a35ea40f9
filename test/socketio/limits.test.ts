import { expect, it } from 'vitest'
import { call, connect, hear, open, openPolling, openRaw } from '../support/socketio.ts'
import { until } from '../support/until.ts'

const LIMIT = 100 * 1024

/** Fills an application with a service that answers how much it got. */
function configureThings(app: any): void {
  app.use('things', {
    create: async (data: any) => ({ length: JSON.stringify(data).length, files: data.files?.length }),
    find: async () => 'here'
  })
}

/** A packet of a call, of so many bytes. */
function toPacket(bytes: number): string {
  const empty = '421["create","things",{"text":""}]'

  return empty.replace('""', `"${'x'.repeat(bytes - empty.length)}"`)
}

it('a message of 100 kB is read, and one byte more ends the connection, and no other', async () => {
  const { url } = await open(configureThings)
  const other = await connect(url)
  const raw = await openRaw(url)

  raw.send('40')
  await raw.receive('40{')
  raw.send(toPacket(LIMIT))
  expect(await raw.receive('431')).toContain('[null,')
  raw.send(toPacket(LIMIT + 1))
  // RFC 6455: a message is too big to process.
  expect(await raw.closed).toBe(1009)
  expect(await call(other, 'find', 'things')).toBe('here')
  expect(other.connected).toBe(true)
})

it('bytes count too, and so do messages in pieces', async () => {
  const { app, url } = await open(configureThings)

  for (const isFinal of [true, false]) {
    const raw = await openRaw(url)

    raw.send('40')
    await raw.receive('40{')

    if (isFinal) {
      raw.send('451-1["create","things",{"files":[{"_placeholder":true,"num":0}]}]', Buffer.alloc(LIMIT + 1))
    } else {
      for (let piece = 0; piece < 11; piece++) raw.socket.send('4'.repeat(10_000), { fin: false })
    }

    expect(await raw.closed).toBe(1009)
  }

  await until(() => expect(app.io.engine.clientsCount).toBe(0))
})

it('the option left undefined is no other limit', async () => {
  const { url } = await open(configureThings, { maxHttpBufferSize: undefined as any })
  const raw = await openRaw(url)

  raw.send('40')
  await raw.receive('40{')
  raw.send(toPacket(LIMIT + 1))
  expect(await raw.closed).toBe(1009)
})

it('the option sets another limit', async () => {
  const { url } = await open(configureThings, { maxHttpBufferSize: 1_000_000 })
  const socket = await connect(url)

  expect(await call(socket, 'create', 'things', { text: 'x'.repeat(500_000) })).toMatchObject({
    length: 500_011
  })

  const gone = hear(socket, 'disconnect')

  socket.emit('create', 'things', { text: 'x'.repeat(1_000_000) })
  await gone
})

it('ten attachments are taken, and eleven end the connection', async () => {
  const { url } = await open(configureThings)
  const other = await connect(url)
  const raw = await openRaw(url)
  const files = (count: number) =>
    JSON.stringify([
      'create',
      'things',
      { files: Array.from({ length: count }, (_, num) => ({ _placeholder: true, num })) }
    ])

  raw.send('40')
  await raw.receive('40{')
  raw.send(`4510-1${files(10)}`, ...Array(10).fill(Buffer.from('a')))
  expect(await raw.receive('431')).toContain('"files":10')
  raw.send(`4511-2${files(11)}`)
  await raw.closed
  expect(await call(other, 'find', 'things')).toBe('here')
})

it('a body of long-polling over the limit is a 413, and one with many packets is one message after the other', async () => {
  const { url } = await open(configureThings)
  const client = await openPolling(url)
  const packets = Array.from({ length: 100 }, (_, id) => `42${id}["find","things"]`)

  expect((await client.post(packets.join('\u001e'))).status).toBe(200)

  const answers: string[] = []

  while (answers.length < 100) answers.push(...(await client.poll()).split('\u001e'))

  expect(answers.map((answer) => answer.slice(0, answer.lastIndexOf(',')))).toEqual(
    Array.from({ length: 100 }, (_, id) => `43${id}[null,"here"`)
  )
  expect((await client.post(toPacket(LIMIT))).status).toBe(200)
  expect(await client.poll()).toContain('[null,')
  expect((await client.post(toPacket(LIMIT + 1))).status).toBe(413)
  expect(await call(await connect(url), 'find', 'things')).toBe('here')
})

it('a client that never sends CONNECT is closed', async () => {
  const { url } = await open(configureThings, { connectTimeout: 50 })
  const raw = await openRaw(url)

  await raw.closed
})
