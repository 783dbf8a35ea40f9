import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access, owner, user } from '../../../src/access.ts'
import { memory } from '../../../src/memory.ts'
import { schema } from '../../../src/schema.ts'
import { createApp } from '../../../test/access/support/application.ts'
import { type ProofOptions, proveExposure } from '../src/index.ts'
import { Articles, type Changes, Comments, createBlog, Letters, toProof } from './support/blog.ts'

it('a blog that is as its table says is proved', async () => {
  const app = await createBlog()
  const { rows, notCovered } = await proveExposure(app, await toProof(app))
  const removals = rows.filter(({ operation }) => operation === 'articles.remove')

  expect(removals).toEqual(
    [
      ['rest', 'nobody', { 401: 1 }],
      ['socketio', 'nobody', { 401: 1 }],
      ['rest', 'user', { 403: 1 }],
      ['socketio', 'user', { 403: 1 }],
      ['rest', 'owner', { 200: 1 }],
      ['socketio', 'owner', { 200: 1 }]
    ].map(([transport, caller, outcomes]) => ({ operation: 'articles.remove', transport, caller, outcomes }))
  )
  expect(notCovered).toEqual(['authentication.create', 'authentication.remove'])
})

it('a custom method may return a record that it has made for its caller', async () => {
  class Copies extends Letters {
    override async open(_data: unknown, { user: { id } }: any): Promise<any> {
      return await this.create({ text: 'Dear Ada', ownerId: id, senderId: 99, read: false })
    }
  }

  const app = await createBlog({ Letters: Copies })

  await expect(proveExposure(app, await toProof(app))).resolves.toMatchObject({
    notCovered: expect.any(Array)
  })
})

/** What was changed, and a line that the proof must have. */
type Fault = readonly [change: string, changes: Changes, line: string]

const FAULTS: readonly Fault[] = [
  [
    'an override that forgets params',
    {
      Articles: class extends Articles {
        override async remove(id: any, params: any): Promise<any> {
          return await super.remove(id, { adapter: params.adapter } as any)
        }
      }
    },
    "articles.remove over rest as user: the table says owner('authorId'), the response is 200"
  ],
  [
    'an override of find that forgets params',
    {
      Letters: class extends Letters {
        override async find(): Promise<any> {
          return await super.find({})
        }
      }
    },
    "letters.find over rest as user: the table says owner('ownerId') for 'find', and the response has a record of another user"
  ],
  [
    'an override that forgets params of one transport',
    {
      Articles: class extends Articles {
        override async patch(id: any, data: any, params: any): Promise<any> {
          return await super.patch(
            id,
            data,
            params.provider === 'socketio' ? { adapter: params.adapter } : params
          )
        }
      }
    },
    "articles.patch over socketio as user: the table says owner('authorId'), the response is 200"
  ],
  [
    'a rule on the wrong field',
    { access: { patch: owner('id') } },
    'articles.patch as owner never succeeded: the response is 403'
  ],
  [
    'a rule of a list on the wrong field',
    { letterAccess: { find: owner('senderId') } },
    'letters.find as owner never succeeded: the response has no record'
  ],
  [
    'a view that renames a hidden field',
    {
      settings: {
        envelope: undefined,
        view: ({ result, dispatch }: any) => ({ ...dispatch, note: result.draft })
      }
    },
    "articles.get over socketio as user: 'draft' is hidden, and the response has it"
  ],
  [
    'a hook that strips the provider',
    {
      configure: (app) =>
        app.hooks({
          before: {
            remove: [
              (context) => {
                context.params = { ...context.params, provider: undefined }
              }
            ]
          }
        })
    },
    "articles.remove over rest as nobody: the table says owner('authorId'), the response is 200"
  ],
  [
    'a custom method that calls internally',
    {
      Letters: class extends Letters {
        override async open({ id }: any): Promise<any> {
          return await this.patch(id, { read: true })
        }
      }
    },
    "letters.open over rest as user: the table says owner('ownerId') for 'get', and the response has a record of another user"
  ],
  [
    'a service that is mounted twice with other access',
    {
      configure: (app) => {
        const files = memory({ store: { 1: { id: 1, ownerId: 2 } } })

        app.use('files', files, { methods: ['get'], access: access({ get: owner('ownerId') }) })
        app.use('all-files', files, { methods: ['get'], access: access({ get: user }) })
      }
    },
    "files.get and all-files.get are the same method: the table says owner('ownerId') and user. Give 'callers: { 'all-files': { get: […] } }' if both are meant"
  ],
  [
    'a hidden field in a custom result',
    {
      Articles: class extends Articles {
        override async favorite(data: unknown, params: any): Promise<any> {
          const { draft, ...article } = await super.favorite(data, params)

          return { ...article, body: draft }
        }
      }
    },
    "articles.favorite over rest as user: 'draft' is hidden, and the response has it"
  ],
  [
    'a rule that says yes for everybody',
    {
      access: {
        patch: function isAuthor() {
          return true
        }
      }
    },
    "articles.patch: the table says isAuthor, and nothing else is known of it. Give 'callers: { articles: { patch: ['owner'] } }'"
  ],
  [
    'an owner that is taken from the data',
    {
      settings: {
        server: { slug: () => crypto.randomUUID() }
      }
    },
    "articles.create over rest as user: the data says whose the record is: 'authorId' is the owner"
  ],
  [
    'a hook that puts the id in place of the slug',
    {
      configure: (app) =>
        app.service('articles').hooks({
          before: {
            patch: [
              async (context: any) => {
                const [article] = await context.service.find({ query: { slug: context.id }, paginate: false })

                context.id = article.id
              }
            ]
          }
        })
    },
    'articles.patch as owner never succeeded: the response is 403'
  ],
  [
    'an override that forgets the parent',
    {
      Comments: class extends Comments {
        override async get(id: any): Promise<any> {
          return await super.get(id)
        }
      }
    },
    "articles/:slug/comments.get over rest as owner: the path names another record of 'articles', and the response is 200"
  ],
  [
    'an override of find that forgets the parent',
    {
      Comments: class extends Comments {
        override async find(): Promise<any> {
          return await super.find({})
        }
      }
    },
    "articles/:slug/comments.find over socketio as owner: the path names another record of 'articles', and the response is 200"
  ],
  [
    'a single record that is the same for all callers',
    { toCurrentUser: () => 2 },
    "user.get over rest as user: the table says user for 'get', and the response has a record of another user"
  ],
  [
    'a single record that shows what is hidden',
    {
      configure: (app) =>
        app.service('user').hooks({
          after: { get: [({ result }) => void Object.assign(result, { username: result.password })] }
        })
    },
    "user.get over rest as owner: 'password' is hidden, and the response has it"
  ],
  [
    'a cache in front of the rule',
    {
      configure: (app) => {
        const kept = new Map()

        app.hooks({
          around: {
            get: [
              async (context, next) => {
                const { id, params, path } = context

                if (!params.provider || path !== 'letters') await next()
                else if (kept.has(id)) context.result = kept.get(id)
                else {
                  await next()
                  kept.set(id, context.result)
                }
              }
            ]
          }
        })
      }
    },
    "letters.get over rest as nobody: the table says owner('ownerId'), the response is 200"
  ]
]

