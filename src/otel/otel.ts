import { tracingChannel } from 'node:diagnostics_channel'
import { context, metrics, type Span, SpanStatusCode, trace } from '@opentelemetry/api'
import type { CallMessage } from '../core/call-tracing.ts'
import type { EventMessage } from '../core/event-tracing.ts'
import type { SqlMessage } from '../kysely/statements.ts'
import { toClientError } from '../transport/error.ts'
import { type Beginning, toAttributes, toCall, toEvent, toStatement, toTraceparent } from './conventions.ts'

/** Of `rpc.server.call.duration`, in seconds, by the semantic conventions. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

/**
 * Makes spans of calls, statements and events, and the metric `rpc.server.call.duration` of the calls of clients, by the semantic
 * conventions for RPC (OpenTelemetry 1.45). Call it once, after the SDK is started: it is for all applications of the process.
 *
 * @returns Ends it
 * @example
 * const stop = otel()
 */
export function otel(): () => void {
  const tracer = trace.getTracer('alula')
  const duration = metrics.getMeter('alula').createHistogram('rpc.server.call.duration', {
    unit: 's',
    description: 'Measures the duration of an incoming Remote Procedure Call (RPC).',
    advice: { explicitBucketBoundaries: BOUNDARIES }
  })

  /** Makes a span of each message of a channel. `last` is the part that comes when it is through. */
  function watch<Message extends { readonly error?: unknown }>(
    name: string,
    last: 'end' | 'asyncEnd',
    begin: (message: Message, hasParent: boolean) => Beginning,
    onSpan?: (message: Message, span: Span) => void,
    onEnd?: (message: Message, seconds: number, span: Span) => void
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
      onEnd?.(message, (performance.now() - start) / 1000, span)
      span.end()
    }

    channel.start.subscribe(start)
    channel[last].subscribe(finish)

    return () => {
      channel.start.unsubscribe(start)
      channel[last].unsubscribe(finish)
    }
  }

  const stops = [
    watch<CallMessage>(
      'alula:call',
      'asyncEnd',
      toCall,
      (message, span) => {
        message.around = (call) => context.with(trace.setSpan(context.active(), span), call)
      },
      (message, seconds, span) => {
        span.setAttributes(toAttributes(message))
        if (message.provider) duration.record(seconds, toAttributes(message))
      }
    ),
    watch<SqlMessage>('alula:sql', 'asyncEnd', toStatement),
    watch<EventMessage>('alula:event', 'end', toEvent, (message, span) => {
      if (message.kind === 'emit') message.traceparent = toTraceparent(span.spanContext())
    })
  ]

  return () => {
    for (const stop of stops) stop()
  }
}

function fail(span: Span, error: unknown): void {
  const { status, body } = toClientError(error)

  if (status < 500) return

  span.setAttribute('error.type', body.name)
  span.setStatus({ code: SpanStatusCode.ERROR })
}
