import { defaultServiceEvents, type ServiceCall, toArguments } from '../core/methods.ts'
import type { TransportConnection } from '../core/types.ts'
import { BadRequest, convert, Timeout, Unavailable } from '../errors.ts'
import { createError } from '../utils/developer-error.ts'
import { toDelay } from '../utils/max-delay.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import { stripSlashes } from '../utils/path.ts'
import { withTimeout } from '../utils/with-timeout.ts'
import type { Application } from './application.ts'
import type { AuthenticationClient } from './authentication-client.ts'
import { setHidden } from './error.ts'
import { type Leaving, watchClosing } from './leaving.ts'
import { resumeEvents } from './resume.ts'
import { fillPlaceholders } from './route.ts'
import { ClientService, createConnection, type ResponseParams } from './service.ts'
import { isAway, type Socket, watchRefusals, whenConnected } from './socket.ts'

/** What the services of a socket have in common. */
export interface SocketOptions {
  /**
   * How many milliseconds a call may take, `Infinity` for no limit. When it is left out, it is the `ackTimeout` of the
   * socket, or else 30,000.
   */
  timeout?: number
}

/** What a socket service is made of. */
export interface SocketSettings {
  /** The path of the service. */
  name: string
  /** The socket. */
  connection: any
  options?: SocketOptions
  /** The calls of the socket, which are over before it leaves a server that closes. */
  leaving?: Leaving | undefined
  /** Returns who logs in again after a lost connection. */
  getClient?: (() => AuthenticationClient | undefined) | undefined
}

const CHECKS: OptionChecks = {
  timeout: [(time) => Number(time) > 0, 'a number of milliseconds']
}

/** Methods of an emitter that take the name of an event. */
const EVENT_METHODS = [
  'addEventListener',
  'addListener',
  'emit',
  'listenerCount',
  'listeners',
  'on',
  'once',
  'prependListener',
  'prependOnceListener',
  'removeAllListeners',
  'removeEventListener',
  'removeListener'
] as const

/** Those that are about all events of the socket. */
const SOCKET_METHODS = ['eventNames', 'getMaxListeners', 'setMaxListeners'] as const

type EmitterMethod = (typeof EVENT_METHODS | typeof SOCKET_METHODS)[number]

/** Without a limit, a page whose server cannot be reached would show nothing at all. */
const DEFAULT_TIMEOUT = 30_000

/** The methods of an emitter. Those that the socket does not have throw an error. */
type EmitterMethods = Record<EmitterMethod, (...args: any[]) => any>

abstract class PlainService extends ClientService {}

/** A client service with the methods of an emitter. Bundles without sockets leave it out. */
const EmitterService = /* @__PURE__ */ addEmitterMethods(PlainService)

/** A service that is reached over a socket. Its events are those that the server sends. */
export class SocketService extends EmitterService {
  /** The path of the service. */
  path: string
  /** The socket. */
  connection: any
  options: SocketOptions
  /** What comes from the server is not emitted here as well. */
  events: readonly string[] = defaultServiceEvents
  private readonly _leaving: Leaving | undefined
  private readonly _getClient: SocketSettings['getClient']

  constructor({ name, connection, options = {}, leaving, getClient }: SocketSettings) {
    super()
    this.path = stripSlashes(name) || '/'
    this.connection = connection
    this.options = options
    this._leaving = leaving
    this._getClient = getClient
  }

  async sendCall(call: ServiceCall): Promise<unknown> {
    const { connection, _leaving: leaving } = this
    const { method, id } = call
    const params: ResponseParams = call.params
    const path = fillPlaceholders(this.path, params.route, toSegment)
    // As in a URL: JSON has no such numbers.
    const sentId: any = typeof id === 'bigint' ? String(id) : id
    const args = toArguments({ ...call, id: sentId, params: params.query ?? {} })
    const limit = this._timeLimit
    const authentication = this._getClient?.()
    // Not for a call that the login makes: it would wait for itself.
    const isLogin = method === 'create' && path === authentication?.path
    const client = params.accessToken && !isLogin ? authentication : undefined
    let end = Date.now() + limit

    // Right before it is sent: hooks of the client may have taken so long that the connection is another one by now.
    while (client?.resumed || isAway(connection) || leaving?.isLeaving) {
      // What no message can hold would fail when the socket connects: outside of this call, where nothing catches it.
      JSON.stringify(args)

      if (client?.resumed) {
        await client.whenResumed({ method, path, params })
        end = Date.now() + limit
        continue
      }

      // The socket would keep the call until it is connected, and for ever when it is closed.
      const isReady = (await leaving?.whenGone(end)) !== false && (await whenConnected(connection, end))

      if (!isReady) throw toTimeout({ method, path })
    }

    authentication?.assertHeld(params, path)

    const leave = leaving?.begin()

    const reply = new Promise((resolve, reject) => {
      function finish(lost: Error | null, error?: unknown, result?: unknown, position?: string): void {
        if (lost || error) {
          reject(lost ? toLostError(lost, { method, path }) : convert(error))
          return
        }

        params.onResponse?.(position)
        resolve(result)
      }

      if (typeof connection.timeout === 'function') {
        connection.timeout(Math.max(end - Date.now(), 1)).emit(method, path, ...args, finish)
      } else {
        connection.emit(method, path, ...args, finish.bind(null, null))
      }
    })

    return leave ? reply.finally(leave) : reply
  }

