import { hooks as feathersHooks, resolve, virtual } from '@feathersjs/schema'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { alula, createContext, type HookContext } from '../../src/index.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { failing, outside } from './support/notes.ts'

const User = z.object({ id: z.int(), email: z.string(), password: z.string() })

const Message = z.object({ id: z.int(), text: z.string(), userId: z.int(), user: z.any() })

const NewMessage = z.object({ text: z.string() })

const withoutPassword = resolve<z.infer<typeof User>, HookContext>({ password: async () => undefined })

const withUser = resolve<any, any>({
  user: virtual(async ({ userId }: any, { app }: any) => app.service('users').get(userId))
})

const ofAda = resolve<any, any>({ userId: async () => 0 })

class Messages extends MemoryService<any> {
  async shout({ text }: { text: string }) {
    return { text: text.toUpperCase(), userId: 0, password: 'x' }
  }

  async latest() {
    return { total: 1, limit: 1, skip: 0, data: [{ text: 'a', userId: 0, password: 'x' }] }
  }

  async count() {
    return { count: 1, password: 'x' }
  }
}

async function open({ messages = {}, users = {} }: { messages?: object; users?: object } = {}) {
  const app: any = alula()

  app.use('users', memory({ multi: true }), {
    schema: schema(User, { resolvers: { external: withoutPassword, ...users } })
  })
  app.use('messages', new Messages({ multi: true, paginate: { default: 10 } }), {
    methods: ['find', 'get', 'create', 'patch', 'remove', 'shout', 'latest', 'count'],
    schema: schema({
      record: Message,
      create: NewMessage,
      patch: NewMessage.partial(),
      resolvers: { data: { create: ofAda }, result: withUser, ...messages },
      methods: { count: { result: z.object({ count: z.int() }) } }
    })
  })
  await app.service('users').create({ email: 'ada@example.org', password: 'secret' })

  return app
}

/** The context of a call from outside, whose dispatch is what the client gets. */
function call(app: any, path: string, method: string, ...args: any[]): Promise<any> {
  const service = app.service(path)

  return service[method](...args, createContext(service, method))
}

/** Records what clients get of the events of a service. */
function listen(app: any, path: string): unknown[] {
  const sent: unknown[] = []

  app.service(path).publish((data: unknown, { dispatch }: any) => {
    sent.push(dispatch ?? data)

    return []
  })

  return sent
}

const ada = { id: 0, email: 'ada@example.org' }

