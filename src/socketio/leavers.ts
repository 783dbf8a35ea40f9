import { withTimeout } from '../utils/with-timeout.ts'
import type { OpenedSocket } from './connections.ts'

/**
 * The sockets whose clients leave by themselves when the server closes. A server that closes a connection cannot know which
 * calls are on their way to it. A client that sends no more calls, and has all replies, knows that none is.
 */
export class Leavers {
  private readonly sockets = new Set<OpenedSocket>()
  private whenGone: (() => void) | undefined

  /** Adds a socket whose client takes `$closing`. */
  add(socket: OpenedSocket): void {
    if (this.sockets.has(socket)) return

    this.sockets.add(socket)
    socket.once('disconnect', () => {
      this.sockets.delete(socket)
      if (this.sockets.size === 0) this.whenGone?.()
    })
  }

  /**
   * Sends `$closing`, and resolves when these clients have left.
   *
   * @param limit How long to wait for that at most, in milliseconds
   */
  async dismiss(limit: number): Promise<void> {
    if (this.sockets.size === 0) return

    const gone = new Promise<void>((resolve) => {
      this.whenGone = resolve
    })

    for (const socket of this.sockets) socket.emit('$closing')
    await withTimeout(gone, limit).catch(() => undefined)
  }
}
