import type { Namespace, Server } from 'socket.io'
import { emitSafely } from '../core/events.ts'
import type { Application } from '../core/types.ts'
import { attempt } from '../utils/promise.ts'
import type { OpenedSocket } from './connections.ts'

/** The part of Socket.IO that calls listeners of its own events. */
interface Reserving {
  emitReserved(event: string, ...values: unknown[]): boolean
  rawListeners(event: string | symbol): unknown[]
  emit(event: string | symbol, ...values: unknown[]): unknown
}

/**
 * Lets middleware and listeners that the application adds to a server of Socket.IO fail without harm: Socket.IO does not look at
 * what they return, and a promise that rejects would end the process. `refuse` reports an error of middleware, and makes the one
 * that the client gets.
 */
export function guardServer(
  io: Server,
  app: Application,
  refuse: (error: unknown, socket: OpenedSocket) => Error
): void {
  guardNamespace(io.sockets)
  io.on('new_namespace', guardNamespace)

  function guardNamespace(namespace: Namespace): void {
    const { use } = namespace

    guardListeners(namespace as unknown as Reserving)
    namespace.use = (middleware) =>
      use.call(namespace, (socket, next) => {
        let isOver = false
        const proceed = (error?: Error) => {
          if (!isOver) next(error)
          isOver = true
        }

        // Also for an error after `next()`, which is too late for the client.
        attempt(
          () => middleware(socket, proceed),
          (error) => proceed(refuse(error, socket))
        )
      })
    namespace.on('connection', (socket) => guardListeners(socket as unknown as Reserving))
  }

  function guardListeners(emitter: Reserving): void {
    emitter.emitReserved = (event, ...values) => emitSafely(emitter, app, event, values)
  }
}
