import { whenJoined } from '../core/joining.ts'
import { getPublisher, publishTo } from '../core/publish.ts'
import { getServiceOptions } from '../core/service.ts'
import type { Application } from '../core/types.ts'
import { BadRequest } from '../errors.ts'
import { type KeptEvent, toKnownEvent } from './event.ts'
import { compareEnds, type End, type Position, toPositionText } from './position.ts'
import type { Entry, Ring } from './ring.ts'

/** What a connection missed and does not get: it reads the records of these services again. */
export interface Gap {
  /** The paths of the services. */
  readonly services: readonly string[]
  /** From where events go on. */
  readonly position: string
}

/** A connection that gets what it missed. */
export interface Replay {
  readonly connection: object
  /** Up to where it has all events. */
  readonly from: Position
  /** The log that processes share, if there is one. */
  readonly source: LogReader | undefined
  /** The name of the log, which changes when it has lost what it had. */
  getEpoch(): string
  /** Whether it is still there. */
  isOpen(): boolean
  /** Resolves when it can take more events, or has gone; `undefined` while it can. */
  whenReady(): Promise<void> | undefined
  /** Whether no event waits for its publisher. */
  isSettled(): boolean
  /** Tells it of a gap. */
  tellGap(gap: Gap): void
  /** Tells it that it has all events. */
  tellEnd(end: End): void
}

/** What is sent of an entry: of the ring, or of the log that processes share. */
type SentEntry = Pick<Entry, 'id' | 'count' | 'tx'> & {
  readonly paths: Iterable<string>
  readonly events?: readonly KeptEvent[] | undefined
  readonly text?: string | undefined
}

/** Reads a log that processes share. */
interface LogReader {
  decode(text: string): readonly KeptEvent[]
  readAfter(end: End): Promise<readonly SentEntry[]>
}

/** How many connections get what they missed at a time; the others wait. */
const MAX_RUNNING = 16

/** How many entries of a replay are sent before other work has its turn. */
const ENTRIES_AT_ONCE = 64

/** Sends connections what they missed, and keeps what happens meanwhile in its order. */
export class Replays {
  private readonly app: Application
  private readonly ring: Ring
  /**
   * Connections that get events by a replay: all events, or after one that has finished those up to its end, which may
   * wait for publishers still, or have reached the connection in another process, which has read more.
   */
  private readonly ends = new Map<object, { readonly replay: Replay; readonly end: End | 'all' }>()
  private readonly queue: (() => void)[] = []
  private running = 0

  constructor(app: Application, ring: Ring) {
    this.app = app
    this.ring = ring
  }

  /** Whether events reach a connection by a replay, or some do that are not sent to others yet. */
  has(connection: object): boolean {
    return this.ends.has(connection)
  }

  /** Whether all events reach a connection by a replay. */
  isRunning(connection: object): boolean {
    return this.ends.get(connection)?.end === 'all'
  }

  /** Says of connections that they get an event by a replay; `undefined` where that is so for none. */
  createFilter({ id }: Entry, index: number): ((connection: object) => boolean) | undefined {
    if (this.ends.size === 0) return undefined

    return (connection) => {
      const end = this.ends.get(connection)?.end

      return end === 'all' || (end !== undefined && compareEnds({ id, count: index }, end) < 0)
    }
  }

  /** Forgets where replays have ended, as far as this process has read: no event waits any more. */
  settle(): void {
    for (const [connection, { replay, end }] of this.ends) {
      if (end !== 'all' && !(replay.isOpen() && this.isAhead(replay, end))) this.ends.delete(connection)
    }
  }

  /**
   * Sends a connection what it missed, and resolves when it has the last one. From the call on it gets all events this way,
   * until then. Throws BadRequest at once while another replay of the connection runs.
   */
  run(replay: Replay): Promise<void> {
    if (this.isRunning(replay.connection)) throw new BadRequest('What was missed is being sent already')

    this.ends.set(replay.connection, { replay, end: 'all' })

    return this.runInTurn(replay)
  }

  private async runInTurn(replay: Replay): Promise<void> {
    const { connection } = replay

    // How long this takes is decided elsewhere: it takes no turn.
    await whenJoined(this.app, connection)
    await this.takeTurn()

    try {
      // It may have logged in meanwhile.
      await whenJoined(this.app, connection)
      await this.sendAll(replay)
    } finally {
      this.passTurn()
    }
  }

