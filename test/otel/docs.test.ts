import { beforeAll, expect, it } from 'vitest'
import { readBlocks, readPage, readSection } from '../support/page.ts'
import { runServer, runToEnd } from '../support/program.ts'
import { expectSession } from '../support/session.ts'
import { shareProcess } from '../support/shared-process.ts'

const shared = shareProcess()
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

it('otel makes spans, which the exporter prints', async () => {
  const [program = ''] = readBlocks(readSection(page, 'OpenTelemetry'), 'js')
  const lines = await runToEnd(`${program}${CALL}
await app.service('notes').create({ text: 'a' })
await provider.forceFlush()
`)

  expect(lines.filter((line) => line.startsWith('  name:'))).toEqual(["  name: 'notes/create',"])
})

it('requests have lines in the log, in the form of pino', async () => {
  const section = readSection(page, 'Logs')
  const [program = ''] = readBlocks(section, 'js')
  const { address, waitFor } = await runServer(program)

  await expectSession(readBlocks(section, 'console'), { 'localhost:3030': address })

  for (const [name, status] of [
    ['find', 200],
    ['get', 404]
  ]) {
    const { msg, level, context } = JSON.parse(await waitFor(`notes.${name}`))

    expect(msg).toMatch(new RegExp(`^notes\\.${name} ${status} [\\d.]+ ms$`))
    expect([level, context.status]).toEqual([30, status])
    expect(context.requestId).toMatch(/^[\da-f-]{36}$/)
  }
})

it('a subscriber of a channel gets each call, also one that fails', async () => {
  const [program = ''] = readBlocks(readSection(page, 'Channels'), 'js')
  const lines = await shared.runToEnd(`${program}${CALL}
await app.service('notes').find({ requestId: 'first' })
await app.service('notes').get(1).catch(() => {})
`)

  expect(lines).toEqual(['notes find first done', 'notes get undefined failed'])
})

it('Prometheus gets the calls of clients', async () => {
  const section = readSection(page, 'Prometheus')
  const [program = ''] = readBlocks(section, 'js')
  const { address } = await shared.runServer(program)

  await expectSession(readBlocks(section, 'console'), { 'localhost:3030': address })
})
