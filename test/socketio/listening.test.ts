import { once } from 'node:events'
import { createServer } from 'node:http'
import { Server as NetServer } from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import express, { rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { koa, rest as koaRest } from '../../src/koa.ts'
import { memory } from '../../src/memory.ts'
import { socketio } from '../../src/socketio.ts'
import { toUrl } from '../support/server.ts'
import { call, connect, createClient, hear } from '../support/socketio.ts'
import { findPort, listen, ownUrl, things } from './server.ts'

describe('listen of an application without Express', () => {
  it('starts a server that is there for sockets alone', async () => {
    const app: any = alula().configure(socketio()).use('things', things)
    const steps: string[] = []

    app.use('late', { ...things, setup: async () => void steps.push('set up') })

    const server = await app.listen(0, '127.0.0.1', () => steps.push('listening'))

    onTestFinished(() => app.teardown())
    expect(server.listening).toBe(true)
    expect(steps).toEqual(['set up', 'listening'])
    expect((await fetch(`${toUrl(server)}/things`)).status).toBe(404)
    expect(await call(await connect(toUrl(server)), 'find', 'things')).toEqual(['one'])
  })

  it('may be called for several servers at once, which share what is there', async () => {
    const app: any = alula().configure(socketio()).use('things', things)
    const servers = await Promise.all([app.listen(0, '127.0.0.1'), app.listen(0, '127.0.0.1')])

    onTestFinished(() => app.teardown())
    expect(app.listenerCount('publish')).toBe(1)
    for (const server of servers) {
      expect(await call(await connect(toUrl(server)), 'find', 'things')).toEqual(['one'])
    }
    expect(app.io.sockets.sockets.size).toBe(2)
  })

  it('rejects on a taken port, and what was set up is torn down', async () => {
    const app: any = alula().configure(socketio())
    const steps: string[] = []
    const taken = createServer()
    const { port } = new URL(await listen(taken))

    app.use('things', { ...things, teardown: async () => void steps.push('torn down') })

    await expect(app.listen(Number(port), '127.0.0.1')).rejects.toMatchObject({ code: 'EADDRINUSE' })
    expect(steps).toEqual(['torn down'])
    expect(app.listenerCount('publish')).toBe(0)
  })

  it('stays what it is where there is one', () => {
    const app: any = alula()
    const own = () => undefined

    app.listen = own
    app.configure(socketio())
    expect(app.listen).toBe(own)
  })
})

describe.each<[string, () => any]>([
  ['alula', () => alula()],
  ['Express', () => express(alula()).configure(rest())],
  ['Koa', () => koa(alula()).configure(koaRest())]
])('an application of %s that is set up', (_name, create) => {
  it('listens, and its services and its sockets are set up once', async () => {
    const steps: string[] = []
    const app: any = create().configure(socketio(() => void steps.push('configured')))

    app.use('things', { ...things, setup: async () => void steps.push('set up') })
    await app.setup()

    const server = await app.listen(0, '127.0.0.1')

    onTestFinished(() => app.teardown())
    expect(steps).toEqual(['configured', 'set up'])
    expect(await call(await connect(toUrl(server)), 'find', 'things')).toEqual(['one'])
  })

  it('does not listen before that has finished', async () => {
    const app: any = create().configure(socketio()).use('things', things)
    const setup = app.setup()

    onTestFinished(() => app.teardown())
    await expect(app.listen(0, '127.0.0.1')).rejects.toMatchObject({ code: 'ALULA_SETUP_RUNNING' })
    await setup
  })
})

it.each([
  ['its own server', () => socketio()],
  ['another port', () => socketio(0)]
])('with %s, a teardown right after listen leaves nothing that listens', async (_title, configure) => {
  const steps: string[] = []
  const opened: NetServer[] = []
  const listen = vi.spyOn(NetServer.prototype, 'listen').mockImplementation(function (this: NetServer) {
    opened.push(this)

    return this
  })

  onTestFinished(() => listen.mockRestore())

  const app: any = alula().configure(configure())

  app.use('things', { ...things, setup: async () => void steps.push('set up') })

  const listening = expect(app.listen(0, '127.0.0.1')).rejects.toMatchObject({ code: 'ALULA_TORN_DOWN' })

  await app.teardown()
  await listening

  expect(opened).toEqual([])
  expect(steps).toEqual([])
})

describe('with Express', () => {
  it.each([
    ['before', (configure: any) => express(alula().configure(configure))],
    ['after', (configure: any) => express(alula()).configure(configure)]
  ])('configured %s it, REST and sockets share one server, and its end', async (_title, create) => {
    const app: any = create(socketio())
    const connections: unknown[] = []

    app.configure(rest())
    app.on('connection', (connection: any) => {
      connections.push(connection)
      app.channel('all').join(connection)
    })
    app.publish(() => app.channel('all'))
    app.use('things', memory({ startId: 1 }))

    const server = await app.listen(0, '127.0.0.1')
    const socket = await connect(toUrl(server))
    const created = hear(socket, 'things created')
    const response = await fetch(`${toUrl(server)}/things`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Connection: 'close' },
      body: '{"text":"by REST"}'
    })

    expect(response.status).toBe(201)
    expect(await created).toEqual([{ text: 'by REST', id: 1 }])
    expect(await call(socket, 'get', 'things', 1)).toEqual({ text: 'by REST', id: 1 })
    expect(connections).toHaveLength(1)

    const closed = hear(socket, 'disconnect')
    const wasListening: boolean[] = []

    // Sockets first: a server that waits for them would have to cut them off.
    app.on('disconnect', () => wasListening.push(server.listening))
    await app.teardown()
    expect(wasListening).toEqual([true])
    expect((await closed)[0]).toBe('transport close')
    expect(server.listening).toBe(false)
    expect(app.listenerCount('publish')).toBe(0)
  })
})

