// Records that keep fields to themselves, on every way on which code may send them out.
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../src/access.ts'
import { protect } from '../../src/authentication.ts'
import { BadRequest } from '../../src/errors.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { count, one, schema } from '../../src/schema.ts'
import { socketio } from '../../src/socketio.ts'
import { sync } from '../../src/sync.ts'
import { toDeliveries } from '../../src/transport/socket.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { serve } from '../support/server.ts'
import { ask, connectSocket } from '../support/sockets.ts'
import { until } from '../support/until.ts'

/** Stands in everything that must not leave. */
const SECRET = 'sentinel-4711'

const User = z.object({ id: z.int(), name: z.string(), password: z.string() })
const METHODS = ['find', 'get', 'create', 'patch', 'remove', 'show']
const EVENTS = ['shown', 'end']

class Envelope {
  readonly inside: object

  constructor(inside: object) {
    this.inside = inside
  }
}

class Document {
  readonly stored: any

  constructor(stored: object) {
    this.stored = stored
  }

  get password(): string {
    return this.stored.password
  }

  toJSON(): object {
    return this.stored
  }
}

class Bound {
  readonly record: object

  constructor(record: object) {
    this.record = record
  }

  readonly toJSON = (): object => ({ ...this })
}

class Unchanged extends Envelope {
  toJSON(): this {
    return this
  }
}

/** The record itself, with a \`toJSON\` that its copies share. */
function bindJson(record: object): object {
  const bound = Object.assign(record, { toJSON: () => ({ ...bound }) })

  return bound
}

/** Ways to put a record into something else. */
const wraps: { readonly [name: string]: (record: any) => unknown } = {
  itself: (record) => record,
  'a list': (record) => [record],
  'a page': (record) => ({ total: 1, limit: 1, skip: 0, data: [record] }),
  'a name': (record) => ({ record }),
  'a name in a list in a name': (record) => ({ a: { list: [{ record }] } }),
  'a list in a list': (record) => [[record]],
  'an instance of a class': (record) => new Envelope(record),
  // As documents of an ORM, whose fields are getters.
  'a document': (record) => new Document(record),
  'what becomes JSON': (record) => ({ toJSON: () => ({ record }) }),
  'an instance that copies itself as JSON': (record) => new Bound(record),
  'a list below a name in such an instance': (record) => ({ a: [new Bound({ b: new Bound([record]) })] }),
  'a plain object that copies itself as JSON': (record) => bindJson({ record }),
  'an instance that is its own JSON': (record) => new Unchanged(record)
}

/** How users keep their password to themselves. */
const guards: { readonly [name: string]: (app: any) => void } = {
  'a schema hides': (app) => {
    app.use('users', memory({ multi: true }), {
      methods: METHODS.slice(0, -1),
      events: EVENTS,
      schema: schema(User, { hidden: ['password'] })
    })
  },
  'a hook protects': (app) => {
    app.use('users', memory({ multi: true }), { methods: METHODS.slice(0, -1), events: EVENTS })
    app.service('users').hooks({ after: { all: [protect('password')] } })
  },
  'a schema and a hook keep': (app) => {
    app.use('users', memory({ multi: true }), {
      methods: METHODS.slice(0, -1),
      events: EVENTS,
      schema: schema(User, { hidden: ['name'] })
    })
    app.service('users').hooks({ around: { all: [protect('password')] } })
  }
}

function nameEvent(context: any): void {
  context.event = 'shown'
}

interface Observed {
  readonly app: any
  readonly url: string
  readonly socket: any
  /** What clients of this process and of another one got. */
  readonly left: string[]
  /** Waits until both processes have sent all events so far. */
  readonly settle: () => Promise<void>
}

/** Starts two processes that tell each other of events, each with a client that gets all of them. */
async function start(configure: (app: any) => void): Promise<Observed> {
  const prefix = createPrefix()
  const left: string[] = []
  const ends: number[] = []
  let end = 0
  const processes: any[] = []

  for (const index of [0, 1]) {
    const app: any = alula()

    app.on('error', () => undefined)
    app.configure(socketio())
    app.configure(sync({ redis: REDIS_URL, prefix }))
    configure(app)
    app.publish(() => app.channel('all'))
    app.on('connection', (connection: object) => app.channel('all').join(connection))

    const url = await serve(app)
    const socket = await connectSocket(url)

    socket.onAny((name: string, payload: any) => {
      if (name === 'users end') ends[index] = payload.end
      left.push(JSON.stringify([name, payload]))
    })
    onTestFinished(() => void socket.close())
    processes.push({ app, url, socket })
  }

  const settle = async () => {
    end++
    processes[0]?.app.service('users').emit('end', { end })
    await until(() => expect(ends).toEqual([end, end]))
  }

  return { ...(processes[0] as any), left, settle }
}

