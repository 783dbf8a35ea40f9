import { expect, it } from 'vitest'
import { z } from 'zod'
import { AuthenticationService, authenticate, JWTStrategy } from '../../src/authentication.ts'
import { type Application, alula } from '../../src/index.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { onWrite, schema, validate } from '../../src/schema.ts'
import { describeHttpTransports, describeRemoteTransports } from '../support/transports.ts'

const Note = z.object({
  id: z.int(),
  text: z.string().min(1),
  done: z.boolean().default(false),
  due: z.date().optional(),
  count: z.number().nullish(),
  tags: z.array(z.string()).optional(),
  ownerId: z.string(),
  changes: z.int()
})

class Notes extends MemoryService {
  async archive(data: unknown, params: { query?: unknown }) {
    return { data, query: params.query }
  }
}

let changes = 0

function configure(app: Application): void {
  changes = 0
  app.use('notes', new Notes({ multi: true, paginate: { default: 10 } }), {
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'archive'],
    forms: true,
    schema: schema(Note, {
      server: { ownerId: () => 'ada', changes: onWrite(() => changes++) },
      methods: {
        archive: {
          data: z.object({ before: z.iso.date() }),
          query: z.object({ limit: z.int().optional() })
        }
      }
    })
  })
}

describeRemoteTransports('a service with a schema', (open) => {
  it('checks the data of create, update and patch', async () => {
    const client = await open(configure)

    expect(await client.call('create', 'notes', { data: { text: 'a' } })).toEqual({
      ...{ id: 0, text: 'a', done: false, ownerId: 'ada', changes: 0 }
    })
    expect(await client.call('patch', 'notes', { id: 0, data: { count: 2 } })).toMatchObject({
      ...{ count: 2, changes: 1 }
    })
    expect(await client.call('update', 'notes', { id: 0, data: { text: 'b' } })).toEqual({
      ...{ id: 0, text: 'b', done: false, ownerId: 'ada', changes: 2 }
    })

    // What a client has read it may write back.
    for (const own of [0, '0']) {
      expect(
        await client.call('patch', 'notes', { id: 0, data: { id: own, count: 3 } }),
        `${own}`
      ).toMatchObject({ id: 0, count: 3 })
      expect(await client.call('update', 'notes', { id: 0, data: { id: own, text: 'b' } })).toMatchObject({
        ...{ id: 0, text: 'b' }
      })
    }
    for (const other of [1, '1', '00', '', null, [0], { id: 0 }, true]) {
      expect(
        await client.fail('patch', 'notes', { id: 0, data: { id: other, count: 4 } }),
        `${other}`
      ).toMatchObject({ code: 400, errors: { id: 'is set by the server' } })
    }

    for (const [method, id] of [
      ['create', undefined],
      ['update', 0],
      ['patch', 0],
      ['patch', null]
    ] as const) {
      const data = { text: 7, ownerId: 'eve', admin: true }
      const error = await client.fail(method, 'notes', { ...(id !== undefined && { id }), data })

      expect(error).toMatchObject({
        code: 400,
        message: "Invalid data: 'ownerId' is set by the server",
        errors: {
          ownerId: 'is set by the server',
          admin: 'is not a known field',
          text: 'Invalid input: expected string, received number'
        }
      })
    }

    expect(await client.call('get', 'notes', { id: 0 })).toMatchObject({ text: 'b', changes: 6 })
  })

  it('checks several records before one is stored', async () => {
    const client = await open(configure)
    const error = await client.fail('create', 'notes', { data: [{ text: 'a' }, { text: '' }, {}] })

    expect(Object.keys(error.errors)).toEqual(['1.text', '2.text'])
    expect(await client.call('find', 'notes')).toMatchObject({ total: 0 })
    expect(await client.call('create', 'notes', { data: [{ text: 'a' }, { text: 'b' }] })).toHaveLength(2)
  })

  it('types queries and ids', async () => {
    const client = await open(configure)

    await client.call('create', 'notes', {
      data: [
        { text: 'a', done: true },
        { text: 'b', count: 2 }
      ]
    })

    const find = async (query: string) => {
      const { data } = await client.call('find', 'notes', { query })

      return data.map(({ text }: { text: string }) => text)
    }

    expect(await find('done=true')).toEqual(['a'])
    expect(await find('count[$gt]=1')).toEqual(['b'])
    expect(await find('count=')).toEqual(['a'])
    expect(await client.call('get', 'notes', { id: '1' })).toMatchObject({ text: 'b' })
    expect(await client.fail('find', 'notes', { query: 'done=1' })).toMatchObject({
      code: 400,
      errors: { done: 'expects true or false, got a string' }
    })
    for (const method of ['get', 'update', 'patch', 'remove']) {
      const data = method === 'get' || method === 'remove' ? {} : { data: { text: 'c' } }

      expect(await client.fail(method, 'notes', { id: '01', ...data })).toMatchObject({ code: 404 })
      expect(await client.fail(method, 'notes', { id: 1, query: 'secret=1', ...data })).toMatchObject({
        code: 400,
        errors: { secret: 'is not a field that can be queried' }
      })
    }
  })

  it('checks the data and the query of custom methods', async () => {
    const client = await open(configure)
    const call = { data: { before: '2026-11-22' }, query: 'limit=3' }

    expect(await client.call('archive', 'notes', call)).toEqual({ data: call.data, query: { limit: 3 } })
    expect(await client.fail('archive', 'notes', { data: { before: 'x', after: 1 } })).toMatchObject({
      code: 400,
      errors: { before: expect.any(String), after: 'is not a known field' }
    })
    expect(await client.fail('archive', 'notes', { ...call, query: 'limit=x' })).toMatchObject({
      code: 400,
      errors: { limit: expect.any(String) }
    })
  })

  it('drops unknown fields where it is told to', async () => {
    const client = await open((app) =>
      app.use('notes', memory(), {
        schema: schema(z.object({ id: z.int(), text: z.string() }), { unknown: 'drop' })
      })
    )

    expect(await client.call('create', 'notes', { data: { text: 'a', admin: true } })).toEqual({
      id: 0,
      text: 'a'
    })
  })

  it('tells who is not let in nothing of its fields', async () => {
    const client = await open((app) => {
      configure(app)
      app.set('authentication', { secret: 'x'.repeat(32), entity: null, authStrategies: ['jwt'] })

      const authentication = new AuthenticationService(app)

      authentication.register('jwt', new JWTStrategy())
      app.use('authentication', authentication)
      app.service('notes').hooks({ before: { all: [authenticate('jwt')] } })
    })

    expect(await client.fail('create', 'notes', { data: { text: 7 } })).toMatchObject({ code: 401 })
    expect(await client.fail('find', 'notes', { query: 'secret=1' })).toMatchObject({ code: 401 })
  })
})

