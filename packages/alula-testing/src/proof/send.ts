// How a proof makes calls over the transports.
import type { Application } from 'alula'
import { handleSocket } from 'alula/transport'
import { isObject } from '../check.ts'
import type { TestClient } from '../client.ts'
import { toJson } from '../objects.ts'
import { isStandard, type Operation } from './operation.ts'
import type { Call } from './target.ts'
import type { Reply } from './verdict.ts'

/** Makes a call over a transport, by its name as in `params.provider`. */
export async function send(
  app: Application,
  transport: string,
  client: TestClient,
  operation: Operation,
  call: Call
): Promise<Reply> {
  return await (transport === 'rest'
    ? request(client, operation, call)
    : emit(app, transport, client, operation, call))
}

async function request(client: TestClient, operation: Operation, call: Call): Promise<Reply> {
  const { name, args, routes } = operation
  const [route] = routes
  const verb = route?.verb ?? operation.verb
  const hasBody = args.includes('data') && verb !== 'GET'
  const segments = [
    ...operation.service.path.split('/'),
    ...(route?.segments ?? (args.includes('id') && call.id !== null ? [':__id'] : []))
  ].filter((segment) => segment !== '')
  const path = segments.map((segment) => fill(segment, call, encodeURIComponent)).join('/')
  const query = toQueryString({ ...call.query, ...(!hasBody && call.data) })
  const isNamed = !route && !isStandard(operation)
  const response = await client.fetch(`/${path}${query}`, {
    method: verb,
    ...(hasBody && { json: toBody(operation, call.data) }),
    headers: isNamed ? { 'X-Service-Method': name } : {}
  })

  const body = await response.json().catch(() => undefined)

  return toReply(response.status, body)
}

/** As a message of a socket; a tool of MCP is called so too. */
async function emit(
  app: Application,
  provider: string,
  client: TestClient,
  operation: Operation,
  call: Call
): Promise<Reply> {
  const {
    service,
    name,
    args,
    routes: [route]
  } = operation
  const { authentication } = client.params
  const ofRoute = Object.fromEntries((route?.placeholders ?? []).map((one) => [one, call.route[one]]))
  const values = { id: call.id, data: { ...ofRoute, ...toBody(operation, call.data) }, params: call.query }
  const [error, result] = await handleSocket(
    app as Parameters<typeof handleSocket>[0],
    {
      method: name,
      // Over a socket a path is not escaped.
      path: service.path
        .split('/')
        .map((segment) => fill(segment, call))
        .join('/'),
      args: args.map((one) => values[one]),
      connection: { provider, headers: {}, ...(authentication && { authentication }) }
    },
    () => undefined
  )

  if (error) return toReply(isObject(error) && typeof error.code === 'number' ? error.code : 500, error)

  return toReply(200, toJson(result))
}

function toReply(status: number, body: unknown): Reply {
  if (status < 400) return { status, result: body }

  const { message, className, data } = isObject(body) ? body : ({} as { [name: string]: any })

  return {
    status,
    message: typeof message === 'string' ? message : '',
    ...(className !== undefined && { reason: String(data?.reason ?? '') })
  }
}

/** The data of a request, in the envelope of the service. */
function toBody(operation: Operation, data: object): object {
  const { envelope } = operation.service.definition ?? {}
  const isNone = !isStandard(operation) && Object.keys(data).length === 0

  return envelope?.request && envelope.one !== undefined && !isNone ? { [envelope.one]: data } : data
}

/** Static segments are as they are sent. */
function fill(segment: string, { id, route }: Call, toSegment = (value: string) => value): string {
  if (!segment.startsWith(':')) return segment

  return toSegment(segment === ':__id' ? String(id) : (route[segment.slice(1)] as string))
}

function toQueryString(query: object): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => toPairs(name, value))

  return pairs.length === 0 ? '' : `?${String(new URLSearchParams(pairs)).replaceAll('+', '%20')}`
}

/** Objects and arrays in brackets, as a query string has them. */
function toPairs(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value)) return value.flatMap((one) => toPairs(`${name}[]`, one))
  if (!isObject(value)) return [[name, String(value)]]

  return Object.entries(value).flatMap(([key, one]) => toPairs(`${name}[${key}]`, one))
}
