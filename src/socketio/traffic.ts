import type { Socket } from 'socket.io'

/** A connection of Engine.IO, whatever it goes through. */
export type EngineConnection = Socket['conn']

/**
 * How many calls of a connection are under way at once. Of requests on one connection no fewer shall be allowed
 * (RFC 9113, 6.5.2).
 */
const MOST_CALLS = 100

/** How many calls may wait before the server stops reading, which holds up the heartbeat as well. */
const PATIENCE = 1000

/** How many calls may wait where the server cannot stop reading. */
const MOST_WAITING = 10_000

/**
 * How many bytes may wait for a client besides its answers, before its connection is closed. So many that a burst of
 * events, of which nothing leaves before it is over, does not close that of a client that reads.
 */
const MOST_WEIGHT = 64 * 1024 * 1024

/** About what a packet takes in memory besides its data. */
const PACKET_WEIGHT = 256

/**
 * Bounds what a connection costs whose client sends much and reads little. Of the connection of Engine.IO: a client that
 * leaves the services and comes back has the same one.
 */
export class Traffic {
  private readonly conn: any
  private readonly waiting: (() => Promise<void>)[] = []
  /** Calls that run, and answers that have not left. */
  private taken = 0
  /** Answers that wait for what was sent before them. */
  private unsent = 0
  private weight = 0
  private isAnswering = false

  constructor(conn: EngineConnection) {
    this.conn = conn
    conn.on('packetCreate', this.weigh)
    conn.on('drain', this.flush)
    conn.on('upgrade', this.watchPings)
    this.watchPings()
  }

  /** Runs a call: now, or when it is its turn. */
  add(call: () => Promise<void>): void {
    if (this.taken < MOST_CALLS) {
      this.run(call)
      return
    }

    this.waiting.push(call)
    if (this.waiting.length < PATIENCE) return

    const { socket } = this.conn.transport

    // Of long-polling there is no WebSocket, and other servers of WebSockets cannot wait.
    if (socket?.pause) socket.pause()
    else if (this.waiting.length > MOST_WAITING) this.close()
  }

  /** Runs what waits, all at once. */
  hurry(): void {
    for (const call of this.waiting.splice(0)) this.run(call)
    this.advance()
  }

  /** Forgets what waits. */
  drop(): void {
    this.waiting.length = 0
    this.advance()
  }

  /** Sends an answer, which takes a place until it has left: who does not read gets nothing more done. */
  answer(send: () => void): void {
    this.taken++
    this.unsent++
    this.isAnswering = true

    try {
      send()
    } catch (error) {
      this.taken--
      this.unsent--
      throw error
    } finally {
      this.isAnswering = false
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
    for (const call of this.waiting.splice(0, MOST_CALLS - this.taken)) this.run(call)

    const { socket } = this.conn.transport

    if (this.waiting.length === 0 && socket?.isPaused) socket.resume()
  }

  /** Hears that the transport has all that waited for it. */
  private readonly flush = (): void => {
    const { transport } = this.conn
    const sent = this.unsent

    if (sent === 0) return

    this.unsent = 0

    // Long-polling is not writable until the client comes back, and a WebSocket as soon as all has been written.
    if (transport.name === 'polling' || transport.writable) this.leave(sent)
    else transport.once('drain', () => this.leave(sent))
  }

  /** Hears of each packet before it is sent: with a thousand listeners to an event, a thousand times. */
  private readonly weigh = ({ data }: any): void => {
    if (this.conn.writeBuffer.length === 0) this.weight = 0
    else if (!this.isAnswering) this.weight += PACKET_WEIGHT + (data?.length ?? 0)

    // Not while somebody sends to it.
    if (this.weight > MOST_WEIGHT) queueMicrotask(() => this.close())
  }

  /** What a WebSocket answers by itself, to pings of its protocol, is seen by nobody else. */
  private readonly watchPings = (): void => {
    const { socket } = this.conn.transport

    socket?.on?.('ping', () => {
      if (socket.bufferedAmount > MOST_WEIGHT) this.close()
    })
  }

  /** At once: what waits would not leave. */
  private close(): void {
    this.conn.close(true)
    this.conn.transport.socket?.terminate?.()
  }
}
