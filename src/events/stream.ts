import type { EventStamp } from '../core/internals.ts'
import { toJsonText } from '../transport/encode.ts'

const encoder = new TextEncoder()

/** The response of one client, while its events are being sent. */
export class EventStream {
  readonly body: ReadableStream<Uint8Array>
  private readonly services: ReadonlySet<string> | undefined
  private controller!: ReadableStreamDefaultController<Uint8Array>

  /**
   * @param services The paths of the services that the client wants events of; `undefined` for all
   * @param maxBytes How many bytes may wait for the client before the next event closes the stream
   * @param onCancel Called when the client goes
   */
  constructor(services: ReadonlySet<string> | undefined, maxBytes: number, onCancel: () => void) {
    this.services = services
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.controller = controller
        },
        cancel: onCancel
      },
      new ByteLengthQueuingStrategy({ highWaterMark: maxBytes })
    )
  }

  /** Whether the client wants the events of a service. */
  wants(path: string): boolean {
    return this.services?.has(path) !== false
  }

  /**
   * Sends bytes.
   *
   * @returns Whether the client reads: the stream has failed when too much waits for it
   */
  send(bytes: Uint8Array): boolean {
    const { controller } = this

    if ((controller.desiredSize ?? 0) <= 0) {
      // Not `close`, which would keep what waits.
      controller.error(new Error('The client does not read its events'))

      return false
    }

    controller.enqueue(bytes)

    return true
  }

  /** Ends the stream, after what waits for the client. */
  close(): void {
    try {
      this.controller.close()
    } catch {
      // The client has gone, or the stream has failed.
    }
  }
}

/** A comment: proxies close connections that are silent. */
export const SIGN_OF_LIFE: Uint8Array = encoder.encode(':\n\n')

/** The bytes of a field alone: `retry`, or the `id` up to which a client has all events. */
export function toFieldBytes(name: 'id' | 'retry', value: string | number): Uint8Array {
  return encoder.encode(`${name}: ${value}\n\n`)
}

/**
 * The bytes of an event. The field `tx` is for our client; others ignore it.
 *
 * @param name The path of the service and the name of the event
 * @param payload What clients get
 * @param stamp Where the event is in the log
 * @throws TypeError for what JSON cannot hold
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
