// Records in the envelopes of services.
import type { Envelope } from 'alula/schema'
import { isObject } from './check.ts'

/** The records of a response. */
export function listRecords(body: unknown, envelope: Envelope | undefined): readonly object[] {
  const name = findRecordField(body, envelope)
  const records = isObject(body) && name !== undefined ? body[name] : body

  return [records].flat().filter((one) => typeof one === 'object' && one !== null)
}

/** The fields of a page beside its records. */
const PAGE_FIELDS = [
  ...['total', 'limit', 'skip'],
  ...['hasNextPage', 'hasPreviousPage', 'startCursor', 'endCursor']
]

/**
 * The field of a body that has its records: that of an envelope, or of a page; `undefined` where the body has neither. A record
 * may have a field of that name too: beside it, an envelope and a page have only their counts and cursors.
 */
export function findRecordField(body: unknown, envelope: Envelope = {}): string | undefined {
  if (!isObject(body)) return undefined

  const { total, limit, skip } = envelope
  const name = [envelope.many, envelope.one, 'data'].find(
    (one) => one !== undefined && Object.hasOwn(body, one)
  )
  const known = [name, total, limit, skip, ...PAGE_FIELDS]

  return Object.keys(body).every((field) => known.includes(field)) ? name : undefined
}
