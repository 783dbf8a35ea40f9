import { once } from 'node:events'
import { context, metrics, SpanStatusCode, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader
} from '@opentelemetry/sdk-metrics'
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor
} from '@opentelemetry/sdk-trace-base'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { Pool } from 'pg'
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { NotFound } from '../../src/errors.ts'
import { createHandler } from '../../src/fetch.ts'
import { logCalls } from '../../src/hooks.ts'
import { type Application, alula } from '../../src/index.ts'
import { KyselyService, withTransaction } from '../../src/kysely.ts'
import { otel } from '../../src/otel.ts'
import { sync } from '../../src/sync.ts'
import { configureNotes, createApp, getToken } from '../mcp/support/application.ts'
import { CLIENTS } from '../mcp/support/clients.ts'
import { connect, open } from '../support/socketio.ts'
import { POSTGRES_URL } from '../support/sql.ts'

const exporter = new InMemorySpanExporter()
const measured = new InMemoryMetricExporter(AggregationTemporality.DELTA)
const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 2 ** 30 })

context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
trace.setGlobalTracerProvider(
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
)
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [reader] }))

const stop = otel()

afterAll(async () => {
  stop()
  await reader.shutdown()
})
beforeEach(() => exporter.reset())

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const TRACEPARENT = `00-${TRACE}-b7ad6b7169203331-01`

function find(name: string): ReadableSpan {
  const found = exporter.getFinishedSpans().find((span) => span.name === name)

  if (!found) throw new Error(`No span '${name}' in ${exporter.getFinishedSpans().map((span) => span.name)}`)

  return found
}

const parentOf = (span: ReadableSpan) => span.parentSpanContext?.spanId

