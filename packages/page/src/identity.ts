import type { LoginData } from '../../../src/openapi/page-data.ts'
import type { PageLogin } from '../../../src/openapi/page-login.ts'
import { isObject, isOk, type Request, type RequestOutcome, ROOT, send, type TokenHeader } from './request.ts'
import { type Connection, createSocket } from './socket.ts'
import { Store } from './store.ts'
import { createStream } from './stream.ts'

/** An event that has arrived. */
export interface LiveEvent {
  readonly key: number
  readonly at: Date
  /** How long after the last call of the page, in milliseconds; missing where none was made. */
  readonly delay?: number
  readonly service: string
  readonly event: string
  readonly data: unknown
}

/** Whether events arrive. */
export type Live = 'off' | 'connecting' | 'live' | 'ended'

const MAX_EVENTS = 100

/** How long after a call an event may come because of it. */
const RELATED = 5000

/** When the page last made a call that may have an event; both identities share it. */
export interface LastCall {
  at: number
}

/** Where the token of an identity outlives a reload, when a person asks for that. Other pages of the origin can read it. */
const toKey = (number: number): string => `alula ${number} ${ROOT}`

/**
 * A caller of the page. The access token stays in memory, or with `keeps` in the storage of the tab, and is sent to the API of
 * the page alone.
 */
export class Identity extends Store<LiveEvent> {
  readonly label: string
  readonly number: number
  readonly #lastCall: LastCall
  readonly #login: PageLogin | null
  readonly #connection: Connection | undefined
  #token: string | undefined
  #user: unknown
  #session = 0
  #live: Live = 'off'
  #events: readonly LiveEvent[] = []
  #count = 0

  constructor(number: number, lastCall: LastCall, { login, events }: LoginData) {
    super()
    this.number = number
    this.#lastCall = lastCall
    this.label = number === 1 ? 'First identity' : 'Second identity'
    this.#login = login

    if (events !== null) {
      const { path, isSocket } = events
      const listener = {
        onOpen: () => void this.#begin(),
        onClose: () => this.#set('connecting'),
        onEnd: () => this.#end(),
        onEvent: (name: string, data: unknown) => this.#add(name, data)
      }
      const url = ROOT + path.slice(1)

      this.#connection = isSocket
        ? createSocket([new URL(path, ROOT).href, url], listener)
        : createStream(url, () => this.#headers(), listener)
      this.#connect()
    }
  }

  /** Whether a login of an identity was kept. */
  static isKept(number: number): boolean {
    return readStorage()?.getItem(toKey(number)) != null
  }

  get isLoggedIn(): boolean {
    return this.#token !== undefined
  }

  /** Another number after each login and logout: users may have the same name. */
  get session(): number {
    return this.#session
  }

  /** The header of its access token, if it has one. */
  get token(): TokenHeader | undefined {
    return this.isLoggedIn && this.#login ? this.#login : undefined
  }

  /** What the user is called, for the page. */
  get name(): string {
    if (!this.isLoggedIn) return this.number === 1 ? 'Anonymous' : 'Anonymous 2'

    const user = isObject(this.#user) ? this.#user : {}
    const name = ['name', 'username', 'email', 'login', '_id', 'id']
      .map((field) => user[field])
      .find(isScalar)

    return name === undefined ? 'Logged in' : String(name)
  }

  get live(): Live {
    return this.#live
  }

  /** The latest events, the newest first. */
  get events(): readonly LiveEvent[] {
    return this.#events
  }

  /** How many events have arrived. */
  get count(): number {
    return this.#count
  }

  clear(): void {
    this.#events = []
    this.#count = 0
    this.changed()
  }

  /** Sends a request as this identity. */
  async send(request: Request): Promise<RequestOutcome> {
    if (request.verb !== 'GET') this.#lastCall.at = performance.now()

    return send(request, this.#headers())
  }

  /** Logs in with a token that was kept; one that the server refuses is kept no longer. */
  async restore(): Promise<void> {
    const accessToken = readStorage()?.getItem(toKey(this.number))

    if (accessToken == null) return
    if ((await this.logIn({ strategy: 'jwt', accessToken }, true)).status === 401) this.#keep(false)
  }

  /** Logs in; the response to a login that fails says why. `keeps`: whether the login outlives a reload. */
  async logIn(credentials: object, keeps: boolean): Promise<RequestOutcome> {
    const { path = '' } = this.#login ?? {}
    const body = JSON.stringify(credentials)
    const outcome = await send({ verb: 'POST', path, body })

    if (!isOk(outcome) || !isObject(outcome.body)) return outcome

    const { accessToken, authentication: _, ...entities } = outcome.body

    if (typeof accessToken === 'string') {
      this.#token = accessToken
      this.#session++
      this.#keep(keeps)
      // Under the name of the entity, which is `user` mostly.
      this.#user = Object.values(entities).find(isObject)
      this.changed()
      this.#connect()
    }

    return outcome
  }

  /** Forgets the token and the events that came with it, and asks the server to revoke it. */
  async logOut(): Promise<void> {
    const headers = this.#headers()

    this.#token = undefined
    this.#session++
    this.#keep(false)
    this.#user = undefined
    this.#connection?.close()
    this.clear()
    if (this.#login) await send({ verb: 'DELETE', path: this.#login.path }, headers)
    this.#connect()
  }

  #headers(): { [name: string]: string } {
    return this.token ? { [this.token.header]: this.token.prefix + this.#token } : {}
  }

  #keep(keeps: boolean): void {
    if (keeps) readStorage()?.setItem(toKey(this.number), this.#token as string)
    else readStorage()?.removeItem(toKey(this.number))
  }

  /** Connects anew: a login that ends meanwhile may have connected already. */
  #connect(): void {
    if (!this.#connection) return

    this.#set('connecting')
    this.#connection.close()
    this.#connection.open()
  }

  /** Logs the connection in too, so that it gets the events that are for the user. */
  async #begin(): Promise<void> {
    const accessToken = this.#token

    if (accessToken !== undefined && this.#login) {
      const isRefused = (await this.#connection?.logIn?.(this.#login.path, accessToken)) === false

      // It connects anew with another token.
      if (accessToken !== this.#token) return

      if (isRefused) {
        this.#end()
        return
      }
    }

    this.#set('live')
  }

  /** The server refuses the login, and would do so again. */
  #end(): void {
    this.#connection?.close()
    this.#set('ended')
  }

  #set(live: Live): void {
    this.#live = live
    this.changed()
  }

  #add(name: string, data: unknown): void {
    const end = name.lastIndexOf(' ')
    const delay = performance.now() - this.#lastCall.at
    const event: LiveEvent = {
      key: this.#count++,
      at: new Date(),
      service: name.slice(0, Math.max(end, 0)),
      event: name.slice(end + 1),
      data,
      ...(delay < RELATED && { delay })
    }

    this.#events = [event, ...this.#events.slice(0, MAX_EVENTS - 1)]
    this.changed(event)
  }
}

/** Browsers that block storage throw. */
function readStorage(): Storage | undefined {
  try {
    return sessionStorage
  } catch {
    return undefined
  }
}

function isScalar(value: unknown): boolean {
  return (typeof value === 'string' && value !== '') || typeof value === 'number'
}
