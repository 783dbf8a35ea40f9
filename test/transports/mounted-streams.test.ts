import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import express, { rest } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { koa, rest as koaRest } from '../../src/koa.ts'
import { prepareClose, toListener } from '../../src/node.ts'

/** Servers, and what closes them. */
const SERVERS: { readonly [name: string]: () => Promise<{ app: any; server: Server; close(): unknown }> } = {
  async Express() {
    const app = express(alula()).configure(rest()) as any

    return { app, server: await app.listen(0, '127.0.0.1'), close: () => app.teardown() }
  },
  async Koa() {
    const app = koa(alula()).configure(koaRest()) as any

    return { app, server: await app.listen(0, '127.0.0.1'), close: () => app.teardown() }
  },
  async 'a server of Node'() {
    const app = alula()
    const server = createServer(toListener(app))
    const close = prepareClose(server, app)

    server.listen(0, '127.0.0.1')
    await once(server, 'listening')

    return { app, server, close }
  }
}

/** A stream that lasts until its signal aborts. */
const toEvents = ({ signal }: Request) =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(new TextEncoder().encode('data: first\n\n'))
        signal.addEventListener('abort', () => controller.close())
      }
    })
  )

describe.each(Object.entries(SERVERS))('%s', (_name, start) => {
  it('closes although a mounted stream is being sent: its signal aborts first', async () => {
    const { app, server, close } = await start()

    app.mount('events', toEvents)

    const { body } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/events`)
    const reader = (body as ReadableStream<Uint8Array>).getReader()

    expect(String(Buffer.from((await reader.read()).value as Uint8Array))).toBe('data: first\n\n')
    await close()
    expect((await reader.read()).done).toBe(true)
    expect(server.listening).toBe(false)
  })

  it('closes after a mounted function that has not responded yet, whose signal does not abort', async () => {
    const { app, server, close } = await start()
    let isAborted: boolean | undefined
    let closed: unknown

    app.mount('slow', async ({ signal }: Request) => {
      closed = close()
      await new Promise(setImmediate)
      isAborted = signal.aborted

      return new Response('done')
    })

    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/slow`)

    expect(await response.text()).toBe('done')
    await closed
    expect(isAborted).toBe(false)
  })
})

it('a mounted stream of a Fetch handler ends at teardown', async () => {
  const app = alula().mount('events', toEvents)

  await app.setup()

  const response = await createHandler(app)(new Request('http://localhost/events'))

  await app.teardown()
  expect(await response.text()).toBe('data: first\n\n')
})
