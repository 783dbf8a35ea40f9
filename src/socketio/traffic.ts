import type { Socket } from 'socket.io'

/** A connection of Engine.IO, whatever it goes through. */
export type EngineConnection = Socket['conn']

/**
 * How many calls of a connection are in progress at once: the lowest limit that HTTP/2 recommends (RFC 9113, 6.5.2).
 */
const MAX_CALLS = 100

/** How many calls may wait before the server stops reading, which delays the heartbeat as well. */
const PAUSE_AT = 1000

/** How many calls may wait where the server cannot stop reading. */
const MAX_WAITING = 10_000

/**
 * How many bytes of events may wait for a client before its connection is closed. High enough that a burst of events, which
 * leaves only when it is complete, does not close the connection of a client that reads.
 */
const MAX_BUFFERED_BYTES = 64 * 1024 * 1024

/** Roughly how many bytes a packet takes in memory besides its data. */
const PACKET_WEIGHT = 256

/**
 * Limits what a connection costs whose client sends much and reads little. It belongs to the connection of Engine.IO, which
 * stays the same when a client leaves a namespace and joins it again.
 */
export class Traffic {
  private readonly conn: any
  private readonly queue: (() => Promise<void>)[] = []
  /** Running calls, and replies that have not left. */
  private taken = 0
  /** Replies that wait for earlier packets. */
  private unsent = 0
  private weight = 0
  private isReplying = false

  constructor(conn: EngineConnection) {
    this.conn = conn
    conn.on('packetCreate', this.weigh)
    conn.on('drain', this.flush)
    conn.on('upgrade', this.watchPings)
    this.watchPings()
  }

  /** Runs a call: now, or when it is its turn. */
  add(call: () => Promise<void>): void {
    if (this.taken < MAX_CALLS) {
      this.run(call)
      return
    }

    this.queue.push(call)
    if (this.queue.length < PAUSE_AT) return

    const { socket } = this.conn.transport

    // Long-polling has no WebSocket, and other WebSocket servers cannot pause.
    if (socket?.pause) socket.pause()
    else if (this.queue.length > MAX_WAITING) this.close()
  }

  /** Runs all waiting calls at once. */
  runAll(): void {
    for (const call of this.queue.splice(0)) this.run(call)
    this.advance()
  }

  /** Drops all waiting calls. */
  drop(): void {
    this.queue.length = 0
    this.advance()
  }

  /** Sends a reply, which takes a slot until it has left: a client that does not read gets no further calls run. */
  reply(send: () => void): void {
    this.taken++
    this.unsent++
    this.isReplying = true

    try {
      send()
    } catch (error) {
      this.taken--
      this.unsent--
      throw error
    } finally {
      this.isReplying = false
    }
  }

  private run(call: () => Promise<void>): void {
    this.taken++
    void call().finally(() => this.leave(1))
  }

  private leave(count: number): void {
    this.taken -= count
    this.advance()
  }

  private advance(): void {
    for (const call of this.queue.splice(0, MAX_CALLS - this.taken)) this.run(call)

    const { socket } = this.conn.transport

    if (this.queue.length === 0 && socket?.isPaused) socket.resume()
  }

  /** Called when the transport has taken all waiting packets. */
  private readonly flush = (): void => {
    const { transport } = this.conn
    const sent = this.unsent

    if (sent === 0) return

    this.unsent = 0

    // Long-polling is not writable until the client comes back, and a WebSocket as soon as all has been written.
    if (transport.name === 'polling' || transport.writable) this.leave(sent)
    else transport.once('drain', () => this.leave(sent))
  }

  /** Called for each packet before it is sent, once per receiver. */
  private readonly weigh = ({ data }: { data?: { length: number } }): void => {
    if (this.conn.writeBuffer.length === 0) this.weight = 0
    else if (!this.isReplying) this.weight += PACKET_WEIGHT + (data?.length ?? 0)

    // Not while packets are being sent to it.
    if (this.weight > MAX_BUFFERED_BYTES) queueMicrotask(() => this.close())
  }

  /** Limits the replies to protocol pings, which the WebSocket sends by itself. */
  private readonly watchPings = (): void => {
    const { socket } = this.conn.transport

    socket?.on?.('ping', () => {
      if (socket.bufferedAmount > MAX_BUFFERED_BYTES) this.close()
    })
  }

  /** At once: waiting packets would not leave. */
  private close(): void {
    this.conn.close(true)
    this.conn.transport.socket?.terminate?.()
  }
}
