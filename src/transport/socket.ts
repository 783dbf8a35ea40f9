import { withLookupField } from '../core/by.ts'
import { callService } from '../core/call.ts'
import { noteParams } from '../core/caller.ts'
import type { Channel, CombinedChannel } from '../core/channel.ts'
import { getInternals } from '../core/internals.ts'
import { getJsonResponse } from '../core/json-result.ts'
import { fromArguments, getDefinition, isStandardMethod, type ServiceCall } from '../core/methods.ts'
import { toEventData } from '../core/publish.ts'
import { getServiceOptions } from '../core/service.ts'
import type { AuthenticationRequest, HookContext, RealTimeConnection } from '../core/types.ts'
import { BadRequest, MethodNotAllowed, NotFound } from '../errors.ts'
import { getInherited } from '../utils/call-state.ts'
import { createError } from '../utils/developer-error.ts'
import { copyWith } from '../utils/object.ts'
import { shorten } from '../utils/shorten.ts'
import { findAuthentication, type ParseAuthenticationOptions, parseAuthentication } from './authentication.ts'
import { toCallData } from './body.ts'
import { fillNamedRoute } from './call.ts'
import { toClientError, toErrorResponse } from './error.ts'
import { getReadPosition, type IncomingHeaders, type TransportApplication } from './http.ts'
import { toMethodHint } from './method-hint.ts'
import { assertOwnOrigin } from './origin.ts'
import { toHost } from './proxies.ts'
import { assertQuery } from './querystring.ts'
import { withRequestId } from './request-id.ts'
import { findRoute } from './target.ts'
import { takeTraceparent } from './traceparent.ts'

/** A message that asks for a call of a service method, not checked yet. */
export interface SocketMessage {
  readonly method: string
  /** The path of the service. */
  readonly path: unknown
  /** The arguments of the method, the query where the method has params. */
  readonly args: readonly unknown[]
  /** The connection of the client. Its properties are params of the call; `provider` is the name of the transport. */
  readonly connection: RealTimeConnection
}

/** The reply to a message: the error, or `null` and the result; of a read also up to where it reflects all events. */
export type SocketReply = [error: object] | [error: null, result: unknown, position?: string]

/** One message, and the connections that get it. */
export interface Delivery {
  /** The path of the service and the name of the event, with a space between them. */
  readonly name: string
  readonly payload: unknown
  readonly connections: readonly RealTimeConnection[]
}

/**
 * Runs the call that a message asks for. It never rejects: errors become replies.
 *
 * @param app The application
 * @param message The message
 * @param onError Called with the error of a failed call and the id of its message, for a log and for its status: `formatError` may change the body
 */
export async function handleSocket(
  app: TransportApplication,
  message: SocketMessage,
  onError: (error: unknown, requestId?: string) => void
): Promise<SocketReply> {
  let requestId: string | undefined

  try {
    const { service, call } = toSocketCall(app, message)

    requestId = call.params?.requestId

    const position = getReadPosition(app, call.method)
    const response = getJsonResponse(await callService(service, call))

    return position === undefined ? [null, response] : [null, response, position]
  } catch (error) {
    onError(error, requestId)

    return [toSocketError(app, error, message, requestId)]
  }
}

/**
 * Converts anything that was thrown into the error of a reply.
 *
 * @param app The application: its setting `formatError` decides on the body
 * @param error Anything that was thrown
 * @param message The message, as far as it could be read
 * @param requestId The id of the message, if it has one
 */
export function toSocketError(
  app: TransportApplication,
  error: unknown,
  { method, path, connection }: Pick<SocketMessage, 'method' | 'path' | 'connection'>,
  requestId?: string
): object {
  const { provider = '', headers = {} } = connection ?? {}

  const named = requestId !== undefined && { requestId }

  return toErrorResponse(app, error, { provider, method, path: toPath(path), headers, ...named })
    .body as object
}

/**
 * Converts a message into a call of a service method, with the limits of an HTTP request. Throws NotFound for a path that leads
 * to no service, MethodNotAllowed for a method that the service does not offer to clients, BadRequest for arguments that the
 * method does not take, an Error for a connection without a `provider`.
 */
export function toSocketCall(
  app: TransportApplication,
  { method, path, args, connection }: SocketMessage
): { service: object; call: ServiceCall } {
  // Without it this would be an internal call, which guards let pass.
  if (!connection?.provider)
    throw createError(
      'ALULA_INVALID_CONNECTION',
      "A connection needs a 'provider', the name of its transport"
    )

  const { service, params: route } = findService(app, path)

  const { methods, by, singleton } = getServiceOptions(service)

  if (!methods.includes(method)) {
    throw new MethodNotAllowed(
      `Method '${shorten(method)}' not allowed on service '${shorten(toPath(path))}'${toMethodHint(service, method)}`
    )
  }

  const { args: names } = getDefinition(method)

  if (args.length > names.length) throw new BadRequest(`Too many arguments for '${method}' method`)

  const { id: sentId, data, params: query } = fromArguments(method, args)
  // The call of a single record finds its id itself.
  const id = singleton ? (sentId ?? null) : sentId

  if (names.includes('id') && !(singleton && id === null)) assertId(id, method)
  assertQuery(query)

  const sent = names.includes('data') ? toSocketData(data, method) : undefined
  const filled = fillNamedRoute(service, method, sent)

  return {
    service,
    call: {
      method,
      id,
      data: filled ? filled.data : sent,
      params: withLookupField(
        service,
        by,
        method,
        id,
        withRequestId(
          app,
          takeTraceparent(copyWith(connection, { query, route: { ...route, ...filled?.values }, connection }))
        )
      ),
      refusal: filled?.refusal
    }
  }
}

