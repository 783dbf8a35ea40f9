// Faults that a proof did not see, because of where a response has its records.
import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone } from '../../../src/access.ts'
import { protect } from '../../../src/authentication.ts'
import type { Application } from '../../../src/index.ts'
import { MemoryService, memory } from '../../../src/memory.ts'
import { many, type SchemaSettings, schema } from '../../../src/schema.ts'
import { createApp } from '../../../test/access/support/application.ts'
import { type ProofOptions, proveExposure } from '../src/index.ts'

const PATH = 'articles/:article/comments'

/** Comments of any article. */
class Leaky extends MemoryService<any> {
  override async find(params: any): Promise<any> {
    return await super.find({ adapter: params.adapter } as any)
  }
}

/** Articles with comments, which have replies. */
function createArticles(comments: MemoryService<any>, settings: SchemaSettings): Application {
  const app = createApp()
  const Comment = z.object({ id: z.int(), articleId: z.int(), replyTo: z.int(), text: z.string() })

  app.use('articles', memory({ store: { 1: { id: 1 }, 2: { id: 2 } } }), {
    methods: ['get'],
    access: access({ get: anyone })
  })
  app.use(PATH, comments, {
    methods: ['find'],
    parent: { articleId: 'articles' },
    schema: schema(Comment, settings),
    access: access({ find: anyone })
  })
  app.use('replies', memory({ store: { 5: { id: 5, articleId: 1, replyTo: 3, text: 'Thanks' } } }), {
    methods: ['find'],
    schema: schema(Comment),
    access: access({ find: anyone })
  })

  return app
}

/** What a proof says of the list of comments; nothing where it is proved. */
async function prove(
  Comments: typeof MemoryService<any>,
  settings: SchemaSettings,
  paginate?: object
): Promise<readonly string[]> {
  const store = { 3: { id: 3, articleId: 1, replyTo: 0, text: 'Good' } }
  const app = createArticles(new Comments({ store, ...(paginate && { paginate }) } as never), settings)

  await app.setup()

  return await proveExposure(app, {
    records: { articles: 1, [PATH]: 3, replies: 5 },
    query: { [PATH]: { $include: Object.keys(settings.relations ?? {}) } },
    log: false
  }).then(
    () => [],
    (error) => error.message.split('\n')
  )
}

it.each<[string, string, SchemaSettings, object | undefined]>([
  ['an envelope', 'comments', { envelope: { many: 'comments' } }, undefined],
  ['a page', 'data', {}, { default: 5 }]
])('a list in %s that has the name of a relation is read', async (_where, name, settings, paginate) => {
  const relations = { [name]: many('replies', { to: 'replyTo' }) }

  expect(await prove(Leaky, { ...settings, relations }, paginate)).toEqual([
    `${PATH}.find over rest as nobody: the path names another record of 'articles', and the response is 200`
  ])
  expect(await prove(MemoryService, { ...settings, relations }, paginate)).toEqual([])
})

it('what a relation brings below an envelope is for the other service to hide', async () => {
  const relations = { comments: many('replies', { to: 'replyTo' }) }

  // Comments hide the field, replies do not.
  expect(
    await prove(MemoryService, { envelope: { many: 'comments' }, relations, hidden: ['articleId'] })
  ).toEqual([])
})

interface Contacts {
  readonly service?: object
  readonly methods?: string[]
  readonly options?: object
  readonly hooks?: object
  readonly proof?: ProofOptions
}

/** What a proof of contacts says, whose secrets are hidden. */
async function proveContacts({ service, methods = ['find'], options, hooks = {}, proof }: Contacts) {
  const app = createApp()
  const store = { 5: { id: 5, text: 'a', secret: 'abcdefghijk' } }
  const contacts = service ?? memory({ store })

  app.use('contacts', contacts as MemoryService, { methods, access: access({ all: anyone }), ...options })
  app.service('contacts').hooks(hooks)
  await app.setup()

  return await proveExposure(app, { log: false, ...proof }).then(
    () => [],
    (error) => error.message.split('\n')
  )
}

const copySecret = async ({ result }: any) => {
  for (const one of [result].flat()) one.label = one.secret
}
const leaking = { after: { all: [copySecret, protect('secret')] } }
const FAULT = "over rest as nobody: 'secret' is hidden, and the response has it"

it('a hidden value is found without a record that was given: by the ids in the response', async () => {
  class Dump extends MemoryService<any> {
    async dump(): Promise<any> {
      return { list: await this._find({ paginate: false } as never) }
    }
  }
  const store = { 5: { id: 5, text: 'a', secret: 'abcdefghijk' } }

  expect(await proveContacts({ hooks: leaking })).toEqual([`contacts.find ${FAULT}`])
  expect(await proveContacts({ hooks: { after: { all: [protect('secret')] } } })).toEqual([])
  expect(
    await proveContacts({
      service: new Dump({ store } as never),
      methods: ['dump'],
      hooks: {
        after: { dump: [async ({ result }: any) => copySecret({ result: result.list }), protect('text')] }
      }
    })
  ).toEqual([expect.stringContaining("contacts.dump over rest as nobody: 'text' is hidden")])
})

it('without a record to compare with, nothing is proved of what is hidden', async () => {
  const record = { id: 5, text: 'a', secret: 'abcdefghijk' }
  const service = { find: async () => [{ ...record }] }
  const line =
    "contacts.find as nobody: nothing is proved of hidden fields, because no record is known. Give 'records: { contacts:"

  expect(await proveContacts({ service, hooks: leaking })).toEqual([`${line} … }'`])
  expect(await proveContacts({ service, hooks: leaking, proof: { records: { contacts: 5 } } })).toEqual([
    `${line} { … } }', the record itself`
  ])
  expect(await proveContacts({ service, hooks: leaking, proof: { records: { contacts: record } } })).toEqual([
    `contacts.find ${FAULT}`
  ])
  // What is too short to be found holds nothing.
  expect(
    await proveContacts({
      service: { count: async () => ({ total: 1, unit: 'records' }) },
      methods: ['count'],
      hooks: { after: { all: [protect('secret')] } }
    })
  ).toEqual([])
})