describeHttpTransports('a form', (open) => {
  it('has values of the types of the fields', async () => {
    const client = await open(configure)
    const response = await client.request('/notes', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'text=7&done=on&count=&due=2026-11-22&tags=x'
    })

    expect([response.status, await response.json()]).toEqual([
      201,
      {
        ...{ id: 0, text: '7', done: true, count: null, due: '2026-11-22T00:00:00.000Z', tags: ['x'] },
        ...{ ownerId: 'ada', changes: 0 }
      }
    ])
  })

  it('says of a date which form it has', async () => {
    const client = await open(configure)
    const response = await client.request('/notes', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'text=7&due=2026-11-22T10:00'
    })

    expect(await response.json()).toMatchObject({
      errors: { due: 'expects a date in ISO 8601 with a time zone' }
    })
  })

  it('has lists of one, of several and of none, without elements that are left empty', async () => {
    const Poll = z.object({
      id: z.int(),
      counts: z.array(z.int()),
      names: z.array(z.string()).optional(),
      size: z.int().optional()
    })
    const client = await open((app) => app.use('polls', memory(), { forms: true, schema: schema(Poll) }))
    const send = async (body: string) => {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      const response = await client.request('/polls', { method: 'POST', headers, body })
      const { counts, names, errors } = (await response.json()) as any

      return errors ?? { counts, names }
    }

    expect(await send('counts=7')).toEqual({ counts: [7] })
    expect(await send('counts=')).toEqual({ counts: [] })
    expect(await send('counts=1&counts=&counts=2&names=x&names=')).toEqual({
      counts: [1, 2],
      names: ['x', '']
    })
    expect(Object.keys(await send('counts=x&counts=1'))).toEqual(['counts.0'])
    expect(Object.keys(await send('counts=1&size=1&size=2'))).toEqual(['size'])
  })

  it('has values of records, by any name and by a pattern', async () => {
    const record = {
      ...{ type: 'object', additionalProperties: false },
      properties: {
        id: { type: 'integer' },
        flags: {
          type: 'object',
          patternProperties: { '^is': { type: 'boolean' } },
          additionalProperties: false
        },
        named: { properties: { text: {} }, additionalProperties: { type: 'integer' } }
      }
    }
    const Counts = z.object({
      id: z.int(),
      counts: z.record(z.string(), z.int()),
      sizes: z.record(z.string(), z.object({ x: z.number() })).optional(),
      texts: z.record(z.string(), z.string()).optional()
    })
    const client = await open((app) => {
      app.use('counts', memory(), { forms: true, schema: schema(Counts) })
      app.use('flags', memory(), { forms: true, schema: schema(record) })
    })
    const send = async (path: string, body: string) => {
      const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
      const response = await client.request(path, { method: 'POST', headers, body })
      const { id, errors, ...fields } = (await response.json()) as any

      return errors ? Object.keys(errors) : fields
    }

    expect(await send('/counts', 'counts[q]=3&counts[empty]=&sizes[a][x]=1.5&texts[a]=7')).toEqual({
      ...{ counts: { q: 3 }, sizes: { a: { x: 1.5 } }, texts: { a: '7' } }
    })
    expect(await send('/counts', 'counts[q]=x')).toEqual(['counts.q'])
    expect(await send('/flags', 'flags[isOpen]=on&named[text]=7&named[other]=7')).toEqual({
      ...{ flags: { isOpen: true }, named: { text: '7', other: 7 } }
    })
  })

  it('leaves fields out that are left empty, and keeps strings where anything may be', async () => {
    const record = {
      type: 'object',
      properties: {
        id: { type: 'integer' },
        count: { type: 'integer' },
        level: { enum: [1, 2, null] },
        whole: { properties: { size: { type: 'integer' } } },
        anything: {}
      }
    }
    const client = await open((app) => app.use('things', memory(), { forms: true, schema: schema(record) }))
    const response = await client.request('/things', {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'count=&level=&whole[size]=7&anything=7'
    })

    expect(await response.json()).toEqual({ id: 0, level: null, whole: { size: 7 }, anything: '7' })
  })

  it('is no excuse for JSON', async () => {
    const client = await open(configure)

    expect(await client.fail('create', 'notes', { data: { text: 'a', done: 'true' } })).toMatchObject({
      errors: { done: expect.any(String) }
    })
  })
})

