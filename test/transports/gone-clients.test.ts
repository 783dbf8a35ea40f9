import { createServer } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import original from 'express'
import { describe, expect, it, onTestFinished } from 'vitest'
import { events } from '../../src/events.ts'
import express, { rest, toMiddleware } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { koa, rest as koaRest } from '../../src/koa.ts'
import { toListener } from '../../src/node.ts'
import { defer } from '../support/deferred.ts'
import { openConnection } from '../support/raw.ts'
import { listen as listenTo, toPort } from '../support/server.ts'
import { until } from '../support/until.ts'

type Options = { readonly params?: () => Promise<object>; readonly logger: false }

/** Servers of Node in front of one application. */
const servers: { readonly [name: string]: (app: any, options: Options) => any } = {
  'a server of Node': (app, options) => toListener(app, options),
  'a plain Express server': (app, options) => original().use(toMiddleware(app, options)),
  Express: (app, options) => express(app).configure(rest(options)),
  Koa: (app, options) => koa(app).configure(koaRest(options)).callback()
}

/** Starts a server. Returns its port, and what resolves when it has noticed that a client is gone. */
async function listen(listener: any): Promise<{ port: number; isGone: Promise<unknown> }> {
  const server = createServer(listener)
  const gone = defer()

  server.on('connection', (socket) => socket.once('close', () => gone.resolve()))

  return { port: toPort(await listenTo(server)), isGone: gone.promise }
}

describe.each(Object.entries(servers))('on %s, a client that has gone', (_name, toServer) => {
  it('before the function was called aborts its signal, and cancels its body', async () => {
    const asked = defer()
    const found = defer<object>()
    const cancelled = defer()
    let signal: AbortSignal | undefined
    const app = alula().mount('stream', (request) => {
      signal = request.signal

      return new Response(new ReadableStream({ cancel: () => cancelled.resolve() }))
    })
    const params = () => {
      asked.resolve()

      return found.promise
    }
    const { port, isGone } = await listen(toServer(app, { params, logger: false }))
    const socket = openConnection(port)

    socket.write('GET /stream HTTP/1.1\r\nHost: a\r\n\r\n')
    await asked.promise
    socket.destroy()
    await isGone
    found.resolve({})
    await cancelled.promise
    expect(signal?.aborted).toBe(true)
  })

  it('while the function ran cancels its body', async () => {
    const called = defer()
    const ready = defer()
    const cancelled = defer()
    const app = alula().mount('stream', async () => {
      called.resolve()
      await ready.promise

      return new Response(new ReadableStream({ cancel: () => cancelled.resolve() }))
    })
    const { port, isGone } = await listen(toServer(app, { logger: false }))
    const socket = openConnection(port)

    socket.write('GET /stream HTTP/1.1\r\nHost: a\r\n\r\n')
    await called.promise
    socket.destroy()
    await isGone
    ready.resolve()
    await cancelled.promise
  })

  it('aborts the signal of a request that waits for the response before it', async () => {
    const called = defer()
    const cancelled = defer()
    let signal: AbortSignal | undefined
    const app = alula()
      .mount('slow', () => new Promise(() => undefined))
      .mount('stream', (request) => {
        signal = request.signal
        called.resolve()

        return new Response(new ReadableStream({ cancel: () => cancelled.resolve() }))
      })
    const { port } = await listen(toServer(app, { logger: false }))
    const socket = openConnection(port)

    socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /stream HTTP/1.1\r\nHost: a\r\n\r\n')
    await called.promise
    socket.destroy()
    await cancelled.promise
    expect(signal?.aborted).toBe(true)
  })
})

describe('events', () => {
  it('have no connection for a client that has gone before it began', async () => {
    const asked = defer()
    const found = defer<object>()
    const app: any = alula().configure(events())
    const names: string[] = []

    for (const name of ['connection', 'disconnect']) app.on(name, () => names.push(name))

    const params = () => {
      asked.resolve()

      return found.promise
    }
    const { port, isGone } = await listen(toListener(app, { params, logger: false }))
    const socket = openConnection(port)

    await app.setup()
    onTestFinished(() => void app.teardown())
    socket.write('GET /events HTTP/1.1\r\nHost: a\r\n\r\n')
    await asked.promise
    socket.destroy()
    await isGone
    found.resolve({})
    for (let turns = 0; turns < 20; turns++) await turn()
    expect(names.filter((name) => name === 'connection')).toHaveLength(
      names.filter((name) => name === 'disconnect').length
    )
  })

  it('end with a connection whose request waited for the response before it', async () => {
    const app: any = alula()
      .configure(events())
      .mount('slow', () => new Promise(() => undefined))
    const names: string[] = []

    for (const name of ['connection', 'disconnect']) app.on(name, () => names.push(name))

    const { port } = await listen(toListener(app, { logger: false }))
    const socket = openConnection(port)

    await app.setup()
    onTestFinished(() => void app.teardown())
    socket.write('GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /events HTTP/1.1\r\nHost: a\r\n\r\n')
    await until(() => expect(names).toEqual(['connection']))
    socket.destroy()
    await until(() => expect(names).toEqual(['connection', 'disconnect']))
  })

  it('over Fetch have none for a request that is aborted already', async () => {
    const app: any = alula().configure(events())
    const client = new AbortController()
    const names: string[] = []

    for (const name of ['connection', 'disconnect']) app.on(name, () => names.push(name))
    await app.setup()
    onTestFinished(() => void app.teardown())

    const params = async () => {
      client.abort()

      return {}
    }

    await createHandler(app, { params, logger: false })(
      new Request('http://localhost/events', { signal: client.signal })
    )
    expect(names).toEqual([])
  })
})