/** A path that is no string is an error that has a path all the same. */
export function toPath(path: unknown): string {
  return typeof path === 'string' ? path : ''
}

function findService(app: TransportApplication, path: unknown): { service: object; params: object } {
  if (typeof path !== 'string') throw new NotFound('Invalid service path')

  const found = findRoute(app, path)

  // The id is an argument, and not part of the path; the method has a name and no path.
  if (!found || found.params.__id !== undefined || found.params.__rest !== undefined)
    throw new NotFound(`Service '${shorten(path)}' not found`)

  return found
}

/** An object as id can bypass the conditions of a database. `null` means all records, where a method accepts it. */
function assertId(id: unknown, method: string): void {
  if (typeof id === 'string' && id !== '') return
  if (Number.isFinite(id) || (id === null && method !== 'get')) return

  const expected = method === 'get' ? 'a string or a number' : 'a string, a number or null'
  const found = id === null ? 'null' : id === '' ? 'an empty string' : typeof id

  throw new BadRequest(`Invalid id for '${method}': expected ${expected}, got ${found}`)
}

/** Data may contain bytes, but not be bytes: an HTTP request could not send them either. */
function toSocketData(data: unknown, method: string): unknown {
  if (ArrayBuffer.isView(data)) throw new BadRequest('Invalid data: expected an object or array, got bytes')

  // An argument that was left out arrives as `null`. Custom methods may be called without data.
  return toCallData(data === null && !isStandardMethod(method) ? undefined : data, method, 'data')
}

/**
 * Logs a connection in with the credentials of the request that it began with, if there are any. Credentials that are
 * valid for calls and not for a login, such as an API key, are kept and sent with each call instead.
 *
 * @param app The application
 * @param connection The connection; the strategies store the login on it
 * @param request The request that the connection began with
 * @param options Whose strategies look for credentials
 * @param trusts Whether pages of an origin may send cookies, beside those of this server and the origins of the application
 * @param trustProxy How many proxies are in front: they say for which host the client has asked
 * @throws What the strategies throw for credentials that are not valid; Forbidden for those of a cookie that a page of
 * another origin had sent
 */
export async function authenticateConnection(
  app: TransportApplication,
  connection: RealTimeConnection,
  request: { readonly headers: IncomingHeaders },
  options?: ParseAuthenticationOptions,
  trusts: (origin: string) => boolean = () => false,
  trustProxy?: number
): Promise<void> {
  const { headers } = request
  const authentication = await parseAuthentication(app, request, undefined, options)

  if (!authentication) return

  const host = toHost(headers, trustProxy)
  const opening = { method: 'GET', headers, host, native: { request, response: null } }

  // Browsers let any page open a WebSocket, and add cookies to its first request.
  await assertOwnOrigin(app, opening, options, { trusts })
  await logInConnection(app, connection, authentication, options?.service)
}

/**
 * Logs a connection in with credentials that were found: the strategies store the login on it. Returns whether they are for a
 * login: credentials that are not, such as an API key, are not verified. Throws what the strategies throw for credentials that
 * are not valid.
 */
export async function logInConnection(
  app: TransportApplication,
  connection: RealTimeConnection,
  authentication: AuthenticationRequest,
  service?: string
): Promise<boolean> {
  const auth = findAuthentication(app, service)

  if (!auth) return false

  connection.authentication = authentication

  if (!auth.configuration.authStrategies.includes(authentication.strategy ?? '')) return false

  try {
    await auth.create(
      authentication,
      noteParams(getInternals(app), { provider: connection.provider, connection })
    )

    return true
  } catch (error) {
    // Only the claim is removed. A login that has succeeded stays, until its connection is closed.
    if (connection.authentication === authentication) delete connection.authentication
    throw error
  }
}

/**
 * Whether the token of a connection is still valid: a new password revokes it, for example. A connection without a login
 * needs none.
 *
 * @param app The application
 * @param connection The connection
 * @param service The path of the authentication service; when left out the one that has logged it in, or the default one
 */
export async function isAuthenticated(
  app: TransportApplication,
  connection: RealTimeConnection,
  service?: string
): Promise<boolean> {
  try {
    await verifyCredentials(app, connection, service)

    return true
  } catch (error) {
    // Other errors, such as a database that is away, do not make the token invalid.
    return toClientError(error).status !== 401
  }
}

/**
 * Verifies the credentials of a connection, where it has some, by the service that has logged it in, unless another is named.
 * Throws what the strategies throw, for credentials that are not valid and where they cannot be verified.
 */
export async function verifyCredentials(
  app: TransportApplication,
  connection: RealTimeConnection,
  service?: string
): Promise<void> {
  const { authentication } = connection

  if (!authentication) return

  const { loginService } = getInherited(connection)
  const auth = service === undefined && loginService ? loginService : findAuthentication(app, service)

  await auth?.authenticate(authentication, { connection }, authentication.strategy)
}

/**
 * Converts an event into messages for the connections of a channel. Connections with the same payload are grouped, so that
 * a transport encodes it once.
 *
 * @param event The name of the event
 * @param channel The channel that the publishers have chosen
 * @param context The context of the call
 * @param data The data of the event
 */
export function toDeliveries(
  event: string,
  channel: Channel | CombinedChannel,
  context: HookContext,
  data: unknown
): Delivery[] {
  const name = `${context.path ?? ''} ${event}`.trim()
  const shown = toEventData(context, data)
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
