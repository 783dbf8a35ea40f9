// Every place that calls a function of the application in the course of a call, with every way to fail. A new setting of
// `schema()`, of a transport or of the memory adapter that takes a function is a row of the table of its type, which does not
// compile without it; other places are rows of OTHERS.
import { resolve } from '@feathersjs/schema'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { access } from '../../../src/access.ts'
import { createHandler } from '../../../src/fetch.ts'
import { alula } from '../../../src/index.ts'
import { type MemoryOptions, memory } from '../../../src/memory.ts'
import { many, onWrite, schema } from '../../../src/schema.ts'
import type { CorsOptions, HttpOptions } from '../../../src/transport.ts'
import {
  FAILURES,
  type Failure,
  Faults,
  type FunctionNames,
  PAIRS,
  watchProcess
} from '../support/application-code.ts'

interface Row {
  /** Registers the service `notes`, with functions that may fail. */
  readonly configure: (app: any, faults: Faults) => void
  /** The options of the transport. */
  readonly options?: (faults: Faults) => HttpOptions
  /** What the client gets; an error of the server when left out. */
  readonly status?: number
  /** The same once nothing fails any more. */
  readonly repaired?: number
  /** What is sent: one record, and several. */
  readonly data?: object
  /** Whether the error is reported to the application, and not to the log. */
  readonly isReported?: boolean
  readonly request?: RequestInit & { path?: string }
}

const Note = z.object({ id: z.int(), text: z.string(), a: z.any().optional(), b: z.any().optional() })

const use = (app: any, settings: object, record: any = Note, options: object = {}) =>
  app.use('notes', memory({ multi: true }), { schema: schema(record, settings as any), ...options })

const plain = (app: any) => app.use('notes', memory({ multi: true }))

const checked = (toField: (check: () => any) => any) => (app: any, faults: Faults) => {
  const [a, b] = [0, 1].map((index) => toField(faults.make(index, () => true)))

  use(
    app,
    {},
    Note.extend({
      text: a,
      a: b.optional(),
      b: z
        .string()
        .refine(faults.make(1, () => true))
        .optional()
    })
  )
}

/** Two properties that are resolved at once. */
const resolver = (faults: Faults) =>
  resolve<any, any>({
    a: faults.make(0, async () => 1),
    b: faults.make(1, async () => 2)
  })

/** With all fields that are checked. */
const DATA_OF_ZOD = { text: 'a', a: 'a', b: 'b' }

const SCHEMA: { readonly [place: string]: Row } = {
  'a refinement of Zod': {
    configure: checked((check) => z.string().refine(check).refine(check)),
    data: DATA_OF_ZOD
  },
  'superRefine of Zod': { configure: checked((check) => z.string().superRefine(check)), data: DATA_OF_ZOD },
  'a transformation of Zod': {
    configure: checked((check) =>
      z.string().transform(async (text) => ((await check()) === true ? text : ''))
    ),
    data: DATA_OF_ZOD
  },
  server: {
    configure: (app, faults) =>
      use(app, { server: { a: faults.make(0, () => 1), b: onWrite(faults.make(1, () => 2)) } })
  },
  computed: {
    configure: (app, faults) =>
      use(app, {
        computed: {
          x: { from: ['text'], many: faults.make(0, (records) => records.map(() => 1)) },
          y: { from: ['text'], many: faults.make(1, (records) => records.map(() => 2)) }
        }
      })
  },
  view: { configure: (app, faults) => use(app, { view: faults.make(0, ({ result }) => result) }) },
  'resolvers of data': resolved((faults) => ({ data: resolver(faults) })),
  'resolvers of results': resolved((faults) => ({ result: resolver(faults) })),
  'external resolvers': resolved((faults) => ({ external: resolver(faults) })),
  'resolvers of queries': resolved((faults) => ({
    query: resolve<any, any>({ text: faults.make(0, async () => undefined) })
  })),
  'services that relations read': {
    configure: (app, faults) => {
      for (const [index, path] of ['as', 'bs'].entries()) {
        app.use(path, { id: 'id', find: faults.make(index, async () => []) }, { schema: schema(Note) })
      }
      use(app, { relations: { as: many('as', { to: 'a' }), bs: many('bs', { to: 'a' }) } })
    },
    // What is written is written: the response lacks the relations.
    status: 201,
    isReported: true,
    request: { path: '/notes?$include[]=as&$include[]=bs' }
  }
}

/** The package of the resolvers makes a 400 of what they throw. */
function resolved(toResolvers: (faults: Faults) => object): Row {
  return {
    configure: (app, faults) => use(app, { resolvers: toResolvers(faults) }),
    status: 400,
    repaired: 201
  }
}

const TRANSPORT: { readonly [Name in FunctionNames<HttpOptions>]: Row } = {
  params: { configure: plain, options: (faults) => ({ params: faults.make(0, () => ({})) }) }
}

const CORS: { readonly [Name in FunctionNames<CorsOptions>]: Row } = {
  origin: {
    configure: plain,
    options: (faults) => ({ cors: { origin: faults.make(0, () => true) } }),
    request: { headers: { Origin: 'https://example.org' } }
  }
}

