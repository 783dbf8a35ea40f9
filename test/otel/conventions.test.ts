// What spans are called, and what they say.
import { SpanKind } from '@opentelemetry/api'
import { describe, expect, it } from 'vitest'
import { BadRequest, GeneralError, Unavailable } from '../../src/errors.ts'
import {
  toAttributes,
  toCall,
  toErrorType,
  toEvent,
  toStatement,
  toStatementFault
} from '../../src/otel/conventions.ts'

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = 'b7ad6b7169203331'
const TRACEPARENT = `00-${TRACE}-${SPAN}-01`

class DiskError extends Error {}

describe('the span of a statement', () => {
  it.each<[string, string, string | undefined]>([
    ['select * from notes', 'SELECT notes', 'notes'],
    ['  select "id" from "notes" where "id" = $1', 'SELECT notes', 'notes'],
    ['select `id` from `app`.`notes`', 'SELECT notes', 'notes'],
    ['select "id" from "public"."notes"', 'SELECT notes', 'notes'],
    ['insert into "notes" ("id") values (1)', 'INSERT notes', 'notes'],
    [' update "notes" set "text" = ?', 'UPDATE notes', 'notes'],
    ['select "id" from "notes" for update skip locked', 'SELECT notes', 'notes'],
    ['delete from notes', 'DELETE notes', 'notes'],
    ['select (select count(*) from "tags" where ("a" = (1))) as "n" from "notes"', 'SELECT notes', 'notes'],
    ['select (select count(*) from "tags")', 'SELECT tags', 'tags'],
    ['begin', 'BEGIN', undefined],
    ['', 'SQL', undefined]
  ])('%s', (sql, name, table) => {
    expect(toStatement({ sql, database: 'SQLite' } as any)).toEqual({
      name,
      kind: SpanKind.CLIENT,
      attributes: {
        'db.system.name': 'sqlite',
        'db.operation.name': name.split(' ')[0],
        'db.query.text': sql,
        ...(table && { 'db.collection.name': table })
      }
    })
  })

  it('that has failed has the code of the database', () => {
    expect(toStatementFault({ code: '23505' })).toEqual({
      'db.response.status_code': '23505',
      'error.type': '23505'
    })
    expect(toStatementFault({ code: 5 })).toEqual({})
  })

  it('that has failed with what has no code is a span all the same', () => {
    const shut = Object.defineProperty({}, 'code', {
      get() {
        throw new Error('no code')
      }
    })

    for (const error of [null, 'gone', shut]) expect(toStatementFault(error)).toEqual({})
  })
})

describe('the type of an error', () => {
  it.each<[string | undefined, unknown]>([
    ['DiskError', new DiskError('full')],
    ['TypeError', new TypeError('none')],
    ['MyError', Object.assign(new Error('own'), { name: 'MyError' })],
    ['GeneralError', new GeneralError('failed')],
    ['Unavailable', new Unavailable('later')],
    ['DatabaseError', Object.assign(new (class DatabaseError extends Error {})('pg'), { name: 'error' })],
    ['GeneralError', 'text'],
    [
      'GeneralError',
      new Proxy(new Error('hostile'), {
        get() {
          throw new Error('no')
        }
      })
    ],
    [undefined, new BadRequest('wrong')]
  ])('is %s', (type, error) => {
    expect(toErrorType(error)).toBe(type)
  })

  it('is in the attributes of a call that the server has failed', () => {
    const call = { path: 'notes', method: 'get' } as any
    const known = { 'rpc.system.name': 'alula', 'rpc.method': 'notes/get' }

    expect(toAttributes(call)).toEqual(known)
    expect(toAttributes({ ...call, error: new BadRequest('no') })).toEqual({
      ...known,
      'rpc.response.status_code': '400'
    })
    expect(toAttributes({ ...call, error: new TypeError('no') })).toEqual({
      ...known,
      'rpc.response.status_code': '500',
      'error.type': 'TypeError'
    })
  })
})

describe('the span of a call', () => {
  const begin = (provider: string | undefined, params: object, hasParent = false) =>
    toCall({ path: 'notes', method: 'get', provider, context: { params } } as any, hasParent)

  it('of a client continues what its headers or its params say', () => {
    const from = { traceId: TRACE, spanId: SPAN, traceFlags: 1, isRemote: true }

    expect(begin('rest', { headers: { traceparent: TRACEPARENT } })).toMatchObject({
      name: 'notes/get',
      kind: SpanKind.SERVER,
      from
    })
    expect(begin('socketio', { traceparent: TRACEPARENT }).from).toMatchObject(from)
  })

  it.each<[string, string | undefined, object, boolean?]>([
    ['of the server', undefined, { headers: { traceparent: TRACEPARENT } }],
    ['inside of another one', 'rest', { headers: { traceparent: TRACEPARENT } }, true],
    ['without a header', 'rest', { headers: {} }],
    ['without headers', 'rest', {}],
    ['with a header of another kind', 'rest', { headers: { traceparent: ['a'] } }],
    ['with another text', 'rest', { headers: { traceparent: `x${TRACEPARENT}` } }],
    ['with a trace of zeros', 'rest', { headers: { traceparent: `00-${'0'.repeat(32)}-${SPAN}-01` } }]
  ])('%s begins a trace, or continues what runs', (_name, provider, params, hasParent) => {
    const { kind, from } = begin(provider, params, hasParent)

    expect(from).toBeUndefined()
    expect(kind).toBe(provider ? SpanKind.SERVER : SpanKind.INTERNAL)
  })
})

it('the span of an event says whether it is sent or delivered', () => {
  const event = { path: 'notes', event: 'created', traceparent: TRACEPARENT }
  const known = { 'messaging.system': 'alula', 'messaging.destination.name': 'notes created' }

  expect(toEvent({ ...event, kind: 'emit' } as any)).toEqual({
    name: 'emit notes created',
    kind: SpanKind.PRODUCER,
    attributes: { ...known, 'messaging.operation.name': 'emit', 'messaging.operation.type': 'send' },
    from: undefined,
    links: []
  })

  const delivered = toEvent({ ...event, kind: 'deliver', connections: 3 } as any)

  expect(delivered).toMatchObject({
    name: 'deliver notes created',
    kind: SpanKind.CONSUMER,
    attributes: {
      ...known,
      'messaging.operation.name': 'deliver',
      'messaging.operation.type': 'process',
      'alula.connections': 3
    },
    links: [{ context: { traceId: TRACE, spanId: SPAN } }]
  })
})
