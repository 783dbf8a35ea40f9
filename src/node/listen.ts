import { once } from 'node:events'
import type { Server } from 'node:http'
import { reportError } from '../core/events.ts'
import { getInternals } from '../core/internals.ts'
import { createError } from '../utils/developer-error.ts'
import { limitPipelining } from './pipelining.ts'
import { warnOfMissingTransport } from './reachable.ts'
import { type Closers, closeAll, prepareClose } from './shutdown.ts'

/** The part of an application that a server needs. */
interface ServedApplication {
  setup(server: Server): Promise<unknown>
  teardown(): Promise<unknown>
  emit(event: string | symbol, ...values: unknown[]): unknown
  rawListeners(event: string | symbol): unknown[]
}

/**
 * Gives an application `listen`, and a `teardown` that first closes what listens. `create` makes a server that does not listen
 * yet, `prepare` is awaited before the application is set up, `warn` is called when the server listens.
 */
export function implementListen(
  app: any,
  create: (app: any) => Server,
  { prepare, warn }: { prepare?(app: any): Promise<void>; warn?(app: any): void }
): void {
  const { teardown } = app
  const closers: Closers = new Set()

  app.listen = async function (this: any, ...args: any[]): Promise<Server> {
    const server = create(this)

    this.server = server
    await startServer(this, server, args, closers, prepare)
    warnOfMissingTransport(this)
    warn?.(this)

    return server
  }

  app.teardown = async function (this: any, server?: unknown): Promise<unknown> {
    await closeAll(closers)

    return teardown.call(this, server)
  }
}

/**
 * Sets the services of an application up and starts its server, after `prepare`, with the `args` that `server.listen` takes.
 * The application is torn down too when the server is closed by `server.close()`; `closers` gets the function that closes it,
 * which `teardown` removes and calls.
 *
 * @throws Error while the application is being set up, and when it is torn down meanwhile; what `setup` rejects with, and what
 * keeps the server from listening. The application is torn down then, unless another server of it listens
 */
export async function startServer(
  app: ServedApplication,
  server: Server,
  args: readonly unknown[],
  closers: Closers,
  prepare?: (app: any) => Promise<void>
): Promise<Server> {
  const internals = getInternals(app)
  const { teardowns } = internals
  const isTornDown = () => internals.teardowns !== teardowns

  if (prepare) await prepare(app)

  if (internals.settingUp > 0) {
    throw createError(
      'ALULA_SETUP_RUNNING',
      'app.setup() has not finished: await it before app.listen(), or leave it out, because app.listen() calls it'
    )
  }

  const close = prepareClose(limitPipelining(server), app)

  closers.add(close)
  server.once('close', () => {
    // Closed by `server.close()`, and not by `teardown`, which removes the function.
    if (closers.has(close)) app.teardown().catch((error: unknown) => reportError(app, error))
  })

  try {
    if (!isTornDown()) await app.setup(server)
    if (isTornDown()) throw createTornDown()

    // A teardown that ran when `listen` was called has removed it.
    closers.add(close)
    server.listen(...(args as Parameters<Server['listen']>))
    await whenListening(server)

    if (isTornDown()) {
      // While the name of the host was looked up.
      await close()
      throw createTornDown()
    }
  } catch (error) {
    if (isTornDown()) {
      closers.delete(close)
      // Who has called it gets its error.
      await internals.tearingDown
    } else await abandon(app, closers, close)

    throw error
  }

  internals.listening++
  server.once('close', () => internals.listening--)

  return server
}

function createTornDown(): Error {
  return createError(
    'ALULA_TORN_DOWN',
    'The application does not listen: app.teardown() was called while app.listen() set it up'
  )
}

/** Waits until a server listens, or is closed: a signal among the arguments of `listen` may do that. */
async function whenListening(server: Server): Promise<void> {
  const waiting = new AbortController()
  const { signal } = waiting

  try {
    await Promise.race([once(server, 'listening', { signal }), once(server, 'close', { signal })])
  } finally {
    waiting.abort()
  }
}

/** Tears an application down whose server does not listen, unless another server of it listens. */
async function abandon(app: ServedApplication, closers: Closers, close: () => Promise<void>): Promise<void> {
  if (getInternals(app).listening > 0) closers.delete(close)
  // An error in that must not hide the first one.
  else await app.teardown().catch((failure: unknown) => reportError(app, failure))
}
