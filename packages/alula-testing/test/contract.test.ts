import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone, owner, role, user } from '../../../src/access.ts'
import { BadRequest, NotAuthenticated } from '../../../src/errors.ts'
import type { Application, HookContext, NextFunction } from '../../../src/index.ts'
import { MemoryService, memory } from '../../../src/memory.ts'
import { count, many, one, schema } from '../../../src/schema.ts'
import { createApp } from '../../../test/access/support/application.ts'
import { scaled } from '../../../test/support/scale.ts'
import { type ContractOptions, contractTests } from '../src/index.ts'

const Note = z.object({
  id: z.int(),
  text: z.string().min(1),
  done: z.boolean().default(false),
  rating: z.number().nullish(),
  kind: z.enum(['idea', 'task']).optional(),
  words: z.array(z.string()).optional(),
  address: z.object({ city: z.string(), zip: z.string() }).optional(),
  ownerId: z.int().optional(),
  secret: z.string().optional(),
  createdAt: z.date()
})

class Notes extends MemoryService {
  async archive({ before }: { before: string }) {
    return { count: before.length }
  }

  async favorite(_data: unknown, { route }: any) {
    return this._patch(route.id, { done: true })
  }
}

function createNotes() {
  const app = createApp()

  app.use('tags', memory({ multi: true }), {
    schema: schema(z.object({ id: z.int(), name: z.string(), noteId: z.int().optional() }), {
      relations: { note: one('notes', { from: 'noteId', filter: ['text'] }) }
    }),
    access: access({ all: anyone })
  })
  app.use('accounts', memory({ upsert: { by: ['name'] } }), {
    schema: schema(
      z.object({ id: z.int(), name: z.enum(['Ada', 'Bob', 'Cyd']), age: z.int(), ownerId: z.int() }),
      { server: { ownerId: ({ params }: any) => params.user?.id } }
    ),
    methods: ['find', 'get', 'create', 'patch', 'remove', 'upsert'],
    access: access({ all: anyone, create: user, patch: owner('ownerId') })
  })
  app.use('notes', new Notes({ multi: true, paginate: { default: 10, max: 50 } }), {
    forms: true,
    schema: schema(Note, {
      server: { ownerId: ({ params }: any) => params.user?.id, createdAt: () => new Date() },
      hidden: ['secret', 'address.zip'],
      computed: { length: { from: ['text'], many: (notes) => notes.map(({ text }) => text.length) } },
      relations: { tags: many('tags', { to: 'noteId' }), tagCount: count('tags', { to: 'noteId' }) },
      methods: {
        archive: { data: z.object({ before: z.iso.date() }), result: z.object({ count: z.int() }) },
        favorite: { data: z.object({}), result: Note.omit({ secret: true }) }
      }
    }),
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'archive', 'favorite'],
    routes: { 'PUT /:id/favorite': 'favorite' },
    access: access({
      find: anyone,
      get: anyone,
      create: user,
      update: owner('ownerId'),
      patch: owner('ownerId'),
      remove: role('admin'),
      archive: user,
      favorite: anyone
    })
  })

  return app
}

describe('an application that keeps to its document', async () => {
  const app = await createNotes().setup()

  contractTests(app, {
    describe,
    it,
    runs: scaled(4000),
    users: [{ id: 1 }, { id: 2 }, { id: 3 }],
    log: false
  })
})

/** Registers the tests, runs them up to the one that fails as wanted, and returns what those that fail say. */
async function collectFailures(
  app: Application,
  options: ContractOptions = {},
  wanted?: string | RegExp
): Promise<string[]> {
  const tests: (() => Promise<void>)[] = []
  const failures: string[] = []

  contractTests(app, {
    describe: (_name, body) => body(),
    it: (_name, body) => void tests.push(body as () => Promise<void>),
    users: [{ id: 1 }, { id: 3 }],
    seed: 7,
    log: false,
    ...options
  })

  for (const test of tests) {
    await test().catch((error) => failures.push(error.message))
    if (wanted !== undefined && failures.at(-1)?.match(wanted)) break
  }

  return failures
}

/** A way to break a server, and what the tests say of it. */
type Break = readonly [name: string, breaking: (app: Application) => unknown, breach: string | RegExp]

const afterFind = (change: (result: any) => unknown) => (app: Application) =>
  app.service('notes').hooks({
    around: {
      find: [
        async (context: HookContext, next: NextFunction) => {
          await next()
          context.result = change(context.result)
        }
      ]
    }
  })

