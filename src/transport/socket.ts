import { callService } from '../core/call.ts'
import type { Channel, CombinedChannel } from '../core/channel.ts'
import { fromArguments, getDefinition, isStandardMethod, type ServiceCall } from '../core/methods.ts'
import { toShown } from '../core/publish.ts'
import { getServiceOptions } from '../core/service.ts'
import type { HookContext, RealTimeConnection } from '../core/types.ts'
import { BadRequest, MethodNotAllowed, NotFound } from '../errors.ts'
import { type ParseAuthenticationOptions, parseAuthentication } from './authentication.ts'
import { toData } from './body.ts'
import { toClientError, toErrorResponse } from './error.ts'
import { findRoute, type IncomingHeaders, type TransportApplication } from './http.ts'
import { assertOwnOrigin } from './origin.ts'
import { toHost } from './proxies.ts'
import { assertQuery } from './querystring.ts'

/** A message that asks for a call of a service method, as it came. */
export interface SocketMessage {
  readonly method: string
  /** The path of the service. */
  readonly path: unknown
  /** The arguments of the method, the query where the method has params. */
  readonly args: readonly unknown[]
  /** Who asks; the params of the call have all that is on it, the name of the transport as `provider`. */
  readonly connection: RealTimeConnection
}

/** What a message is answered with: the error, or `null` and what the call gave. */
export type SocketReply = [error: object] | [error: null, result: unknown]

/** What goes to some connections: the same message to each. */
export interface Delivery {
  /** The path of the service and the name of the event, with a space between them. */
  readonly name: string
  readonly payload: unknown
  readonly connections: readonly RealTimeConnection[]
}

/**
 * Runs the call that a message asks for. Whatever goes wrong becomes an answer too.
 *
 * @param app The application
 * @param message The message
 * @param onError Hears of every error, for a log
 */
export async function handleSocket(
  app: TransportApplication,
  message: SocketMessage,
  onError: (error: unknown) => void
): Promise<SocketReply> {
  try {
    const { service, call } = toSocketCall(app, message)
    const { dispatch, result } = await callService(service, call)

    return [null, dispatch !== undefined ? dispatch : result]
  } catch (error) {
    onError(error)

    return [toSocketError(app, error, message)]
  }
}

/**
 * Converts anything that was thrown into the error of a reply.
 *
 * @param app The application: its setting `formatError` decides on the body
 * @param error Anything that was thrown
 * @param message The message, or what is known of it
 */
export function toSocketError(
  app: TransportApplication,
  error: unknown,
  { method, path, connection }: Pick<SocketMessage, 'method' | 'path' | 'connection'>
): object {
  const { provider = '', headers = {} } = connection ?? {}

  return toErrorResponse(app, error, {
    provider,
    method,
    // Clients may send anything in its place, objects that cannot be converted to a string too.
    path: typeof path === 'string' ? path : '',
    headers
  }).body as object
}

/**
 * Converts a message into a call of a service method. What a request could not say, a message cannot say either.
 *
 * @throws NotFound for a path that leads to no service, MethodNotAllowed for a method that the service does not offer
 * to clients, BadRequest for arguments that the method does not take, Error for a connection without a `provider`
 */
export function toSocketCall(
  app: TransportApplication,
  { method, path, args, connection }: SocketMessage
): { service: any; call: ServiceCall } {
  // Without one it would be a call from inside, which every guard lets pass.
  if (!connection?.provider) throw new Error("A connection needs a 'provider', the name of its transport")

  const { service, params: route } = findService(app, path)

  if (!getServiceOptions(service).methods.includes(method)) {
    throw new MethodNotAllowed(`Method '${method}' not allowed on service '${path}'`)
  }

  const { args: names } = getDefinition(method)

  if (args.length > names.length) throw new BadRequest(`Too many arguments for '${method}' method`)

  const { id, data, params: query } = fromArguments(method, args)

  if (names.includes('id')) assertId(id, method)
  assertQuery(query)

  return {
    service,
    call: {
      method,
      id,
      data: names.includes('data') ? toSocketData(data, method) : undefined,
      params: { ...connection, query, route, connection }
    }
  }
}

function findService(app: TransportApplication, path: unknown): { service: any; params: object } {
  if (typeof path !== 'string') throw new NotFound('Invalid service path')

  const found = findRoute(app, path)

  // An id is an argument: with one in the path it would be there twice.
  if (!found || found.params.__id !== undefined) throw new NotFound(`Service '${path}' not found`)

  return found
}

