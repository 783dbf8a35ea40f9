import { createTestClient } from 'alula-testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { access, anyone, closed, exposure, owner, role, user } from '../../src/access.ts'
import { authenticate } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { toOpenApi } from '../../src/openapi.ts'
import { many, schema } from '../../src/schema.ts'
import { socketio } from '../../src/socketio.ts'
import { createApp, logIn, toStatus } from './support/application.ts'

const outside = { provider: 'rest' }

/** The warnings of the process during a test. */
function collectWarnings(): string[] {
  const warnings: string[] = []
  const original = process.emitWarning

  process.emitWarning = ((text: string) => void warnings.push(text)) as typeof process.emitWarning
  onTestFinished(() => {
    process.emitWarning = original
  })

  return warnings
}

describe('closed', () => {
  it('refuses what nothing guards, from outside, before any hook', async () => {
    const app = alula()
    let hooks = 0

    app.use('before', memory())
    app.configure(closed())
    app.use('notes', memory())
    app.hooks({
      around: [
        async (_context, next) => {
          hooks++
          await next()
        }
      ]
    })
    // A hook that would make a result of the error.
    app.hooks({ error: [(context) => void Object.assign(context, { result: [] })] })

    for (const path of ['before', 'notes']) {
      for (const method of ['find', 'get', 'create', 'update', 'patch', 'remove']) {
        const args = { find: [], get: [1], create: [{}], remove: [1] }[method] ?? [1, {}]

        expect(await toStatus(app.service(path)[method](...args, outside))).toBe(403)
      }
    }

    expect(hooks).toBe(0)
    expect(await app.service('notes').find()).toEqual([])
  })

  it('lets pass what has access or a hook that authenticates, and what is listed', async () => {
    const app = createApp()

    app.configure(closed({ open: { plugin: ['find'] } }))
    app.use('open', memory(), { access: access({ find: anyone }) })
    app.use('plugin', memory())
    app.use('guarded', memory())
    app.service('guarded').hooks({ before: { find: [authenticate('jwt')] } })
    app.use('optional', memory())
    app
      .service('optional')
      .hooks({ before: { all: [authenticate({ strategies: ['jwt'], optional: true })] } })
    app.use('around', memory())
    app.service('around').hooks({ around: { all: [authenticate('jwt')] } })
    app.use('hidden', memory())

    const hidden = authenticate('jwt')

    app.service('hidden').hooks({ before: { all: [(context) => hidden(context)] } })
    await app.setup()

    const { ada } = await logIn(app)

    expect(await toStatus(app.service('open').find(outside))).toBe(200)
    expect(await toStatus(app.service('open').get(1, outside))).toBe(401)
    expect(await toStatus(app.service('plugin').find(outside))).toBe(200)
    expect(await toStatus(app.service('plugin').get(1, outside))).toBe(403)
    expect(await toStatus(app.service('guarded').find(outside))).toBe(401)
    expect(await toStatus(app.service('guarded').find(ada.params))).toBe(200)
    expect(await toStatus(app.service('guarded').get(1, ada.params))).toBe(403)
    expect(await toStatus(app.service('optional').find(ada.params))).toBe(403)
    expect(await toStatus(app.service('around').find(ada.params))).toBe(200)
    expect(await toStatus(app.service('hidden').find(ada.params))).toBe(403)
    expect((await createTestClient(app).fetch('/authentication', { json: {} })).status).toBe(401)
    expect((await ada.fetch('/authentication', { method: 'DELETE' })).status).toBe(200)
  })

  it('opens a method when a hook that authenticates is added later', async () => {
    const app = createApp()

    app.configure(closed())
    app.use('notes', memory())
    await app.setup()

    const { ada } = await logIn(app)

    expect(await toStatus(app.service('notes').find(ada.params))).toBe(403)
    app.hooks({ before: [authenticate('jwt')] })
    expect(await toStatus(app.service('notes').find(ada.params))).toBe(200)
  })

  it('closes the services of an application under a path', async () => {
    const inner = alula()
    const app = alula()

    inner.use('notes', memory())
    expect(await toStatus(inner.service('notes').find(outside))).toBe(200)
    app.configure(closed())
    app.use('inner', inner as any)

    expect(await toStatus(app.service('inner/notes').find(outside))).toBe(403)
  })

  it('names what it refuses when the application starts, and starts', async () => {
    const warnings = collectWarnings()
    const app = alula()

    app.configure(closed({ open: { nothing: ['find'] } }))
    app.use('notes', memory(), { methods: ['find', 'get'] })
    await app.setup()

    expect(warnings).toHaveLength(2)
    expect(warnings[0]).toContain('closed() refuses notes.find, notes.get from outside')
    expect(warnings[1]).toContain("'open' of closed() names services that are not there: nothing")
  })

  it('passes over a service that a plugin has put among the others without registering it', async () => {
    const warnings = collectWarnings()
    const app = alula()

    Object.assign(app.services, { plugin: { find: async () => [] } })
    app.configure(closed())
    app.use('notes', memory(), { methods: ['find'] })
    await app.setup()

    expect(warnings).toEqual([expect.stringContaining('closed() refuses notes.find from outside')])
    expect(exposure(app).map(({ service }) => service)).toEqual(['notes'])
  })

  it('does not configure a service with hooks of another library, which it could not close', () => {
    const app = alula()

    app.use('foreign', Object.assign(memory(), { hooks: () => undefined }) as any, { methods: ['find'] })

    expect(exposure(app)).toMatchObject([{ service: 'foreign', who: 'anyone' }])
    expect(() => app.configure(closed())).toThrow(
      "Service 'foreign' brought hooks of another library: its methods cannot be closed"
    )
  })

  it('is configured once, with lists of methods', () => {
    const app = alula()

    app.configure(closed())
    expect(() => app.configure(closed())).toThrow('closed() is configured on the application already')
    expect(() => closed({ open: { notes: 'find' } as any })).toThrow("Invalid option 'open' of closed()")
  })
})

