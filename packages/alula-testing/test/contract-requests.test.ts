import { toStandardJsonSchema } from '@valibot/to-json-schema'
import * as v from 'valibot'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { BadRequest } from '../../../src/errors.ts'
import { type Application, alula } from '../../../src/index.ts'
import { memory } from '../../../src/memory.ts'
import { schema } from '../../../src/schema.ts'
import { createApp, USERS } from '../../../test/access/support/application.ts'
import type { ContractOptions } from '../src/index.ts'
import { runContract } from './support/run-contract.ts'

const NOTES = schema(z.object({ id: z.int(), text: z.enum(['a', 'b']) }))

/** An application with notes. */
function createNotes(methods: string[], app = alula(), store: object = {}): any {
  app.use('notes', memory({ store: store as never }), { methods, schema: NOTES })

  return app
}

interface Requested {
  readonly path: string
  readonly authorization: string | null
}

/** Runs the tests of an application, and returns the requests that they make and what those that fail say. */
async function run(app: Application, options: ContractOptions = {}) {
  const requests: Requested[] = []
  const { Request } = globalThis

  globalThis.Request = class extends Request {
    constructor(input: URL, init?: RequestInit) {
      super(input, init)
      requests.push({
        path: `${this.method} ${input.pathname}${input.search}`,
        authorization: this.headers.get('authorization')
      })
    }
  } as never
  onTestFinished(() => {
    globalThis.Request = Request
  })

  const { failures } = await runContract(app, options)

  globalThis.Request = Request

  return { requests, failures, paths: requests.map(({ path }) => path) }
}

/** Has calls of notes fail with what a function returns. */
function fail(app: any, toError: (params: any) => Error | undefined): void {
  app.service('notes').hooks({
    before: {
      all: [
        async ({ params }: any) => {
          const error = params.provider && toError(params)

          if (error) throw error
        }
      ]
    }
  })
}

it('asks a path that takes QUERY by it too, and fails for what it responds with', async () => {
  const { failures, paths } = await run(await createNotes(['find']).setup())

  expect(failures).toEqual([])
  expect([...new Set(paths.map((path) => path.split('?')[0]))].sort()).toEqual(['GET /notes', 'QUERY /notes'])

  const failing = createNotes(['find'])

  fail(failing, ({ headers }) => (headers['content-type'] ? new Error('By QUERY alone') : undefined))
  await failing.setup()
  expect((await run(failing)).failures.join()).toMatch(/^QUERY \/notes\n\{.+\}\nthe response is 500/s)
})

it.each([
  [1, 2],
  [6, 6],
  [undefined, 20]
])('of %j runs of an operation, half are valid and half are not: %d requests', async (runs, count) => {
  const app = await createNotes(['create']).setup()
  const { requests, failures } = await run(app, runs === undefined ? {} : { runs })
  const created = await app.service('notes').find({ paginate: false })

  expect(failures).toEqual([])
  expect(requests).toHaveLength(count)
  expect(created).toHaveLength(count / 2)
})

it('requests are repeated with their seed, and others are made with another one', async () => {
  const pathsOf = async (seed?: number) =>
    (await run(await createNotes(['find']).setup(), { seed, runs: 6 })).paths
  const first = await pathsOf(1)

  expect(await pathsOf(1)).toEqual(first)
  expect(await pathsOf(2)).not.toEqual(first)
  expect(await pathsOf()).not.toEqual(await pathsOf())
})

it('an operation that runs alone makes the same requests', async () => {
  const findsOf = async (options: ContractOptions) =>
    (await run(await createNotes(['find', 'create']).setup(), { runs: 6, ...options })).paths.filter((path) =>
      path.startsWith('GET')
    )

  expect(await findsOf({ skip: ['createNote'] })).toEqual(await findsOf({}))
})