const setHttp = (http: HookContext['http']) => (context: HookContext) => {
  context.http = http as object
}

const BREAKS: readonly Break[] = [
  [
    'fails at some input',
    (app) =>
      app.service('notes').hooks({
        before: {
          create: [
            ({ data }: HookContext) => {
              if (data.rating === null) data.rating.toFixed()
            }
          ]
        }
      }),
    'the response is 500'
  ],
  [
    'returns another type than it says',
    afterFind(({ data, ...page }) => ({ ...page, data: data.map((note: any) => ({ ...note, text: 7 })) })),
    '/data/0/text must be string'
  ],
  [
    'leaves a field out',
    afterFind(({ data, ...page }) => ({ ...page, data: data.map(({ createdAt, ...note }: any) => note) })),
    "must have required property 'createdAt'"
  ],
  ['returns a list in place of a page', afterFind(({ data }) => data), 'the body must be object'],
  [
    'responds with a status of its own',
    (app) => app.service('notes').hooks({ after: { find: [setHttp({ status: 202 })] } }),
    'the document does not have the status 202'
  ],
  [
    'writes where it reads',
    (app) =>
      app
        .service('notes')
        .hooks({ after: { get: [({ app }: HookContext) => app.service('tags').create({ name: 'read' })] } }),
    "Records of 'tags' have changed by requests that read"
  ],
  [
    'writes before it refuses',
    (app) =>
      app.service('tags').hooks({
        around: {
          create: [
            async ({ params, service }: HookContext, next: NextFunction) => {
              if (params.provider) await service._create({ name: 'early' })
              await next()
            }
          ]
        }
      }),
    "Records of 'tags' have changed by requests that are not valid"
  ],
  [
    'refuses what the document allows',
    (app) => app.service('notes').hooks({ before: { create: [() => Promise.reject(new BadRequest('No'))] } }),
    /No request to 'createNote' succeeded: 400 × .*\nThe last one:\nPOST \/notes.*\n.+\n.*"No"/
  ],
  [
    'demands a login where the document does not',
    (app) =>
      app.service('notes').hooks({ before: { get: [() => Promise.reject(new NotAuthenticated('No'))] } }),
    'the document does not have the status 401'
  ],
  [
    'takes any data',
    (app) =>
      app.use('loose', memory(), {
        schema: schema(z.object({ id: z.int(), size: z.int() }), { enforce: false })
      }),
    /to a request that is not valid is 20[01]/
  ],
  [
    'lets callers pass without credentials',
    (app) => app.use('open', memory(), { access: { who: () => 'user', install: () => undefined } as never }),
    'the response without credentials is 20'
  ],
  [
    'shows fields that are not declared',
    (app) =>
      app.use('leaky', memory({ store: { 1: { id: 1, name: 'a', password: 'secret' } } }), {
        methods: ['find'],
        schema: schema(z.object({ id: z.int(), name: z.string() }), { enforce: false, query: { fields: [] } })
      }),
    'must NOT have additional properties'
  ],
  [
    'responds with something else than JSON',
    (app) =>
      app.service('notes').hooks({
        after: {
          find: [setHttp({ headers: { 'Content-Type': 'text/html' } })]
        }
      }),
    'the response 200 is no JSON'
  ]
]

describe('a server that', () => {
  for (const [name, breaking, breach] of BREAKS) {
    it(`${name} is found out`, async () => {
      const app = createNotes()

      breaking(app)
      await app.setup()

      const failures = await collectFailures(app, {}, breach)

      expect(failures.join('\n')).toMatch(breach)
    })
  }

  it('keeps to its document has no failures', async () => {
    expect(await collectFailures(await createNotes().setup())).toEqual([])
  })
})

it('a failure is repeated with its seed', async () => {
  const fail = async () => {
    const app = createNotes()
    const [, breaking, breach] = BREAKS[0] as Break

    breaking(app)
    await app.setup()

    return (await collectFailures(app, { seed: 42 }, breach)).map((failure) =>
      failure.replaceAll(/"\d{4}-[^"]+"/g, 'date')
    )
  }
  const first = await fail()

  expect(first).not.toEqual([])
  expect(first.join('\n')).toContain('Run it again with { seed: 42 }')
  expect(await fail()).toEqual(first)
})
