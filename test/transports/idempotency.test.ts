import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { access, anyone, owner, user } from '../../src/access.ts'
import { Conflict, FeathersError } from '../../src/errors.ts'
import { isRepetition } from '../../src/idempotency.ts'
import { memory } from '../../src/memory.ts'
import { configureUsers, logIn } from '../access/support/application.ts'
import { defer } from '../support/deferred.ts'
import { describeRemoteTransports, type TransportClient } from '../support/transports.ts'
import { start } from './support/idempotency.ts'

/** A call with a key, as each transport takes it. */
interface KeyedCall {
  readonly id?: string | number | null
  readonly data?: unknown
  readonly headers?: { readonly [name: string]: string }
}

function withKey({ provider }: TransportClient, key: string, call: KeyedCall = {}): any {
  return provider === 'rest'
    ? { ...call, headers: { ...call.headers, 'Idempotency-Key': key } }
    : { ...call, query: { $idempotencyKey: key } }
}

describeRemoteTransports('idempotency keys', (open) => {
  it('make one record and one event of a call that is repeated', async () => {
    const events: unknown[] = []
    const { app, client } = await start(open, (opened) => void opened.use('orders', memory()))
    const key = randomUUID()

    app.service('orders').on('created', (record: unknown) => void events.push(record))

    const first = await client.call('create', 'orders', withKey(client, key, { data: { item: 'tea', n: 1 } }))
    const quoted = withKey(client, `"${key}"`, { data: { n: 1, item: 'tea' } })

    expect(await client.call('create', 'orders', quoted)).toEqual(first)
    expect(await app.service('orders').find()).toEqual([first])
    expect(events).toHaveLength(1)

    const other = await client.call(
      'create',
      'orders',
      withKey(client, randomUUID(), { data: { item: 'tea', n: 1 } })
    )

    expect(other.id).not.toBe(first.id)
  })

  it('make one change of a patch, and one list of a batch', async () => {
    const { app, client } = await start(open, (opened) => {
      opened.use('orders', memory({ multi: true }))
    })
    let patches = 0

    app.service('orders').hooks({ before: { patch: [() => void patches++] } })
    await app.service('orders').create([{ n: 1 }, { n: 2 }])

    const change = withKey(client, randomUUID(), { id: 1, data: { n: 5 } })
    const first = await client.call('patch', 'orders', change)

    await app.service('orders').patch(1, { n: 6 })
    expect(await client.call('patch', 'orders', change)).toEqual(first)
    expect(await app.service('orders').get(1)).toMatchObject({ n: 6 })
    // The hooks before the method run each time, because one of them may refuse the caller.
    expect(patches).toBe(3)

    const batch = withKey(client, randomUUID(), { data: [{ n: 7 }, { n: 8 }] })
    const records = await client.call('create', 'orders', batch)

    expect(records).toHaveLength(2)
    expect(await client.call('create', 'orders', batch)).toEqual(records)
    expect(await app.service('orders').find()).toHaveLength(4)
  })

  it('run a custom method once, and its after hooks', async () => {
    const runs: string[] = []
    const { app, client } = await start(open, (opened) => {
      opened.use(
        'mails',
        {
          async send({ to }: { to: string }) {
            runs.push(`method ${to}`)

            return { to, at: runs.length }
          }
        } as any,
        { methods: ['send'] }
      )
    })

    app.service('mails').hooks({
      around: {
        send: [
          async (context: any, next: any) => {
            await next()
            runs.push(isRepetition(context) ? 'repetition' : 'run')
          }
        ]
      } as any,
      after: { send: [() => void runs.push('after')] } as any
    })

    const call = withKey(client, randomUUID(), { data: { to: 'ada' } })
    const first = await client.call('send', 'mails', call)

    expect(await client.call('send', 'mails', call)).toEqual(first)
    expect(runs).toEqual(['method ada', 'after', 'run', 'repetition'])
  })

  it('are of one request: another one is a 422', async () => {
    const { app, client } = await start(open, (opened) => void opened.use('orders', memory()))
    const key = randomUUID()

    await client.call('create', 'orders', withKey(client, key, { data: { n: 1 } }))
    expect(await client.fail('create', 'orders', withKey(client, key, { data: { n: 2 } }))).toMatchObject({
      name: 'Unprocessable',
      code: 422,
      message: 'This idempotency key was used with another request: use a new key for each request'
    })
    expect(await app.service('orders').find()).toHaveLength(1)
  })

  it('are 409 while the first call runs, and of a hundred at once one runs', async () => {
    const begun = defer()
    const ended = defer()
    let runs = 0
    const { client } = await start(open, (opened) => {
      opened.use('orders', {
        async create(data: object) {
          runs++
          begun.resolve()
          await ended.promise

          return { ...data, runs }
        }
      })
    })
    const call = withKey(client, randomUUID(), { data: { n: 1 } })
    const first = client.call('create', 'orders', call)

    await begun.promise

    const others = await Promise.all(Array.from({ length: 99 }, () => client.fail('create', 'orders', call)))

    expect(new Set(others.map(({ code, data }) => `${code} ${data.reason}`))).toEqual(
      new Set(['409 running'])
    )
    ended.resolve()
    expect(await first).toEqual({ n: 1, runs: 1 })
    expect(await client.call('create', 'orders', call)).toEqual({ n: 1, runs: 1 })
  })

  it('can be used again after a call whose method has failed', async () => {
    let runs = 0
    const { client } = await start(open, (opened) => {
      opened.use('orders', {
        async create() {
          if (runs++ === 0) throw new Error('The first one fails')

          return { runs }
        }
      })
    })
    const call = withKey(client, randomUUID(), { data: {} })

    expect(await client.fail('create', 'orders', call)).toMatchObject({ code: 500 })
    expect(await client.call('create', 'orders', call)).toEqual({ runs: 2 })
  })

  it('keep the error of a hook after the method, which has run', async () => {
    const { app, client } = await start(open, (opened) => void opened.use('orders', memory()))
    const call = withKey(client, randomUUID(), { data: { n: 1 } })

    app.service('orders').hooks({
      after: {
        create: [
          () => {
            throw Object.assign(new Error('secret'), { code: 'E' })
          }
        ]
      }
    })

    expect(await client.fail('create', 'orders', call)).toMatchObject({ code: 500 })
    expect(await client.fail('create', 'orders', call)).toMatchObject({ code: 500 })
    expect(await app.service('orders').find()).toHaveLength(1)
  })

  it('keep an error of a class of the application', async () => {
    class OutOfStock extends FeathersError {
      constructor(message: string, data: object) {
        super(message, 'OutOfStock', 409, 'out-of-stock', data)
      }
    }

    const { app, client } = await start(open, (opened) => void opened.use('orders', memory()))
    const call = withKey(client, randomUUID(), { data: { n: 1 } })

    app.service('orders').hooks({
      after: {
        create: [
          () => {
            throw new OutOfStock('No more apples', { left: 0, errors: { item: 'is sold' } })
          }
        ]
      }
    })

    const first = await client.fail('create', 'orders', call)

    expect(first).toMatchObject({
      name: 'OutOfStock',
      message: 'No more apples',
      code: 409,
      className: 'out-of-stock',
      data: { left: 0 },
      errors: { item: 'is sold' }
    })
    expect(await client.fail('create', 'orders', call)).toEqual(first)
    expect(await app.service('orders').find()).toHaveLength(1)
  })

  it('keep the error that a call has failed with, whatever hooks around it make of it again', async () => {
    const results: unknown[] = []
    const { app, client } = await start(open, (opened) => void opened.use('orders', memory()))
    const call = withKey(client, randomUUID(), { data: { n: 1 } })
    let runs = 0

    app.service('orders').hooks({
      around: {
        create: [
          async (context, next) => {
            try {
              await next()
            } catch (error) {
              throw new Conflict(`${(error as Error).message}, run ${++runs}`)
            }
            results.push(context.result.id)
          },
          async (context, next) => {
            await next()
            results.push(context.result.id)
          }
        ]
      },
      after: {
        create: [
          () => {
            throw new Conflict('No more tea')
          }
        ]
      }
    })

    const first = await client.fail('create', 'orders', call)

    expect(first).toMatchObject({ code: 409, message: 'No more tea, run 1' })
    expect(await client.fail('create', 'orders', call)).toEqual(first)
    expect(results).toEqual([])
    expect(await app.service('orders').find()).toHaveLength(1)
  })

  it('are not for others: neither another user nor somebody without a login gets the response', async () => {
    const { app, client } = await start(open, (opened) => {
      opened.configure(configureUsers)
      opened.use('orders', memory(), { access: access({ create: user }) })
      opened.use('open', memory(), { access: access({ create: anyone }) })
    })
    const { ada, grace } = await logIn(app)
    const ofAda = { Authorization: `Bearer ${ada.accessToken}` }
    const ofGrace = { Authorization: `Bearer ${grace.accessToken}` }
    const send = (headers: any, data: object) => withKey(client, 'short', { data, headers })
    const first = await client.call('create', 'orders', send(ofAda, { n: 1 }))

    expect((await client.call('create', 'orders', send(ofGrace, { n: 1 }))).id).not.toBe(first.id)
    expect(await client.call('create', 'orders', send(ofAda, { n: 1 }))).toEqual(first)
    expect(await client.fail('create', 'orders', withKey(client, 'short', { data: { n: 1 } }))).toMatchObject(
      {
        code: 401
      }
    )
    expect(await client.fail('create', 'open', withKey(client, 'short', { data: {} }))).toMatchObject({
      code: 400,
      message:
        'Invalid idempotency key: without a login expected one of 128 random bits, 22 characters or more, such as a UUID'
    })
  })

  it('give a caller who has lost a right what a call gives', async () => {
    let mayCreate = true
    const { app, client } = await start(open, (opened) => {
      opened.configure(configureUsers)
      opened.use('orders', memory(), {
        access: access({ create: () => mayCreate, patch: owner('ownerId'), get: owner('ownerId') })
      })
    })
    const { ada } = await logIn(app)
    const headers = { Authorization: `Bearer ${ada.accessToken}` }
    const create = withKey(client, 'one', { data: { n: 1 }, headers })

    await client.call('create', 'orders', create)
    mayCreate = false
    expect(await client.fail('create', 'orders', create)).toMatchObject({ code: 403 })

    const order: any = await app.service('orders').create({ ownerId: 1 })
    const patch = withKey(client, 'two', { id: order.id, data: { n: 2 }, headers })
    const first = await client.call('patch', 'orders', patch)

    expect(await client.call('patch', 'orders', patch)).toEqual(first)
    await app.service('orders').patch(order.id, { ownerId: 99 })
    expect(await client.fail('patch', 'orders', patch)).toMatchObject({ code: 404 })
  })

  it('do not store what is marked no-store or too large, and do not run the method again', async () => {
    let runs = 0
    const { app, client } = await start(
      open,
      (opened) => {
        opened.use('secrets', { create: async () => ({ secret: 'x', runs: ++runs }) })
        opened.use('texts', { create: async () => ({ text: 'x'.repeat(2000), runs: ++runs }) })
      },
      { maxSize: 1000 }
    )

    app.service('secrets').hooks({
      after: {
        create: [
          (context: any) => {
            context.http = { ...context.http, headers: { 'cache-control': 'private, no-store' } }
          }
        ]
      }
    })

    for (const path of ['secrets', 'texts']) {
      const call = withKey(client, randomUUID(), { data: {} })

      await client.call('create', path, call)
      expect(await client.fail('create', path, call)).toMatchObject({
        code: 409,
        data: { reason: 'not-kept' }
      })
    }
    expect(runs).toBe(2)
  })

  it('do not concern what reads: a custom method with a route for GET runs each time', async () => {
    let runs = 0
    const { client } = await start(open, (opened) => {
      opened.use('counts', { count: async () => ({ runs: ++runs }) } as any, {
        methods: ['count'],
        routes: { 'GET /count': 'count' }
      })
    })
    const headers = { 'Idempotency-Key': randomUUID() }

    expect(await client.call('count', 'counts', { data: {}, headers })).toEqual({ runs: 1 })
    expect(await client.call('count', 'counts', { data: {}, headers })).toEqual({ runs: 2 })
  })

  it('are checked: too long, empty and with other characters they are a 400', async () => {
    const { app, client } = await start(open, (opened) => void opened.use('orders', memory()))

    for (const key of ['x'.repeat(256), '"unclosed', 'two words', '""', 'a,b']) {
      expect(await client.fail('create', 'orders', withKey(client, key, { data: {} }))).toMatchObject({
        code: 400,
        message: expect.stringContaining('expected 1 to 255 visible ASCII characters')
      })
    }
    expect(await app.service('orders').find()).toEqual([])
  })

  it('are ignored by services that log in', async () => {
    const { app, client } = await start(open, (opened) => void opened.configure(configureUsers))

    await logIn(app)

    const data = { strategy: 'local', email: 'ada@example.org', password: 'wrong' }
    const failed = await client.fail('create', 'authentication', withKey(client, 'x', { data }))

    expect(failed.message).not.toContain('idempotency key')
  })
})