it('operations of the same shape make different requests', async () => {
  const app = createNotes(['find'])

  app.use('texts', memory(), { methods: ['find'], schema: NOTES })
  await app.setup()

  const { paths } = await run(app)
  const queriesOf = (name: string) =>
    paths.filter((path) => path.startsWith(`GET /${name}`)).map((path) => path.split('?')[1])

  expect(queriesOf('notes')).not.toEqual(queriesOf('texts'))
})

it('a placeholder has ids of records that responses have had', async () => {
  const store = { 123456: { id: 123456, text: 'a' } }
  const app = await createNotes(['get', 'find'], undefined, store).setup()
  const { paths, failures } = await run(app, { skip: ['findNotes'] })

  expect(failures).toEqual([])
  // Records are found first.
  expect(paths[0]).toBe('GET /notes')
  expect(paths).toContain('GET /notes/123456')
})

it('a placeholder has ids of a page, and of the last twenty records only', async () => {
  const store = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [1000 + index, { id: 1000 + index, text: 'a' }])
  )
  const app = alula()

  app.use('notes', memory({ store, paginate: { default: 30 } }), { methods: ['get', 'find'], schema: NOTES })
  await app.setup()

  const { paths } = await run(app, { skip: ['findNotes'], runs: 100 })
  const ids = new Set(
    paths.map((path) => Number(path.match(/notes\/(1\d{3})/)?.[1])).filter((id) => id >= 1000)
  )

  expect(ids.size).toBeGreaterThan(5)
  expect(Math.min(...ids)).toBeGreaterThanOrEqual(1010)
})

it('a placeholder has ids of its own service, and not of the first one', async () => {
  const app = alula()

  app.use('texts', memory({ store: { 123456: { id: 123456, text: 'a' } } }), {
    methods: ['find'],
    schema: NOTES
  })
  createNotes(['get', 'find'], app, { 654321: { id: 654321, text: 'a' } })
  await app.setup()

  const { paths } = await run(app)

  expect(paths).toContain('GET /notes/654321')
  expect(paths.filter((path) => path.includes('/123456'))).toEqual([])
})

it('a placeholder has no ids that are missing or empty', async () => {
  const results = [{}, { id: null }, { id: '' }]
  const app = alula()
  let count = 0

  app.use('notes', Object.assign(memory(), { next: async () => results[count++ % 3] }), {
    methods: ['get', 'next'],
    schema: schema(z.object({ id: z.int() }), {
      methods: { next: { data: z.object({}), result: z.object({ id: z.string().nullish() }) } }
    })
  })
  await app.setup()

  const { paths } = await run(app)

  expect(count).toBeGreaterThan(3)
  expect(paths.filter((path) => /^GET \/notes\/(undefined|null)?$/.test(path))).toEqual([])
  expect(paths.filter((path) => /^GET \/notes\/-?\d+$/.test(path)).length).toBeGreaterThan(0)
})

it('requests are made without a login and by each user', async () => {
  const app = await createNotes(['find'], createApp()).setup()
  const { requests } = await run(app, { users: Object.values(USERS) })
  const callers = requests
    .filter(({ path }) => path.startsWith('GET /notes'))
    .map(({ authorization }) => authorization)

  expect(new Set(callers).size).toBe(4)
  expect(callers).toContain(null)
})

it('users do not log out with the logins of other requests', async () => {
  const app = await createNotes(['find'], createApp()).setup()
  const { requests, failures } = await run(app, { users: [USERS[1]], runs: 10 })
  const listTokens = (isLogin: boolean) =>
    requests
      .filter(({ path }) => path.includes(' /authentication') === isLogin)
      .map(({ authorization }) => authorization)
  const others = new Set(listTokens(false))

  expect(failures).toEqual([])
  expect(listTokens(true).length).toBeGreaterThan(0)
  expect(listTokens(true).filter((token) => token !== null && others.has(token))).toEqual([])
})

