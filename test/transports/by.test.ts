import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  AuthenticationService,
  authenticate,
  hashPassword,
  JWTStrategy,
  LocalStrategy,
  protect
} from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { SECRET } from '../support/login.ts'
import { createTable, describeDatabases } from '../support/sql.ts'
import {
  describeHttpTransports,
  describeRemoteTransports,
  type OpenTransport
} from '../support/transports.ts'

const Article = z.object({
  id: z.int(),
  slug: z.string().regex(/^[a-z0-9-]+$/),
  title: z.string(),
  ownerId: z.string()
})

const declared = () => schema(Article, { server: { ownerId: () => 'ada' } })

/** What holds on every store, over every transport. */
function bySlug(open: OpenTransport, createService: () => Promise<any>, options: object = {}): void {
  const openArticles = async () => {
    const service = await createService()
    let app: any
    const client = await open((opened: any) => {
      app = opened
      opened.use('articles', service, { by: 'slug', ...options })
    })

    await app.service('articles').create({ slug: 'one', title: 'One', ownerId: 'ada' })
    await app.service('articles').create({ slug: 'two', title: 'Two', ownerId: 'ada' })

    const [{ id }] = await app.service('articles').find({ query: { slug: 'one' }, paginate: false })

    return { client, id, articles: app.service('articles') }
  }

  it('stands in place of the id', async () => {
    const { client, id } = await openArticles()
    const call = (method: string, slug: string, data?: unknown, query?: object): Promise<any> =>
      client.call(method, 'articles', {
        id: slug,
        ...(data !== undefined && { data }),
        ...(query && { query })
      })

    expect(await call('get', 'one')).toEqual({ id, slug: 'one', title: 'One', ownerId: 'ada' })
    expect(await call('get', 'one', undefined, { $select: ['title'] })).toEqual({ id, title: 'One' })
    expect(await call('patch', 'one', { title: 'Uno' })).toMatchObject({ id, slug: 'one', title: 'Uno' })
    expect(await call('update', 'one', { slug: 'one', title: 'Eins' })).toMatchObject({ id, title: 'Eins' })
    expect(await call('remove', 'two')).toMatchObject({ slug: 'two', title: 'Two' })
    expect(await client.fail('get', 'articles', { id: 'two' })).toMatchObject({ code: 404 })
    expect(await client.fail('get', 'articles', { id })).toMatchObject({ code: 404 })
    expect(await client.fail('patch', 'articles', { id, data: { title: 'x' } })).toMatchObject({ code: 404 })
    expect(await client.fail('remove', 'articles', { id: 'one', query: { title: 'x' } })).toMatchObject({
      code: 404
    })
  })

  it('a client may write the id of the record back, and no other', async () => {
    const { client, id } = await openArticles()

    for (const [method, data] of [
      ['patch', { title: 'x' }],
      ['update', { slug: 'one', title: 'x' }]
    ] as const) {
      expect(
        await client.call(method, 'articles', { id: 'one', data: { ...data, id } }),
        method
      ).toMatchObject({ ...{ id, slug: 'one', title: 'x' } })
      expect(
        await client.fail(method, 'articles', { id: 'one', data: { ...data, id: id + 1 } })
      ).toMatchObject({ code: 400, errors: { id: 'is set by the server' } })
      expect(await client.fail(method, 'articles', { id: 'none', data: { ...data, id } })).toMatchObject({
        code: 404
      })
    }
  })

  it('follows the record when it changes', async () => {
    const { client, id } = await openArticles()

    expect(await client.call('patch', 'articles', { id: 'one', data: { slug: 'uno' } })).toMatchObject({
      ...{ id, slug: 'uno' }
    })
    expect(await client.fail('get', 'articles', { id: 'one' })).toMatchObject({ code: 404 })
    expect(await client.call('get', 'articles', { id: 'uno' })).toMatchObject({ id, title: 'One' })
    expect(
      await client.call('update', 'articles', { id: 'uno', data: { slug: 'eins', title: 'Eins' } })
    ).toMatchObject({ id, slug: 'eins' })
    expect(await client.call('get', 'articles', { id: 'eins' })).toMatchObject({ id, title: 'Eins' })
  })

  it('a value that is taken is a Conflict, and nothing is stored', async () => {
    const { client, articles } = await openArticles()

    for (const [method, slug, data] of [
      ['create', undefined, { slug: 'one', title: 'x' }],
      ['patch', 'two', { slug: 'one' }],
      ['update', 'two', { slug: 'one', title: 'x' }]
    ] as const) {
      expect(await client.fail(method, 'articles', { ...(slug && { id: slug }), data })).toMatchObject({
        ...{ name: 'Conflict', code: 409 }
      })
    }

    expect(
      (await articles.find({ paginate: false, query: { $sort: { slug: 1 } } })).map(({ title }: any) => title)
    ).toEqual(['One', 'Two'])
  })

  it('calls from inside use the id', async () => {
    const { id, articles } = await openArticles()

    expect(await articles.get(id)).toMatchObject({ slug: 'one' })
    expect(await articles.patch(id, { slug: 'uno' })).toMatchObject({ id, slug: 'uno' })
    await expect(articles.get('uno')).rejects.toMatchObject({ code: 404 })
    await expect(articles.patch(id, { slug: 'two' })).rejects.toMatchObject({ code: 409 })
  })
}

