// Events of a server without sockets: one stream of Server-Sent Events for all services. By `fetch`, because an
// EventSource sends no header with a token.
import { emitSafely, reportError } from '../core/events.ts'
import type { HookContext, NextFunction } from '../core/types.ts'
import { isString } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import { stripSlashes } from '../utils/path.ts'
import type { Application } from './application.ts'
import { toResponseError } from './error.ts'
import { FetchClient } from './fetch.ts'
import { Base, mergeHeaders } from './http.ts'
import { createSeen, type Stamp } from './seen.ts'
import { ClientService } from './service.ts'

/** The options of `events()`. */
export interface EventsOptions {
  /** Where the server has its events; `/events` below its URL when left out. */
  path?: string
  /** After how many milliseconds without a sign of life the client connects again; a minute when left out. */
  timeout?: number
}

const CHECKS: OptionChecks = {
  path: [isString, "a path such as '/events'"],
  timeout: [(time) => Number(time) > 0, 'a number of milliseconds']
}

/** How long to wait for the next try, until the server has said so, and at most after several that failed. */
const RETRY = 2000
const MAX_RETRY = 30_000

/** A field of an event: `data: …`. */
const FIELD = /^(\w+): ?(.*)$/s

/**
 * Gives the services of a REST connection the events of the server, those of all its clients: one stream for all services,
 * from the first listener until `app.teardown()`. What was missed meanwhile comes after a lost connection; what cannot be
 * had is the event `gap` of the application. It is configured after the connection.
 *
 * @param options The path of the events
 * @throws TypeError for options that are not valid, and on `configure` Error for an application without a REST connection
 *
 * @example
 * const app = alula().configure(rest('https://api.example.org').fetch(fetch)).configure(events())
 *
 * app.service('messages').on('created', (message) => console.log(message))
 */
export function events(options: EventsOptions = {}): (app: Application) => void {
  assertOptions('events', options, CHECKS)

  const { path = 'events', timeout = 60_000 } = options

  return (app: any) => {
    const source = app.rest && app.defaultService(stripSlashes(path))

    if (!(source instanceof Base)) {
      throw createError('ALULA_NO_TRANSPORT', 'events() needs a connection: configure rest(…) before it')
    }

    const stream = new ServerEvents(app, source, timeout)

    // Those of own calls come from the server, too.
    app.hooks([
      async (context: HookContext, next: NextFunction) => {
        if (context.service instanceof ClientService) context.event = null
        await next()
      }
    ])
    app.hooks({
      teardown: [
        async (_context: unknown, next: NextFunction) => {
          stream.close()
          await next()
        }
      ]
    })
    app.mixins.push((service: any) => {
      if (service instanceof ClientService) (service as any).on('newListener', () => stream.open())
    })
    app.on('login', () => stream.renew())
    app.on('logout', () => stream.renew())
  }
}

/** The stream of an application. */
class ServerEvents {
  private readonly app: any
  private readonly source: Base
  private readonly timeout: number
  private readonly isUnseen = createSeen()
  /** Aborts the request, or the wait for the next one. */
  private current: AbortController | undefined
  private position: string | undefined
  private retry = RETRY
  private failures = 0
  /** What was sent as credentials. */
  private token: unknown

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
    void this.run(current)
  }

  /** Ends it. */
  close(): void {
    this.current?.abort()
    this.current = undefined
  }

  /** Begins again, where another user is logged in now. */
  async renew(): Promise<void> {
    const { current } = this

    if (!current || (await this.findToken()) === this.token || this.current !== current) return

    this.close()
    this.open()
  }

  private async run(current: AbortController): Promise<void> {
    const { signal } = current

    while (!signal.aborted) {
      let asked: number | undefined

      try {
        await this.read(signal)
      } catch (error: any) {
        if (signal.aborted) return

        this.failures++
        asked = error.data?.retryAfter * 1000

        // Another try would fail, too: until a login, or a logout.
        if (isFinal(error.code) && !(await this.isRenewed(error))) {
          reportError(this.app, error)
          return
        }
      }

      await pause(asked || this.toWait(), signal)
    }
  }

  /** How long to wait for the next try: as the server said at last, and twice as long after each further failure. */
  private toWait(): number {
    return Math.min(this.retry * 2 ** Math.max(this.failures - 1, 0), MAX_RETRY)
  }

  /** Whether the error is about an access token that is another one now. */
  private async isRenewed(error: { code?: number; message?: string }): Promise<boolean> {
    const client = this.app.authentication

    if (!client?.isRenewable(error)) return false

    return client.renew(this.token).then(
      () => true,
      () => false
    )
  }

  /** Reads the events of one request. */
  private async read(signal: AbortSignal): Promise<void> {
    const silence = new AbortController()
    const watch = () => setTimeout(() => silence.abort(), this.timeout)
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
        for (const block of blocks) if (!signal.aborted) this.take(block)
      }
    } finally {
      clearTimeout(timer)
    }
  }

  private async request(signal: AbortSignal): Promise<any> {
    const { source, position } = this
    const { connection, options, base } = source
    const fetch = source instanceof FetchClient ? connection : globalThis.fetch

    this.token = await this.findToken()

    const response = await fetch(base, {
      cache: 'no-store',
      headers: mergeHeaders({ Accept: 'text/event-stream' }, options.headers, this.toHeaders(), {
        'Last-Event-ID': position
      }),
      signal
    })

    if (response.ok) return response

    throw toResponseError(await response.json().catch(() => undefined), response.status, response)
  }

  /** The access token, renewed where it is old. */
  private async findToken(): Promise<string | undefined> {
    const client = this.app.authentication
    const login = await this.app.get('authentication')?.catch?.(() => null)

    return login && client?.isOld ? (await client.renew(login.accessToken)).accessToken : login?.accessToken
  }

  private toHeaders(): { [name: string]: unknown } {
    const { header, scheme } = this.app.authentication?.options ?? {}

    return this.token === undefined ? {} : { [header]: `${scheme} ${this.token}` }
  }

  private take(block: string): void {
    const fields = Object.fromEntries(block.split('\n').map((line) => FIELD.exec(line)?.slice(1) ?? []))
    const { id, retry, event, data, tx } = fields

    this.failures = 0
    // What was read before has to be read again.
    if (id && this.position === undefined) emitSafely(this.app, this.app, 'events:begin', [id])
    if (id) this.position = id
    if (retry) this.retry = Number(retry)
    if (event === undefined) return

    const [name, index] = tx?.split(' ') ?? []
    const stamp = { position: id, tx: name, index }

    if (tx && !this.isUnseen(stamp)) return
    if (event === 'gap') emitSafely(this.app, this.app, 'gap', [JSON.parse(data)])
    else this.emit(event, JSON.parse(data), stamp)
  }

  private emit(event: string, data: unknown, stamp: Stamp): void {
    const end = event.lastIndexOf(' ')
    const path = event.slice(0, end)

    if (Object.hasOwn(this.app.services, path))
      this.app.services[path].emit(event.slice(end + 1), data, stamp)
  }
}

/** Whether the server refuses the request for good. */
function isFinal(code: number): boolean {
  return code >= 400 && code < 500 && code !== 408 && code !== 429
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(end, milliseconds)

    function end(): void {
      clearTimeout(timer)
      // The signal lasts as long as the stream, through many reconnects.
      signal.removeEventListener('abort', end)
      resolve()
    }

    signal.addEventListener('abort', end)
  })
}
