import { BaseApplication } from '../core/application.ts'
import type { Application as CoreApplication } from '../core/types.ts'
import { createError } from '../utils/developer-error.ts'
import type { AuthenticationClient } from './authentication-client.ts'
import type { LiveList, LiveParams } from './live/list.ts'
import type { LiveQuery, LiveRow } from './live/types.ts'

/** An application whose services are on a server. */
export interface Application<Services = any, Settings = any> extends CoreApplication<Services, Settings> {
  /** The HTTP library, after `rest(…)`. */
  rest?: any
  /** The socket, after `socketio(…)`. */
  io?: any
  /** Who logs in and out; this and what follows after `authentication()`. */
  authentication: AuthenticationClient
  /** Logs in. */
  authenticate: AuthenticationClient['authenticate']
  /** Logs in with the token that is kept. */
  reAuthenticate: AuthenticationClient['reAuthenticate']
  /** Logs out. */
  logout: AuthenticationClient['logout']
  /**
   * After `live()`: the records of a query, kept up to date by events until `close()`.
   *
   * @param path The path of the service
   * @param params The query, and other params of its `find`
   */
  live<Path extends string & keyof Services>(
    path: Path,
    params?: LiveParams<LiveQuery<Services[Path]>>
  ): LiveList<LiveRow<Services[Path]>>
}

/**
 * Creates an application for a client. It is the same as that of `alula`, and its type has what connections and
 * authentication add.
 *
 * @example
 * const app = alula<{ messages: MessageService }>().configure(rest('https://api.example.org').fetch(fetch))
 *
 * await app.service('messages').create({ text: 'Hello' })
 */
export function alula<Services = any, Settings = any>(): Application<Services, Settings> {
  const app = new BaseApplication()

  // A connection replaces it.
  app.defaultService = (location) => {
    throw createError(
      'ALULA_NO_TRANSPORT',
      `Can not find service '${location}': the client has no connection. Configure one first: app.configure(rest(…).fetch(fetch)) or app.configure(socketio(…))`
    )
  }

  return app as unknown as Application<Services, Settings>
}
