// How a client leaves a server that closes, so that no call is lost.
import { settleWithin } from '../utils/promise.ts'
import type { Socket } from './socket.ts'

/** The calls of a socket, and whether it is leaving its server. */
export interface Leaving {
  /** Whether a call has to wait until the connection is closed. */
  readonly isLeaving: boolean
  /** Counts a call that is sent. Returns a function that ends it. */
  begin(): () => void
  /** Waits until the connection to a server that closes is closed, or the time has come. Returns whether it is closed. */
  whenGone(end: number): Promise<boolean>
}

/**
 * Has a socket leave a server that says `$closing`: once its calls have their replies, it closes the connection, and connects
 * again, elsewhere. A connection that is not of Socket.IO is closed by the server.
 */
export function watchClosing(socket: Socket): Leaving {
  let calls = 0
  /** While the server closes: resolves when the connection is closed. */
  let gone: Promise<void> | undefined

  function leave(): void {
    // Not the socket: it would not connect again by itself.
    if (gone && calls === 0) socket.io?.engine?.close?.()
  }

  socket.on('$closing', () => {
    gone = new Promise((resolve) => {
      socket.on('disconnect', function end() {
        socket.off('disconnect', end)
        gone = undefined
        resolve()
      })
    })
    leave()
  })

  return {
    get isLeaving() {
      return gone !== undefined
    },
    begin() {
      calls++

      return () => {
        calls--
        leave()
      }
    },
    async whenGone(end) {
      return !gone || settleWithin(end - Date.now(), [gone])
    }
  }
}
