// What spans say of calls, statements and events, by the semantic conventions of OpenTelemetry 1.45.
import {
  type Attributes,
  createTraceState,
  isSpanContextValid,
  type SpanContext,
  SpanKind,
  type SpanOptions
} from '@opentelemetry/api'
import type { CallMessage, EventMessage } from '../core/tracers.ts'
import type { SqlMessage } from '../kysely/statements.ts'
import { toClientError } from '../transport/error.ts'
import { isString } from '../utils/check.ts'

/** The header of W3C Trace Context, version 00. */
const TRACEPARENT = /^00-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/

/** What a statement does. */
const OPERATION = /^\s*(\w+)/

/** Its first table, as far as its text says so. */
const TABLE = /(?:^\s*update|\b(?:from|into|join))\s+(?:["`]\w+["`]\.)?["`]?(\w+)/i

/** What is in parentheses, and has none in it. */
const INNER = /\([^()]*\)/g

/** What a span is begun with. */
export interface Beginning extends SpanOptions {
  readonly name: string
  /** What it continues, instead of what runs now. */
  readonly from?: SpanContext | undefined
}

/** The span of a call. `hasParent` says whether it is made while another span runs, such as one of an HTTP server. */
export function toCall(message: CallMessage, hasParent: boolean): Beginning {
  const { path, method, provider, context: call } = message
  const { traceparent, headers } = call.params ?? {}

  return {
    name: `${path}/${method}`,
    kind: provider ? SpanKind.SERVER : SpanKind.INTERNAL,
    attributes: toAttributes(message),
    from:
      provider && !hasParent
        ? toSpanContext(traceparent ?? headers?.traceparent, headers?.tracestate)
        : undefined
  }
}

/** The attributes of a call, for its span and for the metric. */
export function toAttributes({ path, method, error }: CallMessage): Attributes {
  const type = error === undefined ? undefined : toErrorType(error)

  return {
    'rpc.system.name': 'alula',
    'rpc.method': `${path}/${method}`,
    // Errors below 500 are those of clients: the status says which, and the server has not failed.
    ...(error !== undefined && { 'rpc.response.status_code': `${toClientError(error).status}` }),
    ...(type !== undefined && { 'error.type': type })
  }
}

/** Names an error that is one of the server; `undefined` for an error of a client. */
export function toErrorType(error: unknown): string | undefined {
  const { status, body } = toClientError(error)

  return status < 500 ? undefined : (readName(error) ?? body.name)
}

/** The name of an error, or of its class. An error may be any object: what an observer throws ends the process. */
function readName(error: unknown): string | undefined {
  try {
    if (!(error instanceof Error)) return undefined

    return error.name === 'Error' || error.name === 'error' ? error.constructor.name : error.name
  } catch {
    return undefined
  }
}

/** The span of an SQL statement. */
export function toStatement({ sql, database }: SqlMessage): Beginning {
  const [, operation = 'sql'] = OPERATION.exec(sql) ?? []
  const [, collection] = TABLE.exec(withoutInner(sql)) ?? TABLE.exec(sql) ?? []
  const name = operation.toUpperCase()

  return {
    name: collection === undefined ? name : `${name} ${collection}`,
    kind: SpanKind.CLIENT,
    attributes: {
      'db.system.name': database.toLowerCase(),
      'db.operation.name': name,
      'db.query.text': sql,
      ...(collection !== undefined && { 'db.collection.name': collection })
    }
  }
}

/** A statement without those in it: related records, and counts of them, are selected before the table is named. */
function withoutInner(sql: string): string {
  const text = sql.replaceAll(INNER, '?')

  return text === sql ? sql : withoutInner(text)
}

/** What a database says of a statement that has failed: its code, which never has values. An error may be anything. */
export function toStatementFault(error: unknown): Attributes {
  try {
    const { code } = error as { readonly code?: unknown }

    return isString(code) ? { 'db.response.status_code': code, 'error.type': code } : {}
  } catch {
    return {}
  }
}

/** The span of an event, where it comes from or where it is delivered. */
export function toEvent({ kind, path, event, traceparent, connections }: EventMessage): Beginning {
  const isEmitted = kind === 'emit'
  const from = isEmitted ? undefined : toSpanContext(traceparent)

  return {
    name: `${kind} ${path} ${event}`,
    kind: isEmitted ? SpanKind.PRODUCER : SpanKind.CONSUMER,
    attributes: {
      'messaging.system': 'alula',
      'messaging.destination.name': `${path} ${event}`,
      'messaging.operation.name': kind,
      'messaging.operation.type': isEmitted ? 'send' : 'process',
      ...(connections !== undefined && { 'alula.connections': connections })
    },
    from,
    links: from ? [{ context: from }] : []
  }
}

/** A span as the header of W3C Trace Context. */
export function toTraceparent({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}

function toSpanContext(header: unknown, state?: unknown): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = '0'] = (isString(header) && TRACEPARENT.exec(header)) || []
  const found: SpanContext = {
    ...{ traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true },
    ...(isString(state) && { traceState: createTraceState(state) })
  }

  return isSpanContextValid(found) ? found : undefined
}
