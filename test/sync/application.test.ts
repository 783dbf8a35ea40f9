import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import express from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { sync } from '../../src/sync.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { until } from '../support/until.ts'
import { payloads, startProcess, startTwo } from './app.ts'

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

  it('sends what is left before it ends', async () => {
    const { one, other } = await startTwo()

    for (let n = 0; n < 500; n++) one.things.emit('custom', n)
    await one.app.teardown()
    await until(() => expect(payloads(other)).toEqual(Array.from({ length: 500 }, (_, n) => n)))
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
