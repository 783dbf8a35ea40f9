import type { Server as HttpServer } from 'node:http'
import type { Server } from 'socket.io'

/** The events of a server that Socket.IO listens to. */
const EVENTS = ['request', 'upgrade', 'close', 'listening']

/**
 * Attaches Socket.IO to an HTTP server. Socket.IO wraps the existing listeners and cannot be detached by itself: the function
 * that is returned does so, so that another one can be attached.
 */
export function attach(io: Server, server: HttpServer): () => void {
  const before = new Map(EVENTS.map((event) => [event, server.rawListeners(event)]))

  io.attach(server)

  const attached = new Map(EVENTS.map((event) => [event, server.rawListeners(event)]))

  return () => {
    for (const event of EVENTS) {
      const [former = [], present = []] = [before.get(event), attached.get(event)]

      for (const listener of present) {
        if (!former.includes(listener)) server.off(event, listener as () => void)
      }
      for (const listener of former.toReversed()) {
        if (!present.includes(listener)) server.prependListener(event, listener as () => void)
      }
    }
  }
}