const MEMORY: { readonly [Name in FunctionNames<MemoryOptions>]: Row } = {
  matcher: {
    configure: (app, faults) => app.use('notes', memory({ matcher: () => faults.make(0, () => true) })),
    request: { method: 'GET', path: '/notes?text=a' }
  },
  sorter: {
    configure: (app, faults) => app.use('notes', memory({ sorter: () => faults.make(0, () => 0) })),
    request: { method: 'GET', path: '/notes?$sort[text]=1' }
  }
}

const OTHERS: { readonly [place: string]: Row } = {
  'a method': { configure: (app, faults) => app.use('notes', { create: faults.make(0, () => ({ id: 1 })) }) },
  'a test of an operator': {
    configure: (app, faults) =>
      app.use(
        'notes',
        memory({ operators: ['$near'], predicates: { $near: () => faults.make(0, () => true) } })
      ),
    request: { method: 'GET', path: '/notes?text[$near]=a' }
  },
  'a rule': {
    configure: (app, faults) =>
      app.use('notes', memory({ multi: true }), { access: access({ create: faults.make(0, () => true) }) }),
    status: 401,
    repaired: 201
  },
  formatError: {
    configure: (app, faults) => {
      plain(app)
      app.set(
        'formatError',
        faults.make(0, (body) => body)
      )
    },
    request: { path: '/missing' },
    status: 404,
    isReported: true
  },
  'a mounted function': {
    configure: (app, faults) =>
      app.mount(
        '/notes',
        faults.make(0, () => new Response('{}', { status: 201 }))
      )
  },
  ...Object.fromEntries(
    [...(['before', 'after'] as const)].flatMap((type) => [
      [`a ${type} hook`, hooked((faults) => ({ [type]: { create: [faults.make(0, () => undefined)] } }))]
    ])
  ),
  'an error hook': hooked((faults) => ({
    before: { create: [faults.make(0, () => undefined)] },
    error: { create: [faults.make(0, () => undefined)] }
  })),
  'an around hook': hooked((faults) => ({
    around: { create: [(context: any, next: any) => faults.make(0, () => next())(context)] }
  })),
  'a hook that does not wait for next()': hooked((faults) => ({
    around: {
      create: [async (_context: any, next: any) => void next(), faults.make(0, (_context, next) => next())]
    }
  })),
  'a hook that fails after next()': hooked((faults) => ({
    around: {
      create: [
        (_context: any, next: any) => {
          const through = next()

          return faults.make(0, () => through)()
        },
        faults.make(1, (_context, next) => next())
      ]
    }
  }))
}

function hooked(toHooks: (faults: Faults) => object): Row {
  return {
    configure: (app, faults) => {
      plain(app)
      app.service('notes').hooks(toHooks(faults))
    }
  }
}

/** Places whose failure is the hook’s own matter: it has said that it does not wait. */
const SILENT = ['a hook that does not wait for next()']

const ROWS = Object.entries({ ...SCHEMA, ...TRANSPORT, ...CORS, ...MEMORY, ...OTHERS })

const DATA = { text: 'a' }

async function start({ configure, options }: Row, faults: Faults) {
  const app: any = alula()
  const logged: string[] = []
  const reported: unknown[] = []

  app.on('error', (error: unknown) => reported.push(error))
  configure(app, faults)
  await app.setup()

  const handle = createHandler(app, { ...options?.(faults), logger: { error: (line) => logged.push(line) } })
  const send = ({ path = '/notes', ...init }: Row['request'] = {}, data: unknown = DATA) => {
    const { method = 'POST' } = init
    const headers = { 'Content-Type': 'application/json', ...(init.headers as object) }
    const body = method === 'POST' ? { body: JSON.stringify(data) } : {}

    return handle(new Request(`http://localhost${path}`, { method, headers, ...body }))
  }

  return { app, logged, reported, send }
}

/** For tests of an adapter, there have to be records. */
async function fill(app: any, row: Row): Promise<void> {
  if (row.request?.method !== 'GET') return

  await app.service('notes').create({ text: 'a' })
  await app.service('notes').create({ text: 'a' })
}

describe.each(ROWS)('%s', (place, row) => {
  it.each(PAIRS)(
    'that %s, beside one that %s, fails one call and no other',
    async (...failures: Failure[]) => {
      const faults = new Faults(...failures)
      const { app, logged, reported, send } = await start(row, faults)

      await fill(app, row)

      const { data: record = DATA } = row

      for (const data of [record, [record, record, record]]) {
        const assertAlive = watchProcess()
        const response = await send(row.request, data)

        await response.text()
        await assertAlive()

        if (SILENT.includes(place)) continue

        expect(response.status).toBe(row.status ?? 500)
        if (row.status === undefined) expect(logged).not.toEqual([])
        if (row.isReported) expect(reported).not.toEqual([])
      }

      faults.repair()
      // Before the method nothing is stored.
      if (place.endsWith('of Zod') || place === 'server')
        expect(await app.service('notes').find()).toEqual([])

      expect((await send(row.request)).status).toBe(
        row.repaired ?? row.status ?? (row.request?.method === 'GET' ? 200 : 201)
      )
    }
  )
})

it('the table has every way to fail', () => {
  expect(PAIRS).toHaveLength(Object.keys(FAILURES).length ** 2)
})
