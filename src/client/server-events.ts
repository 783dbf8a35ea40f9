// The stream of a client: read by `fetch`, because an EventSource sends no header with a token.
import { emitSafely, reportError } from '../core/events.ts'
import { NotAcceptable } from '../errors.ts'
import { toDelay } from '../utils/max-delay.ts'
import { toResponseError } from './error.ts'
import { FetchClient } from './fetch.ts'
import { type Base, mergeHeaders } from './http.ts'
import type { AuthenticationResult } from './login.ts'
import { createSeen, type Stamp } from './seen.ts'

/** What the server sends at once: the fields of an event, or a sign of life without any. */
export interface Fields {
  readonly id?: string
  readonly retry?: string
  readonly event?: string
  readonly data?: string
  readonly tx?: string
}

/** How long to wait before the next try, in milliseconds, until the server has sent a value. */
const RETRY = 2000
/** The longest wait after several failures, in milliseconds, unless the server has sent a longer one. */
const MAX_RETRY = 30_000

/** A field of an event: `data: …`. */
const FIELD = /^(\w+): ?(.*)$/s

/** The stream of an application. */
export class ServerEvents {
  protected readonly app: any
  protected readonly source: Base
  protected readonly timeout: number
  /** Aborts the request, or the wait for the next one. */
  protected current: AbortController | undefined
  /** Up to where the client has all events. */
  protected position: string | undefined
  /** Up to where the stream was read. */
  protected cursor: string | undefined
  /** What was sent as credentials. */
  protected token: string | undefined
  private readonly isUnseen = createSeen()
  private retry = RETRY
  private failures = 0
  /** Whether the server has refused the stream, which has ended. */
  private isRefused = false

  constructor(app: any, source: Base, timeout: number) {
    this.app = app
    this.source = source
    this.timeout = timeout
  }

  /** Begins, unless it runs. */
  open(): void {
    if (this.current) return

    const current = new AbortController()

    this.current = current
    this.isRefused = false
    void this.run(current.signal)
  }

  /** Ends it. */
  close(): void {
    this.current?.abort()
    this.current = undefined
  }

  /** Begins again, where another user is logged in now, or the server has refused the stream. */
  async renew(): Promise<void> {
    const { current } = this

    if (!current || ((await this.findToken()) === this.token && !this.isRefused) || this.current !== current)
      return

    this.close()
    this.open()
  }

  protected async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let asked: number | undefined

      try {
        await this.read(signal)
      } catch (error: any) {
        if (signal.aborted) return

        this.failures++
        asked = error.data?.retryAfter * 1000

        // Another try would fail, too: until a login, or a logout.
        if (isFinal(error.code) && !(await this.isRenewed(error)) && !signal.aborted) {
          this.isRefused = true
          reportError(this.app, error)
          return
        }
      }

