import type { TransportConnection } from '../core/types.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import { stripTrailingSlashes } from '../utils/path.ts'
import { type Axios, AxiosClient } from './axios.ts'
import { type Fetch, FetchClient } from './fetch.ts'
import { Base, type RestOptions, type RestSettings } from './http.ts'
import { createConnection } from './service.ts'
import { type Superagent, SuperagentClient } from './superagent.ts'

/** A class of REST services, for example one of your own that extends `FetchClient`. */
export type RestServiceClass = new (settings: RestSettings) => Base

/**
 * Takes an HTTP library, options for all services and a class of your own, and returns what an application is
 * configured with.
 */
export interface RestHandler<Services, Library> {
  (library: Library, options?: RestOptions, Service?: RestServiceClass): TransportConnection<Services>
  (library: Library, Service: RestServiceClass): TransportConnection<Services>
}

/** A REST server, for each library that can reach it. */
export interface RestTransports<Services = any> {
  fetch: RestHandler<Services, Fetch>
  axios: RestHandler<Services, Axios>
  superagent: RestHandler<Services, Superagent>
  /** The class that all services have in common. */
  Base: typeof Base
}

/**
 * Connects an application with a server over HTTP.
 *
 * @param base The URL of the server; nothing for the server of the page
 * @throws TypeError for a URL that is no text, Error for a missing library, and on `configure` for an application that has
 * a connection already
 *
 * @example
 * const app = alula().configure(rest('https://api.example.org').fetch(fetch))
 */
export function rest<Services = any>(base = ''): RestTransports<Services> {
  if (typeof base !== 'string')
    throw createTypeError('ALULA_INVALID_ARGUMENT', `rest expects the URL of a server, got a ${typeof base}`)

  const url = stripTrailingSlashes(base)

  return {
    fetch: createHandler('fetch', url, FetchClient),
    axios: createHandler('axios', url, AxiosClient),
    superagent: createHandler('superagent', url, SuperagentClient),
    Base
  }
}

function createHandler<Services>(
  name: string,
  base: string,
  DefaultService: RestServiceClass
): RestHandler<Services, any> {
  return (library: unknown, given: RestOptions | RestServiceClass = {}, GivenService?: RestServiceClass) => {
    if (!library) throw createError('ALULA_INVALID_ARGUMENT', `${name} has to be provided to feathers-rest`)

    const [options, Service = DefaultService] =
      typeof given === 'function' ? [{}, given] : [given, GivenService]

    return createConnection<Services>(
      'rest',
      library,
      Service,
      (path) => new Service({ base, name: path, connection: library, options })
    )
  }
}
