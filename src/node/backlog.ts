import { getHeapStatistics } from 'node:v8'

/** A connection with bytes that its client has not read. */
export interface WaitingConnection {
  /** Closes the connection at once: what waits would not leave. */
  close(): void
}

/** Which part of the heap unread responses may take. */
const HEAP_SHARE = 1 / 4

/**
 * How many bytes of responses may wait for all clients of a server: a quarter of the heap, whose size `--max-old-space-size`
 * sets.
 */
export function getBacklogLimit(): number {
  return Math.floor(getHeapStatistics().heap_size_limit * HEAP_SHARE)
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
