import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync } from 'node:zlib'
import original from 'express'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { NotFound } from '../../src/errors.ts'
import express, { errorHandler, notFound, rest, toMiddleware } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { koa, errorHandler as koaErrorHandler, rest as koaRest } from '../../src/koa.ts'
import { splitTarget } from '../../src/node/request.ts'
import { toListener } from '../../src/node.ts'
import { sendRaw } from '../support/raw.ts'
import { scaled } from '../support/scale.ts'
import { configure, reset } from './support/replies.ts'
import { HOST, requests, type Sent } from './support/requests.ts'

// A client cannot tell from a response what an application runs on.

interface Seen {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: string
}

type Ask = (sent: Sent) => Promise<Seen>

interface Opened {
  readonly app: any
  readonly ask: Ask
}

/** Requests that are not sent to a transport, and one of them, which shows why. */
interface Difference {
  readonly covers: (sent: Sent) => boolean
  readonly example: Partial<Sent> & { readonly target: string }
}

const DIFFERENCES: { readonly [name: string]: readonly Difference[] } = {
  Express: [],
  'toMiddleware of a plain Express server': [],
  // Koa sends bytes as they are.
  Koa: [
    { covers: ({ target }) => target.includes('reply=bytes'), example: { target: '/replies?reply=bytes' } }
  ],
  Fetch: [
    // A `Request` cannot be made with these.
    {
      covers: ({ method, body }) => ['GET', 'HEAD'].includes(method) && body !== undefined,
      example: { target: '/things', body: Buffer.from('{}') }
    },
    {
      covers: ({ method }) => ['TRACE', 'CONNECT'].includes(method),
      example: { method: 'TRACE', target: '/' }
    },
    // URLs resolve dots and backslashes, cut what follows '#', and escape what Node takes as it is.
    {
      covers: ({ target }) => /\\|#|(^|\/)(\.|%2e){1,2}(\/|\?|$)/i.test(target),
      example: { target: '/things/../echoes' }
    },
    {
      covers: ({ target }) => new URL(`http://${HOST}${target}`).href !== `http://${HOST}${target}`,
      example: { target: '/things/{}/1' }
    },
    // Node writes head and body in one piece, as UTF-8.
    {
      covers: ({ target }) => target.includes('a%20header%20in%20Latin-1'),
      example: { target: '/replies?reply=a%20header%20in%20Latin-1' }
    },
    // The web platform has no Brotli.
    {
      covers: ({ headers, body }) =>
        body !== undefined && /\bbr\b|secret/.test(headers['Content-Encoding'] ?? ''),
      example: {
        method: 'POST',
        target: '/echoes',
        headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'br' },
        body: brotliCompressSync('{}')
      }
    }
  ]
}

async function listen(listener: RequestListener): Promise<Ask> {
  const server = createServer(listener)

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())

  const { port } = server.address() as AddressInfo

  return async ({ method, target, headers, body }) => {
    const lines = Object.entries({
      Host: HOST,
      ...headers,
      ...(body && { 'Content-Length': String(body.length) }),
      Connection: 'close'
    }).map(([name, value]) => `${name}: ${value}\r\n`)
    const response = await sendRaw(port, `${method} ${target} HTTP/1.1\r\n${lines.join('')}\r\n`, body ?? '')

    return { ...response, headers: toComparable(response.headers) }
  }
}

const openers: { readonly [name: string]: () => Promise<Opened> } = {
  'a server of Node': async () => {
    const app: any = alula()

    configure(app)
    await app.setup()

    return { app, ask: await listen(toListener(app, { logger: false })) }
  },

  Express: async () => {
    const app: any = express(alula())

    app.configure(rest({ logger: false }))
    configure(app)
    app.use(notFound(), errorHandler({ html: false, logger: false }))
    await app.setup()

    return { app, ask: await listen(app) }
  },

  Koa: async () => {
    const app: any = koa(alula())

    app.use(koaErrorHandler({ logger: false }))
    app.configure(koaRest({ logger: false }))
    configure(app)
    app.use(({ req }: any) => {
      const { path, search } = splitTarget(req.url)

      throw new NotFound('Page not found', { url: search === '' ? path : `${path}?${search}` })
    })
    await app.setup()

    return { app, ask: await listen(app.callback()) }
  },

  'toMiddleware of a plain Express server': async () => {
    const app: any = alula()

    configure(app)
    await app.setup()

    const server = original()
      .disable('x-powered-by')
      .use(toMiddleware(app, { logger: false }))
      .use(notFound(), errorHandler({ html: false, logger: false }))

    return { app, ask: await listen(server) }
  },

  Fetch: async () => {
    const app: any = alula()

    configure(app)
    await app.setup()

    const handle = createHandler(app, { logger: false })

    const ask: Ask = async ({ method, target, headers, body }) => {
      const request = new Request(`http://${HOST}${target}`, {
        method,
        headers: { ...headers, ...(body && { 'Content-Length': String(body.length) }) },
        ...(body && { body: body as any })
      })
      const response = await handle(request)

      return {
        status: response.status,
        headers: toComparable([...response.headers]),
        body: await response.text()
      }
    }

    return { app, ask }
  }
}

/** Headers about the connection and not about the response. */
const OF_CONNECTION = ['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']

/** Values of one header are joined, as every client does; cookies are not. */
function toComparable(headers: readonly (readonly [string, string])[]): string[] {
  const values = new Map<string, string[]>()

  for (const [name, value] of headers) {
    const key = name.toLowerCase()

    if (!OF_CONNECTION.includes(key)) values.set(key, [...(values.get(key) ?? []), value])
  }

  return [...values]
    .map(([name, list]) => `${name}: ${list.join(name === 'set-cookie' ? ' + ' : ', ')}`)
    .sort()
}

it('the same request gets the same response through every transport', async () => {
  const open = await Promise.all(
    Object.entries(openers).map(async ([name, start]) => [name, await start()] as const)
  )

  await fc.assert(
    fc.asyncProperty(requests, async (sent) => {
      const asked = open.filter(([name]) => !DIFFERENCES[name]?.some(({ covers }) => covers(sent)))
      const [[, expected] = [], ...others] = await Promise.all(
        asked.map(async ([name, { app, ask }]) => {
          await reset(app)

          return [name, await ask(sent)] as const
        })
      )

      for (const [name, seen] of others) expect({ name, ...seen }).toEqual({ name, ...expected })
    }),
    { numRuns: scaled(2000) }
  )
}, 300_000)

const differences = Object.entries(DIFFERENCES).flatMap(([name, listed]) =>
  listed.map((difference) => [name, difference.example.target, difference] as const)
)

it.each(differences)(
  '%s responds otherwise to %s, or not at all',
  async (name, _target, { covers, example }) => {
    const sent = { method: 'GET', headers: {}, body: undefined, ...example }
    const [expected, other] = await Promise.all(
      ['a server of Node', name].map(async (one) => {
        const { ask } = await (openers[one] as () => Promise<Opened>)()

        return await ask(sent).catch(({ name: thrown }) => thrown)
      })
    )

    expect(covers(sent)).toBe(true)
    expect(other).not.toEqual(expected)
  }
)
