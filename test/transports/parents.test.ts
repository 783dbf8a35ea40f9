import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone, owner, user } from '../../src/access.ts'
import { type Application, asCaller } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { configureUsers, logIn } from '../access/support/application.ts'
import { describeRemoteTransports, type OpenTransport } from '../support/transports.ts'

const Article = z.object({ id: z.int(), slug: z.string(), ownerId: z.int(), isDraft: z.boolean() })

const Comment = z.object({ id: z.int(), articleId: z.int(), text: z.string(), ownerId: z.int() })

const articles = () =>
  memory({
    startId: 10,
    store: {
      1: { id: 1, slug: 'open', ownerId: 1, isDraft: false },
      2: { id: 2, slug: 'draft', ownerId: 2, isDraft: true }
    }
  })

const comments = () =>
  memory({
    startId: 10,
    multi: true,
    paginate: { default: 10 },
    store: {
      1: { id: 1, articleId: 1, text: 'On the open one', ownerId: 1 },
      2: { id: 2, articleId: 2, text: 'On the draft', ownerId: 2 },
      3: { id: 3, articleId: 1, text: 'Of Grace', ownerId: 2 }
    }
  })

/** An article is for everyone once it is no draft, and for its owner before. */
const published = ({ params }: any) => ({ $or: [{ isDraft: false }, { ownerId: params.user?.id ?? -1 }] })

const ownerOfComment = { server: { ownerId: ({ params }: any) => params.user.id } }

async function count(this: any, _data: unknown, params: object): Promise<object> {
  const passedOn = await this.find({ ...params, query: {} })
  const asked = await this.find(asCaller(params))

  return { counts: [passedOn.total, asked.total] }
}

async function openComments(open: OpenTransport, options: object = {}) {
  let app!: Application
  const client = await open((opened) => {
    app = opened
    app.configure(configureUsers)
    app.use('articles', articles(), {
      by: 'slug',
      schema: schema(Article, { hidden: ['isDraft'] }),
      access: access({ find: published, get: published })
    })
    app.use('articles/:slug/comments', Object.assign(comments(), { count }), {
      parent: { articleId: 'articles' },
      schema: schema(Comment, ownerOfComment),
      access: access({ find: anyone, get: anyone, create: user, all: owner('ownerId') }),
      ...options
    })
  })

  await app.setup()

  const { ada, grace } = await logIn(app)
  const as = (login: { accessToken: string }) => ({
    headers: { Authorization: `Bearer ${login.accessToken}` }
  })

  return { app, ...client, ada: as(ada), grace: as(grace), stored: app.service('articles/:slug/comments') }
}

describeRemoteTransports('a parent', (open) => {
  it('is the record that the path names: calls find, get and write its records alone', async () => {
    const { call, fail, ada, grace, stored } = await openComments(open)
    const path = 'articles/open/comments'

    expect((await call('find', path)).data.map(({ id }: any) => id)).toEqual([1, 3])
    expect(await call('find', path, { query: { articleId: 2 } })).toMatchObject({ total: 0 })
    expect(await call('get', path, { id: 3 })).toMatchObject({ id: 3, articleId: 1 })
    expect(await fail('get', path, { id: 2 })).toMatchObject({ code: 404 })
    expect(await call('patch', path, { id: 1, data: { text: 'x' }, ...ada })).toMatchObject({ text: 'x' })
    expect(await fail('patch', path, { id: 2, data: { text: 'x' }, ...grace })).toMatchObject({ code: 404 })
    expect(await fail('patch', path, { id: 3, data: { text: 'x' }, ...ada })).toMatchObject({ code: 403 })
    expect(await call('patch', path, { id: null, data: { text: 'y' }, ...grace })).toMatchObject([{ id: 3 }])
    expect(await call('update', path, { id: 1, data: { text: 'z' }, ...ada })).toEqual({
      id: 1,
      articleId: 1,
      text: 'z',
      ownerId: 1
    })
    expect(await call('remove', path, { id: null, ...grace })).toMatchObject([{ id: 3 }])
    expect(await stored.get(2)).toMatchObject({ text: 'On the draft' })
  })

  it('gives new records its id, and no client another', async () => {
    const { call, fail, ada } = await openComments(open)
    const path = 'articles/open/comments'

    expect(await call('create', path, { data: { text: 'New' }, ...ada })).toMatchObject({ articleId: 1 })
    expect(await call('create', path, { data: [{ text: 'a' }, { text: 'b' }], ...ada })).toMatchObject([
      { articleId: 1 },
      { articleId: 1 }
    ])
    expect(await call('update', path, { id: 1, data: { text: 'x', articleId: 1 }, ...ada })).toMatchObject({
      articleId: 1
    })

    for (const [method, id] of [
      ['create', undefined],
      ['update', 1],
      ['patch', 1]
    ] as const) {
      const data = { text: 'x', articleId: 2 }

      expect(await fail(method, path, { ...(id && { id }), data, ...ada })).toMatchObject({
        code: 400,
        errors: { articleId: 'is set by the path' }
      })
    }
  })

  it('that the caller may not get is one that is not there, for every method', async () => {
    const { call, fail, ada, grace } = await openComments(open)
    const data = { text: 'x' }

    for (const caller of [ada, {}]) {
      const errors = []

      for (const slug of ['draft', 'other']) {
        const path = `articles/${slug}/comments`
        const toError = async (method: string, options: object = {}) => {
          const { name, message, code } = await fail(method, path, { ...options, ...caller })

          return { name, message: message.replace(slug, ''), code }
        }

        errors.push([
          await toError('find'),
          await toError('get', { id: 2 }),
          await toError('create', { data }),
          await toError('update', { id: 2, data }),
          await toError('patch', { id: 2, data }),
          await toError('remove', { id: 2 })
        ])
      }

      expect(errors[0]).toEqual(errors[1])
      // Who may call at all is decided first.
      expect(errors[0]?.map(({ code }) => code)).toEqual(
        caller === ada ? [404, 404, 404, 404, 404, 404] : [404, 404, 401, 401, 401, 401]
      )
    }

    expect(await call('find', 'articles/draft/comments', grace)).toMatchObject({ total: 1 })
    expect(await call('create', 'articles/draft/comments', { data, ...grace })).toMatchObject({
      articleId: 2
    })
  })

  it('is set in data that comes in an envelope', async () => {
    const { call, fail, ada } = await openComments(open, {
      schema: schema(Comment, {
        ...ownerOfComment,
        envelope: { one: 'comment', many: 'comments', request: true }
      })
    })
    const path = 'articles/open/comments'
    const create = { data: { comment: { text: 'New' } }, ...ada }

    expect(await call('create', path, create)).toMatchObject({ comment: { text: 'New', articleId: 1 } })
    expect(
      await fail('create', path, { data: { comments: [{ text: 'a' }, { text: 'b', articleId: 2 }] }, ...ada })
    ).toMatchObject({ code: 400, errors: { 'comments.1.articleId': 'is set by the path' } })
    expect(await call('find', path)).toMatchObject({
      comments: [{ articleId: 1 }, { articleId: 1 }, { articleId: 1 }]
    })
    expect(await fail('find', 'articles/draft/comments')).toMatchObject({ code: 404 })
  })

  it('is asked for custom methods too, whose own calls are held to it', async () => {
    const { call, fail } = await openComments(open, {
      methods: ['find', 'count'],
      access: access({ all: anyone })
    })

    expect(await call('count', 'articles/open/comments', { data: {} })).toEqual({ counts: [2, 2] })
    expect(await fail('count', 'articles/draft/comments', { data: {} })).toMatchObject({ code: 404 })
  })
})
