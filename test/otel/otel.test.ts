import { once } from 'node:events'
import { metrics, trace } from '@opentelemetry/api'
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
import { Kysely, PostgresDialect } from 'kysely'
import { Pool } from 'pg'
import { afterAll, beforeEach, expect, it, onTestFinished } from 'vitest'
import { NotFound } from '../../src/errors.ts'
import { createHandler } from '../../src/fetch.ts'
import { type Application, alula } from '../../src/index.ts'
import { KyselyService } from '../../src/kysely.ts'
import { otel } from '../../src/otel.ts'
import { sync } from '../../src/sync.ts'
import { POSTGRES_URL } from '../support/sql.ts'

const exporter = new InMemorySpanExporter()
const measured = new InMemoryMetricExporter(AggregationTemporality.DELTA)
const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 2 ** 30 })

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
  const open = async (): Promise<Application> => {
    const app: Application = alula()

    app.configure(sync({ redis: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', prefix: key } as any))
    app.use('rows', new KyselyService({ Model: db, name: 'otel_rows' } as any) as any)
    app.use('notes', {
      create: async (data: any, params: any) => await app.service('rows').create(data, params)
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

  const [writer, other] = [await open(), await open()]
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

  const [notes, rows, insert] = [find('notes/create'), find('rows/create'), find('INSERT')]
  const [emit, delivery] = [find('emit rows created'), find('deliver rows created')]

  expect(notes.spanContext().traceId).toBe(TRACE)
  expect(parentOf(notes)).toBe('b7ad6b7169203331')
  expect(parentOf(rows)).toBe(notes.spanContext().spanId)
  expect(parentOf(insert)).toBe(rows.spanContext().spanId)
  expect(insert.attributes).toMatchObject({
    'db.system.name': 'postgresql',
    'db.query.text': expect.stringContaining('$1')
  })
  expect(parentOf(emit)).toBe(rows.spanContext().spanId)
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
      attributes: { ...usual, 'rpc.response.status_code': '500', 'error.type': 'GeneralError' }
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
