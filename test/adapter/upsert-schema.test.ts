import { expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'

const Bookmark = z.object({
  id: z.int(),
  ownerId: z.int(),
  url: z.string().trim().toLowerCase(),
  title: z.string().optional()
})

/** Bookmarks whose key has a field of the server, and one that the schema changes. */
async function open(server: object = { ownerId: ({ params }: any) => params.user?.id }) {
  const app = alula<any>()

  app.use('bookmarks', memory({ upsert: { by: ['ownerId', 'url'] }, startId: 1 }), {
    schema: schema(Bookmark, { server } as any),
    methods: ['find', 'upsert']
  })
  await app.setup()

  const as = (id: number) => app.asClient({ user: { id } }).service('bookmarks') as any

  return { app, as }
}

it('a key may have a field that the server sets: each user has records of their own', async () => {
  const { app, as } = await open()
  const first = await as(1).upsert({ url: 'a.example', title: 'One' })

  expect(first).toEqual({ id: 1, ownerId: 1, url: 'a.example', title: 'One' })
  expect(await as(2).upsert({ url: 'a.example' })).toEqual({ id: 2, ownerId: 2, url: 'a.example' })
  expect(await as(1).upsert({ url: 'a.example', title: 'Two' })).toEqual({ ...first, title: 'Two' })
  await expect(as(1).upsert({ url: 'a.example', ownerId: 2 })).rejects.toMatchObject({
    code: 400,
    message: expect.stringContaining('is set by the server')
  })
  expect(await app.service('bookmarks').find()).toHaveLength(2)
})

it('the key is that of the record which is stored, as the schema makes it', async () => {
  const { as } = await open()
  const first = await as(1).upsert({ url: ' A.Example ' })

  expect(first.url).toBe('a.example')
  expect(await as(1).upsert({ url: 'a.EXAMPLE', title: 'One' })).toEqual({ ...first, title: 'One' })
})

it.each([
  ['in place', (data: any) => Object.assign(data, { url: data.url.slice(0, 4) })],
  ['in a copy', (data: any) => ({ ...data, url: data.url.slice(0, 4) })]
])('the key is that of data which a hook has changed %s', async (_title, shorten) => {
  const { app, as } = await open()
  const shortenData = (context: any) => {
    context.data = shorten(context.data)
  }

  app.service('bookmarks').hooks({ before: { upsert: [shortenData] } })

  const first = await as(1).upsert({ url: 'site.example' })

  expect(first.url).toBe('site')
  expect(await as(1).upsert({ url: 'site.other' })).toEqual(first)
})

it('a field of the server without a value is none', async () => {
  const { app } = await open()

  await expect((app.asClient().service('bookmarks') as any).upsert({ url: 'a' })).rejects.toMatchObject({
    code: 400,
    errors: { ownerId: 'is required' }
  })
})

it('a conflict in memory names the fields of the key, and none of their values', async () => {
  const app = alula<any>()
  const declaration = schema(Bookmark, { hidden: ['ownerId'], server: { ownerId: () => 4711 } })

  app.use('bookmarks', memory({ upsert: { by: ['ownerId', 'url'] } }), { schema: declaration })

  const bookmarks = app.asClient({}).service('bookmarks') as any

  await bookmarks.create({ url: 'a.example' })
  await expect(bookmarks.create({ url: 'a.example' })).rejects.toMatchObject({
    code: 409,
    message: "A record with the same 'ownerId', 'url' exists already",
    errors: { ownerId: 'is taken', url: 'is taken' }
  })
})

it('a query that does not match tells no id, which may be hidden', async () => {
  const app = alula<any>()

  app.use('bookmarks', memory({ upsert: { by: ['url'] }, startId: 7001 }), {
    schema: schema(Bookmark, { hidden: ['id'] }),
    methods: ['get', 'create', 'patch', 'upsert']
  })
  await app.setup()
  await app.service('bookmarks').create({ ownerId: 1, url: 'a.example' })

  const upsert = (query: object) =>
    (app.asClient() as any).service('bookmarks').upsert({ url: 'a.example', ownerId: 1 }, { query })

  await expect(upsert({ title: 'b' })).rejects.toMatchObject({
    code: 404,
    message: "The record with the same 'url' does not match the query"
  })
  expect(await upsert({ ownerId: 1 })).toEqual({ ownerId: 1, url: 'a.example' })
})

it('a hook that calls `upsert` once more with its params has the key of its own data', async () => {
  const app: any = alula()

  app.use('entries', memory({ startId: 1, upsert: { by: ['k'] } }), {
    schema: schema(z.object({ id: z.int(), k: z.string(), v: z.int() })),
    methods: ['find', 'create', 'patch', 'upsert']
  })
  app.service('entries').hooks({
    before: {
      upsert: [
        async ({ service, params, data }: any) => {
          if (data.k !== 'log') await service.upsert({ k: 'log', v: 99 }, { ...params, schema: false })
        }
      ]
    }
  })
  await app.service('entries').create({ k: 'a', v: 1 })
  await app.service('entries').upsert({ k: 'a', v: 2 })

  expect(await app.service('entries').find()).toEqual([
    { id: 1, k: 'a', v: 2 },
    { id: 2, k: 'log', v: 99 }
  ])
})

/** A service of a class with an `upsert` of its own, whose key has a field of the server. */
async function openOwn(Service: new (options: object) => MemoryService<any>) {
  const app = alula<any>()
  const fields = { id: { type: 'integer' }, ownerId: { type: 'integer' }, key: { type: 'string' } } as const

  app.use('settings', new Service({ upsert: { by: ['ownerId', 'key'] }, startId: 1 }), {
    schema: schema({ type: 'object', properties: fields }, { server: { ownerId: () => 7 } }),
    methods: ['find', 'upsert']
  })
  await app.setup()

  return app.service('settings') as any
}

it('a class may copy the data and the params', async () => {
  class Settings extends MemoryService<any> {
    override async upsert(data: any, params: any) {
      return await super.upsert({ ...data }, { ...params })
    }
  }
  const settings = await openOwn(Settings)
  const first = await settings.upsert({ key: 'a' })

  expect(first).toEqual({ id: 1, ownerId: 7, key: 'a' })
  expect(await settings.upsert({ key: 'a' })).toEqual(first)
})

it('a class that writes a second record with its params has two records', async () => {
  class Settings extends MemoryService<any> {
    override async upsert(data: any, params: any) {
      const record = await super.upsert(data, params)

      await super.upsert({ key: 'last' }, params)

      return record
    }
  }
  const settings = await openOwn(Settings)

  await settings.upsert({ key: 'a' })

  expect(await settings.find()).toEqual([
    { id: 1, ownerId: 7, key: 'a' },
    { id: 2, ownerId: 7, key: 'last' }
  ])
})

it('a class that changes the key is searched for with its own', async () => {
  class Settings extends MemoryService<any> {
    override async upsert(data: any, params: any) {
      return await super.upsert({ ...data, key: data.key.trim() }, params)
    }
  }
  const settings = await openOwn(Settings)
  const first = await settings.upsert({ key: 'a ' })

  expect(await settings.upsert({ key: ' a' })).toEqual(first)
})

it('a class whose second record has no key gets an error, and the first record stays', async () => {
  class Settings extends MemoryService<any> {
    override async upsert(data: any, params: any) {
      await super.upsert(data, params)

      return await super.upsert({ ownerId: 7 }, params)
    }
  }
  const settings = await openOwn(Settings)

  await expect(settings.upsert({ key: 'a' })).rejects.toMatchObject({
    code: 400,
    errors: { key: 'is required' }
  })
  expect(await settings.find()).toEqual([{ id: 1, ownerId: 7, key: 'a' }])
})
