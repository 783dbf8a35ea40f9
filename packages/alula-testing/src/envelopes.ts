// Records in the envelopes of services.
import type { Envelope } from 'alula/schema'
import { isObject } from './check.ts'

/**
 * The records of a response.
 *
 * @param body The body
 * @param envelope The envelope of the service, if it has one
 */
export function listRecords(body: unknown, envelope: Envelope | undefined): readonly object[] {
  const records = unwrap(body, [envelope?.many, envelope?.one, 'data'])

  return [records].flat().filter((one) => typeof one === 'object' && one !== null)
}

/** What is in the first of some fields that a body has; the body itself where it has none. */
function unwrap(body: unknown, names: readonly (string | undefined)[]): unknown {
  if (!isObject(body)) return body

  const name = names.find((one) => one !== undefined && Object.hasOwn(body, one))

  return name === undefined ? body : body[name]
}