describe('a planted fault is found:', () => {
  it.each(FAULTS)('%s', async (_change, changes, line) => {
    const app = await createBlog(changes)
    const message: string = await proveExposure(app, await toProof(app)).then(
      () => 'is proved',
      (error) => error.message
    )

    expect(message.split('\n')).toContainEqual(expect.stringContaining(line))
  })
})

describe('a method that no caller may call', () => {
  const prove = async (name: string, rule: any, options: ProofOptions = {}) => {
    const app = createApp()

    app.use('notes', memory({ store: { 7: { id: 7, text: 'a' } } }), {
      methods: [name],
      schema: schema(z.object({ id: z.int(), text: z.string() })),
      access: access({ [name]: rule })
    })
    await app.setup()

    return await proveExposure(app, { callers: { notes: { [name]: [] } }, log: false, ...options }).then(
      () => [],
      (error) => error.message.split('\n')
    )
  }
  const records = { notes: 7 }
  const data = { notes: { text: 'b' } }

  it('is not proved by what is refused to all', async () => {
    expect(await prove('create', () => true)).toEqual([
      expect.stringMatching(
        /^notes\.create as nobody: 'callers' says none, and nothing shows it: the response is 400, .*\. Give 'data: \{ notes: \{ create: … } }'$/
      )
    ])
    expect(await prove('get', () => true)).toEqual([
      "notes.get as nobody: 'callers' says none, and nothing shows it: the response is 404, No record found for id '2147483000'. Give 'records: { notes: … }'"
    ])
    expect(await prove('find', () => true)).toEqual([
      "notes.find as nobody: 'callers' says none, and nothing shows it: no record is known. Give 'records: { notes: … }'"
    ])
  })

  it('is found open with what would succeed', async () => {
    const end = "over rest as nobody: 'callers' says none, the response is"

    expect(await prove('create', () => true, { data })).toEqual([`notes.create ${end} 201`])
    expect(await prove('get', () => true, { records })).toEqual([`notes.get ${end} 200`])
    expect(await prove('find', () => true, { records })).toEqual([
      expect.stringContaining('the response has a record of another user')
    ])
  })

  it('is proved by a refusal, and by a record that is not there for a caller', async () => {
    const none = () => ({ id: -1 })

    expect(await prove('create', () => false)).toEqual([])
    expect(await prove('get', () => false)).toEqual([])
    expect(await prove('get', none, { records })).toEqual([])
    expect(await prove('find', none, { records })).toEqual([])
    expect(await prove('find', none)).toEqual([])
  })
})
