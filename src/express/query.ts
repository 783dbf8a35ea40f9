import type { Request } from 'express'
import type { Query } from '../core/types.ts'
import { parseQueryString } from '../transport/querystring.ts'

/** The query parser of Express applications that `express(app)` makes. */
export function parseQuery(search: string | null): Query {
  return parseQueryString(search ?? '')
}

/** The query of a request, where a parser of one's own or middleware decides on it. */
export function getOwnQuery(request: Request): Query | undefined {
  const isOwn = Object.hasOwn(request, 'query') || request.app.get('query parser fn') !== parseQuery

  return isOwn ? request.query : undefined
}
