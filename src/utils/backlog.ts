// How much waits for clients that do not read.

/** A connection with bytes that its client has not read. */
export interface WaitingConnection {
  /** Closes the connection at once: what waits would not leave. */
  close(): void
}

/** Which part of the heap what waits may take. */
const HEAP_SHARE = 1 / 4

/** The heap of a runtime that does not say how large it is, in bytes: that of a small process. */
const SMALL_HEAP = 268_435_456

/**
 * How many bytes may wait for all clients of a server: a quarter of the heap, whose size `--max-old-space-size` sets.
 */
export function getBacklogLimit(): number {
  const load = globalThis.process?.getBuiltinModule
  const heap = load?.('node:v8')?.getHeapStatistics().heap_size_limit ?? SMALL_HEAP

  return Math.floor(heap * HEAP_SHARE)
}

/**
 * Counts the bytes that wait for clients, over all connections of a server. Past the limit, the connection that has waited
 * longest is closed, then the next, because one that reads does not wait long.
 */
export class Backlog {
  private readonly limit: number
  /** The connection that waits longest comes first. */
  private readonly waiting = new Map<WaitingConnection, number>()
  private bytes = 0

  /** @param limit In bytes. A single connection may exceed it, or no client could ever get a response of that size */
  constructor(limit: number) {
    this.limit = limit
  }

  /** Sets how many bytes of a connection wait. A connection keeps its place in the order until none do. */
  set(connection: WaitingConnection, bytes: number): void {
    const before = this.waiting.get(connection) ?? 0

    if (bytes === before) return

    this.bytes += bytes - before
    if (bytes === 0) this.waiting.delete(connection)
    else this.waiting.set(connection, bytes)

    if (this.bytes > this.limit) this.closeOldest()
  }

  private closeOldest(): void {
    for (const [connection, bytes] of this.waiting) {
      if (this.bytes <= this.limit || this.waiting.size === 1) return

      this.bytes -= bytes
      this.waiting.delete(connection)
      connection.close()
    }
  }
}