describe('resolvers of Feathers', () => {
  it('make data, results and what leaves, nested records and events too', async () => {
    const app = await open()
    const sent = listen(app, 'messages')
    const user = { ...ada, password: 'secret' }
    const message = { id: 0, text: 'a', userId: 0 }

    expect(await app.service('messages').create({ text: 'a' }, outside)).toEqual({ ...message, user })
    expect(sent).toEqual([{ ...message, user: ada }])
    expect((await call(app, 'messages', 'get', 0, outside)).dispatch).toEqual({ ...message, user: ada })
    expect(await app.service('messages').get(0)).toEqual({ ...message, user })
    expect((await call(app, 'messages', 'find', outside)).dispatch).toEqual({
      ...{ total: 1, limit: 10, skip: 0 },
      data: [{ ...message, user: ada }]
    })
    expect((await call(app, 'users', 'find', outside)).dispatch).toEqual([ada])
    expect(await app.service('users').find()).toEqual([user])
  })

  it('resolve several records, and run one after another', async () => {
    const shout = resolve<any, any>({ text: async (text: string) => text.toUpperCase() })
    const ask = resolve<any, any>({ text: async (text: string) => `${text}?` })
    const app = await open({ messages: { data: { create: [ofAda, shout, ask], patch: ask } } })
    const messages = app.service('messages')

    expect(await messages.create([{ text: 'a' }, { text: 'b' }], outside)).toMatchObject([
      { text: 'A?', userId: 0 },
      { text: 'B?', userId: 0 }
    ])
    expect(await messages.patch(0, { text: 'c' }, outside)).toMatchObject({ text: 'c?', userId: 0 })
    expect(await failing(messages.create({ text: 'a', userId: 1 }, outside))).toEqual([
      400,
      { userId: 'is not a known field' }
    ])
  })

  it('of data are for all methods where they stand in a list', async () => {
    const shout = resolve<any, any>({ text: async (text: string) => text.toUpperCase() })
    const app = await open({ messages: { data: [ofAda, shout] } })

    expect(await app.service('messages').create({ text: 'a' }, outside)).toMatchObject({ text: 'A' })
    expect(await app.service('messages').patch(0, { text: 'b' }, outside)).toMatchObject({ text: 'B' })
  })

  it('leave a result alone that is no record', async () => {
    const app: any = alula()

    app.use(
      'messages',
      { get: async (id: unknown) => (id === 0 ? null : 'text'), find: async () => ['text', null] },
      { schema: schema(Message, { resolvers: { result: withUser, external: withoutPassword } }) }
    )

    const service = app.service('messages')

    expect(await service.get(0, outside)).toBe(null)
    expect(await service.get(1, outside)).toBe('text')
    expect(await service.find(outside)).toEqual(['text', null])
  })

  it('know the call, and the properties that are selected', async () => {
    const seen: unknown[] = []
    const spy = resolve<any, any>({
      text: async (text: string, _record: any, context: any, status: any) => {
        seen.push([context.method, status.originalContext === context, status.properties])

        return text
      }
    })
    const app = await open({ messages: { result: [withUser, spy] } })
    const messages = app.service('messages')

    await messages.create({ text: 'a' })

    const select = (...$select: string[]) =>
      call(app, 'messages', 'get', 0, { ...outside, query: { $select } })

    expect((await select('text', 'user')).dispatch).toEqual({ text: 'a', user: ada })
    expect((await select('text')).dispatch).toEqual({ text: 'a' })
    expect(await failing(select('none'))).toEqual([400, { none: 'is not a field to select' }])
    expect((await failing(messages.find({ ...outside, query: { $resolve: ['text'] } })))[0]).toBe(400)
    expect(seen).toEqual([
      ['create', true, undefined],
      ['get', true, ['text', 'user']],
      ['get', true, ['text']]
    ])
  })

  it('make the query of every call, behind its check', async () => {
    const own = resolve<any, any>({
      userId: async (value: unknown, _query: any, { params }: any) => params.user?.id ?? value
    })
    const app = await open({ messages: { query: own } })
    const messages = app.service('messages')

    await messages.create([{ text: 'a' }, { text: 'b' }])

    expect(await messages.find({ query: { userId: 0 } })).toMatchObject({ total: 2 })
    expect(await messages.find({ user: { id: 7 }, query: { userId: 0 } })).toMatchObject({ total: 0 })
    expect(await messages.find({ ...outside, user: { id: 7 } })).toMatchObject({ total: 0 })
    expect((await failing(messages.get(0, { user: { id: 7 } })))[0]).toBe(404)
    expect(await failing(messages.find({ ...outside, query: { userId: 'x' } }))).toEqual([
      400,
      { userId: 'expects an integer, got a string' }
    ])
  })

  it('see the results of custom methods that have no schema', async () => {
    const app = await open({ messages: { external: withoutPassword } })

    expect((await call(app, 'messages', 'shout', { text: 'a' }, outside)).dispatch).toEqual({
      text: 'A',
      userId: 0,
      user: ada
    })
    expect((await call(app, 'messages', 'count', {}, outside)).dispatch).toEqual({ count: 1 })
    expect((await call(app, 'messages', 'latest', {}, outside)).dispatch).toEqual({
      ...{ total: 1, limit: 1, skip: 0 },
      data: [{ text: 'a', userId: 0, user: ada }]
    })
  })

  it('narrow a dispatch that a hook has set', async () => {
    const app = await open()

    app.service('users').hooks({
      after: {
        get: [
          (context: any) => {
            context.dispatch = { ...context.result, email: 'hidden', other: 1 }
          }
        ]
      }
    })

    expect((await call(app, 'users', 'get', 0, outside)).dispatch).toEqual({ id: 0, email: 'hidden' })
  })

  it('hide their fields in events that the service sends by itself', async () => {
    const app = await open()
    const sent = listen(app, 'users')

    app.service('users').emit('patched', { ...ada, password: 'secret' })

    expect(sent).toEqual([ada])
  })

  it('do not run where params.schema skips the check', async () => {
    const app = await open()

    expect(await app.service('messages').create({ text: 5, userId: 0 }, { schema: false })).toMatchObject({
      text: 5,
      user: ada
    })
  })

  it('make fields that cannot be sent or queried where the schema is derived', async () => {
    const app: any = alula()
    const declared = schema(Message, { resolvers: { result: withUser } })

    app.use('messages', memory(), { schema: declared })

    const messages = app.service('messages')

    expect(declared.definition?.computed).toEqual(['user'])
    expect(await failing(messages.create({ text: 'a', userId: 0, user: {} }, outside))).toEqual([
      400,
      { user: 'is not a known field' }
    ])
    expect((await failing(messages.find({ ...outside, query: { user: 1 } })))[1]).toEqual({
      user: expect.stringContaining('is not a field that can be queried')
    })
  })

  it('refuse the call with their error', async () => {
    const failed = resolve<any, any>({
      text: async () => {
        throw new Error('no')
      }
    })
    const app = await open({ messages: { result: failed } })

    await expect(app.service('messages').create({ text: 'a' }, outside)).rejects.toMatchObject({
      code: 400,
      data: { text: { message: 'no' } }
    })
  })

  it('may be undefined: the others run', async () => {
    const app = await open({
      messages: { external: undefined, data: { create: ofAda, patch: undefined } },
      users: { external: undefined }
    })
    const message = { id: 0, text: 'a', userId: 0, user: { ...ada, password: 'secret' } }

    expect(await app.service('messages').create({ text: 'a' }, outside)).toEqual(message)
    expect(await app.service('messages').patch(0, { text: 'b' }, outside)).toEqual({ ...message, text: 'b' })
  })

  it.each([
    [{ resolvers: { results: withUser } }],
    [{ resolvers: { data: { find: withUser } } }],
    [{ resolvers: { result: async () => 1 } }],
    [{ resolvers: { external: { create: withUser } } }],
    [{ resolvers: [withUser] }],
    [{ enforce: 'no' }],
    [{ ajv: { data: {} } }],
    [{ ajv: { queries: new Ajv() } }]
  ])('are settings that are checked: %j', (settings: any) => {
    expect(() => schema(Message, settings)).toThrow(TypeError)
  })
})

