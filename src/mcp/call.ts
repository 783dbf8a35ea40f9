import type { CallToolResult } from '@modelcontextprotocol/server'
import { callService } from '../core/call.ts'
import { reportError } from '../core/events.ts'
import { getJsonResponse } from '../core/json-result.ts'
import { getDefinition } from '../core/methods.ts'
import type { Application, HookContext, RealTimeConnection } from '../core/types.ts'
import { BadRequest, NotFound } from '../errors.ts'
import { toPageTest } from '../schema/page.ts'
import { toClientError, toErrorResponse } from '../transport/error.ts'
import { toSocketCall } from '../transport/socket.ts'
import { isObject, isString } from '../utils/check.ts'
import { describeUnknown, type GivenArguments, type PathArgument } from './arguments.ts'
import type { Caller } from './callers.ts'
import type { McpCall } from './params.ts'
import { toFault, toToolResult } from './results.ts'
import type { MethodTool } from './tools.ts'

/**
 * Calls a method as a message of a socket does, with the rights of the caller. `sent` is which client has made the call, and
 * the span that it continues. `ask` asks the user, where the call needs that; what it resolves to is the result of a call that
 * is not made. Returns the result, or a fault with a sentence.
 */
export async function callTool<Question>(
  app: Application,
  tool: MethodTool,
  given: GivenArguments,
  caller: Caller,
  sent: { readonly mcp: McpCall; readonly traceparent?: unknown },
  ask: () => Promise<Question | undefined>
): Promise<CallToolResult | Question> {
  const { method } = tool
  let path = tool.path

  try {
    path = fillPath(tool, given)

    const args = toMessageArguments(tool, given)
    const connection = { ...caller.params, ...sent } as RealTimeConnection
    const { service, call } = toSocketCall(app, { method, path, args, connection })

    // A value in the path may be the name of another service.
    if (service !== tool.service) throw new NotFound(`Service '${path}' not found`)

    // After the checks of the arguments: a question shows them, and those of a call that cannot be made may have any depth.
    const question = await ask()

    if (question !== undefined) return question

    // Nothing stays connected, so nothing may join channels or keep a login.
    const { connection: _, ...params } = call.params

    const context = await callService(service, { ...call, params })

    return toToolResult(getJsonResponse(context), hasList(context) ? (tool.many ?? 'data') : undefined)
  } catch (error) {
    if (toClientError(error).status >= 500) reportError(app, error)

    const { body } = toErrorResponse(app, error, { provider: 'mcp', method, path, headers: {} })

    return toFault(toSentence(body))
  }
}

/** Whether a call asks the user first. */
export function asksFirst(
  { asks, several, method, wrappers }: MethodTool,
  { id, data }: GivenArguments
): boolean {
  if (asks !== 'several') return asks === 'always'
  if (method !== 'create') return several && id === null

  // An envelope may have several.
  return several && [data, ...wrappers.map((name) => isObject(data) && data[name])].some(Array.isArray)
}

/** Whether a call has returned a list or a page. A record may have fields of the same names. */
function hasList({ result, method }: HookContext): boolean {
  return Array.isArray(result) || toPageTest(method)(result)
}

/** The sentence of an error, and what is wrong with which field. A body of the application may have neither. */
function toSentence(body: unknown): string {
  const { name, message, errors } = (isObject(body) ? body : {}) as { [name: string]: unknown }
  const isUsual = isString(name) && isString(message)
  const details = isObject(errors) && Object.keys(errors).length > 1 ? ` ${JSON.stringify(errors)}` : ''

  return isUsual ? `${name}: ${message}${details}` : JSON.stringify(body)
}

/** The path of the service, with the values of its placeholders. */
function fillPath({ path, args }: MethodTool, given: GivenArguments): string {
  return path
    .split('/')
    .map((segment) => {
      const argument = args.path.find(({ placeholder }) => segment === `:${placeholder}`)

      return argument ? readSegment(argument, given) : segment
    })
    .join('/')
}

function readSegment({ name }: PathArgument, given: GivenArguments): string {
  const value = Object.hasOwn(given, name) ? given[name] : undefined

  if (Number.isFinite(value) || (typeof value === 'string' && value !== '' && !value.includes('/')))
    return String(value)

  throw new BadRequest(`Invalid argument '${name}': expected a string or a number without '/'`)
}

/** The arguments of the method, in their order. */
function toMessageArguments({ method, args, several }: MethodTool, given: GivenArguments): unknown[] {
  const names = Object.keys(args.schema.properties as object)
  const unknown = describeUnknown(names, given)

  if (unknown !== undefined) throw new BadRequest(unknown)

  const { id, query = {} } = given
  const values = { id, data: toData(args.route, given), params: query }

  if (names.includes('id') && (id === undefined || (id === null && !several)))
    throw new BadRequest("Invalid argument 'id': expected the id of a record")

  return getDefinition(method).args.map((name) => values[name] ?? null)
}

/** A call by name has what is in a route in its data. */
function toData(route: readonly PathArgument[], given: GivenArguments): unknown {
  const { data } = given

  if (route.length === 0 || (data !== undefined && !isObject(data))) return data

  return { ...data, ...Object.fromEntries(route.map((one) => [one.placeholder, readSegment(one, given)])) }
}
