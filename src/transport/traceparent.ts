import { copyWith } from '../utils/object.ts'

declare module '../core/types.ts' {
  interface Params {
    /**
     * The span that a message continues, as W3C `traceparent`, as it was sent: `$traceparent` of the query over a socket,
     * `_meta.traceparent` of MCP. Requests of HTTP have a header.
     */
    traceparent?: unknown
  }
}

/** Where messages of sockets say which span they continue: they have no headers of their own. */
const FIELD = '$traceparent'

/** Takes the span that a message continues out of its query. */
export function takeTraceparent<P extends { readonly query?: object }>(params: P): P {
  const { query = {} } = params

  if (!Object.hasOwn(query, FIELD)) return params

  const { [FIELD]: traceparent, ...others } = query as { readonly [FIELD]?: unknown }

  return copyWith(params, { query: others, traceparent })
}
