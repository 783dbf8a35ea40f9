// Requests and responses of services with an envelope. Forms, tables and events have bare records.
import type { PageMethod, PageService } from '../../../src/openapi/page-data.ts'
import { isObject, isOk, type RequestOutcome } from './request.ts'

/** Data as a request has it. A method that declares no data may have none. */
export function wrap({ envelope }: PageService, method: PageMethod, data: unknown): unknown {
  const { one = '', many = one, request } = envelope ?? {}

  if (!request || (!method.data && isObject(data) && Object.keys(data).length === 0)) return data

  return { [Array.isArray(data) ? many : one]: data }
}

/** What came of a request, with a bare record or page, which keeps its cursors. Errors have no envelope. */
export function unwrap(
  { envelope }: PageService,
  { name }: PageMethod,
  outcome: RequestOutcome
): RequestOutcome {
  const { body } = outcome
  const { one = '', many = '', total = '' } = envelope ?? {}

  if (!isObject(body) || !isOk(outcome)) return outcome
  // A record that is bare may have a field of the same name.
  const isPage = name === 'find' && body[many]

  return {
    ...outcome,
    body: isPage ? { ...body, data: body[many], total: body[total] } : (body[one] ?? body)
  }
}
