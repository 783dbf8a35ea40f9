import { once } from 'node:events'
import { createServer, type Server as HttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Server, ServerOptions } from 'socket.io'
import { BaseApplication } from '../core/application.ts'
import { assertBeforeSetup, assertCalled } from '../core/assert-application.ts'
import { addPlugin, getInternals } from '../core/internals.ts'
import type { Application, ApplicationHookContext, NextFunction } from '../core/types.ts'
import { startServer } from '../node/listen.ts'
import { type Closers, closeAll, prepareClose } from '../node/shutdown.ts'
import { BODY_LIMIT_CHECK } from '../transport/body.ts'
import { assertOrigin } from '../transport/cors.ts'
import { LOGGER_CHECK, type Logger } from '../transport/error.ts'
import { TRUST_PROXY_CHECK } from '../transport/options.ts'
import { isCount, isObject } from '../utils/check.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { assertOption, assertOptions, type OptionCheck, type OptionChecks } from '../utils/options.ts'
import { rethrowMissingPeer } from '../utils/peer.ts'
import { SocketTransport } from './transport.ts'

/** The options of {@link socketio}: those of Socket.IO, and a log. */
export interface SocketioOptions extends Partial<ServerOptions> {
  /** How many bytes a message may have; as many as the body of a request, 100 kB, when left out. */
  maxHttpBufferSize?: number
  /** Where unexpected errors are written to, `console` by default; `false` for nowhere. */
  logger?: Logger | false
  /** How many proxies are in front and set `X-Forwarded-For` and `X-Forwarded-Host`; left out, it is not known whether there are any. */
  trustProxy?: number
}

/** Gets the server of Socket.IO before services are set up, for middleware and listeners of your own. */
export type ConfigureSocketio = (this: any, io: Server) => unknown

/** What {@link socketio} takes. */
export type SocketioArguments =
  | [configure?: ConfigureSocketio]
  | [port: number, configure?: ConfigureSocketio]
  | [options: SocketioOptions, configure?: ConfigureSocketio]
  | [port: number, options: SocketioOptions, configure?: ConfigureSocketio]

const CHECKS: OptionChecks = {
  maxHttpBufferSize: BODY_LIMIT_CHECK,
  logger: LOGGER_CHECK,
  trustProxy: TRUST_PROXY_CHECK
}

const PORT_CHECK: OptionCheck = [(port) => isCount(port) && port < 65_536, 'an integer from 0 to 65535']

interface Settings {
  readonly port: number | undefined
  readonly options: SocketioOptions
  readonly configure: ConfigureSocketio | undefined
}

/**
 * Makes the services of an application reachable through Socket.IO, and sends their events to the connections that
 * publishers choose. The protocol is that of Feathers v5, whose clients work. An application without a `listen` gets
 * one. `app.io` is the server of Socket.IO from `setup` on.
 *
 * @param args All of them optional, in this order: a port for a server of its own besides that of the application,
 * options of Socket.IO, and a function that gets the server of Socket.IO
 * @returns A function for `app.configure`, which throws when `socketio` is configured already. `app.setup()` rejects without the
 * package `socket.io`
 * @throws TypeError for an argument that is none of these
 * @example
 * app.configure(socketio((io) => io.on('connection', (socket) => console.log(socket.id))))
 */
export function socketio(...args: SocketioArguments): (app: any) => void {
  const settings = toSettings(args)

  return (app: Application) => {
    assertBeforeSetup(app, 'alula/socketio')
    // A second server of Socket.IO on the same port would respond to every connection a second time.
    addPlugin(app, 'socketio', "'alula/socketio' is configured already")

    const servers = new SocketServers(settings)
    const setUp = (context: ApplicationHookContext, next: NextFunction) => servers.setUp(context, next)

    app.hooks({ setup: [setUp] })

    // An Express application has one already.
    if (!app.listen || app.listen === BaseApplication.prototype.listen) {
      app.listen = function (this: Application, ...listenArgs: unknown[]): Promise<HttpServer> {
        return startServer(this, createServer(refuse), listenArgs, servers.closers)
      }
    }
  }
}

/** Socket.IO of one application, and the servers that it is attached to. */
class SocketServers {
  /** Close the servers that were started for it. */
  readonly closers: Closers = new Set()

