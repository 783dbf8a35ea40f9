import qs from 'qs'
import type { Query } from '../core/types.ts'
import { NodeRequest, splitTarget } from '../node/request.ts'
import { isForwarded, toHost } from '../transport/proxies.ts'
import { parseQueryString } from '../transport/querystring.ts'
import type { FeathersKoaContext } from './context.ts'

/** A request of Koa: it has a separate setting for proxies, and separate places for what middleware parses and adds. */
export class KoaRequest extends NodeRequest {
  private readonly context: FeathersKoaContext

  constructor(context: FeathersKoaContext) {
    super(context.req, context.res)
    this.context = context
  }

  get params(): object | undefined {
    return this.context.feathers
  }

  get query(): Query {
    return this.context.query
  }

  override get host(): string | undefined {
    const { proxy, maxIpsCount } = this.context.app

    return toHost(this.headers, proxy ? maxIpsCount || 1 : 0)
  }

  override get isFromProxy(): boolean {
    return this.context.app.proxy
  }

  override get address(): string | undefined {
    // Koa reads it from the socket.
    if (!this.incoming.socket) return undefined

    const { ip, ips, app } = this.context

    // Without `maxIpsCount` Koa takes the first of all entries, which the client may have written.
    const isUntrusted = !app.maxIpsCount && ip === ips[0]

    return (isUntrusted ? ips.at(-1) : ip) || super.address
  }

  override get isBehindProxy(): boolean {
    const { app, _isDirect } = this.context

    return !app.proxy && !_isDirect && isForwarded(this.headers)
  }

  override get body(): unknown {
    return (this.context.request as { body?: unknown }).body
  }
}

/** Where a request keeps its parsed query. */
const PARSED = Symbol('alula.query')

/** A request of Koa, as far as its query is concerned. */
interface QueriedRequest {
  /** Not on the prototype. */
  readonly req?: { readonly url?: string }
  querystring: string
  [PARSED]?: { readonly search: string; readonly query: Query }
}

/**
 * Replaces `ctx.query` by the query as services get it, with objects and arrays, on the prototype of the requests of an
 * application or on one request. The same object is returned until the URL changes, so that middleware may change what the
 * service gets.
 */
export function implementQuery(request: object): void {
  Object.defineProperty(request, 'query', {
    configurable: true,
    enumerable: true,
    get(this: QueriedRequest): Query {
      if (!this.req) return {}

      const { search } = splitTarget(this.req.url ?? '/')

      if (this[PARSED]?.search !== search) this[PARSED] = { search, query: parseQueryString(search) }

      return this[PARSED].query
    },
    set(this: QueriedRequest, query: object) {
      this.querystring = qs.stringify(query)
    }
  })
}
