import type { Socket } from 'socket.io'
import type { Backlog, WaitingConnection } from '../utils/backlog.ts'

/** A connection of Engine.IO, whatever it goes through. */
export type EngineConnection = Socket['conn']

/**
 * How many calls of a connection are in progress at once: the lowest limit that HTTP/2 recommends (RFC 9113, 6.5.2).
 */
const MAX_CALLS = 100

/**
 * How many calls of an idle connection start at once; twice as many in each further turn of the event loop. How large a reply is
 * shows only when it is sent: replies of a hundred calls that start at once are in memory before the first one waits.
 */
const CALLS_AT_ONCE = 4

/**
 * While as many bytes of replies wait for a client, no further call of it starts. Calls that run count as much as the last reply,
 * because the operating system takes some megabytes before anything waits.
 */
const MAX_UNSENT_BYTES = 1_048_576

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
export class Traffic implements WaitingConnection {
  private readonly conn: any
  private readonly backlog: Backlog
  private readonly queue: (() => Promise<void>)[] = []
  /** Running calls, and replies that have not left. */
  private taken = 0
  /** Replies that wait for earlier packets. */
  private unsent = 0
  private weight = 0
  /**
   * The bytes of all replies that have not left, and of those that wait for earlier packets. Events for this client alone count
   * too: they are in memory only because of it.
   */
  private ownBytes = 0
  private unsentBytes = 0
  /** How large the last reply was: those of the calls that run may be as large. */
  private lastBytes = 0
  private running = 0
  private isReplying = false
  private isSendingOwn = false
  /** How many calls may start in this turn of the event loop, and how many of them have started. */
  private allowed = CALLS_AT_ONCE
  private started = 0
  private isScheduled = false

  /** The backlog counts what waits for single clients, over all connections. */
  constructor(conn: EngineConnection, backlog: Backlog) {
    this.conn = conn
    this.backlog = backlog
    conn.on('packetCreate', this.weigh)
    conn.on('drain', this.flush)
    conn.on('upgrade', this.watchPings)
    conn.on('close', () => backlog.set(this, 0))
    this.watchPings()
  }

  /** Whether its client has not read as many bytes of events as a call would have to wait for. */
  get isBehind(): boolean {
    const { transport, writeBuffer } = this.conn
    const held = writeBuffer.length > 0 ? this.weight : 0

    return held + (transport.socket?.bufferedAmount ?? 0) >= MAX_UNSENT_BYTES
  }

  /** Runs a call: now, or when it is its turn. */
  add(call: () => Promise<void>): void {
    this.queue.push(call)
    this.advance()
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
    this.lastBytes = 0
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

  /** Sends an event that no other client gets. */
  sendOwn(send: () => void): void {
    this.isSendingOwn = true

    try {
      send()
    } finally {
      this.isSendingOwn = false
    }
  }

  /** Closes the connection: waiting packets would not leave. Later, because packets may be on their way to it. */
  close(): void {
    queueMicrotask(() => {
      this.conn.close(true)
      this.conn.transport.socket?.terminate?.()
    })
  }

  private run(call: () => Promise<void>): void {
    this.taken++
    this.running++
    this.started++
    void call().finally(() => {
      this.running--
      this.leave(1, 0)
    })
  }

  private leave(count: number, bytes: number): void {
    this.taken -= count
    if (this.taken === 0) this.allow(CALLS_AT_ONCE)
    // Its client reads: it waits from now on.
    if (bytes > 0) this.backlog.set(this, 0)
    this.setOwnBytes(this.ownBytes - bytes)
    this.advance()
  }

  private setOwnBytes(bytes: number): void {
    this.ownBytes = bytes
    this.backlog.set(this, this.conn.readyState === 'closed' ? 0 : bytes)
  }

  private hasRoom(): boolean {
    if (this.taken === 0) return true

    const expected = this.ownBytes + this.running * this.lastBytes

    return this.taken < MAX_CALLS && expected < MAX_UNSENT_BYTES
  }

  private advance(): void {
    while (this.queue.length > 0 && this.hasRoom() && this.started < this.allowed) {
      this.run(this.queue.shift() as () => Promise<void>)
    }

    this.schedule()

    const { socket } = this.conn.transport

    if (this.queue.length === 0 && socket?.isPaused) socket.resume()
  }

  /** Starts further calls in the next turn, where nothing else keeps them waiting. */
  private schedule(): void {
    if (this.isScheduled || this.queue.length === 0 || !this.hasRoom()) return

    this.isScheduled = true
    setImmediate(() => {
      this.isScheduled = false
      this.allow(Math.min(2 * this.allowed, MAX_CALLS))
      this.advance()
    })
  }

  private allow(calls: number): void {
    this.allowed = calls
    this.started = 0
  }

  /** Called when the transport has taken all waiting packets. */
  private readonly flush = (): void => {
    const { transport } = this.conn
    const { unsent: sent, unsentBytes: bytes } = this

    if (sent === 0 && bytes === 0) return

    this.unsent = 0
    this.unsentBytes = 0

    // Long-polling is not writable until the client comes back, and a WebSocket as soon as all has been written.
    if (transport.name === 'polling' || transport.writable) this.leave(sent, bytes)
    else transport.once('drain', () => this.leave(sent, bytes))
  }

  /** Called for each packet before it is sent, once per receiver. */
  private readonly weigh = ({ data }: { data?: { length: number } }): void => {
    const bytes = PACKET_WEIGHT + (data?.length ?? 0)

    if (this.conn.writeBuffer.length === 0) this.weight = 0
    else if (!this.isReplying) this.weight += bytes

    if (this.isReplying) this.lastBytes += bytes
    if (this.isReplying || this.isSendingOwn) {
      this.unsentBytes += bytes
      this.setOwnBytes(this.ownBytes + bytes)
    }

    if (this.weight > MAX_BUFFERED_BYTES) this.close()
  }

  /** Limits the replies to protocol pings, which the WebSocket sends by itself. */
  private readonly watchPings = (): void => {
    const { socket } = this.conn.transport

    socket?.on?.('ping', () => {
      if (socket.bufferedAmount > MAX_BUFFERED_BYTES) this.close()
    })
  }
}
