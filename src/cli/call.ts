import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { inspect } from 'node:util'
import { getDefinition } from '../core/methods.ts'
import { fillRoute, type MethodRoute } from '../core/routes.ts'
import { canBeMethod, getMethodRoutes } from '../core/service.ts'
import type { Application, Params } from '../core/types.ts'
import { isFeathersError } from '../errors.ts'
import { toJsonText } from '../transport/encode.ts'
import { hasCode, isFunction, isObject } from '../utils/check.ts'
import { type CommandOutcome, UsageError } from './command-outcome.ts'
import { withApplication } from './load.ts'
import { listRoots } from './roots.ts'

/** What `alula call` was given. */
interface CallArguments {
  readonly service: string
  readonly method: string
  /** An object with `id`, `data` and `query`, as JSON. */
  readonly json: string | undefined
  /** The user name, or the id, of the user who calls. */
  readonly as: string | undefined
  /** The file of the application. */
  readonly app: string | undefined
}

interface CallParts {
  readonly id?: unknown
  readonly data?: unknown
  readonly query?: object
}

/** The services of an application, by methods that this module does not know. */
interface AnyService {
  readonly [method: string]: unknown
}

type AnyMethod = (...args: unknown[]) => unknown

/**
 * Calls a method of a service in this process: as a client with the login of a user, or as an internal call. Returns the result
 * as JSON; for an error that a service throws, its name and message, and the code 1. Throws UsageError for a service, a method,
 * JSON or a user that is not there.
 */
export async function callService({
  service,
  method,
  json,
  as,
  app
}: CallArguments): Promise<CommandOutcome> {
  const parts = parse(json)
  const file = app ?? findFile()

  if (file === undefined) throw new UsageError('No application found. Name its file after --app.')

  return await withApplication(resolve(file), async (application) => {
    const user = as === undefined ? undefined : await findUser(application, as)
    const { target, route } = findService(application, service)

    // Every object has functions that are no methods, and registration adds more.
    if (!canBeMethod(method) || !isFunction(target[method])) {
      throw new UsageError(`The service '${service}' has no method '${method}'.`)
    }

    assertParts(method, parts)

    if (user) {
      const ofClient = application.asClient({ user }).service(service)

      return await call(ofClient, method, () => toArguments(method, parts))
    }

    const routes = getMethodRoutes(target, method)

    return await call(target, method, () => toArguments(method, parts, routes, route))
  })
}

function findFile(): string | undefined {
  const stems = [...listRoots().map((root) => `${root}/app`), 'app']

  return stems.flatMap((stem) => [`${stem}.ts`, `${stem}.js`, `${stem}.mjs`]).find((path) => existsSync(path))
}

async function call(service: AnyService, method: string, toArgs: () => unknown[]): Promise<CommandOutcome> {
  const run = service[method]

  if (!isFunction(run)) throw new UsageError(`Clients have no method '${method}'.`)

  try {
    const result = await (run as AnyMethod).apply(service, toArgs())

    // As HTTP has it: numbers that JSON does not have, and nothing.
    const text = toJsonText(result)

    return { code: 0, output: `${text === undefined ? 'null' : JSON.stringify(JSON.parse(text), null, 2)}\n` }
  } catch (error) {
    if (!isFeathersError(error)) throw error

    const { name, message, errors } = error

    return { code: 1, output: `${name}: ${message}\n${errors ? `${inspect(errors)}\n` : ''}` }
  }
}

function parse(json = '{}'): CallParts {
  let parts: unknown

  try {
    parts = JSON.parse(json)
  } catch (error) {
    throw new UsageError(`This is not valid JSON: ${(error as Error).message}`)
  }

  if (!isObject(parts)) throw new UsageError(`Expected an object with id, data and query, got ${json}.`)

  return parts
}

/** An id that a method does not take would be lost, and `find` would print all records. */
function assertParts(method: string, parts: CallParts): void {
  const names: readonly string[] = getDefinition(method).args.map((name) =>
    name === 'params' ? 'query' : name
  )
  const other = Object.keys(parts).find((name) => !names.includes(name))

  if (other !== undefined) {
    throw new UsageError(`'${method}' takes ${names.join(' and ')}, not '${other}'.`)
  }
}

/**
 * An id that is missing stays so: only `null` means all records. An internal call gets the placeholders of its route out of the
 * data, as a transport has them for the call of a client.
 */
function toArguments(
  method: string,
  { id, data: sent, query = {} }: CallParts,
  routes: readonly MethodRoute[] = [],
  ofPath?: Params['route']
): unknown[] {
  const { route, values, data } = fillRoute(routes, sent)
  const params: Params = { query, ...((route || ofPath) && { route: { ...ofPath, ...values } }) }
  const args = { id, data, params }

  return getDefinition(method).args.map((name) => args[name])
}

/** A service by its path, in which placeholders may have their values. */
function findService(app: Application, path: string): { target: AnyService; route?: Params['route'] } {
  const names = Object.keys(app.services)

  if (names.includes(path)) return { target: app.service(path) as AnyService }

  const { service, params: route = {} } = app.lookup(path) ?? {}

  // Others are those of a record, or of a method.
  if (service && !Object.keys(route).some((name) => name.startsWith('__'))) {
    return { target: service as unknown as AnyService, route }
  }

  throw new UsageError(`There is no service '${path}'. There are: ${names.sort().join(', ')}.`)
}

/** The user with a user name, found as a login finds it; without logins by user name, the user with an id. */
async function findUser(app: Application, name: string): Promise<object> {
  const auth = app.defaultAuthentication?.()
  const service: string | undefined = auth?.configuration.service

  if (!auth || !service) throw new UsageError('The application has no authentication service with users.')

  const [local] = auth.getStrategies('local')

  const isByName = isFunction(local?.findEntity)

  try {
    const user = await (isByName ? local.findEntity(name, {}) : app.service(service).get(name))

    // Without a user the call would be an internal one.
    if (user) return user
  } catch (error) {
    if (!hasCode(error, isByName ? 401 : 404)) throw error
  }

  throw new UsageError(
    isByName
      ? `There is no user whose '${local.configuration.entityUsernameField}' is '${name}'.`
      : `There is no user with the id '${name}'.`
  )
}
