import { createClient } from 'redis'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { createTypeError } from '../../src/utils/developer-error.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { scaled } from '../support/scale.ts'
import { until } from '../support/until.ts'
import { configureUsers, LOGIN, payloads, startProcess, startTwo } from './app.ts'

describeRedis('an event of a service', () => {
  it('reaches the connections of all processes, each once, and listeners only where it happened', async () => {
    const { one, other } = await startTwo()

    const created = await one.things.create({ text: 'first' })
    await one.things.patch(created.id, { text: 'second' })
    await other.things.create({ text: 'third' })

    await until(() => expect(one.heard).toHaveLength(3))
    await until(() => expect(other.heard).toHaveLength(3))

    const texts = (process: typeof one) => payloads(process).map(({ text }) => text)

    expect(texts(one)).toEqual(['first', 'second', 'third'])
    expect(texts(other).sort()).toEqual(['first', 'second', 'third'])
    expect(other.heard.map(({ event }) => event).sort()).toEqual(['created', 'created', 'patched'])
    expect(one.emitted.map(({ text }) => text)).toEqual(['first', 'second'])
    expect(other.emitted.map(({ text }) => text)).toEqual(['third'])
    expect([...one.errors, ...other.errors]).toEqual([])
  })

  it('of a sub-application goes to all processes under its path in the outer one', async () => {
    const { one, other } = await startTwo((app) => {
      const inner: any = alula().use('orders', memory({ startId: 1 }))

      app.use('v1', inner)
      app.service('v1/orders').publish(() => app.channel('all'))
    })

    await one.app.service('v1/orders').create({ text: 'first' })

    for (const process of [one, other]) {
      await until(() => expect(process.heard).toHaveLength(1))
      expect(process.heard[0]).toMatchObject({ event: 'created', context: { path: 'v1/orders' } })
      expect(payloads(process)).toEqual([{ id: 1, text: 'first' }])
    }
  })

  it('of a service with a schema shows connections elsewhere what it shows here', async () => {
    const User = z.object({ id: z.int(), name: z.string(), password: z.string() })
    const { one, other } = await startTwo((app) => {
      app.use('users', memory({ multi: true }), { schema: schema(User, { hidden: ['password'] }) })
      app.service('users').publish(() => app.channel('all'))
    })

    await one.app.service('users').create([
      { name: 'Ada', password: 'a' },
      { name: 'Bob', password: 'b' }
    ])

    for (const process of [one, other]) {
      await until(() => expect(process.heard).toHaveLength(2))
      expect(payloads(process)).toEqual([
        { id: 0, name: 'Ada' },
        { id: 1, name: 'Bob' }
      ])
    }
  })

  it('of 90 kB arrives, a thousand of them, in order', async () => {
    const { one, other } = await startTwo(undefined, { maxBytes: 8 * 1024 * 1024 })
    const count = scaled(2000)
    const text = 'x'.repeat(90_000)

    for (let n = 0; n < count; n++) {
      await one.things.create({ n, text })
      // Others have to get a turn, as they have when requests come in.
      await new Promise(setImmediate)
      if (n % 40 === 39) await until(() => expect(other.heard.length).toBe(n + 1))
    }

    await until(() => expect(other.heard).toHaveLength(count))
    expect(payloads(other).map(({ n }) => n)).toEqual(Array.from({ length: count }, (_, n) => n))
    expect([...one.gaps, ...other.gaps]).toEqual([])
  })

  it('of an entry that another program wrote has the application and the service of this process', async () => {
    const { other, prefix } = await startTwo()
    const client = createClient({ url: REDIS_URL })
    const forged = { app: 'app', service: 'service', path: 'path', self: 1, dispatch: 2, result: 3, http: {} }
    const call = { ...forged, method: 'create', id: 5, event: 'created' }
    const events = JSON.stringify([{ path: 'things', event: 'created', data: { id: 5 }, call }])

    await client.connect()
    onTestFinished(() => client.destroy())
    await client.xAdd(`${prefix}:events`, '*', { tx: 'other-1', paths: '["things"]', count: '1', events })
    await until(() => expect(other.heard).toHaveLength(1))

    const [{ context }] = other.heard as [any]

    expect(context).toEqual({
      app: other.app,
      service: other.things,
      path: 'things',
      result: { id: 5 },
      method: 'create',
      id: 5,
      event: 'created'
    })
  })

  it('arrives though there are entries before it that are none of ours, which are skipped', async () => {
    const { one, other, prefix } = await startTwo()
    const client = createClient({ url: REDIS_URL })
    const key = `${prefix}:events`
    const ours = { tx: 'other-1', paths: '["things"]', count: '1', events: '[{}]' }

    await client.connect()
    onTestFinished(() => client.destroy())
    await one.things.create({ n: 0 })
    await until(() => expect(other.heard).toHaveLength(1))

    for (const entry of [
      { text: 'of another program' },
      { tx: 'other-1' },
      { ...ours, tx: 'other' },
      { ...ours, tx: 'other-1e400' },
      { ...ours, count: 'many' },
      { ...ours, paths: '{}' }
    ]) {
      await client.xAdd(key, '*', JSON.parse(JSON.stringify(entry)))
    }

    await client.xAdd(key, '*', { ...ours, events: '[{"path":"things","event":"created","data":{"n":1}}]' })

    for (const { heard } of [one, other]) await until(() => expect(heard).toHaveLength(2))
    expect(payloads(one)[1]).toEqual({ n: 1 })
    expect([...one.statuses, ...one.errors, ...other.errors]).toEqual([])
  })

  it('arrives with its dates, and with what publishers need of the call and no more', async () => {
    const { one, other } = await startTwo(undefined, { params: ['tenant'] })
    const at = new Date('2024-02-29T12:00:00.000Z')

    await one.things.create({ at, big: 2n ** 64n, bytes: Buffer.from('bytes') })
    await one.things.patch(
      0,
      { at: null },
      {
        ...{ provider: 'rest', query: { at: { $lte: at } }, route: { room: '1' }, user: { id: 7 } },
        ...{ headers: { cookie: 'secret' }, authentication: { accessToken: 'secret' }, connection: {} },
        ...{ authenticated: true, tenant: 't', other: 'o' }
      }
    )
    await until(() => expect(other.heard).toHaveLength(2))

    const [{ data, context }, patched] = other.heard as [any, any]

    expect(data).toEqual({ id: 0, at, big: 2n ** 64n, bytes: Buffer.from('bytes') })
    expect(data.at).toBeInstanceOf(Date)
    expect(context).toMatchObject({ path: 'things', method: 'create', event: 'created', result: data })
    expect(context.app).toBe(other.app)
    expect(context.service).toBe(other.things)
    expect(patched.context).toMatchObject({ method: 'patch', id: 0, event: 'patched' })
    expect(patched.context.params).toEqual({
      ...{ provider: 'rest', query: { at: { $lte: at } }, route: { room: '1' }, user: { id: 7 }, tenant: 't' }
    })
  })

  it('is what it was at the time of the call in all processes, though its result changes before it is sent', async () => {
    const { one, other } = await startTwo()
    const created = await one.things.create([{ text: 'a' }, { text: 'b' }])

    for (const thing of created) thing.code = 'a secret'

    for (const process of [one, other]) {
      await until(() => expect(process.heard).toHaveLength(2))
      expect(payloads(process)).toEqual([
        { id: 0, text: 'a' },
        { id: 1, text: 'b' }
      ])
      expect(process.heard.map(({ data }) => data)).toEqual(payloads(process))
    }

    expect(one.heard[0]?.context.params).toEqual({})
    expect(one.heard[0]?.context.method).toBe('create')
  })

  it('is what it was at the time of the call where its result is an instance of a class', async () => {
    class Note {
      text = 'a'
    }

    const { one, other } = await startTwo((app) => {
      app.use('notes', { create: async () => new Note() })
      app
        .service('notes')
        .publish((data: unknown) => (data instanceof Note || app === other.app) && app.channel('all'))
    })
    const created = await one.app.service('notes').create({})

    Object.assign(created, { text: 'b', code: 'a secret' })

    for (const process of [one, other]) {
      await until(() => expect(payloads(process)).toEqual([{ text: 'a' }]))
    }
  })

  it('that the service sends itself arrives as one', async () => {
    const { one, other } = await startTwo()

    one.things.emit('custom', { at: new Date(0) })
    await until(() => expect(other.heard).toHaveLength(1))

    const { event, data, context } = other.heard[0] as any

    expect(event).toBe('custom')
    expect(context).toEqual({ path: 'things', service: other.things, app: other.app, result: data })
    expect(data).toEqual({ at: new Date(0) })
  })

  it('shows in other processes what it shows where it happened: of a list each item its own', async () => {
    const { one, other } = await startTwo((app) => {
      app.service('things').hooks({
        after: {
          all: [
            (context: any) => {
              const show = ({ secret, ...shown }: any) => shown

              context.dispatch = Array.isArray(context.result)
                ? context.result.map(show)
                : show(context.result)
            }
          ]
        }
      })
    })

    await one.things.create([
      { n: 1, secret: 's' },
      { n: 2, secret: 's' }
    ])
    await one.things.patch(1, { n: 3 })
    await until(() => expect(other.heard).toHaveLength(3))

    expect(payloads(other)).toEqual([
      { id: 0, n: 1 },
      { id: 1, n: 2 },
      { id: 1, n: 3 }
    ])
    await until(() => expect(payloads(one)).toEqual(payloads(other)))
    // Publishers see all.
    expect(other.heard[0]?.data).toMatchObject({ secret: 's' })
  })

  it('is published by each process on its own', async () => {
    const { one, other } = await startTwo()
    const asked: any[] = []

    other.things.publish('created', (data: any, context: any) => {
      asked.push([data.n, context.params.provider])

      return data.n === 1 ? null : context.app.channel('all')
    })
    await one.things.create([{ n: 1 }, { n: 2 }], { provider: 'rest' })
    await until(() => expect(asked).toHaveLength(2))

    expect(asked).toEqual([
      [1, 'rest'],
      [2, 'rest']
    ])
    expect(payloads(other)).toEqual([{ id: 1, n: 2 }])
    await until(() => expect(one.heard).toHaveLength(2))
  })

  it('stays in the order of its record, though hundreds are on their way', async () => {
    const { one, other } = await startTwo()

    await one.things.create([{}, {}, {}])
    for (let n = 0; n < 300; n++) await one.things.patch(n % 3, { n })
    await until(() => expect(other.heard).toHaveLength(303))

    await until(() => expect(payloads(other)).toEqual(payloads(one)))
  })

  it('that cannot be sent is reported, and the call and others go on', async () => {
    const { one, other } = await startTwo()
    const circle: any = {}

    circle.circle = circle
    one.things.emit('custom', circle)
    one.things.emit('custom', 'text')
    await until(() => expect(other.heard).toHaveLength(1))

    expect(one.errors.map(({ message }) => message)).toEqual([
      "The event 'custom' of 'things' cannot be sent to other processes (ALULA_UNSENDABLE_EVENT)"
    ])
    await until(() => expect(payloads(one)).toEqual([circle, 'text']))
    expect(payloads(other)).toEqual(['text'])
  })

  it('of a service that is not everywhere is no matter elsewhere', async () => {
    const prefix = createPrefix()
    const one = await startProcess({ redis: REDIS_URL, prefix }, (app) => app.use('others', memory()))
    const other = await startProcess({ redis: REDIS_URL, prefix })

    await one.app.service('others').create({})
    await one.things.create({})
    await until(() => expect(other.heard).toHaveLength(1))
    expect(other.errors).toEqual([])
  })

  it('of an authentication service stays where it is, and so do those that are filtered out', async () => {
    const { one, prefix } = await startTwo((app) => configureUsers(app), {
      filter: ({ data }: any) => !data.isQuiet
    })
    const client = createClient({ url: REDIS_URL })

    await one.app.service('users').create({ email: LOGIN.email, password: LOGIN.password })
    await one.app.service('authentication').create(LOGIN)
    await one.things.create({ isQuiet: true })
    await one.things.create({ isQuiet: false })

    await client.connect()
    onTestFinished(() => client.destroy())
    await until(async () => {
      const entries = (await client.xRange(`${prefix}:events`, '-', '+')) ?? []
      const texts = entries.map(({ message }) => message.events)

      expect(texts).toEqual([
        expect.stringContaining('"path":"users"'),
        expect.stringContaining('"isQuiet":false')
      ])
    })
  })

  it.each<[string, () => unknown]>([
    ['a promise', async () => false],
    ['a promise that rejects', async () => Promise.reject(new Error('no'))],
    // As libraries make them.
    ['a promise of another making', () => ({ then: (resolve: (value: unknown) => void) => resolve(false) })]
  ])('stays where it is when the filter returns %s, which would count as a yes', async (_title, filter) => {
    const errors: Error[] = []
    const { one, other } = await startTwo((app) => app.on('error', (error: Error) => errors.push(error)), {
      filter: filter as any
    })

    await one.things.create({ text: 'first' })
    expect(errors).toEqual([
      createTypeError(
        'ALULA_INVALID_RETURN_VALUE',
        "The 'filter' of sync has to return true or false, got a promise"
      )
    ])
    expect(payloads(other)).toEqual([])
  })

  it('does not reach an application with another prefix', async () => {
    const { one } = await startTwo()
    const { other: stranger } = await startTwo()

    await one.things.create({ from: 'one' })
    await stranger.things.create({ from: 'stranger' })
    await until(() => expect(stranger.heard).toHaveLength(1))
    expect(payloads(stranger)).toMatchObject([{ from: 'stranger' }])
  })
})
