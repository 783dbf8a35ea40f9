import { callService } from '../core/call.ts'
import type { EmitterLike } from '../core/emitter.ts'
import { reportError } from '../core/events.ts'
import { getJsonResponse } from '../core/json-result.ts'
import { defaultServiceMethods, getDefinition } from '../core/methods.ts'
import { getServiceOptions } from '../core/service.ts'
import type { AsClientOptions, RealTimeConnection } from '../core/types.ts'
import { BadRequest, convert, errors, type FeathersError, GeneralError } from '../errors.ts'
import { isObject, isString } from '../utils/check.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { replaceObjects } from '../utils/dispatch.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import { isPromise } from '../utils/promise.ts'
import { toClientError, toErrorResponse } from './error.ts'
import type { TransportApplication } from './http.ts'
import { toSocketCall } from './socket.ts'
import { findRoute } from './target.ts'

/** The methods of a service, by name. */
interface Methods {
  readonly [method: string]: (...args: readonly unknown[]) => Promise<unknown>
}

const CHECKS: OptionChecks = {
  user: [(user) => isObject(user) && !isPromise(user), 'the user as its service returns it: await it'],
  authentication: [isObject, 'an object with a strategy and what it needs'],
  provider: [(name) => isString(name) && name !== '', 'the name of a transport']
}

/**
 * Makes what `app.asClient` returns: services that are called as by a client, without a transport. Throws TypeError for an
 * option that is not valid.
 */
export function createClientOf(
  app: TransportApplication,
  options: AsClientOptions = {}
): { service(path: string): Methods } {
  assertOptions('app.asClient()', options, CHECKS)

  if (options.user && options.authentication) {
    throw createTypeError(
      'ALULA_INVALID_OPTION',
      "app.asClient() expects 'user' or 'authentication', and not both"
    )
  }

  return {
    service(path) {
      const route = findRoute(app, path)

      if (route) assertFilled(path, route.params)

      const names = new Set([
        ...defaultServiceMethods,
        ...(route ? getServiceOptions(route.service).methods : [])
      ])

      return Object.fromEntries(
        [...names].map((method) => [
          method,
          async (...args) => callAsClient(app, path, method, toSent(method, args), toCaller(app, options))
        ])
      )
    }
  }
}

/** A placeholder would be taken for its value, and find nothing. */
function assertFilled(path: string, values: { readonly [placeholder: string]: unknown }): void {
  const name = Object.keys(values).find((placeholder) => values[placeholder] === `:${placeholder}`)

  if (name === undefined) return

  throw createTypeError(
    'ALULA_INVALID_ARGUMENT',
    `Invalid path '${path}' of app.asClient(): write a value in place of ':${name}'`
  )
}

/** What the params of a call have of its client. A user is put where the strategies would put it. */
function toCaller(
  app: TransportApplication,
  { user, authentication, provider = 'rest' }: AsClientOptions
): RealTimeConnection {
  const entity: string = app.defaultAuthentication?.()?.configuration.entity ?? 'user'

  return {
    provider,
    headers: {},
    ...(authentication && { authentication }),
    ...(user && { [entity]: user, authenticated: true })
  }
}

/** The arguments as a message of a socket has them: a client sends the query and no other params. */
function toSent(method: string, args: readonly unknown[]): readonly unknown[] {
  const index = getDefinition(method).args.indexOf('params')

  if (args[index] === undefined || args[index] === null) return args.slice(0, index)

  const { query = {}, ...others } = args[index] as { query?: unknown }
  const [other] = Object.keys(others)

  if (other !== undefined) {
    throw createTypeError(
      'ALULA_INVALID_ARGUMENT',
      `A client sends a query and no other params, and '${method}' of app.asClient() got '${other}'`
    )
  }

  return args.with(index, replaceObjects(query, toJsonDate))
}

/** Clients have strings for dates, and a query has no others. */
function toJsonDate(object: object): unknown {
  return object instanceof Date ? object.toISOString() : object
}

async function callAsClient(
  app: TransportApplication,
  path: string,
  method: string,
  args: readonly unknown[],
  caller: RealTimeConnection
): Promise<unknown> {
  try {
    const { service, call } = toSocketCall(app, { method, path, args, connection: caller })
    // Nothing stays connected, so nothing may join channels or keep a login.
    const { connection, ...params } = call.params

    return getJsonResponse(await callService(service, { ...call, params }))
  } catch (error) {
    throw toClientSide(app, error, { provider: caller.provider, method, path, headers: {} })
  }
}

/** The error that a client makes of what it gets, in a class of ours. What the server keeps is reported, and is no `cause`. */
function toClientSide(
  app: TransportApplication,
  error: unknown,
  request: Parameters<typeof toErrorResponse>[2]
): FeathersError {
  const { status, body, shown } = toErrorResponse(app, error, request)
  const { name, className } = shown.body
  const Known = errors[name] ?? errors[status] ?? (status < 500 ? BadRequest : GeneralError)

  // By its own status, as errors are logged: `errorStatus` decides on what clients get alone.
  if (toClientError(error).status >= 500 && app.rawListeners) reportError(app as object as EmitterLike, error)

  return Object.assign(convert({ message: name, ...(body as object), name: new Known().name }), {
    name,
    className,
    code: status
  })
}
