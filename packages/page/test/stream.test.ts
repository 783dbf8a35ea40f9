import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'

/** By a URL: it is compiled with the types of browsers. */
const { createStream } = await import(new URL('../src/stream.ts', import.meta.url).href)

it('a server that refuses events is asked again later each time, up to half a minute', async () => {
  const statuses = [503, 403, 429, 404, 500, 503, 200, 503, 401]
  const server = createServer((_request, response) => {
    response.writeHead(statuses.shift() as number).end()
  })
  const waits: unknown[] = []
  const { setTimeout } = globalThis

  onTestFinished(() => void server.close())
  onTestFinished(() => void vi.restoreAllMocks())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, wait: number) => {
    if (run.name !== 'open') return setTimeout(run, wait)

    waits.push(wait)

    return setTimeout(run)
  }) as never)

  const { port } = server.address() as AddressInfo

  await new Promise<void>((onEnd) => {
    const listener = { onOpen() {}, onClose() {}, onEvent() {}, onEnd }

    createStream(`http://127.0.0.1:${port}`, () => ({}), listener).open()
  })

  expect(statuses).toEqual([])
  expect(waits).toEqual([2000, 4000, 8000, 16_000, 30_000, 30_000, 1000, 2000])
})

it('data may have separators of lines that JSON leaves as they are', async () => {
  const server = createServer((_request, response) => {
    response.write(`event: notes created\ndata: ${JSON.stringify({ text: 'a\u2028b\u2029c' })}\n\n`)
  })

  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))

  const { port } = server.address() as AddressInfo
  const data = await new Promise((resolve) => {
    const onEvent = (_name: string, data: unknown) => resolve(data)
    const listener = { onOpen() {}, onClose() {}, onEnd() {}, onEvent }
    const stream = createStream(`http://127.0.0.1:${port}`, () => ({}), listener)

    onTestFinished(() => stream.close())
    void stream.open()
  })

  expect(data).toEqual({ text: 'a\u2028b\u2029c' })
})