describeRedis('a field that a service keeps from clients', () => {
  it.each(Object.keys(guards))('is in nothing that code sends out, where %s it', async (guard) => {
    let wrap: (record: any) => unknown = (record) => record
    const record = (app: any) => app.service('users').get(0)
    const listRecords = (app: any) => app.service('users').find()
    const { app, url, socket, left, settle } = await start((app) => {
      guards[guard]?.(app)
      // A service without a schema, and one with a schema that says nothing of what it returns.
      const toService = () => ({
        find: async () => wrap(await listRecords(app)),
        get: async () => wrap(await record(app)),
        create: async () => wrap(await record(app)),
        show: async () => wrap(await record(app)),
        fail: async () => {
          throw new BadRequest('no', { cause_: wrap(await record(app)) } as any)
        }
      })
      const options = { methods: ['find', 'get', 'create', 'show', 'fail'], events: EVENTS }

      app.use('bare', toService(), options)
      app.use('declared', toService(), {
        ...options,
        schema: schema(z.looseObject({ id: z.int().optional() }), {
          extra: 'keep',
          computed: { user: { from: [], many: async (all: any[]) => all.map(() => wrap(shared)) } } as any
        })
      })
      app.use('viewed', toService(), {
        ...options,
        schema: schema(z.looseObject({ id: z.int().optional() }), {
          view: ({ result }: any) => ({ envelope: result })
        } as any)
      })
      for (const path of ['bare', 'declared', 'viewed']) {
        app.service(path).hooks({ after: { show: [nameEvent] } })
      }
    })
    let shared: any

    await app.service('users').create({ name: 'Ada', password: SECRET })
    shared = await record(app)

    const raw = () => ({ id: 0, name: 'Ada', password: SECRET })

    for (const way of Object.values(wraps)) {
      wrap = way

      for (const path of ['bare', 'declared', 'viewed']) {
        for (const [method, suffix, verb] of [
          ['find', '', 'GET'],
          ['get', '/0', 'GET'],
          ['create', '', 'POST'],
          ['show', '/show', 'POST'],
          ['fail', '/fail', 'POST']
        ] as const) {
          const response = await fetch(`${url}/${path}${suffix}`, {
            method: verb,
            ...(verb === 'POST' && { body: '{}', headers: { 'content-type': 'application/json' } })
          })
          const args = method === 'find' ? [{}] : method === 'get' ? [0, {}] : [{}, {}]

          left.push(await response.text(), JSON.stringify(await ask(socket, method, path, ...args)))
        }

        await app.service(path).create({})
        await app.service(path).show({})
        for (const event of ['created', 'shown']) app.service(path).emit(event, way(await record(app)))
      }
      for (const event of ['created', 'updated', 'shown']) {
        app.service('users').emit(event, way(await record(app)))
        app.service('users').emit(event, way(raw()))
        // As hooks do it, which have the context at hand.
        app
          .service('users')
          .emit(event, way(raw()), { app, path: 'users', method: 'create', result: way(raw()) })
      }
    }

    await app.service('users').patch(0, { name: 'Eve' })
    await settle()

    expect(left.length).toBeGreaterThan(300)
    expect(left.filter((text) => text.includes(SECRET))).toEqual([])
  })

  it('stays in records that code gets', async () => {
    const { app } = await start((app) => guards['a hook protects']?.(app))

    await app.service('users').create({ name: 'Ada', password: SECRET })

    expect(await app.service('users').get(0)).toEqual({ id: 0, name: 'Ada', password: SECRET })
    expect(await app.service('users').find()).toEqual([{ id: 0, name: 'Ada', password: SECRET }])
  })
})