const STORE = { methods: ['find', 'get', 'create', 'update', 'patch', 'remove'] }

describeRemoteTransports('a field in place of the id, in memory', (open) => {
  bySlug(open, async () => memory(), {
    ...STORE,
    schema: declared()
  })
})

describeDatabases('a field in place of the id', (database) => {
  const columns = `id ${database.countedId}, slug varchar(50) not null unique, title ${database.text} not null, "ownerId" ${database.text} not null default 'ada'`
  const quoted = database.name === 'MariaDB' ? columns.replaceAll('"', '`') : columns

  describeRemoteTransports('with a schema', (open) => {
    bySlug(
      open,
      async () => kysely({ Model: await createTable(database, 'alula_by', quoted), name: 'alula_by' }),
      { ...STORE, schema: declared() }
    )
  })

  it('takes one statement', async () => {
    const statements: string[] = []
    const db = await createTable(
      database,
      'alula_by',
      quoted,
      (event) => void statements.push(event.query.sql)
    )
    const app: any = alula().use('articles', kysely({ Model: db, name: 'alula_by' }), { by: 'slug' })
    const params = { adapter: { id: 'slug', by: app.service('articles') } }

    await app.service('articles').create({ slug: 'one', title: 'One' })

    for (const call of [
      () => app.service('articles').get('one', params),
      () => app.service('articles').patch('one', { slug: 'uno' }, params),
      () => app.service('articles').update('uno', { title: 'x' }, params),
      () => app.service('articles').remove('uno', params)
    ]) {
      statements.length = 0

      expect(await call()).toMatchObject({ slug: expect.stringMatching(/one|uno/) })
      expect(statements.filter((text) => !/^(?:begin|commit|start)/i.test(text)).length).toBeLessThanOrEqual(
        database.name === 'MariaDB' ? 3 : 1
      )
    }
  })

  it('changes nothing where the table lets two records have one value', async () => {
    const db = await createTable(database, 'alula_by', quoted.replace(' not null unique', ''))
    const app: any = alula().use('articles', kysely({ Model: db, name: 'alula_by' }), { by: 'slug' })
    const articles = app.service('articles')
    const params = { adapter: { id: 'slug', by: articles } }

    await articles.create({ slug: 'one', title: 'One' })
    await articles.create({ slug: 'one', title: 'Two' })

    for (const call of [
      () => articles.get('one', params),
      () => articles.patch('one', { title: 'x' }, params),
      () => articles.update('one', { title: 'x' }, params),
      () => articles.remove('one', params)
    ]) {
      await expect(call()).rejects.toMatchObject({
        ...{ code: 409, message: "Several records have 'one' as 'slug'" }
      })
    }

    expect((await articles.find({ query: { title: { $ne: 'x' } } })).length).toBe(2)
    expect(await articles.get('one', { ...params, query: { title: 'Two' } })).toMatchObject({ title: 'Two' })
  })

  it('keeps its value where the data of an update has none', async () => {
    const db = await createTable(database, 'alula_by', quoted)
    const app: any = alula().use('articles', kysely({ Model: db, name: 'alula_by' }), { by: 'slug' })
    const params = { adapter: { id: 'slug', by: app.service('articles') } }

    await app.service('articles').create({ slug: 'one', title: 'One' })

    expect(await app.service('articles').update('one', { title: 'x' }, params)).toMatchObject({
      ...{ slug: 'one', title: 'x', ownerId: 'ada' }
    })
  })
})

