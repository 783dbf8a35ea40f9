import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { describe, expect, it } from 'vitest'
import { PayloadTooLarge } from '../../src/errors.ts'
import express, { errorHandler, rest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { koa, rest as koaRest, errorHandler as respondToErrors } from '../../src/koa.ts'
import { prepareClose, toListener } from '../../src/node.ts'
import { defer } from '../support/deferred.ts'
import { openConnection, sendRaw } from '../support/raw.ts'
import { serve, toPort, toUrl } from '../support/server.ts'
import { until } from '../support/until.ts'

const LIMIT = 1_000_000

const HEAD = `POST /count HTTP/1.1\r\nHost: a\r\nContent-Length: ${3 * LIMIT}\r\n\r\n`

/** Not the whole body: a connection that closes with bytes on their way is reset. */
const BODY = Buffer.alloc(LIMIT + 100_000)

/** Reads no more than it accepts, as many upload handlers do. */
async function count(body: any): Promise<number> {
  let bytes = 0

  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > LIMIT) throw new PayloadTooLarge('Send at most 1 MB')
  }

  return bytes
}

/** Servers whose requests have ids, and what closes them. */
const SERVERS: { readonly [name: string]: () => Promise<{ app: any; server: Server; close(): unknown }> } = {
  async Express() {
    const app = express(alula()).configure(rest({ logger: false })) as any

    return { app, server: await app.listen(0, '127.0.0.1'), close: () => app.teardown() }
  },
  async Koa() {
    const app = koa(alula()).configure(koaRest({ logger: false })) as any

    return { app, server: await app.listen(0, '127.0.0.1'), close: () => app.teardown() }
  },
  async 'a server of Node'() {
    const app = alula()
    const server = createServer(toListener(app, { logger: false }))
    const close = prepareClose(server, app)

    server.listen(0, '127.0.0.1')
    await once(server, 'listening')

    return { app, server, close }
  }
}

describe.each(Object.entries(SERVERS))(
  'on %s, a mounted function that stops reading a body',
  (_name, start) => {
    it('responds with its error, and the server goes on', async () => {
      const { app, server, close } = await start()

      app.set('requestIds', true)
      app.mount('count', async ({ body }: Request) => {
        try {
          return Response.json(await count(body))
        } catch (error) {
          // The body is closed only then.
          await new Promise(setImmediate)
          throw error
        }
      })

      for (let turn = 0; turn < 2; turn++) {
        const { status, body } = await sendRaw(toPort(toUrl(server)), HEAD, BODY)

        expect(status).toBe(413)
        expect(JSON.parse(body).message).toBe('Send at most 1 MB')
      }

      await close()
    })

    it('lets the server close before it has responded', async () => {
      const { app, server, close } = await start()
      const stopped = defer()
      const isClosing = defer()

      app.mount('count', async ({ body }: Request) => {
        await count(body).catch(() => undefined)
        await new Promise(setImmediate)
        stopped.resolve()
        await isClosing.promise

        return new Response('stopped')
      })

      const response = sendRaw(toPort(toUrl(server)), HEAD, BODY)

      await stopped.promise

      const closed = close()

      await until(() => expect(server.listening).toBe(false))
      isClosing.resolve()
      expect((await response).body).toBe('stopped')
      await closed
    })

    it('has the connection closed where the rest of the body has not arrived', async () => {
      const { app, server, close } = await start()

      app.mount('count', async ({ body }: Request) => {
        await count(body).catch(() => undefined)

        return new Response('stopped')
      })

      const { headers, body } = await sendRaw(toPort(toUrl(server)), HEAD, BODY)

      expect(headers).toContainEqual(['Connection', 'close'])
      expect(body).toBe('stopped')
      await close()
    })

    it('keeps a connection whose body has arrived', async () => {
      const { app, server, close } = await start()

      app.mount('first', async ({ body }: Request) => {
        const reader = (body as ReadableStream<Uint8Array>).getReader()
        const { value } = await reader.read()

        await reader.cancel()
        // The rest of a body is parsed in the turn of its first chunk.
        await new Promise(setImmediate)

        return new Response(`[${Buffer.from(value as Uint8Array)}]`)
      })

      const socket = openConnection(toPort(toUrl(server)))
      let text = ''

      socket.on('data', (chunk) => {
        text += chunk
      })

      for (const letter of 'ab') {
        socket.write(
          `POST /first HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n${letter}\r\n1\r\nx\r\n0\r\n\r\n`
        )
        await until(() => expect(text).toContain(`[${letter}`))
      }

      socket.destroy()
      await close()
    })
  }
)

it('middleware of Koa may stop reading a body', async () => {
  const app = koa(alula()) as any

  app.use(respondToErrors({ logger: false }))
  app.use(async ({ req }: any) => void (await count(req)))
  app.configure(koaRest())

  const port = toPort(await serve(app))

  for (let turn = 0; turn < 2; turn++) expect((await sendRaw(port, HEAD, BODY)).status).toBe(413)
})

it('middleware of Express may stop reading a body, also where requests have ids', async () => {
  const app = express(alula()) as any

  app.set('requestIds', true)
  app.use((request: any, _response: unknown, next: (error: unknown) => void) => {
    count(request).catch(next)
  })
  app.configure(rest())
  app.use(errorHandler({ logger: false }))

  expect((await sendRaw(toPort(await serve(app)), HEAD, BODY)).status).toBe(413)
})

it.each(['Express', 'Koa'])(
  'middleware of %s may pass on a request with a body of its own after it has stopped reading',
  async (name) => {
    const app: any = name === 'Koa' ? koa(alula()) : express(alula())

    async function readPart(request: any): Promise<object> {
      for await (const _chunk of request) break

      return { isPart: true }
    }

    if (name === 'Koa') {
      app.use(async ({ req, request }: any, next: () => unknown) => {
        request.body = await readPart(req)
        await next()
      })
      app.configure(koaRest({ logger: false }))
    } else {
      app.use(async (request: any, _response: unknown, next: () => void) => {
        request.body = await readPart(request)
        next()
      })
      app.configure(rest({ logger: false }))
    }

    app.mount('count', async (request: Request) => new Response(await request.text()))

    const { status, body } = await sendRaw(toPort(await serve(app)), HEAD, BODY)

    expect([status, body]).toEqual([200, '{"isPart":true}'])
  }
)
