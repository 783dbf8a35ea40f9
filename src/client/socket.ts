import { convert, Unavailable } from '../errors.ts'
import { setHidden } from './error.ts'

/** On a socket: the error with which the server has refused it. */
const REFUSAL = Symbol('alula/refusal')

/** On a socket that the server has closed: whether the client is about to connect it again. */
const PAUSED = Symbol('alula/paused')

/** What is needed of a socket of `socket.io-client`. */
export interface Socket {
  [REFUSAL]?: Error | undefined
  [PAUSED]?: boolean
  readonly connected: boolean
  /** Whether it connects again by itself. */
  readonly active?: boolean
  /** What connects it. */
  readonly io?: SocketManager
  connect(): unknown
  on(event: string, listener: (...values: any[]) => void): unknown
  off(event: string, listener: (...values: any[]) => void): unknown
  emit(event: string, ...values: unknown[]): unknown
}

interface SocketManager {
  /** The connection; there is none before the first attempt. */
  readonly engine?: { close?(): unknown; _hasPingExpired?(): boolean }
  readonly _readyState?: string
  readonly _reconnecting?: boolean
  reconnectionDelay(value?: number): any
  reconnectionDelayMax(value?: number): any
  once(event: any, listener: () => void): unknown
  on(event: any, listener: (...values: any[]) => void): unknown
  off(event: any, listener: (...values: any[]) => void): unknown
}

/** The reason of a disconnect by the server. The socket does not connect again by itself then. */
const ENDED_BY_SERVER = 'io server disconnect'

/** How many milliseconds lie between two connections that a server ends, where the socket says nothing of it. */
const DEFAULT_PAUSE = 5000

/** So long that it does not matter, in milliseconds, before it is cut to the longest delay. */
const ANY_DELAY = 1e9

/** Notes when a server refuses a socket for good; when it does so for the moment, the socket tries again when it may. */
export function watchRefusals(socket: Socket): void {
  socket.on('connect', () => {
    socket[REFUSAL] = undefined
  })
  socket.on('connect_error', (error) => {
    if (socket.active === false) socket[REFUSAL] = toRefusal(error)
    // Of long-polling: nothing is known of a WebSocket that was refused.
    if (error.description === 503) delay(socket.io, error.context?.getResponseHeader?.('Retry-After') * 1000)
  })
}

/** Has a manager make its next attempt after a time in milliseconds, which it would choose by itself. */
function delay(manager: SocketManager | undefined, wait: number): void {
  if (!manager || !(wait > 0) || manager.reconnectionDelay() === ANY_DELAY) return

  const [before, longest] = [manager.reconnectionDelay(), manager.reconnectionDelayMax()]

  function set(from: number, to: number): void {
    manager?.reconnectionDelay(from)
    manager?.reconnectionDelayMax(to)
  }

  set(ANY_DELAY, wait)
  manager.once('reconnect_attempt', () => set(before, longest))
}

/**
 * Whether a socket has no connection. One whose server was not heard of in time is about to be closed: the socket would keep
 * messages, and send them with the next connection, before its login.
 */
export function isAway({ connected, io }: Socket): boolean {
  return connected === false || io?.engine?._hasPingExpired?.() === true
}

/**
 * Waits for a connection, until `end` at most, and returns whether there is one. Throws the reason why the socket does not
 * connect by itself: the refusal of the server, or else Unavailable.
 */
export async function whenConnected(socket: Socket, end: number): Promise<boolean> {
  while (isAway(socket)) {
    const limit = end - Date.now()

    if (limit <= 0) return false

    // Socket.IO emits its events before it decides whether to try again.
    await undefined

    if (isClosed(socket)) {
      throw (
        socket[REFUSAL] ??
        new Unavailable('The socket is closed, and does not connect by itself: call its connect()')
      )
    }

    await nextChange(socket, limit)
  }

  return true
}

/**
 * Creates what waits for the connection after one that was lost, and makes it when the server has ended that: at once, but not
 * in circles with a server that ends every connection. It takes the reason of the `disconnect`, and rejects when the server
 * refuses the connection.
 */
export function createReconnect(socket: Socket): (reason: string) => Promise<void> {
  let endedAt = Number.NEGATIVE_INFINITY

  return async (reason) => {
    if (reason === ENDED_BY_SERVER) {
      const pause = socket.io?.reconnectionDelayMax() ?? DEFAULT_PAUSE
      const wait = endedAt + pause - Date.now()

      if (wait > 0) {
        socket[PAUSED] = true
        await new Promise((resolve) => setTimeout(resolve, wait))
        socket[PAUSED] = false
      }

      endedAt = Date.now()
      if (!socket.active) socket.connect()
    }

    // Also for a connection that the page makes later.
    while (!socket.connected) {
      await nextChange(socket)
      if (socket[REFUSAL] && socket.active === false) throw socket[REFUSAL]
    }
  }
}

function isClosed({ connected, active, io, [PAUSED]: isPaused }: Socket): boolean {
  // A socket that was never opened is opened by the page.
  if (connected || isPaused || !io?.engine) return false

  return !active || (io._readyState === 'closed' && !io._reconnecting)
}

/** Waits until a socket is connected, or has failed to connect, or was closed, at most for a number of milliseconds. */
function nextChange(socket: Socket, limit?: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = limit === undefined ? undefined : setTimeout(changed, limit)

    function changed(): void {
      clearTimeout(timer)
      socket.off('connect', changed)
      socket.off('connect_error', changed)
      socket.io?.off('close', changed)
      resolve()
    }

    socket.on('connect', changed)
    socket.on('connect_error', changed)
    socket.io?.on('close', changed)
  })
}

function toRefusal(error: Error & { data?: { className?: string } }): Error {
  const refusal = error.data?.className ? convert(error.data) : new Unavailable(error.message, error.data)

  return setHidden(refusal, 'cause', error)
}
