import type { PageMethod, PageService } from '../../../src/openapi/page-data.ts'
import { stripSlashes } from '../../../src/utils/path.ts'

/** A query as clients write it. */
export interface Query {
  readonly [name: string]: unknown
}

/** The values of the placeholders in the path of a service, by name. */
export type Place = ReadonlyMap<string, string>

/** A call of a method. */
export interface PageCall {
  readonly service: PageService
  readonly method: PageMethod
  /** Empty for most services. */
  readonly place: Place
  readonly id?: string
  readonly data?: unknown
  readonly query?: Query
}

/** The request that makes a call. */
export interface Request {
  readonly verb: string
  /** The path below that of the API, with the query. */
  readonly path: string
  /** The name of a custom method that has no route. */
  readonly method?: string
  readonly body?: string
}

/** What came of a request. */
export interface RequestOutcome {
  /** 0 where the server was not reached, or no request can be made. */
  readonly status: number
  readonly milliseconds: number
  readonly body: unknown
}

/** Makes a call as the identity that makes the calls, and shows it as the last one unless it is silent. */
export type MakeCall = (
  method: PageMethod,
  call: Pick<PageCall, 'id' | 'data' | 'query'>,
  isSilent?: boolean
) => Promise<RequestOutcome>

/** The header that an access token is sent in, and what is before the token there. */
export interface TokenHeader {
  readonly header: string
  readonly prefix: string
}

/** The URL of the API: it is beside the folder of the page. */
export const ROOT = new URL('../', import.meta.url).href

/** The path of that folder, below the API. */
export const FOLDER = new URL('.', import.meta.url).href.slice(ROOT.length)

const VERBS: ReadonlyMap<string, string> = new Map([
  ['find', 'GET'],
  ['get', 'GET'],
  ['create', 'POST'],
  ['update', 'PUT'],
  ['patch', 'PATCH'],
  ['remove', 'DELETE']
])

/** The address of a service in the page; `place` has the values of the placeholders in its path. */
export function toHash(path: string, place: Place = new Map()): string {
  const search = place.size > 0 ? `?${new URLSearchParams([...place])}` : ''

  // Half of a pair of surrogates has no form in a URL.
  return `#/${path
    .replaceAll(/\p{Surrogate}/gu, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/')}${search}`
}

/** Whether a method is one of the six that all services know. */
export function isStandard(name: string): boolean {
  return VERBS.has(name)
}

/** The request for a call, over HTTP. Throws an Error for an id, or a value of a placeholder, that no path can hold. */
export function toRequest({ service, method, place, id, data, query = {} }: PageCall): Request {
  const verb = VERBS.get(method.name)
  const search = toSearch(query)
  const path = toPath(stripSlashes(service.path), place)

  if (verb) {
    return {
      verb,
      path: `${join(path, id === undefined || service.isSingle ? '' : toSegment(id))}${search}`,
      ...toBody(data)
    }
  }
  if (!method.route)
    return { verb: 'POST', path: `${path}${search}`, method: method.name, ...toBody(data ?? {}) }

  const { route } = method
  const values = new Map(Object.entries(isObject(data) ? data : {}))
  const filled = toPath(route.path, values)

  for (const name of route.placeholders) values.delete(name)

  const rest = Object.fromEntries(values)
  const hasBody = route.verb !== 'GET' && (route.verb !== 'DELETE' || values.size > 0)

  return {
    verb: route.verb,
    path: `${join(path, filled)}${search}`,
    ...toBody(hasBody ? rest : undefined)
  }
}

/** The URL of a request. A path may begin with what looks like a scheme. */
export function toUrl({ path }: Request): string {
  return new URL(`./${path}`, ROOT).href
}

/** Sends a request to the API of the page; `credentials` are headers with the access token, if any. */
export async function send(request: Request, credentials: Headers = {}): Promise<RequestOutcome> {
  const start = performance.now()
  const toOutcome = (status: number, body: unknown): RequestOutcome => ({
    status,
    milliseconds: performance.now() - start,
    body
  })

  try {
    const response = await fetch(toUrl(request), {
      method: request.verb,
      headers: { ...toHeaders(request), ...credentials },
      credentials: 'same-origin',
      redirect: 'error',
      ...(request.body !== undefined && { body: request.body })
    })
    const text = await response.text()

    return toOutcome(response.status, parse(text))
  } catch {
    return toOutcome(0, { name: 'Error', message: 'The server was not reached' })
  }
}

interface Headers {
  readonly [name: string]: string
}

/** The headers of a request, without credentials. */
export function toHeaders(request: Request): Headers {
  return {
    Accept: 'application/json',
    ...(request.body !== undefined && { 'Content-Type': 'application/json' }),
    ...(request.method !== undefined && { 'X-Service-Method': request.method })
  }
}

/** Whether a request was successful. */
export function isOk({ status }: RequestOutcome): boolean {
  return status >= 200 && status < 300
}

/** What an error response says. */
export function toMessage({ status, body }: RequestOutcome): string {
  const { message } = isObject(body) ? body : {}

  return typeof message === 'string' && message ? message : `The server responded with ${status}`
}

export function isObject(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The names of the placeholders in a path. */
export function listPlaceholders(path: string): readonly string[] {
  const parts = path.split('/').filter((part) => part.startsWith(':'))

  return [...new Set(parts.map((part) => part.slice(1)))]
}

/** As the server matches it: what paths may hold is not escaped, nor what is already. That of a service at the root is empty. */
function toPath(path: string, values: ReadonlyMap<string, unknown>): string {
  return path
    .split('/')
    .map((part) =>
      part.startsWith(':')
        ? toSegment(String(values.get(part.slice(1)) ?? ''))
        : encodeURI(part).replaceAll('?', '%3F').replaceAll('#', '%23').replaceAll('%25', '%')
    )
    .join('/')
}

/** With a slash at its beginning, a path would leave the API, and with two of them the server. */
function join(path: string, rest: string): string {
  return [path, rest].filter((part) => part).join('/')
}

/** Browsers take dots for steps in the path, escaped or not, and an empty segment is none: another request would be made. */
function toSegment(value: string): string {
  if (['', '.', '..'].includes(value)) throw new Error(`No path of a URL can hold the value '${value}'`)

  return encodeURIComponent(value)
}

function toBody(data: unknown): { body?: string } {
  return data === undefined ? {} : { body: JSON.stringify(data) }
}

function toSearch(query: Query): string {
  const pairs = Object.entries(query).flatMap(([name, value]) => toPairs(encodeURIComponent(name), value))

  return pairs.length > 0 ? `?${pairs.join('&')}` : ''
}

/** Operators stay readable: `age[$gt]=30`. */
function toPairs(name: string, value: unknown): readonly string[] {
  const readable = name.replaceAll('%24', '$')

  if (Array.isArray(value)) return value.flatMap((one) => toPairs(`${name}[]`, one))
  if (isObject(value)) {
    return Object.entries(value).flatMap(([key, one]) => toPairs(`${name}[${encodeURIComponent(key)}]`, one))
  }

  return [`${readable}=${encodeURIComponent(String(value ?? ''))}`]
}

function parse(text: string): unknown {
  if (text === '') return undefined

  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
