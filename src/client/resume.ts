// What a client missed while its socket was not connected.
import { emitSafely } from '../core/events.ts'
import type { Application } from '../core/types.ts'
import { createSeen } from './seen.ts'
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

/**
 * Gets a socket the events that it missed, after each lost connection. Where that is not possible, the application emits `gap`
 * with the names of services: their records have to be read again. Sockets that are not of `socket.io-client` stay as they are.
 */
export function resumeEvents(app: Application, socket: Receiving): void {
  const { onevent } = socket

  if (typeof onevent !== 'function') return

  const isUnseen = createSeen()
  let position: string | undefined
  let connection = 0
  // Until the server has begun with what was missed, its events come again.
  let isResuming = false

  async function begin(): Promise<void> {
    const login: Promise<unknown> | undefined = app.get('authentication')
    const current = ++connection
    const isCurrent = () => current === connection && socket.connected

    isResuming = position !== undefined

    // As the user of the connection before. Otherwise at once, so that calls that wait for the connection come after it.
    const isKnown = !login || (await isAnswered(login))

    if (!isCurrent()) return

    ask(socket, isKnown ? position : NOWHERE, isCurrent, (end) => {
      isResuming = false
      position ??= end
    })
  }

  socket.onevent = (packet) => {
    const [name, content, stamp] = packet.data ?? []

    // Where the server is, unless it goes on from the position before.
    if (name === '$position' && !isResuming) position = content

    if (typeof stamp?.tx === 'string') {
      // Those without a position too: they come again after those that were missed.
      if (isResuming) return

      position = stamp.position ?? position
      if (!isUnseen(stamp)) return
    }

    onevent.call(socket, packet)
  }
  socket.on('gap', (gap: { position?: string }) => {
    position = gap.position
    emitSafely(app, app, 'gap', [gap])
  })
  socket.on('connect', () => void begin())
  if (socket.connected) void begin()
}

/** Whether the server has accepted a login, or refused it. */
function isAnswered(login: Promise<unknown>): Promise<boolean> {
  return login.then(
    () => true,
    (error) => error?.code === 401
  )
}

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
