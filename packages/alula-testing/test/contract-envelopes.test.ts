import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { access, anyone, owner, user } from '../../../src/access.ts'
import type { Application } from '../../../src/index.ts'
import { MemoryService, memory } from '../../../src/memory.ts'
import { one, schema } from '../../../src/schema.ts'
import { createApp } from '../../../test/access/support/application.ts'
import { scaled } from '../../../test/support/scale.ts'
import { contractTests } from '../src/index.ts'

const Note = z.object({
  id: z.int(),
  text: z.string().min(1),
  rating: z.number().nullish(),
  ownerId: z.int().optional(),
  secret: z.string().optional()
})

class Notes extends MemoryService {
  async favorite(_data: unknown, { route }: any) {
    return await this._patch(route.id, { rating: 5 })
  }

  async feed() {
    const { paginate } = this.options

    // Its schema is that of a page without cursors.
    return await this._find({ query: {}, paginate: paginate && { ...paginate, cursor: false } })
  }

  async titles({ like }: { like: string }) {
    return [like]
  }

  async maybe({ is }: { is: boolean }) {
    return is ? this.titles({ like: 'a' }) : null
  }
}

const CUSTOM = ['favorite', 'feed', 'titles', 'maybe']

/** What an application with envelopes may look like. */
const registries = fc.record({
  names: fc.shuffledSubarray(['note', 'notes', 'count', 'data', 'text', 'limit', 'skip', 'a b', 'ä.$x'], {
    minLength: 5,
    maxLength: 5
  }),
  named: fc.record({
    one: fc.boolean(),
    many: fc.boolean(),
    total: fc.boolean(),
    limit: fc.boolean(),
    skip: fc.boolean(),
    request: fc.boolean()
  }),
  unknown: fc.constantFrom('refuse', 'drop'),
  multi: fc.boolean(),
  paginate: fc.constantFrom<unknown>(
    false,
    { default: 5, max: 10 },
    { default: 5, total: false },
    { default: 5, cursor: true }
  ),
  by: fc.constantFrom(undefined, 'text'),
  errorStatus: fc.constantFrom(undefined, { BadRequest: 422, Conflict: 422, NotFound: 410 })
})

type Registry = typeof registries extends fc.Arbitrary<infer T> ? T : never

function toEnvelope({ names, named }: Registry): object | undefined {
  const [one, many, total, limit, skip] = names
  const hasMany = named.many

  if (!named.one && !hasMany) return undefined

  return {
    ...(named.one && { one, request: named.request }),
    ...(hasMany && {
      many,
      ...(named.total && { total }),
      ...(named.limit && { limit }),
      ...(named.skip && { skip })
    })
  }
}

function createNotes(registry: Registry): Application {
  const { unknown, multi, paginate, by, errorStatus } = registry
  const app = createApp()
  const envelope = toEnvelope(registry)
  const Page = z.object({ total: z.int(), limit: z.int(), skip: z.int(), data: z.array(Note) })

  app.set('errorStatus', errorStatus)
  app.use('authors', memory({ store: { 1: { id: 1, name: 'Ada' } } }), {
    methods: ['find'],
    schema: schema(z.object({ id: z.int(), name: z.string() })),
    access: access({ find: anyone })
  })
  app.use('notes', new Notes({ multi, paginate, startId: 1 } as object), {
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove', ...CUSTOM],
    routes: { 'PUT /:id/favorite': 'favorite', 'GET /all/feed': 'feed' },
    ...(by && { by }),
    schema: schema(Note, {
      ...(envelope && { envelope }),
      unknown,
      hidden: ['secret'],
      server: { ownerId: ({ params }: any) => params.user?.id },
      relations: { author: one('authors', { from: 'ownerId' }) },
      methods: {
        favorite: { result: Note.omit({ secret: true }) },
        feed: { result: paginate ? Page.partial({ total: true }) : z.array(Note) },
        titles: { data: z.object({ like: z.string() }), result: z.array(z.string()) },
        maybe: { data: z.object({ is: z.boolean() }), result: z.array(z.string()).nullable() }
      }
    } as object),
    access: access({ update: owner('ownerId'), patch: owner('ownerId'), create: user, all: anyone })
  })

  return app
}

/** Runs the tests of an application; those that fail say why. */
async function collectFailures(app: Application, seed: number): Promise<readonly string[]> {
  const tests: (() => Promise<void>)[] = []
  const failures: string[] = []

  contractTests(app, {
    describe: (_name, body) => body(),
    it: (_name, body) => void tests.push(body as () => Promise<void>),
    users: [{ id: 1 }, { id: 3 }],
    runs: 12,
    seed,
    log: false
  })

  for (const test of tests) await test().catch((error) => failures.push(error.message))

  return failures
}

it('random envelopes keep to their documents', async () => {
  await fc.assert(
    fc.asyncProperty(registries, fc.nat(), async (registry, seed) => {
      const app = await createNotes(registry).setup()

      expect(await collectFailures(app, seed)).toEqual([])
      await app.teardown()
    }),
    { numRuns: scaled(400) }
  )
})

it('creates records where random requests have created empty lists alone', async () => {
  const app = await createNotes({
    names: ['notes', 'ä.$x', 'note', 'data', 'skip'],
    named: { one: true, many: true, total: false, limit: false, skip: false, request: true },
    unknown: 'refuse',
    multi: true,
    paginate: false,
    by: undefined,
    errorStatus: undefined
  }).setup()

  expect(await collectFailures(app, 15)).toEqual([])
})

it('finds ids in envelopes, so that records are got, changed and removed', async () => {
  const app = await createNotes({
    names: ['note', 'notes', 'count', 'limit', 'skip'],
    named: { one: true, many: true, total: true, limit: false, skip: false, request: true },
    unknown: 'refuse',
    multi: false,
    paginate: { default: 5, max: 10 },
    by: undefined,
    errorStatus: undefined
  }).setup()
  const called: string[] = []

  app.hooks({ after: { all: [({ method, params }) => void (params.provider && called.push(method))] } })

  expect(await collectFailures(app, 1)).toEqual([])
  expect(new Set(called)).toEqual(new Set(['find', 'get', 'create', 'update', 'patch', 'remove', ...CUSTOM]))
})