describe('exposure', () => {
  it('lists who may call what, and what they send and get', () => {
    const app = createApp()
    const Note = z.object({ id: z.int(), text: z.string(), ownerId: z.int(), secret: z.string().optional() })

    app.use('notes', memory({ multi: ['patch'], paginate: { default: 10, max: 50 } }), {
      schema: schema(Note, { server: { ownerId: () => 1 }, hidden: ['secret'] }),
      access: access({ find: anyone, get: user, patch: owner('ownerId'), remove: role('admin') })
    })
    app.use('plain', memory(), { methods: ['find', 'create'] })
    app.use('own', { get: async () => ({}), patch: async () => ({}) } as any, {
      access: access({ patch: owner('ownerId'), get: function onWeekdays() {} })
    })
    app.service('notes').publish('patched', function onlyOwner() {})

    const rows = exposure(app)
    const who = Object.fromEntries(rows.map((row) => [`${row.service}.${row.method}`, row.who]))

    expect(who).toEqual({
      'authentication.create': 'anyone',
      'authentication.remove': 'user',
      'notes.find': 'anyone',
      'notes.get': 'user',
      'notes.create': 'nobody',
      'notes.update': 'nobody',
      'notes.patch': "owner('ownerId')",
      'notes.remove': "role('admin')",
      'plain.find': 'anyone',
      'plain.create': 'anyone',
      'own.get': 'onWeekdays',
      'own.patch': "owner('ownerId'), looked up first"
    })
    expect(rows.find(({ service, method }) => service === 'notes' && method === 'patch')).toEqual({
      service: 'notes',
      method: 'patch',
      transports: ['rest'],
      who: "owner('ownerId')",
      schema: true,
      data: true,
      query: ['id', 'text', 'ownerId'],
      result: ['id', 'text', 'ownerId'],
      hidden: ['secret'],
      several: true,
      cap: null,
      events: 'patched to onlyOwner'
    })
    expect(rows.find(({ service, method }) => service === 'plain' && method === 'find')).toMatchObject({
      data: null,
      query: null,
      result: null,
      cap: null,
      several: false
    })
    expect(JSON.parse(JSON.stringify(rows))).toEqual(rows)
  })

  it('lists what a schema for queries takes, and `*` where undeclared fields leave too', () => {
    const app = alula()
    const Note = z.object({ id: z.int(), text: z.string(), secret: z.string() })

    app.use('notes', memory(), {
      methods: ['find'],
      schema: schema(Note, { hidden: ['secret'], extra: 'keep', query: z.object({ q: z.string() }) }),
      access: access({
        find: (
          () => () =>
            true
        )()
      })
    })

    expect(exposure(app)).toMatchObject([{ query: ['q'], result: ['id', 'text', '*'], who: 'a function' }])
  })

  it.each(['anyone', 'user', 'nobody'])(
    'does not take a function called %s for a rule of the library',
    (name) => {
      const app = alula()
      const rule = Object.defineProperty(({ params }: any) => params.isLetIn, 'name', { value: name })

      app.use('notes', memory(), { methods: ['find'], access: access({ find: rule }) })

      expect(exposure(app)).toMatchObject([{ who: `function ${name}` }])
      expect(toOpenApi(app).paths['/notes']?.get?.summary).toBe(
        'Find: for callers that the application lets pass'
      )
    }
  )

  it('lists transports, the cap of `find`, derived fields, and publishers without a name', () => {
    const app = alula()
    const Note = z.object({ id: z.int(), text: z.string(), ownerId: z.int() })

    app.configure(socketio())
    app.use('notes', memory({ paginate: { default: 10, max: 50 } }), {
      methods: ['find', 'create'],
      schema: schema(Note, {
        computed: { length: { from: ['text'], many: (notes) => notes.map(({ text }) => text.length) } },
        relations: { others: many('notes', { from: 'ownerId', to: 'ownerId', filter: ['text'] }) }
      })
    })
    app.service('notes').publish((() => () => [])())

    const [found, created] = exposure(app)

    expect(found).toMatchObject({
      transports: ['rest', 'socketio'],
      cap: 50,
      query: ['id', 'text', 'ownerId', 'others.text'],
      result: ['id', 'text', 'ownerId', 'length', 'others'],
      events: null
    })
    expect(created).toMatchObject({ cap: null, events: 'created to a function' })
  })

  it('takes writes of a service without an adapter for several, because it cannot know', () => {
    const app = alula()
    const call = async () => ({})

    app.use('own', { find: call, get: call, create: call, patch: call, archive: call } as any, {
      methods: ['find', 'get', 'create', 'patch', 'archive']
    })

    expect(exposure(app).map(({ several }) => several)).toEqual([false, false, true, true, false])
  })

  it('lists what custom methods take and return, where their schemas say so', () => {
    const app = alula()
    const service = Object.assign(memory(), {
      archive: async () => ({ count: 1 }),
      count: async () => 1,
      reset: async () => 1
    })

    app.use('notes', service, {
      methods: ['archive', 'count', 'reset', 'remove'],
      schema: schema(z.object({ id: z.int(), text: z.string() }), {
        methods: {
          archive: { data: z.object({ before: z.string() }), result: z.object({ count: z.int() }) },
          count: { query: z.object({ q: z.string() }) }
        }
      })
    })

    expect(exposure(app).map(({ method, data, query, result }) => ({ method, data, query, result }))).toEqual(
      [
        { method: 'archive', data: true, query: null, result: ['count'] },
        { method: 'count', data: false, query: ['q'], result: null },
        { method: 'reset', data: false, query: null, result: null },
        { method: 'remove', data: null, query: ['id', 'text'], result: ['id', 'text'] }
      ]
    )
  })

  it('lists the fields that leave of the results of custom methods', async () => {
    const app = alula()
    const Note = z.object({ id: z.int(), text: z.string(), secret: z.string() })
    const note = { id: 1, text: 'a', secret: 's', length: 1, others: [] }
    const results = {
      anything: z.any(),
      latest: Note,
      list: z.array(Note),
      open: z.looseObject({ id: z.int() }),
      size: z.int(),
      texts: z.array(z.object({ text: z.string() })).nullable(),
      unknown: z.array(z.unknown())
    }
    const methods = ['anything', 'latest', 'list', 'open', 'size', 'texts', 'unknown'] as const
    const returned: Record<string, unknown> = { list: [note], size: 1, texts: [note], unknown: [note] }
    const service = Object.fromEntries(methods.map((name) => [name, async () => returned[name] ?? note]))

    app.use('notes', service as any, {
      methods: [...methods],
      schema: schema(Note, {
        hidden: ['secret'],
        computed: { length: { from: ['text'], many: (notes) => notes.map(({ text }) => text.length) } },
        relations: { others: many('notes', { from: 'text', to: 'text' }) },
        methods: Object.fromEntries(methods.map((name) => [name, { result: results[name] }]))
      })
    })

    const listLeaving = async (name: string) =>
      Object.keys([await app.asClient().service('notes')[name]({})].flat()[0])
    const all = ['id', 'text', 'length', 'others']
    const rows = exposure(app).map(({ method, result }) => [method, result])

    expect(Object.fromEntries(rows)).toEqual({
      anything: null,
      latest: all,
      list: ['id', 'text'],
      open: ['id', '*'],
      size: [],
      texts: ['text'],
      unknown: null
    })
    expect(await Promise.all(methods.map(listLeaving))).toEqual([
      ...[all, all, ['id', 'text'], all, [], ['text'], all]
    ])
  })

  it('shows nothing as checked or hidden where a schema only describes', () => {
    const app = alula()
    const Note = z.object({ id: z.int(), secret: z.string() })

    app.use('notes', memory(), {
      methods: ['create'],
      schema: schema(Note, { hidden: ['secret'], enforce: false })
    })

    expect(exposure(app)).toMatchObject([
      { schema: false, data: false, query: null, result: null, hidden: [] }
    ])
  })

  it('reads hooks that authenticate, and what closed() refuses', () => {
    const app = createApp()

    app.configure(closed())
    app.use('notes', memory(), { methods: ['find', 'get'], access: access({ find: anyone, get: anyone }) })
    app.service('notes').hooks({ before: { get: [authenticate('jwt', 'api-key')] } })
    app.use('tasks', memory(), { methods: ['find', 'get'] })
    app.service('tasks').hooks({ before: { get: [authenticate('jwt')] } })

    expect(
      exposure(app)
        .slice(2)
        .map(({ who }) => who)
    ).toEqual(['anyone', "hook authenticate('jwt', 'api-key')", 'nobody', "hook authenticate('jwt')"])
  })
})
