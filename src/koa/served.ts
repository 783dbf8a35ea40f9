// What a context keeps of a call that has succeeded, until the response is sent or becomes an error.
import { removeCallHeaders } from '../node/send.ts'
import { toHead } from '../transport/encode.ts'
import type { HttpResult } from '../transport/http.ts'
import type { HttpSettings } from '../transport/options.ts'
import type { FeathersKoaContext } from './context.ts'

/** What a service call has set. */
interface Served {
  readonly result: HttpResult
  readonly settings: HttpSettings
  /** The headers for caches of an error that replaces the result. */
  readonly toErrorCaching: () => HttpResult['headers']
}

/** Where a context keeps what a service call has set. */
export const SERVED: unique symbol = Symbol('alula.served')

/** A context whose call has succeeded, or not. */
export type ServedContext = FeathersKoaContext & { [SERVED]?: Served | undefined }

/** Replaces the headers of a call that has succeeded, in a response that became an error after it. */
export function dropResult(context: ServedContext): void {
  const served = context[SERVED]

  if (!served || context.headerSent) return

  context[SERVED] = undefined
  context.remove('Content-Type')
  removeCallHeaders(context.res, served.result.headers)
  context.set(toHead(served.toErrorCaching()))
}