describeRedis('a related record that not all callers may find', () => {
  it('is in no event, below any name', async () => {
    let wrap: (record: any) => unknown = (record) => record
    const { app, left, settle } = await start((app) => {
      const find = (query: object) => app.service('posts').get(0, { query })
      const load = () => find({ $include: ['author', 'authors'] })

      class Posts {
        posts = memory({ multi: true })
        find = (params: any) => this.posts.find(params)
        get = (id: any, params: any) => this.posts.get(id, params)
        create = (data: any, params: any) => this.posts.create(data, params)
        show = async () => wrap(await load())
        copy = async () => wrap({ ...(await load()) })
      }

      app.use('users', memory({ multi: true }), {
        events: EVENTS,
        schema: schema(User),
        access: access({ find: () => false })
      })
      app.use('posts', new Posts() as any, {
        methods: ['find', 'get', 'create', 'show', 'copy'],
        events: EVENTS,
        access: access({ all: anyone }),
        schema: schema(z.object({ id: z.int(), text: z.string(), authorId: z.int() }), {
          relations: {
            author: one('users', { from: 'authorId' }),
            authors: count('users', { to: 'id', from: 'authorId' })
          }
        })
      })
      app.use(
        'bare',
        { show: async () => wrap(await load()), create: async () => wrap(await load()) },
        {
          methods: ['show', 'create'],
          events: EVENTS
        }
      )
      for (const path of ['posts', 'bare']) {
        app.service(path).hooks({ after: { show: [nameEvent] } })
      }
      app.service('posts').hooks({ after: { copy: [nameEvent] } })
      app.service('users').publish('created', () => [])
    })

    await app.service('users').create({ name: SECRET, password: 'p' })
    await app.service('posts').create({ text: 'a', authorId: 0 })

    const load = () => app.service('posts').get(0, { query: { $include: ['author', 'authors'] } })

    expect(await load()).toMatchObject({ author: { name: SECRET }, authors: 1 })

    for (const way of Object.values(wraps)) {
      wrap = way
      await app.service('posts').show({})
      await app.service('posts').copy({})
      await app.service('bare').show({})
      await app.service('bare').create({})
      for (const path of ['posts', 'bare']) {
        for (const event of ['created', 'shown']) app.service(path).emit(event, way(await load()))
      }
    }
    await app.service('posts').create({ text: 'b', authorId: 0 }, { query: { $include: 'author' } })
    await settle()

    expect(left.length).toBeGreaterThan(60)
    expect(left.filter((text) => text.includes(SECRET) || text.includes('"authors"'))).toEqual([])
  })
})

describe('what cannot be picked', () => {
  it('does not leave in its place', async () => {
    const app: any = alula()
    const sent: unknown[] = []

    app.use('users', memory(), { schema: schema(User, { hidden: ['password'] }) })
    app.service('users').publish(() => app.channel('all'))
    app.channel('all').join({})
    app.on('publish', (_event: string, _channel: unknown, context: any) => void sent.push(context.dispatch))
    app.service('users').emit('created', [[{ password: SECRET }]])
    app.service('users').emit('created', new Map([['password', SECRET]]))
    app.service('users').emit('created', [{ id: 1, name: 'Ada', password: SECRET }])

    expect(sent).toEqual([[undefined], {}, [{ id: 1, name: 'Ada' }]])
  })
})

it.each<[string, object, object]>([
  ['protect()', {}, { after: { all: [protect('password')] } }],
  ['a schema', { schema: schema(User, { hidden: ['password'] }) }, {}]
])('a frozen record leaves through other services without what %s hides', async (_name, options, hooks) => {
  const app: any = alula()
  const sent: unknown[] = []

  app.use(
    'users',
    { get: async (id: number) => Object.freeze({ id, name: 'Ada', password: SECRET }) },
    options
  )
  app.use('posts', { create: async () => ({ author: await app.service('users').get(1) }) })
  app.service('users').hooks(hooks)
  app.service('posts').publish(() => app.channel('all'))
  app.channel('all').join({})
  app.on('publish', (event: string, channel: any, context: any, data: unknown) => {
    sent.push(...toDeliveries(event, channel, context, data).map(({ payload }) => payload))
  })
  await app.setup()

  const shown = { author: { id: 1, name: 'Ada' } }

  expect(await app.asClient().service('posts').create({})).toEqual(shown)
  expect(sent).toEqual([shown])
})
