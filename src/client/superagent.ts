import { toRequestError, toResponseError } from './error.ts'
import { Base, hasBody, mergeHeaders, type RestRequest } from './http.ts'
import type { ResponseParams } from './service.ts'

/** What is needed of `superagent`, or of an agent of it. */
export type Superagent = (method: string, url: string) => SuperagentRequest

interface SuperagentRequest {
  set(headers: object): SuperagentRequest & PromiseLike<{ readonly status: number; readonly body: unknown }>
  send(body: string): unknown
}

/** A service that is reached with `superagent`. */
export class SuperagentClient extends Base {
  /** Sends a request. `params.connection` holds headers. */
  async request({ url, method, body, headers }: RestRequest, params: ResponseParams): Promise<unknown> {
    const superagent: Superagent = this.connection
    const request = superagent(method, url).set(
      mergeHeaders({ Accept: 'application/json' }, this.options.headers, params.connection, headers)
    )

    if (hasBody(body)) request.send(JSON.stringify(body))

    try {
      const response = await request
      const { status, body: result } = response

      params.onResponse?.(response)

      return status === 204 ? null : result
    } catch (error) {
      const { response } = error as { response?: { text: string; status: number } }

      throw response
        ? toResponseError(parse(response.text), response.status, response)
        : toRequestError(error, { method, url })
    }
  }
}

/** Not its own `body`, which is `{}` for everything that is not JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
