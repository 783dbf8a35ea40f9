// What spans say of calls, statements and events, by the semantic conventions of OpenTelemetry 1.45.
import { isSpanContextValid, type SpanContext, SpanKind, type SpanOptions } from '@opentelemetry/api'
import type { CallMessage } from '../core/call-tracing.ts'
import type { EventMessage } from '../core/event-tracing.ts'
import type { SqlMessage } from '../kysely/statements.ts'
import { toClientError } from '../transport/error.ts'

/** The header of W3C Trace Context, version 00. */
const TRACEPARENT = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/

/** What a span is begun with. */
export interface Beginning extends SpanOptions {
  readonly name: string
  /** What it continues, instead of what runs now. */
  readonly from?: SpanContext | undefined
}

/** The span of a call. `hasParent` says whether it is made while another span runs. */
export function toCall(message: CallMessage, hasParent: boolean): Beginning {
  const { path, method, provider, context: call } = message
  const { traceparent, headers } = call.params ?? {}
  // Params that are passed on have them too, and a span of an HTTP server has read its header.
  const from = provider && !hasParent ? toSpanContext(traceparent ?? headers?.traceparent) : undefined

  return {
    name: `${path}/${method}`,
    kind: provider ? SpanKind.SERVER : SpanKind.INTERNAL,
    attributes: toAttributes(message),
    from
  }
}

/** The attributes of a call, for its span and for the metric. */
export function toAttributes({ path, method, error }: CallMessage): { [name: string]: string } {
  return {
    'rpc.system.name': 'alula',
    'rpc.method': `${path}/${method}`,
    ...(error !== undefined && toFault(error))
  }
}

/** Errors below 500 are those of clients: the status says which, and the server has not failed. */
function toFault(error: unknown): { [name: string]: string } {
  const { status, body } = toClientError(error)

  return { 'rpc.response.status_code': `${status}`, ...(status >= 500 && { 'error.type': body.name }) }
}

/** The span of an SQL statement. */
export function toStatement({ sql, database }: SqlMessage): Beginning {
  const [operation = 'sql'] = sql.trim().split(/\s/, 1)

  return {
    name: operation.toUpperCase(),
    kind: SpanKind.CLIENT,
    attributes: { 'db.system.name': database.toLowerCase(), 'db.query.text': sql }
  }
}

/** The span of an event, where it comes from or where it is delivered. */
export function toEvent({ kind, path, event, traceparent }: EventMessage): Beginning {
  const from = kind === 'deliver' ? toSpanContext(traceparent) : undefined

  return {
    name: `${kind} ${path} ${event}`,
    kind: kind === 'emit' ? SpanKind.PRODUCER : SpanKind.CONSUMER,
    from,
    links: from ? [{ context: from }] : []
  }
}

/** A span as the header of W3C Trace Context. */
export function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

function toSpanContext(header: unknown): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = '0'] = TRACEPARENT.exec(String(header)) ?? []
  const found = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true }

  return isSpanContextValid(found) ? found : undefined
}
