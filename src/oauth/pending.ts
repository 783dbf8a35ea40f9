// Where a login is kept while the browser is at the provider: in a cookie of that browser, sealed.

import { seal, unseal } from '../authentication/seal.ts'
import type { Secret } from '../authentication/secret-keys.ts'
import type { Query } from '../core/types.ts'
import { parseCookies, toSetCookie } from '../utils/cookie.ts'
import type { FlowSecrets } from './flow.ts'
import type { Session } from './session.ts'

/** A login that has begun. */
export interface PendingLogin extends FlowSecrets {
  readonly provider: string
  /** Until when it has to come back, in milliseconds since 1970. */
  readonly expiresAt: number
  /** The page that it leads back to. */
  readonly page?: string | undefined
  /** The path after it. */
  readonly redirect?: string | undefined
  /** What else the login was started with. */
  readonly query: Query
  /** Who was logged in. */
  readonly session?: Session | undefined
}

/** How long a login may take, in milliseconds. Some register at the provider first. */
export const LOGIN_TIME = 10 * 60_000

const PURPOSE = 'oauth login'

const NAME = 'alula-oauth'

/** How many bytes the cookie of a login may have. A page elsewhere can begin a login with as long a path as it likes. */
const MAX_LENGTH = 2000

/**
 * How many bytes the cookies of all logins of a browser may have. Beyond that the others are forgotten: servers refuse
 * all requests whose headers are too large.
 */
const MAX_SUM = 4000

/** Keeps the logins of browsers. */
export class PendingLogins {
  private readonly secret: Secret
  private readonly isSecure: boolean

  constructor(secret: Secret, isSecure: boolean) {
    this.secret = secret
    this.isSecure = isSecure
  }

  /** Keeps a login in `Set-Cookie` headers; `undefined` when there is more than a cookie can hold. */
  keep(login: PendingLogin, header: string | undefined): string[] | undefined {
    const value = seal(login, this.secret, PURPOSE)

    if (value.length > MAX_LENGTH) return undefined

    const maxAge = Math.ceil((login.expiresAt - Date.now()) / 1000)
    const others = [...parseCookies(header)].filter(([name]) => name.startsWith(`${this.prefix}.`))
    const sum = others.reduce((length, [, other]) => length + other.length, value.length)
    const cleared = sum > MAX_SUM ? others.map(([name]) => this.toCookie(name, '', 0)) : []

    return [...cleared, this.toCookie(this.toName(login.state), value, maxAge)]
  }

  /** Finds the login that a callback belongs to; `undefined` when this browser has begun no such login, or too long ago. */
  find(state: string, provider: string, header: string | undefined): PendingLogin | undefined {
    const sealed = parseCookies(header).get(this.toName(state))
    const login = sealed === undefined ? undefined : unseal<PendingLogin>(sealed, this.secret, PURPOSE)
    const isIts = login?.state === state && login.provider === provider && login.expiresAt > Date.now()

    return isIts ? login : undefined
  }

  /** The `Set-Cookie` header that ends a login. */
  end(state: string): string {
    return this.toCookie(this.toName(state), '', 0)
  }

  private toName(state: string): string {
    return `${this.prefix}.${state.slice(0, 16).replace(/[^\w-]/g, '')}`
  }

  /** With the prefix no page of another host under the same domain can set it (RFC 6265bis §4.1.3). */
  private get prefix(): string {
    return this.isSecure ? `__Host-${NAME}` : NAME
  }

  private toCookie(name: string, value: string, maxAge: number): string {
    return toSetCookie(name, value, { maxAge, isSecure: this.isSecure })
  }
}
