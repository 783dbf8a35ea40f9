// What the two ends of the stream have in common: where entries are kept, and what they look like.
import { randomUUID } from 'node:crypto'
import type { Client } from '../redis/connection.ts'

/** The stream that all processes write to and read from. */
export interface Stream {
  readonly key: string
  /** How many entries Redis keeps at least. */
  readonly maxLength: number
  /** How many bytes of entries a process keeps. */
  readonly maxBytes: number
}

/**
 * What an entry is for: an event, the id of something that was revoked, or the process itself: how far it is, and that
 * it ends.
 */
export type Kind = 'event' | 'revocation' | 'hello' | 'bye'

/** An entry of a stream. Its fields are texts. */
export interface StreamEntry {
  /** The process that wrote it. */
  readonly origin: string
  readonly kind: string
  /** Counts the events and revocations of a process, from 1 on; in a hello and a bye it is that of the last one. */
  readonly sequence: string
  /** In a hello the id of the entry up to which the process has read. */
  readonly text: string
}

/**
 * Reads an entry of the stream.
 *
 * @param fields What Redis returns
 * @returns `undefined` for an entry of another program
 */
export function parseEntry(fields: { readonly [name: string]: string }): StreamEntry | undefined {
  const { origin, kind, sequence = '', text } = fields

  if (origin === undefined || kind === undefined || text === undefined) return undefined

  return /^\d{1,15}$/.test(sequence) ? { origin, kind, sequence, text } : undefined
}

/**
 * A name for a process: the time of Redis and something random.
 *
 * @param client A client that is connected
 */
export async function createOrigin(client: Client): Promise<string> {
  return `${await getTime(client)}-${randomUUID()}`
}

/** Whether a process got its name after a moment, by the time of Redis. */
export function isYounger(origin: string, time: number): boolean {
  return Number.parseInt(origin, 10) > time
}

/** The time of Redis, in microseconds since 1970: the one clock that all processes have. */
export async function getTime(client: Client): Promise<number> {
  const [seconds, microseconds] = await client.time()

  return Number(seconds) * 1e6 + Number(microseconds)
}

/** Before the first entry. */
export const START = '0-0'

/** Looks whether a stream is still the one that it was. */
export class StreamWatch {
  private readonly client: Client
  private readonly stream: Stream
  private identity: string | undefined

  /**
   * @param client A client that is connected
   * @param stream The stream
   */
  constructor(client: Client, stream: Stream) {
    this.client = client
    this.stream = stream
  }

  /**
   * Whether Redis has lost entries since it was asked before.
   *
   * @param id An entry that was there; it may have been trimmed away, which is no loss
   */
  async isLost(id: string): Promise<boolean> {
    const { client, identity } = this
    const { key, maxLength } = this.stream
    const identityKey = `${key}:identity`
    const [, current, found, oldest, length] = await Promise.all([
      client.set(identityKey, randomUUID(), { condition: 'NX' }),
      client.get(identityKey),
      client.xRange(key, id, id),
      client.xRange(key, '-', '+', { COUNT: 1 }),
      client.xLen(key)
    ])

    this.identity = current ?? undefined

    if (identity !== undefined && identity !== current) return true
    if (id === START || found?.length !== 0) return false

    // From the front, because it was full; anything else is what happens when an older copy of the data comes back.
    const isTrimmed = length >= maxLength && isBefore(id, oldest?.[0]?.id ?? START)

    return !isTrimmed
  }
}

/** Whether an entry comes before another one in the stream, by their ids. */
export function isBefore(id: string, other: string): boolean {
  const [milliseconds, position] = toNumbers(id)
  const [otherMilliseconds, otherPosition] = toNumbers(other)

  return milliseconds < otherMilliseconds || (milliseconds === otherMilliseconds && position < otherPosition)
}

function toNumbers(id: string): [milliseconds: number, position: number] {
  const [milliseconds, position] = id.split('-').map(Number)

  return [milliseconds as number, position as number]
}
