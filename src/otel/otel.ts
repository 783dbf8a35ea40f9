import { tracingChannel } from 'node:diagnostics_channel'
import {
  type Attributes,
  context,
  type Histogram,
  metrics,
  type Span,
  SpanStatusCode,
  type Tracer,
  trace
} from '@opentelemetry/api'
import { version } from '../core/application.ts'
import type { CallMessage, EventMessage } from '../core/tracers.ts'
import type { SqlMessage } from '../kysely/statements.ts'
import {
  type Beginning,
  toAttributes,
  toCall,
  toErrorType,
  toEvent,
  toStatement,
  toStatementFault,
  toTraceparent
} from './conventions.ts'

/** Of `rpc.server.call.duration`, in seconds, by the semantic conventions. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/** What spans of one channel are made of. */
interface Watcher<Message> {
  begin(message: Message, hasParent: boolean): Beginning
  onSpan?(message: Message, span: Span): void
  onEnd?(message: Message, span: Span, seconds: number): void
}

/**
 * Makes spans of calls, statements and events, and the metric `rpc.server.call.duration` of the calls of clients, by the semantic
 * conventions (OpenTelemetry 1.45). Call it once: it is for all applications of the process.
 *
 * @returns Ends it
 * @example
 * const stop = otel()
 */
export function otel(): () => void {
  const tracer = trace.getTracer('alula', version)
  let duration: Histogram | undefined

  /** Made when it is needed: by then the SDK is started, which a meter does not wait for. */
  function record(seconds: number, attributes: Attributes): void {
    duration ??= metrics.getMeter('alula', version).createHistogram('rpc.server.call.duration', {
      unit: 's',
      description: 'Measures the duration of an incoming Remote Procedure Call (RPC).',
      advice: { explicitBucketBoundaries: BOUNDARIES }
    })
    duration.record(seconds, attributes)
  }

  const stops = [
    watch<CallMessage>(tracer, 'alula:call', 'asyncEnd', {
      begin: toCall,
      onSpan(message, span) {
        message.around = (call) => context.with(trace.setSpan(context.active(), span), call)
      },
      onEnd(message, span, seconds) {
        const attributes = toAttributes(message)

        span.setAttributes(attributes)
        if (message.provider) record(seconds, attributes)
      }
    }),
    watch<SqlMessage>(tracer, 'alula:sql', 'asyncEnd', {
      begin: toStatement,
      onEnd({ error }, span) {
        if (error !== undefined) span.setAttributes(toStatementFault(error))
      }
    }),
    watch<EventMessage>(tracer, 'alula:event', 'end', {
      begin: toEvent,
      onSpan(message, span) {
        if (message.kind === 'emit') message.traceparent = toTraceparent(span.spanContext())
      }
    })
  ]

  return () => {
    for (const stop of stops) stop()
  }
}

/** Makes a span of each message of a channel. `last` is the part of the channel that comes at the end. */
function watch<Message extends { readonly error?: unknown }>(
  tracer: Tracer,
  name: string,
  last: 'end' | 'asyncEnd',
  { begin, onSpan, onEnd }: Watcher<Message>
): () => void {
  const channel = tracingChannel<unknown, object>(name)
  const spans = new WeakMap<object, { readonly span: Span; readonly start: number }>()
  const start = (given: unknown): void => {
    const message = given as Message
    const active = context.active()
    const { name: called, from, ...options } = begin(message, trace.getSpan(active) !== undefined)
    const span = tracer.startSpan(called, options, from ? trace.setSpanContext(active, from) : active)

    spans.set(message, { span, start: performance.now() })
    onSpan?.(message, span)
  }
  const finish = (given: unknown): void => {
    const message = given as Message
    const { span, start } = spans.get(message) ?? {}

    if (!span || start === undefined) return
    if (message.error !== undefined) fail(span, message.error)
    onEnd?.(message, span, (performance.now() - start) / 1000)
    span.end()
  }

  channel.start.subscribe(start)
  channel[last].subscribe(finish)

  return () => {
    channel.start.unsubscribe(start)
    channel[last].unsubscribe(finish)
  }
}

function fail(span: Span, error: unknown): void {
  const type = toErrorType(error)

  if (type === undefined) return

  span.setAttribute('error.type', type)
  span.setStatus({ code: SpanStatusCode.ERROR })
}
