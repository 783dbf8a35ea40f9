import type { EventStamp } from '../core/internals.ts'
import { Timeout } from '../errors.ts'
import { toJsonText } from '../transport/encode.ts'
import type { Backlog, WaitingConnection } from '../utils/backlog.ts'

/** What a stream needs. */
export interface EventStreamDetails {
  /** The paths of the services that the client wants events of; `undefined` for all. */
  readonly services?: ReadonlySet<string> | undefined
  /** How many bytes may wait for the client before the next event closes the stream. */
  readonly maxBytes: number
  /** Counts the bytes that wait for this client alone. */
  readonly backlog: Backlog
  /** Called when the client has gone, or is closed because it does not read. */
  onClose(): void
}

const encoder = new TextEncoder()

/** A comment: proxies close connections that are silent. */
const SIGN_OF_LIFE = encoder.encode(':\n\n')

/** The response of one client, while its events are being sent. */
export class EventStream implements WaitingConnection {
  readonly body: ReadableStream<Uint8Array>
  private readonly details: EventStreamDetails
  private controller!: ReadableStreamDefaultController<Uint8Array>
  private state: 'open' | 'ending' | 'ended' = 'open'
  /** How many of the bytes that wait are for this client alone, and in memory only because of it. */
  private own = 0
  /** Replays that wait until the client has read all, or has gone. */
  private readonly onEmpty: (() => void)[] = []

  constructor(details: EventStreamDetails) {
    const { maxBytes } = details

    this.details = details
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.controller = controller
        },
        pull: () => this.weigh(0),
        cancel: () => this.leave()
      },
      new ByteLengthQueuingStrategy({ highWaterMark: maxBytes })
    )
  }

  /** Whether the client wants the events of a service. */
  wants(path: string): boolean {
    return this.details.services?.has(path) !== false
  }

  /**
   * Sends bytes, or closes the stream where too much waits for the client. `isShared`: whether other clients get the same
   * bytes.
   */
  send(bytes: Uint8Array, isShared: boolean): void {
    if (this.state !== 'open') return

    if (this.hasRoom) {
      this.controller.enqueue(bytes)
      this.weigh(isShared ? 0 : bytes.length)
    } else this.close()
  }

  /**
   * Says whether an event that can wait may be sent: resolves when the client has read all, or has gone; `undefined` while
   * there is room.
   */
  whenReady(): Promise<void> | undefined {
    if (this.state !== 'open' || this.hasRoom) return undefined

    return new Promise((resolve) => this.onEmpty.push(resolve))
  }

  /** Sends a sign of life. Where bytes wait for the client, these are one. */
  beat(): void {
    if (this.hasRoom) this.send(SIGN_OF_LIFE, true)
  }

  /** Closes the stream at once. */
  close(): void {
    // Not its `close`, which would keep what waits.
    this.controller.error(new Timeout('The client does not read its events'))
    this.leave()
  }

  /** Ends the stream, after what waits for the client. */
  end(): void {
    if (this.state !== 'open') return

    this.state = 'ending'
    this.wake()
    this.weigh(0)
  }

  private get hasRoom(): boolean {
    return (this.controller.desiredSize as number) > 0
  }

  private leave(): void {
    this.state = 'ended'
    this.wake()
    this.details.backlog.set(this, 0)
    this.details.onClose()
  }

  private wake(): void {
    for (const resolve of this.onEmpty.splice(0)) resolve()
  }

  /** Counts what waits, of which some bytes are new. What has left may be its own or shared: at most all that waits is its own. */
  private weigh(added: number): void {
    if (this.state === 'ended') return

    const { maxBytes, backlog } = this.details
    const waiting = maxBytes - (this.controller.desiredSize as number)

    if (this.state === 'ending' && waiting === 0) {
      this.state = 'ended'
      this.controller.close()
    }

    if (waiting === 0) this.wake()

    this.own = Math.min(this.own + added, waiting)
    backlog.set(this, this.own)
  }
}

/** The bytes of a field alone: `retry`, or the `id` up to which a client has all events. */
export function toFieldBytes(name: 'id' | 'retry', value: string | number): Uint8Array<ArrayBuffer> {
  return encoder.encode(`${name}: ${value}\n\n`)
}

/**
 * The bytes of an event; `name` is the path of the service and the name of the event. The field `tx` is for our client; others
 * ignore it. Throws TypeError for what JSON cannot hold.
 */
export function toEventBytes(
  name: string,
  payload: unknown,
  { position, tx, index }: Partial<EventStamp> = {}
): Uint8Array {
  const id = position === undefined ? '' : `id: ${position}\n`
  const transaction = tx === undefined ? '' : `tx: ${tx}${index === undefined ? '' : ` ${index}`}\n`

  return encoder.encode(`${id}${transaction}event: ${name}\ndata: ${toJsonText(payload) ?? 'null'}\n\n`)
}