/** Objects as ids have led past conditions of databases. `null` stands for all records, where a method takes that. */
function assertId(id: unknown, method: string): void {
  if (typeof id === 'string' && id !== '') return
  if (Number.isFinite(id) || (id === null && method !== 'get')) return

  const expected = method === 'get' ? 'a text or a number' : 'a text, a number or null'
  const found = id === null ? 'null' : id === '' ? 'an empty text' : typeof id

  throw new BadRequest(`Invalid id for '${method}': expected ${expected}, got ${found}`)
}

/** Bytes may be in data, and are none: a request could not send them either. */
function toSocketData(data: unknown, method: string): unknown {
  if (ArrayBuffer.isView(data)) throw new BadRequest('Invalid data: expected an object or array, got bytes')

  // On the wire an argument that was left out is `null`, which a method of one’s own may be called with.
  return toData(data === null && !isStandardMethod(method) ? undefined : data, method, 'data')
}

/**
 * Authenticates a connection by what its first request says, where it says something: it is logged in then. With
 * credentials that are good for calls and not for a login, such as a key, nobody is logged in, and each call brings them
 * along.
 *
 * @param app The application
 * @param connection The connection; the strategies note on it who it belongs to
 * @param request The request that the connection began with
 * @param options Whose strategies look for credentials
 * @param trusts Whether pages of an origin may send cookies, beside those of this server and the origins of the application
 * @throws What the strategies throw for credentials that are not valid; Forbidden for those of a cookie that a page of
 * another origin had sent
 */
export async function authenticateConnection(
  app: TransportApplication,
  connection: RealTimeConnection,
  request: { readonly headers: IncomingHeaders },
  options?: ParseAuthenticationOptions,
  trusts: (origin: string) => boolean = () => false
): Promise<void> {
  const { headers } = request
  const authentication = await parseAuthentication(app, request, undefined, options)

  // Browsers let any page open a WebSocket, and add cookies to its first request.
  if (authentication) {
    const opening = { method: 'GET', headers, host: toHost(headers, 0), native: { request, response: null } }

    await assertOwnOrigin(app, opening, options, { trusts })
  }

  const auth = app.defaultAuthentication?.(options?.service)

  if (!authentication || !auth) return

  connection.authentication = authentication

  if (!auth.configuration.authStrategies.includes(authentication.strategy ?? '')) return

  try {
    await auth.create(authentication, { provider: connection.provider, connection })
  } catch (error) {
    // Nothing but what was claimed. What a login has set stays: it has to be ended.
    if (connection.authentication === authentication) delete connection.authentication
    throw error
  }
}

/**
 * Whether what a connection lives by is still good: its token may be void since the password of its user was changed.
 * A connection that nobody is logged in on lives by nothing.
 *
 * @param app The application
 * @param connection The connection
 * @param service The path of the authentication service; the default one when left out
 */
export async function isAuthenticated(
  app: TransportApplication,
  connection: RealTimeConnection,
  service?: string
): Promise<boolean> {
  const { authentication } = connection

  if (!authentication) return true

  try {
    await app.defaultAuthentication?.(service)?.authenticate(authentication, {}, authentication.strategy)

    return true
  } catch (error) {
    // Anything else says nothing of the token.
    return toClientError(error).status !== 401
  }
}

/**
 * What the connections of a channel get to hear of an event. Those who get the same payload are put together, so that
 * a transport encodes it once.
 *
 * @param event The name of the event
 * @param channel Whom the publishers have chosen
 * @param context The context of the call
 * @param data What the event is about
 */
export function toDeliveries(
  event: string,
  channel: Channel | CombinedChannel,
  context: HookContext,
  data: unknown
): Delivery[] {
  const name = `${context.path ?? ''} ${event}`.trim()
  const shown = toShown(context, data)
  const groups = new Map<unknown, RealTimeConnection[]>()

  for (const connection of channel.connections) {
    const payload = toPayload(channel, connection) ?? shown
    const group = groups.get(payload)

    if (group) group.push(connection)
    else groups.set(payload, [connection])
  }

  return [...groups].map(([payload, connections]) => ({ name, payload, connections }))
}

function toPayload(channel: Channel | CombinedChannel, connection: RealTimeConnection): unknown {
  return 'dataFor' in channel ? channel.dataFor(connection) : channel.data
}