it('a trace goes from the request over nested calls and SQL to the delivery in another process', async () => {
  const db = new Kysely<any>({
    dialect: new PostgresDialect({ pool: new Pool({ connectionString: POSTGRES_URL, max: 2 }) })
  })
  const key = `alula-otel-${process.pid}`
  const start = async (): Promise<Application> => {
    const app: Application = alula()

    app.configure(sync({ redis: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', prefix: key } as any))
    app.use('rows', new KyselyService({ Model: db, name: 'otel_rows' } as any) as any)
    app.use('notes', {
      create: async (data: any, params: any) =>
        await withTransaction(app, async () => await app.service('rows').create(data, params))
    } as any)
    app.on('connection', () => undefined)
    app.publish(() => app.channel('all'))
    app.channel('all').join({ provider: 'test' } as any)
    onTestFinished(async () => void (await app.teardown()))
    await app.setup()

    return app
  }

  await db.schema.dropTable('otel_rows').ifExists().execute()
  onTestFinished(async () => {
    await db.schema.dropTable('otel_rows').execute()
    await db.destroy()
  })
  await db.schema
    .createTable('otel_rows')
    .addColumn('id', 'serial', (id) => id.primaryKey())
    .addColumn('text', 'text')
    .execute()

  const [writer, other] = [await start(), await start()]
  const delivered = once(other as any, 'publish')
  const response = await createHandler(writer)(
    new Request('http://x/notes', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', traceparent: TRACEPARENT },
      body: '{"text":"a"}'
    })
  )

  expect(response.status).toBe(201)
  await delivered
  await new Promise(setImmediate)

  const [notes, rows, insert] = [find('notes/create'), find('rows/create'), find('INSERT otel_rows')]
  const [begin, commit] = [find('BEGIN'), find('COMMIT')]
  const [emit, delivery] = [find('emit rows created'), find('deliver rows created')]

  expect(notes.spanContext().traceId).toBe(TRACE)
  expect(parentOf(notes)).toBe('b7ad6b7169203331')
  expect(parentOf(rows)).toBe(notes.spanContext().spanId)
  expect(parentOf(insert)).toBe(rows.spanContext().spanId)
  for (const span of [begin, commit]) expect(span.spanContext().traceId).toBe(TRACE)
  expect(parentOf(commit)).toBe(notes.spanContext().spanId)
  expect(insert.attributes).toMatchObject({
    'db.system.name': 'postgresql',
    'db.operation.name': 'INSERT',
    'db.collection.name': 'otel_rows',
    'db.query.text': expect.stringContaining('$1')
  })
  // Events wait for the commit.
  expect(parentOf(emit)).toBe(notes.spanContext().spanId)
  expect(delivery.spanContext().traceId).toBe(TRACE)
  expect(parentOf(delivery)).toBe(emit.spanContext().spanId)
  expect(delivery.links.map(({ context }) => context.spanId)).toEqual([emit.spanContext().spanId])
})

it('the names are those of the conventions, and errors of clients are no errors of the server', async () => {
  const app = alula().use('notes', {
    get: async (id: any) => {
      if (id === '1') throw new NotFound('No note')
      if (id === '2') throw new Error('Broken')

      return { id }
    }
  } as any)
  const handle = createHandler(app, { logger: false })

  for (const id of [0, 1, 2]) await handle(new Request(`http://x/notes/${id}`))

  const spans = exporter.getFinishedSpans()
  const usual = { 'rpc.system.name': 'alula', 'rpc.method': 'notes/get' }

  expect(
    spans.map(({ name, kind, status, attributes }) => ({ name, kind, status: status.code, attributes }))
  ).toEqual([
    { name: 'notes/get', kind: 1, status: 0, attributes: usual },
    { name: 'notes/get', kind: 1, status: 0, attributes: { ...usual, 'rpc.response.status_code': '404' } },
    {
      name: 'notes/get',
      kind: 1,
      status: 2,
      attributes: { ...usual, 'rpc.response.status_code': '500', 'error.type': 'Error' }
    }
  ])

  await reader.forceFlush()

  const metric: any = measured.getMetrics().at(-1)?.scopeMetrics[0]?.metrics[0]

  expect(metric.descriptor).toMatchObject({ name: 'rpc.server.call.duration', unit: 's' })
  expect(metric.dataPoints.map((point: any) => point.attributes)).toEqual(
    expect.arrayContaining(spans.map(({ attributes }) => attributes))
  )
})

it.each(['', 'x', '00-00000000000000000000000000000000-b7ad6b7169203331-01', `${TRACEPARENT}-more`])(
  "the traceparent '%s' begins a new trace",
  async (traceparent) => {
    const app = alula().use('notes', { find: async () => [] } as any)

    await createHandler(app)(new Request('http://x/notes', { headers: { traceparent } }))
    expect(find('notes/find').parentSpanContext).toBeUndefined()
  }
)

it('a span that a method makes by itself continues that of its call, and so does what it calls', async () => {
  const app = alula()

  app.use('users', { get: async (id: any) => ({ id }) } as any)
  app.use('notes', {
    get: async (id: any) =>
      await trace.getTracer('test').startActiveSpan('custom', async (span) => {
        await app.service('users').get(id)
        span.end()

        return { id }
      })
  } as any)
  await app.asClient().service('notes').get(1)

  expect(parentOf(find('custom'))).toBe(find('notes/get').spanContext().spanId)
  expect(parentOf(find('users/get'))).toBe(find('custom').spanContext().spanId)
})

it('a call with the params of a client is one of the application, and continues no header', async () => {
  const app = alula()
  const lines: string[] = []

  app.hooks([logCalls({ info: (line: string) => void lines.push(line.replace(/ [\d.]+ ms/, '')) })])
  app.use('users', { get: async (id: any) => ({ id }) } as any)
  app.use('notes', { get: async (id: any, params: any) => await app.service('users').get(id, params) } as any)

  const headers = { traceparent: TRACEPARENT, tracestate: 'vendor=1' }

  await createHandler(app)(new Request('http://x/notes/1', { headers }))

  const [notes, users] = [find('notes/get'), find('users/get')]

  expect([notes.kind, users.kind]).toEqual([1, 0])
  expect(notes.parentSpanContext?.traceState?.serialize()).toBe('vendor=1')
  expect(parentOf(users)).toBe(notes.spanContext().spanId)
  expect(lines).toEqual(['notes.get 200'])

  await reader.forceFlush()

  const metric: any = measured.getMetrics().at(-1)?.scopeMetrics[0]?.metrics[0]
  const latest = metric.dataPoints.map(({ attributes }: any) => attributes['rpc.method'])

  expect(latest).toContain('notes/get')
  expect(latest).not.toContain('users/get')
})

it('a delivery has a link to its write, and fails with its publisher', async () => {
  const app: Application = alula()

  app.use('notes', { create: async (data: any) => data } as any)
  app.service('notes').publish(({ text }: any) => {
    if (text === 'wrong') throw new TypeError('Broken')

    return app.channel('all')
  })
  app.on('error', () => undefined)
  app.channel('all').join({ provider: 'test' } as any)
  await app.service('notes').create({ text: 'a' })

  const [emit, delivery] = [find('emit notes created'), find('deliver notes created')]

  expect(delivery.links.map(({ context }) => context.spanId)).toEqual([emit.spanContext().spanId])
  expect(parentOf(delivery)).toBe(emit.spanContext().spanId)
  expect(delivery.attributes).toEqual({
    'messaging.system': 'alula',
    'messaging.destination.name': 'notes created',
    'messaging.operation.name': 'deliver',
    'messaging.operation.type': 'process',
    'alula.connections': 1
  })

  exporter.reset()
  await app.service('notes').create({ text: 'wrong' })

  expect(find('deliver notes created')).toMatchObject({
    status: { code: 2 },
    attributes: { 'error.type': 'TypeError', 'alula.connections': 0 }
  })
})

it('a statement that fails has the code of the database, and no value', async () => {
  const db = new Kysely<any>({ dialect: new SqliteDialect({ database: new Database(':memory:') as any }) })
  const app = alula()

  onTestFinished(async () => await db.destroy())
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'integer', (id) => id.primaryKey())
    .addColumn('email', 'text', (email) => email.unique())
    .execute()
  app.use('accounts', new KyselyService({ Model: db, name: 'accounts' } as any) as any)
  await app.service('accounts').create({ email: 'ada@example.com' })
  exporter.reset()
  await expect(app.service('accounts').create({ email: 'ada@example.com' })).rejects.toMatchObject({
    code: 409
  })

  const { attributes, status } = find('INSERT accounts')

  expect(status.code).toBe(2)
  expect(attributes).toMatchObject({
    'db.response.status_code': 'SQLITE_CONSTRAINT_UNIQUE',
    'error.type': 'SQLITE_CONSTRAINT_UNIQUE'
  })
  expect(JSON.stringify(attributes)).not.toContain('ada@')
})

it('a message of a socket has the span that it continues in its query', async () => {
  const seen: unknown[] = []
  const { url } = await open((app) => {
    app.use('notes', {
      find: async ({ query }: any) => {
        seen.push(query)

        return []
      }
    } as any)
  })
  const socket = await connect(url)

  await socket.emitWithAck('find', 'notes', { text: 'a', $traceparent: TRACEPARENT })
  expect(parentOf(find('notes/find'))).toBe('b7ad6b7169203331')

  for (const $traceparent of [{ $gt: 1 }, { toString: 1, valueOf: 1 }]) {
    exporter.reset()
    await socket.emitWithAck('find', 'notes', { $traceparent })
    expect(find('notes/find').parentSpanContext).toBeUndefined()
  }
  expect(seen).toEqual([{ text: 'a' }, {}, {}])
})

it.each(Object.entries(CLIENTS))('%s has it in _meta', async (_name, openClient) => {
  const app = await createApp({}, configureNotes)
  const client = await openClient(app, { token: await getToken(app, 1) })

  exporter.reset()
  await client.call('notes_create', { data: { text: 'milk' } }, { traceparent: TRACEPARENT })

  expect(parentOf(find('notes/create'))).toBe('b7ad6b7169203331')
})

/** Errors that throw where they are read. */
const HOSTILE: { readonly [title: string]: () => unknown } = {
  'whose name throws': () => Object.defineProperty(new Error('first'), 'name', { get: fail }),
  'without a constructor': () => Object.assign(new Error('first'), { constructor: null }),
  'that is a proxy': () => new Proxy(new Error('first'), { get: fail })
}

function fail(): never {
  throw new Error('second')
}

it.each(Object.entries(HOSTILE))('an error %s fails its call, and has a span', async (_title, make) => {
  const app = alula()

  app.use('notes', {
    find: async () => {
      throw make()
    }
  } as any)

  const response = await createHandler(app, { logger: false })(new Request('http://x/notes'))

  expect(response.status).toBe(500)
  expect(find('notes/find').status.code).toBe(SpanStatusCode.ERROR)
})
