// How a client leaves a server that closes, so that no call is lost.
import { withTimeout } from '../utils/with-timeout.ts'
import type { Socket } from './socket.ts'

/** The calls of a socket, and whether it is leaving its server. */
export interface Leaving {
  /** Whether a call has to wait until the connection is closed. */
  readonly isLeaving: boolean
  /** Counts a call that is sent. Returns a function that ends it. */
  begin(): () => void
  /**
   * Waits until the connection to a server that closes is closed.
   *
   * @param end The time at which it stops waiting
   * @returns Whether it is closed
   */
  whenGone(end: number): Promise<boolean>
}

/**
 * Has a socket leave a server that says `$closing`: once its calls have their replies, it closes the connection, and
 * connects again, elsewhere. A connection that is not of Socket.IO is closed by the server.
 *
 * @param socket A socket
 */
export function watchClosing(socket: Socket): Leaving {
  let calls = 0
  let isLeaving = false
  let gone: Promise<void> | undefined

  function leave(): void {
    // Not the socket: it would not connect again by itself.
    if (isLeaving && calls === 0) socket.io?.engine?.close?.()
  }

  socket.on('$closing', () => {
    isLeaving = true
    gone = new Promise((resolve) => {
      socket.on('disconnect', function end() {
        socket.off('disconnect', end)
        isLeaving = false
        resolve()
      })
    })
    leave()
  })

  return {
    get isLeaving() {
      return isLeaving
    },
    begin() {
      calls++

      return () => {
        calls--
        leave()
      }
    },
    async whenGone(end) {
      if (isLeaving) await withTimeout(gone as Promise<void>, end - Date.now()).catch(() => undefined)

      return !isLeaving
    }
  }
}
