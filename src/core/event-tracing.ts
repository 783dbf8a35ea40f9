import { openTracing } from '../utils/tracing.ts'
import type { EventTracer, ServiceEvent } from './internals.ts'

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