describe('a field in place of the id, in memory', () => {
  it('is refused where two records have the same value already', () => {
    const store = { 1: { id: 1, slug: 'a' }, 2: { id: 2, slug: 'a' } }

    expect(() => alula().use('articles', memory({ store }), { by: 'slug' })).toThrow(
      "A record with the same 'slug' exists already"
    )
  })

  it('is kept apart within one call, and may be missing', async () => {
    const app: any = alula().use('articles', memory({ multi: true }), { by: 'slug' })
    const articles = app.service('articles')

    await expect(articles.create([{ slug: 1 }, { slug: '1' }])).rejects.toMatchObject({
      ...{ code: 409, errors: { slug: 'is taken' } }
    })
    await articles.create([{ n: 1 }, { n: 2 }, { slug: null }, { slug: 'b' }])
    await expect(articles.patch(null, { slug: 'c' })).rejects.toMatchObject({ code: 409 })
    await expect(articles.patch(null, { slug: 'b' }, { query: { n: 1 } })).rejects.toMatchObject({
      code: 409
    })
    expect(await articles.patch(null, { slug: 'b' }, { query: { slug: 'b' } })).toHaveLength(1)
    expect((await articles.find()).map(({ slug }: any) => slug)).toEqual([undefined, undefined, null, 'b'])
  })

  it.each([
    [{ toString: 1 }, 'an object'],
    [[{ toString: 1 }], 'an array'],
    [[], 'an array'],
    [{ $gt: '' }, 'an object'],
    [Buffer.from('a'), 'an instance of Buffer']
  ])('is a string or a number: %j is refused, and nothing is stored', async (slug, found) => {
    const app: any = alula().use('articles', memory({ startId: 1 }), { by: 'slug' })
    const articles = app.service('articles')
    const refused = {
      code: 400,
      message: `Invalid data: 'slug' expects a string or a number, got ${found}`,
      errors: { slug: 'expects a string or a number' }
    }

    await articles.create({ slug: '' })
    await expect(articles.create({ slug })).rejects.toMatchObject(refused)
    await expect(articles.patch(1, { slug })).rejects.toMatchObject(refused)
    await expect(articles.update(1, { slug })).rejects.toMatchObject(refused)
    expect(await articles.find()).toEqual([{ slug: '', id: 1 }])
  })

  it('is found where it is a number', async () => {
    const app: any = alula().use('pages', memory({ store: { 7: { id: 7, number: 3 } } }), { by: 'number' })
    const params = { adapter: { id: 'number', by: app.service('pages') } }

    expect(await app.service('pages').get('3', params)).toEqual({ id: 7, number: 3 })
    expect(await app.service('pages').patch('3', { number: 4 }, params)).toEqual({ id: 7, number: 4 })
    expect(await app.service('pages').get('4', params)).toEqual({ id: 7, number: 4 })
  })
})

describeHttpTransports('hooks of a service with `by`', (open) => {
  it('pass params on to other services, which use the id', async () => {
    const client = await open((app: any) => {
      app.use('users', memory({ store: { 1: { id: 1, name: 'Ada' } } }), { by: 'name' })
      app.use('tags', memory({ store: { 2: { id: 2, slug: 'x' } } }), { by: 'slug' })
      app.use('articles', memory({ store: { 5: { id: 5, slug: 'one' } } }), { by: 'slug' })
      app.service('articles').hooks({
        after: {
          get: [
            async (context: any) => {
              const { query, ...params } = context.params

              context.result.author = await app.service('users').get(1, params)
              context.result.tag = await app.service('tags').get(2, params)
              context.result.again = (await context.service._get(context.id, params)).id
            }
          ]
        }
      })
    })

    expect(await client.call('get', 'articles', { id: 'one' })).toEqual({
      ...{ id: 5, slug: 'one', author: { id: 1, name: 'Ada' }, tag: { id: 2, slug: 'x' }, again: 5 }
    })
  })

  it('If-Match compares the record that the path names', async () => {
    const client = await open((app: any) =>
      app.use('articles', memory({ store: { 5: { id: 5, slug: 'one' } } }), { by: 'slug' })
    )
    const etag = (await client.request('/articles/one')).headers.get('etag') ?? ''
    const patch = (tag: string) =>
      client.request('/articles/one', {
        method: 'PATCH',
        headers: { 'Content-Type': 'application/json', 'If-Match': tag },
        body: '{"n":1}'
      })

    expect((await patch('"other"')).status).toBe(412)
    expect((await patch(etag)).status).toBe(200)
    expect((await patch(etag)).status).toBe(412)
  })
})

describeHttpTransports('users that clients name by another field than the id', (open) => {
  it('log in, and are loaded by their id', async () => {
    const client = await open((app: any) => {
      app.set('authentication', {
        ...{ secret: SECRET, entity: 'user', service: 'users', authStrategies: ['jwt', 'local'] },
        local: { usernameField: 'email', passwordField: 'password', hashSize: 4 }
      })

      const authentication = new AuthenticationService(app)

      authentication.register('jwt', new JWTStrategy())
      authentication.register('local', new LocalStrategy())
      app.use('authentication', authentication)
      app.use('users', memory(), { by: 'email' })
      app.service('users').hooks({
        before: {
          create: [hashPassword('password')],
          get: [authenticate('jwt')],
          patch: [authenticate('jwt')]
        },
        after: { all: [protect('password')] }
      })
    })
    const ada = { email: 'ada', password: 'correct horse' }
    const data = { strategy: 'local', ...ada }

    await client.call('create', 'users', { data: ada })
    await client.call('create', 'users', { data: { ...ada, email: 'bob' } })

    const { accessToken, user } = await client.call('create', 'authentication', { data })
    const headers = { Authorization: `Bearer ${accessToken}` }

    expect(user).toEqual({ id: 0, email: 'ada' })
    expect(await client.call('get', 'users', { id: 'bob', headers })).toEqual({ id: 1, email: 'bob' })
    expect(await client.call('patch', 'users', { id: 'ada', data: { email: 'eve' }, headers })).toEqual({
      ...{ id: 0, email: 'eve' }
    })
    expect(await client.call('get', 'users', { id: 'eve', headers })).toEqual({ id: 0, email: 'eve' })
    expect(await client.fail('get', 'users', { id: 'eve' })).toMatchObject({ code: 401 })
  })
})
