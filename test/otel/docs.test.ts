import { beforeAll, expect, it } from 'vitest'
import { readBlocks, readPage, readSection } from '../support/page.ts'
import { expectSession } from '../support/session.ts'
import { shareProcess } from '../support/shared-process.ts'

const { runServer, runToEnd } = shareProcess()
let page: string

beforeAll(async () => {
  page = await readPage('observability')
})

/** An application that has one call, after what the page sets up. */
const CALL = `
import { alula } from 'alula'
import { memory } from 'alula/memory'

const app = alula()

app.set('requestIds', true)
app.use('notes', memory())
await app.setup()
`

it('otel makes spans until it is stopped', async () => {
  const [program = ''] = readBlocks(readSection(page, 'OpenTelemetry'), 'js')
  const lines = await runToEnd(`
import { trace } from '@opentelemetry/api'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'

const exporter = new InMemorySpanExporter()

trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }))
${program}${CALL}
await app.service('notes').create({ text: 'a' })
stop()
await app.service('notes').create({ text: 'b' })
for (const { name } of exporter.getFinishedSpans()) console.log(name)
`)

  expect(lines).toEqual(['notes/create'])
})

it('a subscriber of a channel gets each call, also one that fails', async () => {
  const [program = ''] = readBlocks(readSection(page, 'Channels'), 'js')
  const lines = await runToEnd(`${program}${CALL}
await app.service('notes').find({ requestId: 'first' })
await app.service('notes').get(1).catch(() => {})
`)

  expect(lines).toEqual(['notes find first done', 'notes get undefined failed'])
})

it('Prometheus gets the calls of clients', async () => {
  const section = readSection(page, 'Prometheus')
  const [program = ''] = readBlocks(section, 'js')
  const { address } = await runServer(program)

  await expectSession(readBlocks(section, 'console'), { 'localhost:3030': address })
})
