// Where the client of a call is, for what counts by address, and for cookies.
import { addInherited, getInherited } from '../utils/call-state.ts'

/** What a transport knows of where a client is. */
export interface ClientPlace {
  /** The address of the client; `undefined` where the server does not know it. */
  readonly address?: string | undefined
  /**
   * Whether a proxy has passed the request on, and no setting says how many proxies are in front: the address is that of
   * the proxy.
   */
  readonly isBehindProxy?: boolean
  /**
   * The page that made the request: `'own'` for one of this server or of a known origin, `'other'` for any other one.
   * `undefined` where no browser made it, and where that is not known.
   */
  getPage?(): 'own' | 'other' | undefined
}

declare module '../utils/call-state.ts' {
  interface InheritedSlots {
    /** Where the client is. Calls that are made with the params of a call are made for its client. */
    readonly client?: ClientPlace
  }
}

/**
 * Copies params, or a new connection, with where the client is.
 *
 * @param params The params of a call, or the connection of a transport that keeps one
 * @param client What the transport knows of it
 */
export function withClientPlace<Params extends object>(params: Params, client: ClientPlace): Params {
  return addInherited(params, { client })
}

/** Where the client of a call is; `undefined` where no transport has said so. */
export function getClientPlace(params: { readonly connection?: any }): ClientPlace | undefined {
  return getInherited(params).client ?? getInherited(params.connection).client
}