      await this.pause(asked || this.toWait(), signal)
    }
  }

  /** Waits, until the signal aborts at the latest. */
  protected pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    // The event `abort` is over: its listener would never run.
    if (signal.aborted) return Promise.resolve()

    return new Promise((resolve) => {
      const timer = setTimeout(end, toDelay(milliseconds))

      function end(): void {
        clearTimeout(timer)
        // The signal lasts as long as the stream, through many reconnects.
        signal.removeEventListener('abort', end)
        resolve()
      }

      signal.addEventListener('abort', end)
    })
  }

  /** How long to wait for the next try: as the server said at last, and twice as long after each further failure. */
  private toWait(): number {
    const { retry, failures } = this

    return Math.min(retry * 2 ** Math.max(failures - 1, 0), Math.max(retry, MAX_RETRY))
  }

  /** Whether the error is about an access token that is another one now, or may be soon. */
  private async isRenewed(error: { code?: number; message?: string }): Promise<boolean> {
    const client = this.app.authentication

    if (!client?.isRenewable(error)) return false

    // What has only delayed the renewal is tried again with the stream.
    return client.renew(this.token).then(
      () => true,
      (failure: { code: number }) => !isFinal(failure.code)
    )
  }

  /** Reads the events of one request. */
  protected async read(signal: AbortSignal): Promise<void> {
    const silence = new AbortController()
    const watch = () => setTimeout(() => silence.abort(), toDelay(this.timeout))
    let timer = watch()

    try {
      const { body } = await this.request(AbortSignal.any([signal, silence.signal]))
      const decoder = new TextDecoder()
      const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader()
      let text = ''

      for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read()) {
        clearTimeout(timer)
        timer = watch()
        text += decoder.decode(value, { stream: true })

        const blocks = text.split('\n\n')

        text = blocks.pop() as string
        for (const block of blocks) if (!signal.aborted) this.receive(toFields(block))
      }
    } finally {
      clearTimeout(timer)
    }
  }

  protected async request(signal: AbortSignal): Promise<any> {
    const { source, cursor } = this
    const { connection, options, base } = source
    const fetch = source instanceof FetchClient ? connection : globalThis.fetch

    this.token = await this.findToken()

    const response = await fetch(base, {
      cache: 'no-store',
      headers: mergeHeaders({ Accept: 'text/event-stream' }, options.headers, this.toHeaders(), {
        'Last-Event-ID': cursor
      }),
      signal
    })

    const type = response.headers.get('Content-Type')

    if (response.ok && /^text\/event-stream/i.test(type)) return response

    if (response.ok) {
      void response.body?.cancel().catch(() => undefined)
      // Final, as every refusal is: the page of another server would come again.
      throw new NotAcceptable(`Expected a stream of events at ${base}, got '${type}'`)
    }

    throw toResponseError(await response.json().catch(() => undefined), response.status, response)
  }

  /** The access token, renewed where it is old. */
  private async findToken(): Promise<string | undefined> {
    const client = this.app.authentication
    const login = await this.findLogin()

    return login && client?.isOld ? (await client.renewEarly(login)).accessToken : login?.accessToken
  }

  /** The login that is there, once it has succeeded. */
  protected async findLogin(): Promise<AuthenticationResult | null | undefined> {
    return this.app.get('authentication')?.catch?.(() => null)
  }

  private toHeaders(): { [name: string]: unknown } {
    const { header, scheme } = this.app.authentication?.options ?? {}

    return this.token === undefined ? {} : { [header]: `${scheme} ${this.token}` }
  }

  /** Takes what the stream has brought. */
  protected receive(fields: Fields): void {
    const { id, retry } = fields

    this.failures = 0
    if (retry) this.retry = Number(retry)
    if (id) this.cursor = id
    this.take(fields)
  }

  /** Emits an event, unless the client has it. */
  protected take({ id, event, data = 'null', tx }: Fields): void {
    if (id) this.advance(id)
    if (event === undefined) return

    const [name, index] = tx?.split(' ') ?? []
    const stamp = { position: id, tx: name, index }

    if (tx && !this.isUnseen(stamp as Stamp)) return
    if (event === 'gap') emitSafely(this.app, this.app, 'gap', [JSON.parse(data)])
    else this.emit(event, JSON.parse(data), stamp)
  }

  protected advance(position: string): void {
    // What was read before has to be read again.
    if (this.position === undefined) emitSafely(this.app, this.app, 'events:begin', [position])

    this.position = position
  }

  private emit(event: string, data: unknown, stamp: object): void {
    const end = event.lastIndexOf(' ')
    const path = event.slice(0, end)

    if (Object.hasOwn(this.app.services, path))
      this.app.services[path].emit(event.slice(end + 1), data, stamp)
  }
}

function toFields(block: string): Fields {
  return Object.fromEntries(block.split('\n').map((line) => FIELD.exec(line)?.slice(1) ?? []))
}

/** Whether the server refuses the request for good. */
function isFinal(code: number): boolean {
  return code >= 400 && code < 500 && code !== 408 && code !== 429
}
