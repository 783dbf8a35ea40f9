import { EventEmitter } from 'events'
import type { Pipeline } from '../hooks/types.ts'
import { createDebug } from '../utils/debug.ts'
import { getDefinition } from './methods.ts'
import { getServiceOptions } from './service.ts'
import type { HookContext } from './types.ts'

const debug = createDebug('alula:events')

interface Emitter {
  emit(event: string | symbol, ...values: unknown[]): unknown
  listenerCount(event: string | symbol): number
  rawListeners(event: string | symbol): unknown[]
}

/**
 * Makes a service an event emitter whose listeners cannot do harm: each runs whatever the others do, and what
 * one throws or rejects with is reported and never reaches the one who emits. A service that is an emitter
 * already keeps its listeners; one with an `emit` of its own keeps that too.
 *
 * @param service The registered service, not the object of its author
 * @param app Where errors are reported, as `error` events
 */
export function implementEmitter(service: any, app: Emitter): void {
  if (typeof service.on !== 'function' || typeof service.emit !== 'function') {
    Object.defineProperties(service, emitterProperties())
  }

  if (service.emit === EventEmitter.prototype.emit) {
    const emit = function (this: Emitter, event: string | symbol, ...values: unknown[]): boolean {
      return emitSafely(this, app, event, values)
    }

    Object.defineProperty(service, 'emit', { value: emit, configurable: true, writable: true })
  }
}

/**
 * Emits the event of a method after its hooks are through: once for each item of the result. Every standard
 * event of every service goes through here.
 */
export function withEvents(method: string, pipeline: Pipeline<any>): Pipeline<any> {
  const event = getDefinition(method).event ?? null

  return async (context: HookContext) => {
    context.event = event
    await pipeline(context)

    if (typeof context.event === 'string') emitResult(context, context.event)
  }
}

/**
 * Tells the application of an error that must not fail what caused it: as an `error` event when somebody
 * listens to that, and on the debug log.
 */
export function reportError(app: Emitter, error: unknown, context?: unknown): void {
  debug('A listener failed: %O', error)

  // Without a listener an `error` event would be thrown, and end the process.
  if (app.listenerCount('error') === 0) return

  try {
    app.emit('error', error, context)
  } catch (thrown) {
    debug('An error listener failed: %O', thrown)
  }
}

function emitResult(context: HookContext, event: string): void {
  const { self: service, result } = context as { self: any; result?: unknown }

  // What is listed in `events` is emitted by the service itself, or comes from the server on a client.
  if (getServiceOptions(service).events.includes(event)) return

  for (const item of Array.isArray(result) ? result : [result]) {
    try {
      service.emit(event, item, context)
    } catch (error) {
      reportError(context.app, error, context)
    }
  }
}

function emitSafely(emitter: Emitter, app: Emitter, event: string | symbol, values: unknown[]): boolean {
  const listeners = emitter.rawListeners(event)

  for (const listener of listeners as ((...values: unknown[]) => unknown)[]) {
    const report = (error: unknown) => reportError(app, error, values[1])

    try {
      const returned: any = listener.apply(emitter, values)

      if (typeof returned?.then === 'function') returned.then(undefined, report)
    } catch (error) {
      report(error)
    }
  }

  // Node throws an `error` event that nobody listens to.
  if (event === 'error' && listeners.length === 0) reportError(app, values[0], values[1])

  return listeners.length > 0
}

/** The members of an emitter as properties that stay out of the way when a service is enumerated. */
function emitterProperties(): PropertyDescriptorMap {
  const properties: PropertyDescriptorMap = {}

  for (const [name, value] of Object.entries(EventEmitter.prototype)) {
    properties[name] = { value, configurable: true, writable: true, enumerable: false }
  }

  return properties
}