describe('hooks of Feathers on a service with a schema', () => {
  it('resolveExternal works, and what it leaves is picked, nested in another record too', async () => {
    const app: any = alula()

    app.use('users', memory(), { schema: schema(User, { hidden: ['password'] }) })
    app.service('users').hooks({
      around: { all: [feathersHooks.resolveExternal(resolve<any, any>({ email: async () => 'hidden' }))] }
    })
    app.use(
      'notes',
      { get: async () => ({ id: 1, user: await app.service('users').get(0) }) },
      { schema: schema(z.object({ id: z.int(), user: z.any() })) }
    )

    const user = { ...ada, password: 'secret' }
    const context = await call(app, 'users', 'create', user, {})

    expect(context.result).toEqual(user)
    expect(context.dispatch).toEqual({ id: 0, email: 'hidden' })
    expect((await call(app, 'notes', 'get', 1, outside)).dispatch).toEqual({
      id: 1,
      user: { id: 0, email: 'hidden' }
    })
  })
})

describe('a schema that only describes', () => {
  it('changes no call', async () => {
    const app: any = alula()
    const declared = schema(User, { hidden: ['password'], enforce: false })

    app.use('users', memory(), { schema: declared })

    const sent = listen(app, 'users')
    const data = { email: 5, other: 1 }

    expect(await app.service('users').create(data, outside)).toEqual({ id: 0, ...data })
    expect((await call(app, 'users', 'get', 0, outside)).dispatch).toBeUndefined()
    expect(await app.service('users').find({ ...outside, query: { other: 1 } })).toHaveLength(1)
    app.service('users').emit('patched', data)
    expect(sent).toEqual([{ id: 0, ...data }, data])
    expect(declared.definition).toMatchObject({ enforce: false, hidden: ['password'], computed: [] })
    expect(Object.keys(declared.definition?.data ?? {})).toEqual(['create', 'update', 'patch'])
  })

  it('is refused where it cannot be', () => {
    expect(() =>
      alula().use('users', memory(), { schema: schema({ record: User, enforce: false, methods: { x: {} } }) })
    ).toThrow("describes the method 'x'")
  })
})
