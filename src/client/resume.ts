// What a client missed while its socket was not connected.
import { emitSafely } from '../core/events.ts'
import type { Application } from '../core/types.ts'
import { createSeen, type Stamp } from './seen.ts'
import type { Socket } from './socket.ts'

/** The part of a socket of `socket.io-client` that gives messages to listeners. */
interface Receiving extends Socket {
  readonly _opts?: { readonly ackTimeout?: number }
  onevent?(packet: { data?: readonly any[] }): void
}

/** Stands for a position that the server does not have: it replies with a gap. */
const NOWHERE = 'none-0.0'

/** After how many milliseconds a client asks again that was refused, or got no reply. */
const PAUSE = 1000

/** Asks for what was missed, and again after a pause without a reply, or where too much of what was sent has not been read. */
function ask(
  socket: Receiving,
  from: string | undefined,
  isCurrent: () => boolean,
  begin: (end?: string) => void
): void {
  function take(lost: Error | null, error: { code?: number } | null, end?: string): void {
    // After a lost connection, the next one asks.
    if (!isCurrent()) return

    // Until then, the events that come are among those that were missed. A server without a log does not reply at all.
    if (lost ? from : error?.code === 429)
      setTimeout(() => isCurrent() && ask(socket, from, isCurrent, begin), PAUSE)
    else begin(end)
  }

  // With a time limit, a reply has an argument before those of the server. This sets none: with `retries`, all calls wait for
  // the reply, which some servers never send.
  socket.emit('$resume', from, socket._opts?.ackTimeout === undefined ? take.bind(null, null) : take)
}

/** Whether the server has accepted a login, or refused it. */
function isAnswered(login: Promise<unknown>): Promise<boolean> {
  return login.then(
    () => true,
    ({ code }) => code === 401
  )
}

/** What one socket has seen, and how it gets the rest. */
function createResumption(app: Application, socket: Receiving) {
  const isUnseen = createSeen()
  let position: string | undefined
  let connection = 0
  // Until the server has begun with what was missed, its events come again.
  let isResuming = false

  /** Creates what tells whether the connection is still the one of now. */
  function watch(): () => boolean {
    const current = connection

    return () => current === connection && socket.connected
  }

  function resume(from = position): void {
    ask(socket, from, watch(), (end) => {
      isResuming = false
      position ??= end
    })
  }

  async function resumeAs(login: Promise<unknown>): Promise<void> {
    const isCurrent = watch()
    const isKnown = await isAnswered(login)

    if (isCurrent()) resume(isKnown ? position : NOWHERE)
  }

  return {
    isNew(stamp: Stamp): boolean {
      // Those without a position too: they come again after those that were missed.
      if (isResuming) return false

      position = stamp.position ?? position

      return isUnseen(stamp)
    },

    /** Notes where the server is, unless it goes on from the position before. */
    startAt(from: string | undefined): void {
      if (!isResuming) position = from
    },

    report(gap: { position?: string }): void {
      position = gap.position
      emitSafely(app, app, 'gap', [gap])
    },

    begin(): void {
      const login: Promise<unknown> | undefined = app.get('authentication')

      connection++
      isResuming = position !== undefined

      // As the user of the connection before. Otherwise at once, so that calls that wait for the connection come after it.
      void (login ? resumeAs(login) : resume())
    }
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

  const { isNew, startAt, report, begin } = createResumption(app, socket)

  socket.onevent = (packet) => {
    const [name, content, stamp] = packet.data ?? []

    if (name === '$position') startAt(content)
    if (typeof stamp?.tx === 'string' && !isNew(stamp)) return

    onevent.call(socket, packet)
  }
  socket.on('gap', report)
  socket.on('connect', begin)
  if (socket.connected) begin()
}
