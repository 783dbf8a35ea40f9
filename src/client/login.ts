/** What a login results in: a token, the entity that has logged in, and what hooks of the server add. */
export interface AuthenticationResult {
  accessToken: string
  /** Of a session: what the access token is renewed with. */
  refreshToken?: string
  [key: string]: any
}

/**
 * What the client knows of one login. It begins with what is known of the one before. When the login ends, or another one
 * begins, another object replaces it: what is still under way for it then has no effect.
 */
export interface Login {
  /** The result, once it has succeeded as the last login. */
  result?: AuthenticationResult | null | undefined
  user?: string | undefined
  /**
   * What stands for the login that code of the page has begun, which may be sent only after a lost connection: the login that
   * comes after that has the same.
   */
  begun: { response?: Promise<AuthenticationResult> }
  /** The last refresh token of this page: another tab may have a newer one. */
  refreshToken?: string | undefined
  /** Its times, if it has a session. */
  session?: SessionTimes | undefined
  /** The renewal in flight. It resolves to `undefined` when the login has been replaced. */
  renewal?: Promise<AuthenticationResult | undefined> | undefined
  /** The last error of a renewal that was part of the login and left its session as it was. */
  harmless?: unknown
  /** The code of a URL, after an error that was no refusal. */
  code?: string | undefined
}

/** Of the access token of a session, in milliseconds since 1970. */
interface SessionTimes {
  /** When it is renewed: after nine tenths of its lifetime. */
  renewAt: number
  expiresAt: number
}
