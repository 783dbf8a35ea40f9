// Calls, hooks and events for tools that watch: each is published on a channel, as long as something subscribes.
import type { CallTracer } from '../hooks/method.ts'
import { describeHook, getTraits } from '../hooks/traits.ts'
import type { HookType, Layer } from '../hooks/types.ts'
import { openTracing } from '../utils/tracing.ts'
import { goesToClient } from './client-call.ts'
import type { EventTracer, HookTracer, ServiceEvent } from './internals.ts'
import type { HookContext } from './types.ts'

/** The message of the channel `alula:call`; `result` or `error` is added when the call has finished. */
export interface CallMessage {
  readonly path: string
  readonly method: string
  /** The transport; missing for a call that no client has made, also where it has the params of one. */
  readonly provider?: string | undefined
  readonly id?: unknown
  readonly requestId?: string | undefined
  /** The context of the call, which holds its data and params. */
  readonly context: HookContext
  readonly result?: unknown
  readonly error?: unknown
  /** What subscribers of `start` set to run the call in a context of theirs, such as `run` of an `AsyncLocalStorage`. */
  around?: (call: () => Promise<unknown>) => Promise<unknown>
}

const calls = openTracing<CallMessage>('alula:call')

/** Publishes each call of a service on the channel `alula:call`, as long as something watches. */
export const callTracer: CallTracer<HookContext> = {
  get isOn() {
    return calls.hasSubscribers
  },
  run(context, call) {
    const { path, method, params = {}, id } = context
    const { requestId } = params
    // Params that hooks pass on are those of a client, and their calls are not.
    const provider = goesToClient(context) ? params.provider : undefined
    const message: CallMessage = { path, method, provider, id, requestId, context }

    return calls.tracePromise(() => (message.around ? message.around(call) : call()), message)
  }
}

/** The message of the channel `alula:hook`; `error` is added when the hook has failed. */
export interface HookMessage {
  readonly path: string
  readonly method: string
  readonly type: HookType
  /** The name of the function; empty for one that has none. */
  readonly name: string
  /** The context of the call, which holds its data and params. */
  readonly context: HookContext
  readonly error?: unknown
}

type WatchedHook = (this: unknown, context: HookContext, ...next: any[]) => unknown

const hooks = openTracing<HookMessage>('alula:hook')

/** Publishes each hook that runs on the channel `alula:hook`. */
export const hookTracer: HookTracer = {
  get isOn() {
    return hooks.hasSubscribers
  },
  watch(layers) {
    return layers.map(
      ({ around, phases }): Layer<HookContext> => ({
        around: around.map((hook) => watchHook('around', hook)),
        phases: phases.map(({ before = [], after = [], error = [] }) => ({
          before: before.map((hook) => watchHook('before', hook)),
          after: after.map((hook) => watchHook('after', hook)),
          error: error.map((hook) => watchHook('error', hook))
        }))
      })
    )
  }
}

function watchHook(type: HookType, hook: WatchedHook): WatchedHook {
  const { name } = hook

  return describeHook(function (this: unknown, context: HookContext, ...next: any[]) {
    const { path, method } = context
    const run = async () => hook.call(this, context, ...next)

    return hooks.tracePromise(run, { path, method, type, name, context })
  }, getTraits(hook))
}

/** The message of the channel `alula:event`; `error` is added when it has failed. */
export interface EventMessage {
  /** `emit` where the event comes from, `deliver` in each process that has connections for it, or whose publisher has failed. */
  readonly kind: 'emit' | 'deliver'
  readonly path: string
  readonly event: string
  /** The id of the request that has led to it. */
  readonly requestId?: string | undefined
  /** The span of the write as W3C `traceparent`. Subscribers of `start` set it for `emit`. */
  traceparent?: string | undefined
  /** How many connections get it; for `deliver`. */
  readonly connections?: number
  readonly error?: unknown
}

const events = openTracing<EventMessage>('alula:event')

/** Publishes each event on the channel `alula:event`, as long as something watches. */
export const eventTracer: EventTracer = {
  get isOn() {
    return events.hasSubscribers
  },
  emit(serviceEvent, pass) {
    const { path, event, context } = serviceEvent
    const message: EventMessage = { kind: 'emit', path, event, requestId: context.params?.requestId }

    events.traceSync(() => pass({ ...serviceEvent, traceparent: message.traceparent }), message)
  },
  deliver(serviceEvent, connections, run) {
    events.traceSync(run, { ...toDelivery(serviceEvent), connections })
  },
  fail(serviceEvent, error) {
    if (!events.hasSubscribers) return

    const fail = () => {
      throw error
    }

    try {
      events.traceSync(fail, { ...toDelivery(serviceEvent), connections: 0 })
    } catch {
      // The event `error` of the application has it too.
    }
  }
}

function toDelivery({ path, event, context, traceparent }: ServiceEvent): EventMessage {
  return { kind: 'deliver', path, event, requestId: context.params?.requestId, traceparent }
}
