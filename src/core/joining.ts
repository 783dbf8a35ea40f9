// What happens to connections. When one is in its channels is known here: only then it may get what it has missed.
import { isPromise } from '../utils/promise.ts'
import { openPublishing } from '../utils/tracing.ts'
import { callListeners, type EmitterLike } from './emitter.ts'
import { emitSafely, reportError } from './events.ts'
import { getInternals } from './internals.ts'

/** The message of the channel `alula:connection`. */
export interface ConnectionMessage {
  readonly event: 'connection' | 'disconnect' | 'login' | 'logout'
  /** The transport of the connection. */
  readonly provider?: string | undefined
  /** The connection, as channels have it. */
  readonly connection: object
}

const connections = openPublishing<ConnectionMessage>('alula:connection')

/**
 * Emits what happens to a connection, on the application and on the channel `alula:connection`. After `connection` and `login`
 * it joins channels. A login over HTTP has no connection, and is not on the channel.
 */
export function emitConnection(
  app: EmitterLike,
  event: ConnectionMessage['event'],
  connection: object | undefined,
  values: unknown[] = [connection]
): void {
  if (connection && connections.hasSubscribers) {
    const { provider } = connection as { provider?: string }

    connections.publish({ event, provider, connection })
  }

  if (event !== 'connection' && event !== 'login') {
    emitSafely(app, app, event, values)
    return
  }

  const { joining } = getInternals(app)
  const report = (error: unknown) => reportError(app, error, values.at(-1))

  callListeners(app, event, values, report, (returned) => {
    if (connection && isPromise(returned)) {
      joining.set(connection, Promise.allSettled([joining.get(connection), returned]))
    }
  })
}

/** Waits until the listeners of `connection` and `login` are through with a connection. */
export async function whenJoined(app: object, connection: object): Promise<void> {
  const { joining } = getInternals(app)
  let waiting: Promise<unknown> | undefined

  do {
    waiting = joining.get(connection)
    await waiting
  } while (joining.get(connection) !== waiting)
}
