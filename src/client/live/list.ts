import { runSafely } from '../../core/events.ts'
import type { Query } from '../../core/types.ts'
import { isReached } from '../../log/position.ts'
import { toDelay } from '../../utils/max-delay.ts'
import { toUser } from '../claims.ts'
import type { Stamp } from '../seen.ts'
import type { ResponseParams } from '../service.ts'
import { createDecider } from './decide.ts'
import { type Change, Rows } from './rows.ts'

/** What `live` takes: the params of a `find`, and what the client has to know of the service. */
export interface LiveParams<Q = Query> {
  query?: Q
  /** Values for placeholders in the path of the service. */
  route?: { [name: string]: any }
  /** Headers of the requests, over HTTP. */
  headers?: { [name: string]: any }
  /** The name of the id field; `id` when left out, or `_id` in records without one. */
  id?: string
}

/** What a list is at a moment. It is another object after each change, and the same one until then. */
export interface LiveSnapshot<Row = any> {
  /** The records. Those that have not changed are the same objects as before. */
  readonly data: readonly Row[]
  /** Whether the first fetch runs: there are neither records nor an error. */
  readonly isLoading: boolean
  /** Why the last fetch failed. The list keeps its records, and tries again. */
  readonly error: Error | undefined
}

/** The records of a query, kept up to date until `close()`. */
export interface LiveList<Row = any> extends AsyncIterable<LiveSnapshot<Row>> {
  /**
   * Calls a listener after each change, as `useSyncExternalStore` of React wants it.
   *
   * @returns Removes the listener
   */
  subscribe(listener: () => void): () => void
  /** What the list is now. */
  getSnapshot(): LiveSnapshot<Row>
  /** Ends the list: it keeps its records, which change no more, and iterators end. */
  close(): void
}

/** How time passes. */
export interface LiveTimers {
  setTimeout(run: () => void, milliseconds: number): unknown
  clearTimeout(timer: any): void
}

/** What a list needs of its client. */
export interface ListSettings {
  readonly app: any
  readonly service: any
  readonly params: LiveParams
  readonly interval: number
  readonly timers: LiveTimers
  /** Called once, when the list ends. */
  onClose(): void
}

/** A change that what was read last may not have. */
interface Recent extends Change {
  readonly position: string | undefined
  /** Its place among all changes, from 1. */
  readonly number: number
}

/** Pauses before a fetch, in milliseconds, up to a half more or less by chance: an event reaches all clients at once. */
const PAUSE = 150
const GAP_PAUSE = 500

/** After the first failure; twice as long after each further one. */
const ERROR_PAUSE = 1000
const MAX_ERROR_PAUSE = 60_000

const POSITION_HEADER = 'event-position'

/** What a server says of records that a client may not find. */
const REFUSALS: readonly unknown[] = [401, 403, 404, 405]

/** How many changes are remembered before a fetch makes them superfluous. */
const MAX_RECENT = 1000

/** A list, as the client that feeds it sees it. */
export class List implements LiveList {
  private readonly settings: ListSettings
  private readonly rows: Rows
  private readonly listeners = new Set<() => void>()
  /** By id: the last change of each record. */
  private readonly recent = new Map<unknown, Recent>()
  private snapshot: LiveSnapshot = Object.freeze({ data: [], isLoading: true, error: undefined })
  private count = 0
  private failures = 0
  private isClosed = false
  private isLoaded = false
  private isFetching = false
  /** Whether something happens during a fetch that it may not reflect. */
  private isStale = false
  /** The position of the last read. */
  private read: string | undefined
  /** From where events come, where that turns out during a fetch. */
  private begin: string | undefined
  /** The login that was there at the last fetch, and its token. */
  private login: unknown
  private token: string | undefined
  /** Counts the logouts. */
  private user = 0
  private timer: unknown
  private isSoon = false