describe('a port', () => {
  it('is for a server of its own, besides the one of REST', async () => {
    const app: any = express(alula()).configure(rest()).configure(socketio(0))

    app.use('things', things)

    const server = await app.listen(0, '127.0.0.1')
    const url = toUrl(server)
    const other = ownUrl(app)

    expect(other).not.toBe(url)
    expect(await (await fetch(`${url}/things`, { headers: { Connection: 'close' } })).json()).toEqual(['one'])
    expect((await fetch(`${url}/socket.io/`, { headers: { Connection: 'close' } })).status).toBe(404)
    expect((await fetch(`${other}/things`, { headers: { Connection: 'close' } })).status).toBe(404)
    expect(await call(await connect(other), 'find', 'things')).toEqual(['one'])

    const { httpServer } = app.io

    await app.teardown()
    expect(httpServer.listening).toBe(false)
  })

  it('is listened to once, however many servers of the application are set up', async () => {
    const port = await findPort()
    const app: any = alula().configure(socketio(port)).use('things', things)

    onTestFinished(() => app.teardown())
    await app.setup()
    await app.setup(createServer())
    expect(await call(await connect(`http://127.0.0.1:${port}`), 'find', 'things')).toEqual(['one'])
  })

  it('that is taken rejects', async () => {
    const port = Number(new URL(await listen(createServer())).port)
    const app: any = alula().configure(socketio(port))

    await expect(app.listen(0)).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  it('is listened to by the next set-up, after one that has failed', async () => {
    const taken = createServer()
    const port = Number(new URL(await listen(taken)).port)
    const app: any = alula().configure(socketio(port)).use('things', things)
    let isBroken = true

    app.use('late', {
      ...things,
      setup: async () => {
        if (isBroken) throw new Error('broken')
      }
    })
    onTestFinished(() => app.teardown())
    await expect(app.setup()).rejects.toThrow('broken')
    isBroken = false

    // Both wait for the same server.
    expect(await Promise.allSettled([app.setup(), app.setup()])).toMatchObject(
      Array(2).fill({ reason: { code: 'EADDRINUSE' } })
    )
    taken.close()
    await once(taken, 'close')
    await app.setup()
    expect(ownUrl(app)).toBe(`http://127.0.0.1:${port}`)
    expect(await call(await connect(ownUrl(app)), 'find', 'things')).toEqual(['one'])
  })
})

describe('somebody’s own server', () => {
  it('is used by setup, and goes on to answer what it answers', async () => {
    const app: any = alula().configure(socketio()).use('things', things)
    const server = createServer((_request, response) => response.end('mine'))
    const url = await listen(server)

    await app.setup(server)
    onTestFinished(() => app.teardown())

    expect(await (await fetch(url, { headers: { Connection: 'close' } })).text()).toBe('mine')
    expect(await call(await connect(url), 'find', 'things')).toEqual(['one'])
  })

  it('is left open by teardown, and connections of sockets are refused there', async () => {
    const app: any = alula().configure(socketio()).use('things', things)
    const server = createServer((_request, response) => response.end('mine'))
    const url = await listen(server)

    await app.setup(server)

    const gone = hear(await connect(url, { reconnection: false }), 'disconnect')

    await app.teardown()
    await gone
    expect(server.listening).toBe(true)
    expect(await (await fetch(url, { headers: { Connection: 'close' } })).text()).toBe('mine')
    await hear(createClient(url, { reconnection: false }), 'connect_error')
  })
})
