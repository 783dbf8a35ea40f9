// What a client missed while its socket was not connected.
import { emitSafely } from '../core/events.ts'
import type { Application } from '../core/types.ts'
import { createSeen, type Stamp } from './seen.ts'
import type { Socket } from './socket.ts'

/** The part of a socket of `socket.io-client` that gives messages to listeners. */
interface Receiving extends Socket {
  onevent?(packet: { data?: readonly any[] }): void
}

/** Stands for a position that the server does not have: it replies with a gap. */
const NOWHERE = 'none-0.0'

/** What one socket has seen, and how it gets the rest. */
class Resumption {
  private readonly app: Application
  private readonly socket: Socket
  private readonly isUnseen = createSeen()
  private position: string | undefined
  private connection = 0
  /** Until the server has begun with what was missed, its events come again. */
  private isResuming = false

  constructor(app: Application, socket: Socket) {
    this.app = app
    this.socket = socket
  }

  /** Whether an event has not been seen. */
  isNew(stamp: Stamp): boolean {
    // Those without a position too: they come again after those that were missed.
    if (this.isResuming) return false

    this.position = stamp.position ?? this.position

    return this.isUnseen(stamp)
  }

  /** Notes where the server is at the beginning of a connection. What was missed is resumed from the position before. */
  startAt(position: string): void {
    if (!this.isResuming) this.position = position
  }

  /** Tells the application that events are lost. */
  report(gap: { position?: string }): void {
    this.position = gap.position
    emitSafely(this.app, this.app, 'gap', [gap])
  }

  /** Asks for what was missed, on a new connection. */
  begin(): void {
    const login: Promise<unknown> | undefined = this.app.get('authentication')

    this.connection++
    this.isResuming = this.position !== undefined

    // As the user of the connection before. Otherwise at once, so that calls that wait for the connection come after it.
    if (login) void this.resumeAs(login)
    else this.resume(this.position)
  }

  private resume(from: string | undefined): void {
    const { connection } = this

    this.socket.emit('$resume', from, (_error: unknown, end?: string) => {
      if (connection !== this.connection) return

      this.isResuming = false
      this.position ??= end
    })
  }

  private async resumeAs(login: Promise<unknown>): Promise<void> {
    const { connection } = this
    const isKnown = await login.then(
      () => true,
      ({ code }) => code === 401
    )

    if (connection === this.connection && this.socket.connected)
      this.resume(isKnown ? this.position : NOWHERE)
  }
}

/**
 * Gets a socket the events that it missed, after each lost connection. Where that is not possible, the application emits `gap`
 * with the names of services: their records have to be read again.
 *
 * @param app The application
 * @param socket A socket of `socket.io-client`; others stay as they are
 */
export function resumeEvents(app: Application, socket: Receiving): void {
  const { onevent } = socket

  if (typeof onevent !== 'function') return

  const resumption = new Resumption(app, socket)

  socket.onevent = (packet) => {
    const [name, content, stamp] = packet.data ?? []

    if (name === '$position') resumption.startAt(content)
    if (typeof stamp?.tx === 'string' && !resumption.isNew(stamp)) return

    onevent.call(socket, packet)
  }
  socket.on('gap', (gap: { position?: string }) => resumption.report(gap))
  socket.on('connect', () => resumption.begin())
  if (socket.connected) resumption.begin()
}