  constructor(settings: ListSettings) {
    const { app, params } = settings

    this.settings = settings
    this.rows = new Rows(
      // What placeholders mean for a record, the server knows.
      params.route ? undefined : createDecider(params.query ?? {}, app.rest !== undefined),
      params.id
    )
    void this.fetch()
  }

  readonly getSnapshot = (): LiveSnapshot => this.snapshot

  readonly subscribe = (listener: () => void): (() => void) => {
    // A listener that is added twice is called twice.
    const call = () => {
      if (!this.isClosed) listener()
    }

    if (!this.isClosed) this.listeners.add(call)

    return () => void this.listeners.delete(call)
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LiveSnapshot, void, undefined> {
    let wake = (): void => undefined
    let seen: LiveSnapshot | undefined
    const call = () => wake()

    this.listeners.add(call)

    try {
      while (!this.isClosed) {
        const { snapshot } = this

        if (snapshot === seen || snapshot.isLoading) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        } else {
          seen = snapshot
          yield snapshot
        }
      }
    } finally {
      this.listeners.delete(call)
    }
  }

  readonly close = (): void => {
    if (this.isClosed) return

    this.isClosed = true
    this.settings.timers.clearTimeout(this.timer)
    this.settings.onClose()
    // Iterators wait for it.
    this.notify()
    this.listeners.clear()
  }

  /** Takes an event of the service. */
  take(kind: Change['kind'], record: unknown, stamp: Partial<Stamp> | undefined): void {
    const position = typeof stamp?.position === 'string' ? stamp.position : undefined
    const id = this.rows.toId(record)
    const before = this.recent.get(id)

    // What was read reflects it. Where an event before it came without a position, that one has to be replaced.
    if (!before && isReached(position, this.read)) return

    const change = {
      kind: before && kind === 'created' ? 'patched' : kind,
      record,
      position,
      number: ++this.count
    } as const

    this.recent.delete(id)
    this.recent.set(id, change)

    // The next fetch comes later, and reflects it.
    if (this.recent.size > MAX_RECENT && this.failures > 0 && !this.isFetching)
      this.recent.delete(this.recent.keys().next().value)

    // The first fetch takes it from there.
    if (!this.isLoaded) return

    // Of two processes, or of calls at the same time: the events of a record may come in the wrong order.
    const isOrdered = !before || kind === 'removed' || (before.kind === 'removed') === (kind === 'created')
    const isRight = this.rows.apply(change) && isOrdered

    this.update({ data: this.rows.list })
    if (!this.isFetching && (!isRight || this.recent.size > MAX_RECENT)) this.fetchAfter(PAUSE)
  }

  /** Fetches again, because events were lost. */
  takeGap(): void {
    this.fetchAfter(GAP_PAUSE)
  }

  /** Takes the position from which events come: what was read before may lack some. */
  takeBegin(position: string): void {
    if (this.isFetching) this.begin = position
    else if (!isReached(position, this.read)) this.fetchAfter(PAUSE)
  }

  /** Fetches for the user of a login, and first drops what another one saw. */
  takeLogin(token: string | undefined): void {
    const { snapshot, settings } = this
    const isSame = token === this.token || settings.app.get('authentication') === this.login

    if (this.token && toUser(token) !== toUser(this.token)) this.takeLogout()
    else if (!isSame || snapshot.error) this.fetchNow()
  }

  /** Drops what the user saw who is logged in no more. */
  takeLogout(): void {
    this.user++
    this.isLoaded = false
    this.rows.load([])
    this.recent.clear()
    this.update({ data: this.rows.list, isLoading: true, error: undefined })
    this.fetchNow()
  }

  private fetchNow(): void {
    if (this.isFetching) this.isStale = true
    else void this.fetch()
  }

  /** Fetches soon. A fetch that runs may have been too early, and one that has failed is tried again later. */
  private fetchAfter(pause: number): void {
    if (this.isFetching) this.isStale = true
    else if (!this.isSoon && this.failures === 0) this.schedule(toPause(pause), true)
  }