  private async takeTurn(): Promise<void> {
    if (this.running === MAX_RUNNING) await new Promise<void>((resolve) => this.queue.push(resolve))
    else this.running++
  }

  private passTurn(): void {
    const next = this.queue.shift()

    // The next one takes this turn, so that no replay that begins meanwhile takes it too.
    if (next) next()
    else this.running--
  }

  /** Waits for a client that has not read what was sent, which takes no turn either. */
  private async whenReady(replay: Replay): Promise<void> {
    for (let ready = replay.whenReady(); ready; ready = replay.whenReady()) {
      this.passTurn()
      await ready
      await this.takeTurn()
    }
  }

  private async sendAll(replay: Replay): Promise<void> {
    const { connection, from, source, getEpoch, isOpen, isSettled, tellGap } = replay
    let at: End = from

    try {
      for (let count = 1; isOpen(); count++) {
        await this.whenReady(replay)
        if (!isOpen()) break

        // What the ring does not have any more.
        const older = source && this.isOutside(replay, at) ? await source.readAfter(at) : []

        for (const entry of older) {
          at = await this.sendEntry(replay, entry, at)
          // The rest is read again: it is not kept for a client that has to read first, though that may have read by now.
          if (at.count < entry.count) break
        }

        if (older.length === 0) {
          if (!this.isLeft(replay, at)) return

          at = await this.sendEntry(replay, this.ring.findAfter(at) as Entry, at)
        }

        if (count % ENTRIES_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve))
      }
    } catch (error) {
      const position = toPositionText({ epoch: getEpoch(), ...this.ring.end })

      // What was missed cannot be read, and is not sent later: the client reads the records again.
      tellGap({ services: listPublished(this.app), position })
      throw error
    } finally {
      // Nothing was awaited since the connection was told of the end of the log or of a gap: no event came in between.
      if (isOpen()) this.ends.set(connection, { replay, end: this.isAhead(replay, at) ? at : this.ring.end })
      else this.ends.delete(connection)
      if (isSettled()) this.settle()
    }
  }

  private isOutside({ from, getEpoch }: Replay, at: End): boolean {
    return from.epoch === getEpoch() && !this.ring.reaches(at)
  }

  /** Whether a place comes after all that this process has read. */
  private isAhead({ from, getEpoch }: Replay, at: End): boolean {
    return from.epoch === getEpoch() && compareEnds(at, this.ring.end) > 0
  }

  /** Whether there are events after a place; otherwise tells the connection that it has all, or what it does not get. */
  private isLeft(replay: Replay, at: End): boolean {
    const { app, ring } = this
    const { from, getEpoch, tellGap, tellEnd } = replay
    const epoch = getEpoch()
    const isHere = from.epoch === epoch

    if (isHere && ring.reaches(at)) {
      if (ring.findAfter(at)) return true

      tellEnd(ring.end)
    } else if (this.isAhead(replay, at)) {
      tellEnd(at)
    } else {
      tellGap({
        services: (isHere && ring.listPathsAfter(at)) || listPublished(app),
        position: toPositionText({ epoch, ...ring.end })
      })
    }

    return false
  }

  /** Sends what an entry has after a place, as far as the connection can take it. Returns up to where. */
  private async sendEntry(replay: Replay, entry: SentEntry, at: End): Promise<End> {
    const { connection, from, source, tellGap } = replay
    const { epoch } = from
    const { id, tx, count, paths, text } = entry
    const events = text === undefined ? entry.events : source?.decode(text)

    if (!events) tellGap({ services: [...paths], position: toPositionText({ epoch, id, count }) })

    for (const [index, kept] of events?.entries() ?? []) {
      if (id === at.id && index < at.count) continue
      if (replay.whenReady()) return { id, count: index }

      const known = toKnownEvent(this.app, kept)
      const stamp = { position: toPositionText({ epoch, id, count: index + 1 }), tx }

      if (known) await publishTo(this.app, known.service, known.serviceEvent, connection, stamp)
    }

    return { id, count }
  }
}

/** Whether events of a service may reach clients. */
export function hasPublisher(app: Application, path: string): boolean {
  const service: object | undefined = app.services[path]

  return (
    service !== undefined &&
    // A plugin may have put a service among the others that was never registered.
    getServiceOptions(service)?.serviceEvents.some((event) => getPublisher(app, service, event)) === true
  )
}

/** The paths of the services whose events may reach clients. */
export function listPublished(app: Application): string[] {
  return Object.keys(app.services).filter((path) => hasPublisher(app, path))
}