it('a failure shows the request, the response and the seed', async () => {
  const app = createNotes(['create'])

  app.service('notes').hooks({
    after: {
      create: [
        (context: any) => {
          context.result = { id: 0, text: 'long '.repeat(200) }
        }
      ]
    }
  })
  await app.setup()

  const [failure = ''] = (await run(app)).failures
  const [request, body, breach, text, repeat] = failure.split('\n')

  expect([request, repeat]).toEqual(['POST /notes', 'Run it again with { seed: 7 }'])
  expect(body).toMatch(/^\{"text":"[ab]"\}$/)
  expect(breach).toBe(
    'the response 201 is not what the document says: /text must be equal to one of the allowed values'
  )
  expect(text).toMatch(/^\{"id":0,"text":"long /)
  expect(text).toHaveLength(500)
})

it('a failure of a request without a body shows none', async () => {
  const app = createNotes(['find'])

  fail(app, () => new Error('broken'))
  await app.setup()

  const [failure = ''] = (await run(app)).failures

  expect(failure).toMatch(/^GET \/notes\S*\nthe response is 500\n\{.*\}\nRun it again with \{ seed: 7 \}$/)
})

it('a seed that was not given is named too', async () => {
  const app = createNotes(['find'])

  fail(app, () => new Error('broken'))
  await app.setup()

  expect((await run(app, { seed: undefined })).failures[0]).toMatch(/\{ seed: \d+ \}$/)
})

it('a service that fails without params is not compared', async () => {
  const app = createNotes(['find'])

  app.use('rooms', memory(), { methods: ['find'], schema: NOTES })
  app.service('rooms').hooks({
    before: {
      find: [
        ({ params }: any) => {
          if (!params.provider) throw new BadRequest("'room' is missing")
        }
      ]
    }
  })
  await app.setup()

  expect((await run(app)).failures).toEqual([])
})

it('calls a mounted function that describes itself without an id and without tags', async () => {
  const app = createNotes(['find'])
  const content = { 'application/json': { schema: { type: 'object', required: ['isFine'] } } }
  const operation = { responses: { 200: { description: 'Its state', content } } }

  app.mount(
    '/state',
    Object.assign(() => Response.json({}), { operations: { get: operation } })
  )

  const { failures, paths } = await run(await app.setup())

  expect(paths).toContain('GET /state')
  expect(failures).toEqual([expect.stringContaining("must have required property 'isFine'")])
})

it('values that the server converts or replaces are no fault', async () => {
  const app = alula()
  const record = z.object({ id: z.int(), size: z.coerce.number(), kind: z.enum(['a', 'b']).catch('a') })
  const update = toStandardJsonSchema(
    v.object({ size: v.number(), kind: v.fallback(v.picklist(['a', 'b']), 'a') })
  )

  app.use('notes', memory(), {
    methods: ['create', 'update'],
    schema: schema({ record, update, patch: update })
  })
  await app.setup()

  const { failures, requests } = await run(app, { runs: 100 })

  expect(failures).toEqual([])
  expect(requests.length).toBeGreaterThan(150)
})

it('a field whose name no query has is queried by no request', async () => {
  const app = alula()

  app.use('notes', memory(), {
    methods: ['find'],
    schema: schema(z.object({ id: z.int(), constructor: z.string() }))
  })
  await app.setup()

  const { failures, paths } = await run(app, { runs: 40 })

  expect(failures).toEqual([])
  expect(paths.join()).not.toContain('constructor')
})

it('a service that is no adapter is sent lists of records, which it may take or refuse', async () => {
  const create = async (data: any) => (Array.isArray(data) ? data : [data]).map((one) => ({ ...one, id: 1 }))
  const service = {
    create: async (data: any) => (Array.isArray(data) ? create(data) : (await create(data))[0])
  }
  const toFailures = async (hooks: object) => {
    const app = alula()

    app.use('notes', service, { methods: ['create'], schema: NOTES })
    app.service('notes').hooks(hooks)

    return (await run(await app.setup(), { runs: 60 })).failures
  }
  const refuse = async ({ data }: any) => {
    if (Array.isArray(data)) throw new BadRequest('One by one')
  }

  expect(await toFailures({})).toEqual([])
  expect(await toFailures({ before: { create: [refuse] } })).toEqual([])
})
