// What is written to the stream of Redis, and read from it.
import { randomUUID } from 'node:crypto'
import { compareIds } from '../log/position.ts'
import type { Client } from '../redis/connection.ts'
import { isStringList } from '../utils/check.ts'

/** Before the first entry. */
export const START = '0-0'

/** An entry of the stream. The names of its fields are short, because each entry has them. */
export interface StreamEntry {
  readonly id: string
  /** The process that wrote it, and a number that grows with each of its entries. */
  readonly tx: string
  /** The services of the events. A process that has none of them does not read these. */
  readonly paths: readonly string[]
  readonly count: number
  /** The events; `undefined` for events that were too large, or had to make room, and for a revocation. */
  readonly text: string | undefined
  /** The id of what was revoked. */
  readonly revoked: string | undefined
}

/** An entry as Redis has it. */
export type Message = { readonly id: string; readonly message: { readonly [name: string]: string } }

/** The fields of an entry. */
export function toFields({ tx, paths, count, text, revoked }: Omit<StreamEntry, 'id'>): {
  [name: string]: string
} {
  if (revoked !== undefined) return { tx, revoked }

  return {
    tx,
    paths: JSON.stringify(paths),
    count: String(count),
    ...(text !== undefined && { events: text })
  }
}

/** Reads an entry of the stream; `undefined` for an entry of another program. */
export function parseEntry({ id, message }: Message): StreamEntry | undefined {
  const { tx = '', paths = '[]', count = '0', events: text, revoked } = message
  const list = parseList(paths)

  if (!/^[a-z0-9]+-\d{1,15}$/.test(tx) || !list || !/^\d{1,9}$/.test(count)) return undefined
  if (revoked === undefined && Number(count) === 0) return undefined

  return { id, tx, paths: list, count: Number(count), text, revoked }
}

/** How many bytes an entry has, about. */
export function countBytes({ message }: Message): number {
  return Object.values(message).reduce((sum, value) => sum + value.length, 64)
}

/** The name of the log that the stream is: another one when Redis was started again, or has lost its data. */
export async function readEpoch(client: Client, key: string): Promise<string> {
  const name = `${key}:epoch`
  const [, value, server] = await Promise.all([
    client.set(name, randomUUID().slice(0, 8), { condition: 'NX' }),
    client.get(name),
    client.info('server')
  ])
  const [, run = ''] = /^run_id:([0-9a-f]+)/m.exec(server) ?? []

  return `${run.slice(0, 8)}${value}`
}

/** How many parts of a stream are told apart. */
const PARTS = 64

/** Up to which id the stream may forget entries, so that the others have no more bytes than they may. */
export class StreamSize {
  private readonly maxBytes: number
  /** The first id, and the bytes, of parts of the stream; the last one grows. */
  private readonly parts: { readonly id: string; bytes: number }[] = []
  private bytes = 0

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes
  }

  /** Notes an entry. */
  add(id: string, bytes: number): void {
    const last = this.parts.at(-1)

    if (last && last.bytes < this.maxBytes / PARTS) last.bytes += bytes
    else this.parts.push({ id, bytes })

    this.bytes += bytes

    // Here, because a process that only reads asks for no id.
    while (this.bytes > this.maxBytes && this.parts.length > 1) this.bytes -= this.parts.shift()?.bytes ?? 0
  }

  /**
   * Notes all entries between two, as if the stream had grown evenly: one part would be forgotten at once. After a burst of
   * entries, the stream may take up to twice `maxBytes` until it is trimmed.
   */
  addAll(first: string, last: string, bytes: number): void {
    const [from = 0, to = 0] = [first, last].map(Number.parseFloat)

    for (let part = 0; part < PARTS; part++)
      this.add(part === 0 ? first : `${Math.floor(from + ((to - from) * part) / PARTS)}-0`, bytes / PARTS)
  }

  /** The first id that is kept. */
  get first(): string | undefined {
    return this.parts[0]?.id
  }

  /** What was noted after an entry is gone. */
  clear(end: string): void {
    while (compareIds(this.parts.at(-1)?.id ?? end, end) > 0) this.bytes -= this.parts.pop()?.bytes ?? 0
  }
}

function parseList(text: string): readonly string[] | undefined {
  try {
    const list: unknown = JSON.parse(text)

    return isStringList(list) ? list : undefined
  } catch {
    return undefined
  }
}
