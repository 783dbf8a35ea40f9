// One stream for all tabs of a browser with the same login: the tab with the lock reads it, and sends what it reads to the
// others. Each tab knows its own position, so none has to trust that the tab with the lock has one that fits.
import { isReached } from '../log/position.ts'
import { toDelay } from '../utils/max-delay.ts'
import type { Application } from './application.ts'
import { readClaims } from './claims.ts'
import { configureEvents, type EventsOptions } from './events.ts'
import { mergeHeaders } from './http.ts'
import { type Fields, ServerEvents } from './server-events.ts'

/** What tabs tell each other. */
type Message =
  /** A tab has events up to here, and needs those after it. */
  | { readonly kind: 'hello'; readonly position: string | undefined }
  /** The stream goes on from here, or after a wait. */
  | { readonly kind: 'at'; readonly from: string | undefined; readonly wait?: number }
  /** This came next. */
  | { readonly kind: 'read'; readonly from: string | undefined; readonly fields: Fields }

/** What is needed of a browser. A page without HTTPS has no locks. */
interface Platform {
  readonly locks: { request(name: string, options: object, hold: () => Promise<void>): Promise<void> }
  readonly subtle: { digest(name: string, bytes: Uint8Array): Promise<ArrayBuffer> }
  readonly BroadcastChannel: new (name: string) => Channel
}

interface Channel {
  readonly name: string
  onmessage: ((message: { data: Message }) => void) | null
  postMessage(message: Message): void
  close(): void
}

/**
 * Does what `events()` does, with one stream for all tabs of a browser that have the same server and the same login: a
 * browser has six connections to a server over HTTP/1.1, and the streams of six tabs would take them all. When the tab
 * that reads the stream closes, another one goes on with it. Without Web Locks, as on a page without HTTPS, each tab has
 * its own stream.
 *
 * @param options Those of `events()`
 * @throws TypeError for options that are not valid, and on `configure` Error for an application without a REST connection
 *
 * @example
 * const app = alula().configure(rest('https://api.example.org').fetch(fetch)).configure(sharedEvents())
 */
export function sharedEvents(options: EventsOptions = {}): (app: Application) => void {
  return configureEvents('sharedEvents', options, SharedEvents)
}

class SharedEvents extends ServerEvents {
  private readonly platform = findPlatform()
  /** Its name stands for the login. There is none where tabs cannot share. */
  private channel: Channel | undefined
  /** Ends the turn of this tab while it has the lock. */
  private turn: AbortController | undefined
  /** Has the tab with the lock send its request again. */
  private again: AbortController | undefined
  /** Whether all events that the stream has brought since the request had a position. */
  private isExact = true
  /** Whether this tab waits for events that it lacks. */
  private isAsking = false
  private timer: ReturnType<typeof setTimeout> | undefined
  /** Called when the tab with the lock gives no sign of life. */
  private onSilence = (): void => undefined

  /** Begins again for another login. A token that was renewed is of the same one. */
  override async renew(): Promise<void> {
    const { platform, channel } = this

    if (!platform || !channel) return super.renew()

    const name = await this.toName(platform, await this.findLoginToken())

    if (name !== channel.name && this.channel === channel) this.reopen()
  }

  protected override async run(signal: AbortSignal): Promise<void> {
    const { platform } = this

    if (!platform) return super.run(signal)

    this.token = await this.findLoginToken()

    const name = await this.toName(platform, this.token).catch(() => undefined)

    if (signal.aborted) return
    // The request fails, too, and the application is told of it.
    if (!name) return super.run(signal)

    const channel = new platform.BroadcastChannel(name)
    const leave = () => {
      channel.close()
      clearTimeout(this.timer)
      this.channel = undefined
    }

    channel.onmessage = ({ data }) => {
      if (!signal.aborted) this.handleMessage(data)
    }
    signal.addEventListener('abort', leave)
    this.channel = channel

    await this.takeTurns(platform, name, signal).catch(() => {
      // Locks are refused in some frames.
      leave()

      return super.run(signal)
    })

    if (!signal.aborted) leave()
  }

  /**
   * Waits for the lock, and reads the stream until it ends for good. Then the next tab finds that out too, with its own
   * login.
   */
  private async takeTurns({ locks }: Platform, name: string, signal: AbortSignal): Promise<void> {
    let steal = false

    while (!signal.aborted) {
      const turn = new AbortController()
      const ended = AbortSignal.any([signal, turn.signal])

      this.onSilence = () => turn.abort()
      this.isAsking = false
      this.ask()
      this.watch()

      try {
        return await locks.request(name, steal ? { steal } : { signal: ended }, () => this.hold(turn, ended))
      } catch (error) {
        const isLost = this.turn === turn

        // The browser has suspended the tab with the lock, or a dialog holds it up.
        steal = !isLost && turn.signal.aborted
        if (!isLost && !ended.aborted) throw error
      } finally {
        turn.abort()
        if (this.turn === turn) this.turn = undefined
      }
    }
  }