it('calls from inside have their data checked, and nothing else', async () => {
  const app = alula()

  configure(app)

  const notes = app.service('notes')

  await notes.create({ id: 7, text: 'a', ownerId: 'grace', changes: 9 })

  expect(await notes.get('7', { query: { secret: undefined } })).toMatchObject({
    ownerId: 'grace',
    changes: 9
  })
  await expect(notes.create({ text: '' })).rejects.toMatchObject({ code: 400 })
  await expect(notes.create({ text: 'a', admin: true })).rejects.toMatchObject({ code: 400 })
  expect(await notes.create({ text: 5 }, { schema: false })).toMatchObject({ text: 5 })
})

it('validate() is where input is checked', async () => {
  const app = alula()
  const order: unknown[] = []

  configure(app)
  app.service('notes').hooks({
    before: {
      create: [
        (context) => {
          context.data = { text: String(context.data.text) }
        },
        validate(),
        (context) => void order.push(context.data)
      ]
    }
  })

  await app.service('notes').create({ text: 5 }, { provider: 'rest' })

  expect(order).toEqual([{ text: '5', done: false, ownerId: 'ada', changes: 0 }])
})

it('validate() needs a schema', async () => {
  const app = alula()

  app.use('notes', memory())
  app.service('notes').hooks({ before: { create: [validate()] } })

  await expect(app.service('notes').create({})).rejects.toThrow(
    "validate() needs a schema, which service 'notes' does not have"
  )
})
