import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { access, anyone, owner, user } from '../../src/access.ts'
import { authenticate } from '../../src/authentication.ts'
import { Forbidden, isFeathersError, NotFound } from '../../src/errors.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula, asCaller } from '../../src/index.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { count, schema } from '../../src/schema.ts'
import { addAuthentication } from '../support/login.ts'

const Note = z.object({
  id: z.int(),
  slug: z.string(),
  text: z.string(),
  secret: z.string(),
  ownerId: z.int()
})

class Notes extends MemoryService {
  async shout({ volume }: any, { route, query }: any) {
    return { slug: route.slug, volume, query, secret: 'x' }
  }

  async fail() {
    throw Object.assign(new Error('at /srv/db'), { password: 'hunter2' })
  }
}

/** Notes that all may read and their owners may change, and users who log in. */
async function createApp() {
  const app: any = alula()

  addAuthentication(app, { entity: 'account' })
  app.use('users', memory(), { methods: [] })
  app.use('votes', memory(), { access: access({ find: anyone }) })
  app.use('guarded', { find: async ({ account }: any) => ({ name: account?.email }) })
  app.service('guarded').hooks({ before: { find: [authenticate('jwt')] } })
  app.use('rooms/:room/things', { find: async ({ route, provider }: any) => ({ ...route, provider }) })
  app.use('notes', new Notes({ multi: true, paginate: { default: 10 } }), {
    by: 'slug',
    methods: ['find', 'get', 'create', 'patch', 'remove', 'shout', 'fail'],
    routes: { 'POST /:slug/shout': 'shout' },
    schema: schema(Note, {
      hidden: ['secret'],
      server: { ownerId: ({ params }: any) => params.account.id },
      relations: { votes: count('votes', { to: 'noteId' }) },
      view: ({ method, dispatch }: any) => (method === 'get' ? { note: dispatch } : dispatch)
    }),
    access: access({ all: anyone, create: user, patch: owner('ownerId'), remove: owner('ownerId') })
  })

  for (const email of ['ada', 'bob']) await app.service('users').create({ email })

  await app.service('notes').create({ slug: 'one', text: 'a', secret: 's', ownerId: 0 })
  await app.service('votes').create({ noteId: 0 })
  await app.setup()

  const ada = await app.service('users').get(0)
  const { accessToken } = await app
    .service('authentication')
    .issueToken({ account: ada, authentication: { strategy: 'jwt' } })

  return { app, ada, bob: await app.service('users').get(1), accessToken }
}

const rejection = (promise: Promise<unknown>): Promise<any> =>
  promise.then(
    (result) => expect.unreachable(`it came to ${JSON.stringify(result)}`),
    (error) => error
  )

