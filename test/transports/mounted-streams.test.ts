import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import express, { rest } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { koa, rest as koaRest } from '../../src/koa.ts'
import { prepareClose, toListener } from '../../src/node.ts'
import type { Logger } from '../../src/transport.ts'
import { defer } from '../support/deferred.ts'
import { openConnection } from '../support/raw.ts'
import { toPort, toUrl } from '../support/server.ts'

setFlagsFromString('--expose-gc')

/** Collects garbage, also that of what is only then known to be no longer used. */
async function collectGarbage(): Promise<void> {
  const collect: () => void = runInNewContext('gc')

  for (let turn = 0; turn < 4; turn++) {
    collect()
    await setImmediate()
  }
}

type Options = { readonly logger?: Logger }

/** Servers, and what closes them. */
const SERVERS: {
  readonly [name: string]: (options?: Options) => Promise<{ app: any; server: Server; close(): unknown }>
} = {
  async Express(options = {}) {
    const app = express(alula()).configure(rest(options)) as any

    return { app, server: await app.listen(0, '127.0.0.1'), close: () => app.teardown() }
  },
  async Koa(options = {}) {
    const app = koa(alula()).configure(koaRest(options)) as any

    return { app, server: await app.listen(0, '127.0.0.1'), close: () => app.teardown() }
  },
  async 'a server of Node'(options = {}) {
    const app = alula()
    const server = createServer(toListener(app, options))
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

/** A stream that fails when its signal aborts, as that of a response from another server does. */
const toForwarded = ({ signal }: Request) =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('first'))
        signal.addEventListener('abort', () => controller.error(signal.reason))
      }
    })
  )

/** A stream that tells when its signal aborts. Nothing of the test holds its request. */
const toEndless = ({ signal }: Request, onAbort: () => void) =>
  new Response(
    new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('first'))
        signal.addEventListener('abort', onAbort)
      }
    })
  )

const toBroken = () =>
  new Response(
    new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from('first')),
      pull: () => Promise.reject(new Error('The database is gone'))
    })
  )

/** A logger, and the errors that it has got. */
function createLogger(): { readonly lines: readonly string[]; readonly logger: Logger } {
  const lines: string[] = []

  return { lines, logger: { error: (line) => lines.push(line) } }
}

describe.each(Object.entries(SERVERS))('%s', (_name, start) => {
  it('logs the error of a mounted stream whose response has begun', async () => {
    const { lines, logger } = createLogger()
    const { app, server, close } = await start({ logger })

    app.mount('rows', toBroken)

    await expect(fetch(`${toUrl(server)}/rows`).then((response) => response.text())).rejects.toThrow()
    await close()
    expect(lines).toEqual([expect.stringContaining('The database is gone')])
  })

  it('logs no error of a mounted stream that teardown or its client has aborted', async () => {
    const { lines, logger } = createLogger()
    const { app, server, close } = await start({ logger })
    const signals: AbortSignal[] = []

    app.mount('events', (request: Request) => {
      signals.push(request.signal)

      return toForwarded(request)
    })

    const [left, right] = [openConnection(toPort(toUrl(server))), openConnection(toPort(toUrl(server)))]

    for (const socket of [left, right]) {
      socket.write('GET /events HTTP/1.1\r\nHost: a\r\n\r\n')
      await once(socket, 'data')
    }

    const aborted = once(signals[0] as AbortSignal, 'abort')

    left.destroy()
    await aborted
    await close()
    expect(signals.map((signal) => signal.aborted)).toEqual([true, true])
    expect(lines).toEqual([])
  })

  it('aborts the signal when the client goes, also after garbage was collected', async () => {
    const { app, server, close } = await start()
    const gone = defer()

    app.mount('events', (request: Request) => toEndless(request, gone.resolve))

    const socket = openConnection(toPort(toUrl(server)))

    socket.write('GET /events HTTP/1.1\r\nHost: a\r\n\r\n')
    await once(socket, 'data')
    await collectGarbage()
    socket.destroy()
    await gone.promise
    await close()
  })

  it('logs no error of an upload to a mounted function that its client breaks off', async () => {
    const { lines, logger } = createLogger()
    const { app, server, close } = await start({ logger })
    const begun = defer()
    const failed = defer<unknown>()

    app.mount('upload', async ({ body }: Request) => {
      try {
        for await (const _chunk of body as any) begun.resolve()
      } catch (error) {
        failed.resolve(error)
        throw error
      }
    })

    const socket = openConnection(toPort(toUrl(server)))

    socket.write('POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc')
    await begun.promise
    socket.destroy()

    expect(await failed.promise).toMatchObject({ code: 400, message: 'The request was aborted' })
    await close()
    expect(lines).toEqual([])
  })

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
      await setImmediate()
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

it('a mounted stream of a Fetch handler learns that its client has gone, also after garbage was collected', async () => {
  const gone = defer()
  const app = alula().mount('events', (request) => toEndless(request, gone.resolve))
  const client = new AbortController()
  const { signal } = client

  await app.setup()

  const response = await createHandler(app)(new Request('http://localhost/events', { signal }))

  await response.body?.getReader().read()
  await collectGarbage()
  client.abort()
  await gone.promise
  await app.teardown()
})

it('the error of a mounted stream of a Fetch handler is logged', async () => {
  const { lines, logger } = createLogger()
  const app = alula().mount('rows', toBroken)

  await app.setup()

  const response = await createHandler(app, { logger })(new Request('http://localhost/rows'))

  await expect(response.text()).rejects.toThrow('The database is gone')
  expect(lines).toEqual([expect.stringContaining('The database is gone')])
})