  private readonly settings: Settings
  private transport: SocketTransport | undefined
  private ownServer: HttpServer | undefined
  private configured: Promise<unknown> | undefined
  private listening: Promise<unknown> | undefined
  private ending: Promise<void> | undefined
  private isHooked = false

  constructor(settings: Settings) {
    this.settings = settings
  }

  async setUp({ app, server }: ApplicationHookContext, next: NextFunction): Promise<void> {
    const { port, options } = this.settings
    const { teardowns } = getInternals(app)
    const { logger = console, ...serverOptions } = options
    const { Server } = await import('socket.io').catch(rethrowMissingPeer('socket.io', "'alula/socketio'"))

    // A teardown that came meanwhile did not close what is created now.
    if (getInternals(app).teardowns !== teardowns) return next()

    // One for all servers, which may be set up at the same time: nothing is awaited between check and creation.
    this.transport ??= new SocketTransport(app, Server, serverOptions, logger)

    const { transport } = this

    app.io = transport.io

    // Not earlier: an Express application that this one becomes a part of would close its server first.
    const tearDown = (_context: unknown, next: NextFunction) => this.tearDown(next)

    if (!this.isHooked) app.hooks({ teardown: [tearDown] })
    this.isHooked = true

    if (port !== undefined && !this.ownServer) {
      this.ownServer = createServer(refuse)
      this.closers.add(prepareClose(this.ownServer))
    }

    if (this.ownServer ?? server) transport.attach(this.ownServer ?? server)

    await this.configure(app, transport)

    await next()

    if (this.ownServer) await this.listen(this.ownServer)

    warnWithoutServer(transport)
  }

  /** Once: with a second server, its listeners would be there twice. */
  private async configure(app: Application, transport: SocketTransport): Promise<void> {
    const call = async () => {
      await this.settings.configure?.call(app, transport.io)
      transport.connectLast()
    }

    this.configured ??= call().catch((error: unknown) => {
      this.configured = undefined
      throw error
    })

    await this.configured
  }

  /** Once for all that are set up at the same time, and again by the next set-up after one that has failed. */
  private async listen(server: HttpServer): Promise<void> {
    this.listening ??= once(server.listen(this.settings.port), 'listening').catch((error: unknown) => {
      this.listening = undefined
      throw error
    })

    await this.listening
  }

  private async tearDown(next: NextFunction): Promise<void> {
    // A second call waits as well: services must not be torn down while calls run.
    this.ending ??= this.end()
    await this.ending
    await next()
  }

  private async end(): Promise<void> {
    try {
      await this.transport?.close()
      await closeAll(this.closers)
    } finally {
      this.transport = undefined
      this.ownServer = undefined
      this.configured = undefined
      this.listening = undefined
      this.ending = undefined
    }
  }
}

/** After `configure`, which may attach a server itself. */
function warnWithoutServer({ io }: SocketTransport): void {
  // Socket.IO has an engine from the first server on.
  if ((io as { engine?: unknown }).engine) return

  process.emitWarning(
    'socketio() has no server, so no client can connect: call app.listen(), or app.setup(server), or give it a port',
    { code: 'ALULA_NOT_SET_UP' }
  )
}

/** Responds to plain requests, on a server that only serves Socket.IO. */
function refuse(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(404).end()
}

function toSettings(args: readonly unknown[]): Settings {
  const rest = [...args]
  const port = typeof rest[0] === 'number' ? (rest.shift() as number) : undefined
  const options = isObject(rest[0]) ? (rest.shift() as SocketioOptions) : {}
  const [configure, ...others] = rest

  // An application would pass as options, or as the function.
  assertCalled('socketio', args[0])

  if ((configure !== undefined && typeof configure !== 'function') || others.length > 0) {
    throw createTypeError(
      'ALULA_INVALID_ARGUMENT',
      'Invalid arguments of socketio: expected a port, options and a function, in this order'
    )
  }

  if (port !== undefined) assertOption('socketio', 'port', port, PORT_CHECK)
  // The others are of Socket.IO.
  assertOptions('socketio', options, CHECKS, { others: 'unlike' })
  if (isObject(options.cors)) assertOrigin('socketio', options.cors, 'cors')

  return { port, options, configure: configure as ConfigureSocketio | undefined }
}
