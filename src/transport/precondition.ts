import { callService } from '../core/call.ts'
import { getInternals } from '../core/internals.ts'
import { isStandardMethod, type ServiceCall } from '../core/methods.ts'
import { mayBeRepeated } from '../core/repeatable.ts'
import { getServiceOptions } from '../core/service.ts'
import type { HookContext, RouteLookup } from '../core/types.ts'
import { BadRequest, PreconditionFailed } from '../errors.ts'
import { findOrNothing } from '../utils/find-or-nothing.ts'
import { KeyedMutex } from '../utils/keyed-mutex.ts'
import { copyPlain } from '../utils/object.ts'
import { encodeResponse, isListed } from './encode.ts'
import {
  createHttpContext,
  findHeader,
  type HttpRequest,
  type TransportApplication,
  toHttpResult
} from './http.ts'

declare module '../utils/call-state.ts' {
  interface ContextSlots {
    /** What a call with an idempotency key fails with unless it is repeated: the tag in its `If-Match` is not the current one. */
    readonly unmet?: Error
  }
}

const CONDITIONAL_VERBS: readonly string[] = ['PUT', 'PATCH', 'DELETE']

/** Whether a request may only change a record that the client has seen as it is now (RFC 9110 §13.1.1). */
export function isConditional({ method, headers }: Pick<HttpRequest, 'method' | 'headers'>): boolean {
  return headers['if-match'] !== undefined && CONDITIONAL_VERBS.includes(method)
}

/**
 * Runs a call if the tag of the record, as a `get` of the same client returns it, is one of those in `If-Match`. Such requests
 * for one record run one after another in this process. It is no lock: other calls and other processes go on.
 *
 * @param path The path of the service: that of the request can be written in several ways
 * @param run Runs the call. With an error it fails, unless it is repeated: then its first response has changed the tag
 * @throws PreconditionFailed with the current tag as `data.etag`; BadRequest for a call without an id; what `get` throws
 */
export async function runConditionally(
  app: TransportApplication,
  request: HttpRequest,
  route: RouteLookup,
  call: ServiceCall,
  path: string | undefined,
  isTagged: boolean,
  run: (unmet?: Error) => Promise<HookContext>
): Promise<HookContext> {
  const { id, method } = call
  const isSingle = getServiceOptions(route.service).singleton !== undefined

  // A segment of the route of a method is no id.
  if (!isStandardMethod(method) || ((id === null || id === undefined) && !isSingle)) {
    throw new BadRequest(
      "Invalid header 'If-Match': expected the path of one record, because a tag belongs to a record"
    )
  }

  // On the application, so that all of its transports share it.
  const internals = getInternals(app)

  internals.conditional ??= new KeyedMutex<string>()

  const lock = internals.conditional
  const runAlone = (key: unknown) =>
    lock.run(`${path} ${key}`, async () => {
      const unmet = await findUnmet(request, route, call, isTagged)

      if (unmet && !mayBeRepeated(request.headers, route.service, method)) throw unmet

      return run(unmet)
    })

  // A caller may have no record, and so no id.
  return runAlone(isSingle && hasGet(route) ? (await findRecord(route, call))?.id : id)
}

/** Why a call is not to run; `undefined` for one that is. */
async function findUnmet(
  { headers }: HttpRequest,
  route: RouteLookup,
  call: ServiceCall,
  isTagged: boolean
): Promise<PreconditionFailed | undefined> {
  const expected = String(headers['if-match']).trim()

  if (!hasGet(route)) {
    if (expected === '*') return undefined

    return new PreconditionFailed(
      "The record has no tag to compare with 'If-Match': the service has no method 'get'"
    )
  }

  const tag = await findTag(route, call, headers, isTagged)

  if (tag === null) return new PreconditionFailed('There is no such record')
  if (expected === '*' || (tag !== undefined && isListed(expected, toForms(tag)))) return undefined

  return new PreconditionFailed(
    "The record has changed: its tag is not the one in 'If-Match'",
    tag === undefined ? undefined : { etag: tag }
  )
}

/** A tag, and what it becomes when a proxy weakens it. A weak tag without its mark is another one. */
function toForms(tag: string): readonly string[] {
  return tag.startsWith('W/') ? [tag] : [tag, `W/${tag}`]
}

/** The tag that a `GET` of the record has, `undefined` without tags; `null` where there is no record. */
async function findTag(
  route: RouteLookup,
  call: ServiceCall,
  headers: HttpRequest['headers'],
  isTagged: boolean
): Promise<string | undefined | null> {
  const context = await findRecord(route, call)

  if (!context) return null

  const { 'if-none-match': _, ...others } = headers
  const response = encodeResponse({ method: 'GET', headers: others }, toHttpResult(context), isTagged)

  return findHeader(response.headers, 'etag')
}

/** The `get` of the record that a call is about. */
function findRecord(route: RouteLookup, { id, params }: ServiceCall): Promise<HookContext | undefined> {
  // Copied, because hooks of the first call may change the query.
  const ownParams = { ...params, query: copyPlain(params.query) }
  const call: ServiceCall = { method: 'get', id, params: ownParams }

  return findOrNothing(() => callService(route.service, call, createHttpContext(route, call)))
}

function hasGet({ service }: RouteLookup): boolean {
  return getServiceOptions(service).methods.includes('get')
}