describe('asClient', () => {
  it('resolves to what leaves over HTTP, and rejects with what leaves', async () => {
    const { app, ada, accessToken } = await createApp()
    const handler = createHandler(app, { logger: false })
    const notes = app.asClient({ user: ada }).service('notes')
    const request = async (method: string, path: string, json?: unknown) => {
      const response = await handler(
        new Request(`http://localhost/${path}`, {
          method,
          headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
          ...(json !== undefined && { body: JSON.stringify(json) })
        })
      )

      return (await response.json()) as any
    }

    for (const [own, other] of [
      [() => notes.find({ query: { $include: 'votes' } }), () => request('GET', 'notes?$include=votes')],
      [() => notes.get('one'), () => request('GET', 'notes/one')],
      [() => notes.patch('one', { secret: 't' }), () => request('PATCH', 'notes/one', { secret: 't' })],
      [
        () => notes.shout({ slug: 'one', volume: 3 }, { query: { a: 1 } }),
        () => request('POST', 'notes/one/shout?a=1', { volume: 3 })
      ]
    ] as const) {
      expect(JSON.parse(JSON.stringify(await own()).replaceAll('"1"', '1'))).toEqual(
        JSON.parse(JSON.stringify(await other()).replaceAll('"1"', '1'))
      )
    }

    for (const [own, other] of [
      [() => notes.get('none'), () => request('GET', 'notes/none')],
      [() => notes.get(0), () => request('GET', 'notes/0')],
      [() => notes.find({ query: { secret: 's' } }), () => request('GET', 'notes?secret=s')],
      [() => notes.update('one', {}), () => request('PUT', 'notes/one', {})],
      [
        () => notes.create({ slug: 'x', ownerId: 1 }),
        () => request('POST', 'notes', { slug: 'x', ownerId: 1 })
      ]
    ] as const) {
      const { message, ...seen } = await other()

      expect((await rejection(own())).toJSON()).toMatchObject(
        seen.code === 405 ? { code: 405 } : { message, ...seen }
      )
    }
  })

  it('has the rights of its user, of its credentials, or of nobody', async () => {
    const { app, ada, bob, accessToken } = await createApp()
    const data = { text: 'b' }
    const patch = async (options?: object) => app.asClient(options).service('notes').patch('one', data)

    expect(await patch({ user: ada })).toMatchObject(data)
    expect(await patch({ authentication: { strategy: 'jwt', accessToken } })).toMatchObject(data)
    expect(await rejection(patch({ user: bob }))).toBeInstanceOf(Forbidden)
    expect(await rejection(patch())).toMatchObject({ code: 401 })
    expect(await rejection(patch({ authentication: { strategy: 'jwt', accessToken: 'x' } }))).toMatchObject({
      code: 401
    })

    const guarded = async (options?: object) => app.asClient(options).service('guarded').find()

    expect(await guarded({ user: bob })).toEqual({ name: 'bob' })
    expect(await guarded({ authentication: { strategy: 'jwt', accessToken } })).toEqual({ name: 'ada' })
    expect(await rejection(guarded())).toMatchObject({ code: 401, message: 'Not authenticated' })
  })

  it('calls as over HTTP unless a provider is named, and fills placeholders from the path', async () => {
    const { app } = await createApp()

    expect(await app.asClient().service('rooms/blue/things').find()).toEqual({
      room: 'blue',
      provider: 'rest'
    })
    expect(await app.asClient({ provider: 'mqtt' }).service('/rooms/red/things/').find()).toEqual({
      ...{ room: 'red', provider: 'mqtt' }
    })
    expect(await rejection(app.asClient().service('none').find())).toBeInstanceOf(NotFound)
    expect(await app.asClient().service('rooms/:smile:/things').find()).toMatchObject({ room: ':smile:' })
    expect(() => app.asClient().service('rooms/:room/things')).toThrow(
      "Invalid path 'rooms/:room/things' of app.asClient(): write a value in place of ':room'"
    )
  })

  it('sends and gets envelopes, single records and records in the path of a parent', async () => {
    const app: any = alula()
    const Comment = z.object({ id: z.int(), text: z.string(), articleId: z.int() })
    const envelope = { one: 'comment', many: 'comments', total: 'count', request: true }

    class Comments extends MemoryService {
      async count(_data: unknown, params: any) {
        // Calls that code makes have no envelope.
        const { total } = (await (this as any).find(asCaller(params))) as { total: number }

        return { total }
      }
    }

    app.use('articles', memory(), { by: 'slug' })
    app.use('articles/:slug/comments', new Comments({ paginate: { default: 5 } }), {
      methods: ['find', 'create', 'count'],
      parent: { articleId: 'articles' },
      schema: schema(Comment, { envelope })
    })
    app.use('me', memory(), { methods: ['get', 'patch'], singleton: () => 0 })

    for (const slug of ['one', 'two']) await app.service('articles').create({ slug })

    await app.service('me').create({ name: 'ada' })
    await app.setup()

    const [one, two] = ['one', 'two'].map((slug) =>
      app.asClient().service(`articles/${slug}/comments`)
    ) as any

    expect(await one.create({ comment: { text: 'a' } })).toEqual({
      comment: { id: 0, text: 'a', articleId: 0 }
    })
    expect(await one.find()).toEqual({ comments: [{ id: 0, text: 'a', articleId: 0 }], count: 1 })
    expect(await two.find()).toEqual({ comments: [], count: 0 })
    expect([await one.count(), await two.count()]).toEqual([
      { comment: { total: 1 } },
      { comment: { total: 0 } }
    ])
    expect(await rejection(one.create({ text: 'a' }))).toMatchObject({ code: 400 })
    expect(await app.asClient().service('me').patch(null, { name: 'bob' })).toEqual({ id: 0, name: 'bob' })
  })

  it('emits one event for a write, and joins no channel with a login', async () => {
    const { app, ada, accessToken } = await createApp()
    const seen: unknown[] = []

    app.service('notes').on('created', ({ slug }: any) => seen.push(slug))
    app.on('login', (_result: unknown, { connection }: any) => seen.push(connection))

    await app.asClient({ user: ada }).service('notes').create({ slug: 'two', text: 'b', secret: 's' })
    await app
      .asClient({ authentication: { strategy: 'jwt' } })
      .service('authentication')
      .create({ strategy: 'jwt', accessToken })

    expect(seen).toEqual(['two', undefined])
  })

  it('shows of an error what clients see, and reports the rest', async () => {
    const { app } = await createApp()
    const reported: any[] = []

    vi.stubEnv('NODE_ENV', 'production')
    onTestFinished(() => void vi.unstubAllEnvs())
    app.on('error', (error: unknown) => reported.push(error))

    const error = await rejection(app.asClient().service('notes').fail({}))

    expect(isFeathersError(error)).toBe(true)
    expect(error).toMatchObject({
      name: 'GeneralError',
      code: 500,
      message: 'An unexpected error occurred on the server'
    })
    expect(error.cause).toBeUndefined()
    expect(JSON.stringify([error, error.stack, Object.values(error)])).not.toMatch(/hunter2|\/srv\/db/)
    expect(reported).toEqual([expect.objectContaining({ password: 'hunter2' })])
  })

  it('reports by the status of the error itself, whatever `errorStatus` makes of it', async () => {
    const { app } = await createApp()
    const reported: any[] = []

    app.on('error', (error: Error) => reported.push(error.message))
    app.set('errorStatus', { GeneralError: 422, BadRequest: 500 })

    expect(await rejection(app.asClient().service('notes').fail({}))).toMatchObject({ code: 422 })
    expect(
      await rejection(
        app
          .asClient()
          .service('notes')
          .find({ query: { $nope: 1 } })
      )
    ).toMatchObject({
      name: 'BadRequest',
      code: 500
    })
    expect(reported).toEqual(['at /srv/db'])
  })

  it('takes the message and the details of the setting `formatError`', async () => {
    const { app } = await createApp()

    app.set('formatError', ({ message }: any) => ({ errors: { body: [message] } }))

    const error = await rejection(app.asClient().service('notes').get('none'))

    expect(error).toBeInstanceOf(NotFound)
    expect(error).toMatchObject({
      code: 404,
      message: 'NotFound',
      errors: { body: ["No record found for id 'none'"] }
    })
  })

  it.each([
    [{ usr: {} }, "Unknown option 'usr' of app.asClient(). Did you mean 'user'?"],
    [{ user: Promise.resolve({}) }, "Invalid option 'user' of app.asClient()"],
    [{ authentication: 'token' }, "Invalid option 'authentication' of app.asClient()"],
    [{ provider: '' }, "Invalid option 'provider' of app.asClient()"],
    [{ user: {}, authentication: {} }, "expects 'user' or 'authentication', and not both"]
  ])('refuses the options %j', async (options, message) => {
    expect(() => (alula() as any).asClient(options)).toThrow(message)
  })

  it('refuses params that no client sends', async () => {
    const { app } = await createApp()

    expect(await rejection(app.asClient().service('notes').find({ paginate: false }))).toMatchObject({
      ...{ code: 'ALULA_INVALID_ARGUMENT', message: expect.stringContaining("got 'paginate'") }
    })
  })
})
