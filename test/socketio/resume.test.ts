import type { Socket } from 'socket.io-client'
import { expect, it } from 'vitest'
import { authentication, socketio as connectTo } from '../../src/client.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { addAuthentication } from '../support/login.ts'
import { connect, createClient, hear, open } from '../support/socketio.ts'
import { ask } from '../support/sockets.ts'
import { until } from '../support/until.ts'
import { configureThings } from './things.ts'

/** What a client receives beside replies, with where it is in the log. */
function collectAll(socket: Socket): any[][] {
  const heard: any[][] = []

  socket.onAny((...event) => heard.push(event))

  return heard
}

it('an event has its position and the transaction after its data', async () => {
  const { app, url } = await open(configureThings)
  const heard = collectAll(await connect(url))

  await app.service('things').create([{ n: 1 }, { n: 2 }])
  await until(() => expect(heard).toHaveLength(2))

  const [[, , one], [, , two]] = heard as [any[], any[]]

  expect(one).toEqual({ position: expect.stringMatching(/^\w+-1\.1$/), tx: expect.any(String) })
  expect(two).toEqual({ position: one.position.replace(/1$/, '2'), tx: one.tx })
})

it('a client gets what it missed after the acknowledgement of $resume, and then its position', async () => {
  const { app, url } = await open(configureThings)
  const socket = await connect(url)
  const [, start] = await ask(socket, '$resume', null)

  socket.disconnect()
  await app.service('things').create({ n: 1 })
  await app.service('things').create({ n: 2 })

  const other = await connect(url)
  const heard = collectAll(other)

  expect(await ask(other, '$resume', start)).toEqual([null, expect.any(String)])
  await until(() => expect(heard).toHaveLength(3))
  expect(heard.map(([name, { n } = {} as any]) => [name, n])).toEqual([
    ['things created', 1],
    ['things created', 2],
    ['$position', undefined]
  ])
  expect(heard[2]?.[1]).toBe(heard[1]?.[2].position)
})

it.each([
  ['a position that is none', 'x'],
  ['an object', {}]
])('%s is a 400', async (_title, position) => {
  const { url } = await open(configureThings)

  expect(await ask(await connect(url), '$resume', position)).toEqual([
    expect.objectContaining({ code: 400, message: expect.stringContaining('Invalid position') })
  ])
})

it('a position of another server is a gap with the names of services', async () => {
  const { url } = await open(configureThings)
  const socket = await connect(url)
  const gap = hear(socket, 'gap')

  await ask(socket, '$resume', 'another-1.1')
  expect(await gap).toEqual([{ services: ['things'], position: expect.any(String) }])
})

it('the reply to find and get has the position that it reflects, and no other has', async () => {
  const { app, url } = await open(configureThings)
  const socket = await connect(url)
  const [, before] = await ask(socket, '$resume', null)

  await app.service('things').create({ n: 1 })

  const [, , found] = await ask(socket, 'find', 'things')
  const [, , got] = await ask(socket, 'get', 'things', 1)

  expect(found).toMatch(/-1\.1$/)
  expect(got).toBe(found)
  expect(found).not.toBe(before)
  expect(await ask(socket, 'create', 'things', {})).toHaveLength(2)
})

it('the position of a reply is that before the read: an event that happens meanwhile may be missing', async () => {
  const { app, url } = await open((app: any) => {
    configureThings(app)
    app.use('slow', {
      find: async () => {
        await app.service('things').create({ n: 1 })

        return []
      }
    })
  })
  const socket = await connect(url)
  const [, before] = await ask(socket, '$resume', null)

  expect(await ask(socket, 'find', 'slow')).toEqual([null, [], before])
  expect((await ask(socket, 'find', 'things'))[2]).not.toBe(before)
  expect(await app.service('things').find()).toHaveLength(1)
})

/** A client of ours, and the connection of it that is cut. */
async function connectOurs(url: string, configure: (app: any) => void = () => undefined) {
  const socket = createClient(url, { reconnection: true, reconnectionDelay: 1 })
  const app: any = alula().configure(connectTo(socket))
  const heard: any[] = []
  const gaps: any[] = []

  configure(app)
  app.service('things').on('created', ({ n }: any) => heard.push(n))
  app.on('gap', (gap: unknown) => gaps.push(gap))
  await hear(socket, 'connect')

  return { app, socket, heard, gaps, cut: () => (socket.io.engine as any).close() }
}

it('our client gets what it missed by itself, each event once and in order', async () => {
  const { app, url } = await open(configureThings)
  const { socket, heard, gaps, cut } = await connectOurs(url)
  const things = app.service('things')
  let n = 0

  for (let round = 0; round < 10; round++) {
    await things.create({ n: ++n })
    if (round % 2 === 0) await until(() => expect(heard).toHaveLength(n))

    const connected = hear(socket, 'connect')

    cut()
    await things.create({ n: ++n })
    await connected
    await things.create({ n: ++n })
  }

  await until(() => expect(heard).toHaveLength(n))
  expect(heard).toEqual(Array.from({ length: n }, (_, index) => index + 1))
  expect(gaps).toEqual([])
})

it('our client resumes as the user that it was', async () => {
  const { app, url } = await open((app: any) => {
    addAuthentication(app)
    app.use('users', memory())
    app.use('things', memory(), { methods: ['create'] })
    app.on('login', (_result: unknown, { connection }: any) => app.channel('members').join(connection))
    app.service('things').publish(() => app.channel('members'))
  })
  const { id } = await app.service('users').create({ email: 'ada@example.org' })
  const accessToken = await (app.service('authentication') as any).createAccessToken(
    {},
    { subject: String(id) }
  )
  const client = await connectOurs(url, (app) => app.configure(authentication()))

  await client.app.authenticate({ strategy: 'jwt', accessToken })
  await app.service('things').create({ n: 1 })
  await until(() => expect(client.heard).toHaveLength(1))

  const again = hear(client.socket, 'connect')

  client.cut()
  await app.service('things').create({ n: 2 })
  await again
  await until(() => expect(client.heard).toHaveLength(2))
  expect(client.heard).toEqual([1, 2])
})

it('our client tells of a gap once', async () => {
  const { app, url } = await open((app: any) => {
    app.set('eventLog', { maxBytes: 20_000 })
    configureThings(app)
  })
  const { socket, heard, gaps, cut } = await connectOurs(url)

  await app.service('things').create({ n: 1 })
  await until(() => expect(heard).toHaveLength(1))

  const connected = hear(socket, 'connect')

  cut()
  for (let n = 0; n < 200; n++) await app.service('things').create({ n: 0, text: 'x'.repeat(500) })
  await connected
  await until(() => expect(gaps).toHaveLength(1))
  await app.service('things').create({ n: 2 })
  await until(() => expect(heard).toContain(2))
  expect(gaps).toEqual([{ services: ['things'], position: expect.any(String) }])
  expect(heard).toEqual([1, 2])
})
