import { convert, Unavailable } from '../errors.ts'
import { setHidden } from './error.ts'

/** On a socket that does not try again: the error with which the server has refused it. */
const REFUSAL = Symbol('alula/refusal')

/** What is needed of a socket of `socket.io-client`. */
export interface Socket {
  [REFUSAL]?: Error | undefined
  readonly connected: boolean
  /** Whether it connects again by itself. */
  readonly active?: boolean
  /** What connects it. */
  readonly io?: { reconnectionDelayMax(): number }
  connect(): unknown
  on(event: string, listener: (...values: any[]) => void): unknown
  off(event: string, listener: (...values: any[]) => void): unknown
  emit(event: string, ...values: unknown[]): unknown
}

/** The reason of a disconnect by the server. The socket does not connect again by itself then. */
const ENDED_BY_SERVER = 'io server disconnect'

/** How many milliseconds lie between two connections that a server ends, where the socket says nothing of it. */
const DEFAULT_PAUSE = 5000

/** Notes when a server refuses a socket for good. */
export function watchRefusals(socket: Socket): void {
  socket.on('connect', () => {
    socket[REFUSAL] = undefined
  })
  socket.on('connect_error', (error) => {
    if (socket.active === false) socket[REFUSAL] = toRefusal(error)
  })
}

/** @throws The error with which the server has refused a socket that does not try again */
export function assertNotRefused(socket: Socket): void {
  if (socket[REFUSAL] && socket.active === false) throw socket[REFUSAL]
}

/**
 * Waits for a connection; when there is one, not at all.
 *
 * @throws The error with which the server refuses the connection for good; Unavailable when it does not say
 */
export function whenConnected(socket: Socket): Promise<void> {
  if (socket.connected) return Promise.resolve()

  return new Promise((resolve, reject) => {
    function connected(): void {
      stop()
      resolve()
    }

    function failed(error: Error): void {
      // Of itself it tries again.
      if (socket.active) return

      stop()
      reject(toRefusal(error))
    }

    function stop(): void {
      socket.off('connect', connected)
      socket.off('connect_error', failed)
    }

    socket.on('connect', connected)
    socket.on('connect_error', failed)
  })
}

/**
 * Creates what waits for the connection after one that was lost, and makes it when the server has ended that: at once,
 * but not in circles with a server that ends every connection.
 *
 * @returns Takes the reason of the `disconnect`, and rejects as `whenConnected` does
 */
export function createReconnect(socket: Socket): (reason: string) => Promise<void> {
  let endedAt = Number.NEGATIVE_INFINITY

  return async (reason) => {
    if (reason === ENDED_BY_SERVER) {
      const pause = socket.io?.reconnectionDelayMax() ?? DEFAULT_PAUSE
      const wait = endedAt + pause - Date.now()

      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))

      endedAt = Date.now()
      if (!socket.active) socket.connect()
    }

    await whenConnected(socket)
  }
}

function toRefusal(error: Error & { data?: { className?: string } }): Error {
  const refusal = error.data?.className ? convert(error.data) : new Unavailable(error.message, error.data)

  return setHidden(refusal, 'cause', error)
}
