// When a connection is in its channels: only then it may get what it has missed.
import { isPromise } from '../utils/promise.ts'
import { callListeners, type EmitterLike } from './emitter.ts'
import { reportError } from './events.ts'
import { getInternals } from './internals.ts'

/**
 * Emits an event of the application after which a connection joins channels.
 *
 * @param app The application
 * @param event `connection` or `login`
 * @param values What listeners get
 * @param connection The connection, if there is one
 */
export function emitJoining(
  app: EmitterLike,
  event: 'connection' | 'login',
  values: unknown[],
  connection: object | undefined
): void {
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
