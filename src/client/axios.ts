import { Unavailable } from '../errors.ts'
import { setHidden, toRequestError, toResponseError } from './error.ts'
import { Base, hasBody, mergeHeaders, type RestRequest } from './http.ts'
import type { ResponseParams } from './service.ts'

/** What is needed of `axios`, or of an instance of it. */
export interface Axios {
  request(config: object): Promise<{ readonly status: number; readonly data: unknown }>
}

interface AxiosError {
  readonly response?: { readonly status: number; readonly data: unknown }
  readonly message: string
  readonly code?: string
}

/** A service that is reached with `axios`. */
export class AxiosClient extends Base {
  /** Sends a request. `params.connection` goes into the config of `axios`. */
  async request({ url, method, body, headers }: RestRequest, params: ResponseParams): Promise<unknown> {
    const axios: Axios = this.connection
    const { connection = {} } = params
    const config = {
      url,
      method,
      ...(hasBody(body) && { data: body }),
      ...connection,
      headers: mergeHeaders({ Accept: 'application/json' }, this.options.headers, headers, connection.headers)
    }

    try {
      const response = await axios.request(config)
      const { status, data } = response

      params.onResponse?.(response)

      return status === 204 ? null : data
    } catch (error) {
      const { response, message, code } = error as AxiosError

      // axios writes the data, which interceptors may have changed. What JSON cannot write is no failure of the network.
      if (code === undefined) JSON.stringify(body)

      // Node: the response was cut off.
      if (response && response.status < 400 && response.data === undefined) {
        throw setHidden(new Unavailable(message, { code, method, url }), 'cause', error)
      }

      throw response
        ? toResponseError(response.data, response.status, response)
        : toRequestError(error, { method, url }, connection.signal)
    }
  }
}