  private schedule(milliseconds: number, isSoon: boolean): void {
    const { timers } = this.settings

    if (this.isClosed) return

    timers.clearTimeout(this.timer)
    this.isSoon = isSoon
    this.timer = timers.setTimeout(() => void this.fetch(), toDelay(milliseconds))
  }

  private scheduleNext(): void {
    const { failures, isStale } = this
    const { interval } = this.settings
    const errorPause = Math.min(ERROR_PAUSE * 2 ** (failures - 1), MAX_ERROR_PAUSE, interval)

    if (isStale) this.schedule(toPause(PAUSE), true)
    else this.schedule(failures === 0 ? interval : errorPause, false)
  }

  private async fetch(): Promise<void> {
    const { app, service, params, timers } = this.settings
    const { query, route, headers } = params
    const { count, user } = this
    const login = app.get('authentication')
    let position: string | undefined

    timers.clearTimeout(this.timer)
    this.isSoon = false
    this.isStale = false
    this.begin = undefined
    this.isFetching = true
    this.login = login
    // Not awaited: `find` waits for it, as long as there is a connection.
    login?.then?.(
      (result: { accessToken?: string } | null) => {
        this.token = result?.accessToken
      },
      () => undefined
    )

    try {
      const findParams: ResponseParams = {
        query: query ?? {},
        ...(route && { route }),
        ...(headers && { headers }),
        onResponse: (response) => {
          position = toPosition(response)
        }
      }
      const result = await service.find(findParams)

      if (this.isClosed) return
      if (user === this.user) this.load(result, position, count)

      this.failures = 0
    } catch (error) {
      if (this.isClosed) return
      if (user === this.user) this.fail(error as Error)

      this.failures++
    }

    this.isFetching = false
    this.scheduleNext()
  }

  /** Keeps the records, unless they are not for this client any more. */
  private fail(error: Error & { readonly code?: unknown }): void {
    if (REFUSALS.includes(error.code)) {
      this.isLoaded = false
      this.rows.load([])
    }

    this.update({ data: this.rows.list, isLoading: false, error })
  }

  /**
   * Takes what was read, up to a position, and puts the changes over it that it may not reflect: a record that was removed
   * meanwhile does not come back. `count` says how many changes there were when it was asked for.
   */
  private load(result: unknown, position: string | undefined, count: number): void {
    this.rows.load(result)
    this.isLoaded = true
    this.read = position

    for (const [id, change] of this.recent) {
      const isOlder = change.number <= count

      if (isReached(change.position, position) ?? isOlder) this.recent.delete(id)
      // One from before is in what was read, whatever its position: it was asked for later.
      else if (!this.rows.apply(change) && !isOlder) this.isStale = true
    }

    if (this.begin !== undefined && !isReached(this.begin, position)) this.isStale = true

    this.update({ data: this.rows.list, isLoading: false, error: undefined })
  }

  /** Makes another snapshot, unless nothing has changed. */
  private update(changes: Partial<LiveSnapshot>): void {
    const { snapshot } = this
    const { data, isLoading, error } = { ...snapshot, ...changes }
    const isSame =
      data.length === snapshot.data.length && data.every((row, index) => row === snapshot.data[index])

    if (isSame && isLoading === snapshot.isLoading && error === snapshot.error) return

    this.snapshot = Object.freeze({ data: isSame ? snapshot.data : data, isLoading, error })
    this.notify()
  }

  private notify(): void {
    for (const listener of [...this.listeners]) runSafely(this.settings.app, listener)
  }
}

function toPause(milliseconds: number): number {
  return milliseconds * (0.5 + Math.random())
}

/** The position of a response: over a socket, of `fetch`, and of other libraries. */
function toPosition(response: any): string | undefined {
  if (typeof response === 'string') return response

  const { headers } = response ?? {}

  return headers?.get?.(POSITION_HEADER) ?? headers?.[POSITION_HEADER]
}
