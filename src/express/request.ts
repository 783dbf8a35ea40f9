import type { Request, Response } from 'express'
import type { Query } from '../core/types.ts'
import { NodeRequest } from '../node/request.ts'
import { isForwarded, toHost } from '../transport/proxies.ts'
import { parseQueryString } from '../transport/querystring.ts'

/** A request of Express, which knows about proxies by its own setting, and whose middleware adds to it. */
export class ExpressRequest extends NodeRequest {
  declare readonly incoming: Request
  declare readonly response: Response
  private readonly getQuery: ((request: Request) => Query | undefined) | undefined

  /** @param getQuery The query, where middleware or the application decides on it */
  constructor(request: Request, response: Response, getQuery?: (request: Request) => Query | undefined) {
    super(request, response)
    this.getQuery = getQuery
  }

  get params(): object | undefined {
    return this.incoming.feathers
  }

  get query(): Query | undefined {
    return this.getQuery?.(this.incoming)
  }

  override get host(): string | undefined {
    const { app, socket } = this.incoming
    const proxies = app.get('trust proxy')

    // Each of them may have added an entry.
    if (typeof proxies === 'number') return toHost(this.headers, proxies)

    const trusts = app.get('trust proxy fn')

    return toHost(this.headers, trusts?.(socket?.remoteAddress, 0) ? 1 : 0)
  }

  override get isFromProxy(): boolean {
    const { app, socket } = this.incoming

    // Middleware that leaves a loop over the body destroys it, and the request has no socket then.
    return app.get('trust proxy fn')?.(socket?.remoteAddress, 0) === true
  }

  override get address(): string | undefined {
    const { incoming } = this

    // Express reads it from the socket.
    return incoming.socket ? (incoming.ip ?? super.address) : undefined
  }

  /** `false` is what Express has when nothing is set; an application without proxies sets 0. */
  override get isBehindProxy(): boolean {
    return this.incoming.app.get('trust proxy') === false && isForwarded(this.headers)
  }
}

/** The query parser of Express applications that `express(app)` makes. */
export function parseQuery(search: string | null): Query {
  return parseQueryString(search ?? '')
}

/** The query of a request, where a parser of one's own or middleware decides on it. */
export function getOwnQuery(request: Request): Query | undefined {
  const isOwn = Object.hasOwn(request, 'query') || request.app.get('query parser fn') !== parseQuery

  return isOwn ? request.query : undefined
}
