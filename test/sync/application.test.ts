import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { getInternals } from '../../src/core/internals.ts'
import express from '../../src/express.ts'
import { alula, Channel } from '../../src/index.ts'
import { openLog } from '../../src/log/log.ts'
import { memory } from '../../src/memory.ts'
import { socketio } from '../../src/socketio.ts'
import { sync } from '../../src/sync.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { toUrl } from '../support/server.ts'
import { connectSocket, next } from '../support/sockets.ts'
import { until } from '../support/until.ts'
import { configureUsers, LOGIN, payloads, startProcess, startTwo } from './app.ts'

describeRedis('sync', () => {
  it('is for the application that the configured one becomes a part of', async () => {
    const prefix = createPrefix()
    const inner: any = alula()

    inner.configure(sync({ redis: REDIS_URL, prefix }))

    const app: any = express(inner)

    app.use('things', memory())
    app.service('things').publish(() => app.channel('all'))
    app.channel('all').join({})

    const server = await app.listen(0, '127.0.0.1')

    onTestFinished(async () => void (await app.teardown()))
    expect(server.listening).toBe(true)

    const other = await startProcess({ redis: REDIS_URL, prefix })

    await other.things.create({ from: 'other' })

    const [event, , context] = await once(app, 'publish')

    expect(event).toBe('created')
    expect(context.app).toBe(app)
    await app.service('things').create({ from: 'app' })
    await until(() => expect(other.heard).toHaveLength(2))
  })

  it('ends with the application, and begins with it again', async () => {
    const { one, other } = await startTwo()

    await one.app.teardown()
    await other.things.create({ n: 1 })
    await one.things.create({ n: 2 })
    await one.app.setup()
    await one.things.create({ n: 3 })
    await until(() => expect(payloads(other).map(({ n }) => n)).toEqual([1, 3]))
    await until(() => expect(payloads(one).map(({ n }) => n)).toEqual([2, 3]))
    expect([...one.gaps, ...other.gaps]).toEqual([])
  })

  it('brings events to clients whose publisher returns a channel without a name', async () => {
    const prefix = createPrefix()

    async function start(): Promise<{ app: any; received: Promise<unknown> }> {
      const app: any = alula()
      const channel = new Channel()

      app.configure(socketio()).configure(sync({ redis: REDIS_URL, prefix }))
      app.use('things', memory())
      app.on('connection', (connection: object) => channel.join(connection))
      app.service('things').publish(() => channel)
      onTestFinished(async () => void (await app.teardown()))

      const server = await app.listen(0, '127.0.0.1')

      return { app, received: next(await connectSocket(toUrl(server)), 'things created') }
    }

    const [one, other] = [await start(), await start()]

    await one.app.service('things').create({ id: 1 })
    for (const { received } of [one, other]) expect(await received).toEqual({ id: 1 })
  })

  it('sends what is left before it ends', async () => {
    const { one, other } = await startTwo()

    for (let n = 0; n < 500; n++) one.things.emit('custom', n)
    await one.app.teardown()
    await until(() => expect(payloads(other)).toEqual(Array.from({ length: 500 }, (_, n) => n)))
  })

  it('goes on when the set-up of another server fails', async () => {
    let fails = false
    const { one, other } = await startTwo((app) => {
      app.hooks({
        setup: [
          async (_context: unknown, next: () => Promise<void>) => {
            if (fails) throw new Error('No second server')

            await next()
          }
        ]
      })
    })

    fails = true
    await expect(one.app.setup()).rejects.toThrow('No second server')
    await one.things.create({ n: 1 })
    await until(() => expect(payloads(other)).toMatchObject([{ n: 1 }]))
    await other.things.create({ n: 2 })
    await until(() => expect(payloads(one)).toMatchObject([{ n: 1 }, { n: 2 }]))
    expect([...one.gaps, ...other.gaps]).toEqual([])
  })

  it('takes several servers of one application for one process', async () => {
    const { one, other } = await startTwo()

    await one.app.setup()
    await one.things.create({})
    await other.things.create({})
    await until(() => expect(one.heard).toHaveLength(2))
    await until(() => expect(other.heard).toHaveLength(2))
  })
})

describeRedis('an event', () => {
  it('of a sub-application reaches the channels of that one, in all processes and when a client comes back', async () => {
    const { one, other } = await startTwo((app) => {
      const inner: any = alula().use('orders', memory({ startId: 1 }))

      inner.service('orders').publish((_data: unknown, context: any) => context.app.channel('orders'))
      app.use('v1', inner).set('inner', inner)
    })
    const connection = {}
    const connections = new Map([[connection, true]])
    const log = openLog(other.app, { connections, tellPosition: () => undefined, tellGap: () => undefined })
    const { position } = log

    onTestFinished(() => log.close())
    // No connection is in a channel of the outer one.
    for (const { app } of [one, other]) {
      app.channel(app.channels).leave(() => true)
      app.get('inner').channel('orders').join(connection)
    }

    await one.app.service('v1/orders').create({ text: 'first' })

    for (const process of [one, other]) {
      await until(() => expect(process.heard).toHaveLength(1))
      expect(process.heard[0]).toMatchObject({ event: 'created', context: { path: 'v1/orders' } })
      expect(process.heard[0]?.context.app).toBe(process.app.get('inner'))
    }

    await log.resume(connection, position)
    expect(other.heard).toHaveLength(2)
    expect([...one.errors, ...other.errors]).toEqual([])
  })

  it('of a user whose tokens it revokes arrives, in order, with other events of its transaction', async () => {
    const { one, other } = await startTwo((app) => {
      configureUsers(app)
      app.service('users').publish(() => app.channel('all'))
    })
    const users = one.app.service('users')
    const list = ({ heard }: typeof one) => heard.map(({ event, data }) => `${event} ${data.n}`)
    const transaction = {}

    users.on('patched', ({ n }: { n: number }) => one.things.emit('custom', { n }))
    await users.create({ email: LOGIN.email, password: LOGIN.password, n: 0 })
    for (const n of [1, 2, 3]) await users.patch(0, { n })
    getInternals(one.app).transaction = transaction
    users.emit('updated', { id: 0, n: 4 })
    one.things.emit('custom', { n: 4 })
    getInternals(one.app).transaction = undefined
    await users.remove(0)
    await one.things.create({ n: 5 })

    for (const process of [one, other]) {
      await until(() => expect(list(process).at(-1)).toBe('created 5'))
      expect(list(process)).toEqual([
        'created 0',
        ...[1, 2, 3].flatMap((n) => [`patched ${n}`, `custom ${n}`]),
        ...['updated 4', 'custom 4', 'removed 3', 'created 5']
      ])
    }

    await one.app.teardown()
    expect([...one.errors, ...one.gaps, ...other.errors, ...other.gaps]).toEqual([])
  })
})
