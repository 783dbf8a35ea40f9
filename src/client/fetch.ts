import { toRequestError, toResponseError } from './error.ts'
import { Base, hasBody, mergeHeaders, type RestRequest } from './http.ts'
import type { ResponseParams } from './service.ts'

/** What is needed of a response of `fetch`. */
export interface FetchResponse {
  readonly ok: boolean
  readonly status: number
  json(): Promise<unknown>
}

/** `fetch`, or a function like it. */
export type Fetch = (url: string, options: any) => Promise<FetchResponse>

/** A service that is reached with `fetch`. */
export class FetchClient extends Base {
  /** Sends a request. `params.connection` goes into the options of `fetch`. */
  async request({ url, method, body, headers }: RestRequest, params: ResponseParams): Promise<unknown> {
    const { connection = {} } = params
    const options = {
      method,
      ...(hasBody(body) && { body: JSON.stringify(body) }),
      ...connection,
      headers: mergeHeaders({ Accept: 'application/json' }, this.options.headers, headers, connection.headers)
    }
    const [response, result] = await exchange(this.connection, url, options).catch((error: unknown) => {
      throw toRequestError(error, { method, url }, connection.signal)
    })

    if (!response.ok || result === undefined) throw toResponseError(result, response.status, response)

    params.onResponse?.(response)

    return result
  }
}

/** The response, and its body; `undefined` for what is not JSON. */
async function exchange(fetch: Fetch, url: string, options: object): Promise<[FetchResponse, unknown]> {
  const response = await fetch(url, options)

  try {
    return [response, response.status === 204 ? null : await response.json()]
  } catch (error) {
    // Not every library has a `SyntaxError` for it; of a failed request the status is enough.
    if (!response.ok || error instanceof SyntaxError) return [response, undefined]
    throw error
  }
}