  /**
   * Waits for the login of a connection, which comes after each one that was lost.
   *
   * @param login The login
   * @param call The call that waits, for no longer than it may take
   * @throws Timeout; Unavailable for a socket that is closed, and gets no connection by itself
   */
  _waitFor<Login>(login: Promise<Login>, call: { method: string; path: string }): Promise<Login> {
    const limit = this._timeLimit
    const connected = whenConnected(this.connection, Date.now() + limit).then(() => login)

    return withTimeout(Promise.race([login, connected]), limit, () => toTimeout(call))
  }

  /** How many milliseconds a call may take. Socket.IO reports a lost connection only to calls with a time limit. */
  private get _timeLimit(): number {
    const { connection, options } = this
    const given = connection.flags?.timeout ?? options.timeout ?? connection._opts?.ackTimeout

    return toDelay(given ?? DEFAULT_TIMEOUT)
  }

  /** Removes a listener of an event, or all. Not every emitter has it. */
  off(event: string, ...listeners: ((...values: any[]) => void)[]): any {
    if (typeof this.connection.off === 'function')
      return forward(this, 'off', `${this.path} ${event}`, ...listeners)

    return listeners.length === 0 ? this.removeAllListeners(event) : this.removeListener(event, ...listeners)
  }
}

/**
 * Connects an application with a server over Socket.IO.
 *
 * @param socket A socket of `socket.io-client`
 * @param options Options for all services
 * @throws Error for a missing socket, and on `configure` for an application that has a connection already; TypeError for
 * a time limit that is none
 *
 * @example
 * const app = alula().configure(socketio(io('https://api.example.org')))
 */
export function socketio<Services = any>(
  socket: Socket,
  options: SocketOptions = {}
): TransportConnection<Services> {
  if (typeof socket?.emit !== 'function')
    throw createError('ALULA_INVALID_ARGUMENT', 'Socket.io connection needs to be provided')
  assertOptions('socketio', options, CHECKS, { others: 'unlike' })

  watchRefusals(socket)

  const leaving = watchClosing(socket)
  let client: Application | undefined
  const getClient = () => client?.authentication

  return createConnection<Services>(
    'io',
    socket,
    SocketService,
    (name) => new SocketService({ name, connection: socket, options, leaving, getClient }),
    (app) => {
      client = app
      resumeEvents(app, socket)
    }
  )
}

function addEmitterMethods(Service: typeof PlainService): abstract new () => ClientService & EmitterMethods {
  const methods = Service.prototype as ClientService & EmitterMethods

  for (const name of EVENT_METHODS) {
    methods[name] = function (this: SocketService, event: string, ...values: unknown[]) {
      return forward(this, name, `${this.path} ${event}`, ...values)
    }
  }
  for (const name of SOCKET_METHODS) {
    methods[name] = function (this: SocketService, ...values: unknown[]) {
      return forward(this, name, ...values)
    }
  }

  return Service as abstract new () => ClientService & EmitterMethods
}

/** Calls a method of the socket. Where that returns itself, the service stands for it. */
function forward(service: SocketService, method: EmitterMethod | 'off', ...values: unknown[]): any {
  const { connection } = service

  if (typeof connection[method] !== 'function') {
    throw createError('ALULA_NOT_ON_CLIENT', `Can not call '${method}' on the client service connection`)
  }

  const result = connection[method](...values)

  return result === connection ? service : result
}

/** A socket sends paths as they are, so that a slash would lead to another service. */
function toSegment(value: string): string {
  if (value.includes('/')) throw new BadRequest(`Invalid value '${value}' in params.route: it has a slash`)

  return value
}

function toTimeout(call: { method: string; path: string }): Timeout {
  return new Timeout('operation has timed out', call)
}

/** What a socket says of a call that got no reply, as an error with a code. */
function toLostError(lost: Error, call: { method: string; path: string }): Error {
  const ErrorClass = /timed out/.test(lost.message) ? Timeout : Unavailable

  return setHidden(new ErrorClass(lost.message, call), 'cause', lost)
}
