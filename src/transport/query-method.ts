// The method QUERY (RFC 10008): `find` with its query in the body.
import type { Query } from '../core/types.ts'
import { BadRequest } from '../errors.ts'
import { assertJson, parseJson } from './body.ts'
import type { HttpRequest } from './http.ts'
import { assertQuery } from './querystring.ts'

/**
 * Reads the query of a `QUERY`: the body, checked as the query of a message of a socket is, and over it what is in the URL or
 * was set by middleware, which may restrict the client. Throws BadRequest without a content type, and for a body that is no
 * query; UnsupportedMediaType for a body of another type; PayloadTooLarge past the limit.
 */
export async function readQuery(request: HttpRequest, inUrl: Query, bodyLimit: number): Promise<Query> {
  const { 'content-type': type } = request.headers

  if (type === undefined) throw new BadRequest("Missing header 'Content-Type': expected 'application/json'")

  assertJson(String(type))

  const { body = parseJson(await request.readText(bodyLimit)) } = request

  assertQuery(body)

  // A message of a socket may leave its query out. Here an empty body is more likely to be a mistake.
  if (!body) throw new BadRequest('Invalid query: expected an object')

  return { ...body, ...inUrl }
}
