import type { CallObserver } from '../hooks/method.ts'
import { createDebug } from '../utils/debug.ts'
import { runOrDefer } from '../utils/deferral.ts'
import { createError } from '../utils/developer-error.ts'
import type { ErrorCode } from '../utils/error-codes.ts'
import { attempt } from '../utils/promise.ts'
import { emitWarning } from '../utils/runtime.ts'
import { callListeners, EmitterClass, type EmitterLike } from './emitter.ts'
import { type Internals, warnOnce } from './internals.ts'
import { getDefinition } from './methods.ts'
import { getServiceOptions } from './service.ts'
import type { FeathersService, HookContext } from './types.ts'

const debug = createDebug('alula:events')

/**
 * Makes a registered service an event emitter whose listeners cannot do harm: each runs whatever the others do, and what one
 * throws or rejects with is reported as an `error` event of `app` and never reaches the caller of `emit`. A service that is an
 * emitter already keeps its listeners; one with an `emit` of its own keeps that too.
 */
export function implementEmitter(service: FeathersService, _path: string, app: EmitterLike): void {
  if (typeof service.on !== 'function' || typeof service.emit !== 'function') {
    // They stay out of the way when a service is enumerated.
    for (const [name, value] of Object.entries(EmitterClass.prototype))
      Object.defineProperty(service, name, { value, configurable: true, writable: true, enumerable: false })
  }

  if (service.emit === EmitterClass.prototype.emit) {
    const emit = function (this: EmitterLike, event: string | symbol, ...values: unknown[]): boolean {
      return emitSafely(this, app, event, values)
    }

    Object.defineProperty(service, 'emit', { value: emit, configurable: true, writable: true })
  }
}

/**
 * Emits the event of a method after its hooks are through: once for each item of the result. Every standard
 * event of every service goes through here.
 */
export function observeEvent(method: string, internals: Internals): CallObserver<HookContext> {
  const event = getDefinition(method).event ?? null

  return {
    start(context) {
      context.event = event
    },
    finish(context) {
      internals.checkResult?.(context)
      if (typeof context.event === 'string') emitResult(context, context.event, internals)
    }
  }
}

/**
 * Reports an error that must not fail the call that caused it: as an `error` event of the application if it has a
 * listener, and in the debug log. Without a listener, the process is warned once.
 */
export function reportError(app: EmitterLike, error: unknown, context?: unknown): void {
  debug('A listener failed: %O', error)

  if (callErrorListeners(app, error, context)) return

  warnOnce(
    app,
    'ALULA_UNHEARD_ERROR',
    `Unhandled error: ${toMessage(error)}. Add app.on('error', …) to handle these`
  )
}

/**
 * Tells the developer of a mistake in the application: as an `error` event when there is a listener for that, else as a
 * warning of the process.
 */
export function reportMistake(app: EmitterLike, code: ErrorCode, message: string, context: unknown): void {
  const error = createError(code, message)

  if (!callErrorListeners(app, error, context)) emitWarning(message, { code })
}

/** Not by `emit`: without a listener it would throw, and it stops at the first listener that does. */
function callErrorListeners(app: EmitterLike, error: unknown, context: unknown): boolean {
  return callListeners(app, 'error', [error, context], (thrown) =>
    debug('An error listener failed: %O', thrown)
  )
}

function emitResult(context: HookContext, event: string, internals: Internals): void {
  const { self: service, result } = context as { self: EmitterLike; result?: unknown }

  // What is listed in `events` is emitted by the service itself, or comes from the server on a client.
  if (getServiceOptions(service).events.includes(event)) return

  // A copy: a listener may change the result.
  const items = Array.isArray(result) ? [...result] : [result]

  const emit = (transaction: object = items) => {
    const { transaction: outer } = internals

    internals.transaction = transaction

    for (const item of items) {
      runSafely(context.app, () => service.emit(event, item, context), context)
    }

    internals.transaction = outer
  }

  // A transaction keeps events until it is committed.
  runOrDefer(emit, context)
}

/**
 * Emits an event to listeners that cannot do harm: each runs whatever the others do, and what they throw or reject with is
 * reported on `app`. Returns whether there was a listener.
 */
export function emitSafely(
  emitter: EmitterLike,
  app: EmitterLike,
  event: string | symbol,
  values: unknown[]
): boolean {
  // It is the last value: after the item of a service event, after result and params of a login.
  const context = values.length > 1 ? values[values.length - 1] : undefined
  const hasListeners = callListeners(emitter, event, values, (error) => reportError(app, error, context))

  // Node throws an `error` event without a listener.
  if (event === 'error' && !hasListeners) reportError(app, values[0], context)

  return hasListeners
}

/** Runs code of the application that no call waits for. What it throws, or rejects with later, is reported on `app`. */
export function runSafely(app: EmitterLike, run: () => unknown, context?: unknown): void {
  attempt(run, (error) => reportError(app, error, context))
}

/** An error of the application may throw when it is read. */
function toMessage(error: unknown): string {
  try {
    return error instanceof Error ? `${error.message}` : typeof error
  } catch {
    return 'unknown'
  }
}