  private hold(turn: AbortController, signal: AbortSignal): Promise<void> {
    clearTimeout(this.timer)
    this.turn = turn
    this.cursor = this.position

    return super.run(signal)
  }

  protected override async read(signal: AbortSignal): Promise<void> {
    for (;;) {
      const again = new AbortController()

      this.again = again
      this.isExact = true
      this.send({ kind: 'at', from: this.cursor })

      try {
        return await super.read(AbortSignal.any([signal, again.signal]))
      } catch (error) {
        if (signal.aborted || !again.signal.aborted) throw error
      } finally {
        if (this.again === again) this.again = undefined
      }
    }
  }

  protected override async request(signal: AbortSignal): Promise<any> {
    const { platform, channel } = this
    const response = await super.request(signal)

    // Another user has logged in meanwhile, whose events are not for the tabs of this channel.
    if (platform && channel && (await this.toName(platform, this.token)) !== channel.name && !signal.aborted)
      this.reopen()

    signal.throwIfAborted()

    return response
  }

  protected override pause(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (!signal.aborted) this.send({ kind: 'at', from: this.cursor, wait: milliseconds })

    return super.pause(milliseconds, signal)
  }

  protected override receive(fields: Fields): void {
    const from = this.cursor

    if (fields.tx && !fields.id) this.isExact = false

    this.send({ kind: 'read', from, fields })
    super.receive(fields)
  }

  /** What another tab has asked for comes again. */
  protected override take(fields: Fields): void {
    const { id, event } = fields
    const isGapHere = event === 'gap' && id === this.position

    if (isGapHere || !isReached(id, this.position)) super.take(fields)
  }

  private send(message: Message): void {
    this.channel?.postMessage(message)
  }

  private handleMessage(message: Message): void {
    if (message.kind === 'hello') {
      if (this.turn) this.serve(message.position)
      return
    }

    // From a tab that has lost the lock, and does not know it yet.
    if (this.turn) return

    const { from } = message

    if (from && this.position === undefined) this.advance(from)

    if (message.kind === 'read') {
      this.watch()
      this.takeNext(from, message.fields)
    } else {
      this.watch(message.wait)
      this.isAsking = false
      if (isReached(from, this.position) === false) this.ask()
    }
  }

  /** Takes what comes after a position, unless this tab lacks something before it. */
  private takeNext(from: string | undefined, fields: Fields): void {
    const { position } = this
    const { id, event } = fields

    if (from === position || (id && (isReached(id, position) || isReached(from, position)))) this.take(fields)
    else if (id || event) this.ask()
  }

  /** Asks the tab with the lock for what comes after the position of this one. */
  private ask(): void {
    if (this.isAsking) return

    this.isAsking = true
    this.send({ kind: 'hello', position: this.position })
  }

  /** Reads again what another tab lacks. The others have it already. */
  private serve(position: string | undefined): void {
    const isBehind = position !== undefined && !isReached(this.cursor, position)

    if (isBehind) this.cursor = position
    // An event without a position, which a tab may have missed, comes with one then.
    if (isBehind || !this.isExact) this.again?.abort()
    else this.send({ kind: 'at', from: this.cursor })
  }

  /** Waits for a sign of life of the tab with the lock; each tab for another time, so that only one takes its place. */
  private watch(wait = 0): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => this.onSilence(), toDelay(wait + this.timeout * (1 + Math.random())))
  }

  private reopen(): void {
    this.close()
    this.open()
  }

  private async findLoginToken(): Promise<string | undefined> {
    return (await this.findLogin())?.accessToken
  }

  /**
   * Names a server and a login: tabs share a stream where both are the same. For a session, whose tokens change, the name is
   * made of its id, and otherwise of the token: as a digest, because pages can list the names of locks.
   */
  private async toName({ subtle }: Platform, token: string | undefined): Promise<string> {
    const { base, options } = this.source
    const { sub, session } = readClaims(token)
    const login = session?.id ? [sub, session.id] : token
    const text = JSON.stringify([base, mergeHeaders(options.headers), login])
    const digest = await subtle.digest('SHA-256', new TextEncoder().encode(text))

    return `alula/events/${btoa(String.fromCharCode(...new Uint8Array(digest)))}`
  }
}

function findPlatform(): Platform | undefined {
  const { navigator, BroadcastChannel, crypto } = globalThis as any
  const locks = navigator?.locks
  const subtle = crypto?.subtle

  return locks && BroadcastChannel && subtle ? { locks, subtle, BroadcastChannel } : undefined
}
