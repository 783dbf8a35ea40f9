import type { OpenApiDocument, OpenApiResponse } from 'alula/openapi'
import type { DocumentRequest, Operation } from './document-requests.ts'
import type { Validators } from './document-validators.ts'

/** A response as it is compared with a document. */
export interface Reply {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** Statuses that a document names wherever they can be. */
const NAMED: readonly number[] = [400, 401, 403, 404, 409]

/**
 * Compares a response with a document: what is wrong; `undefined` where nothing is. `isAnonymous`: whether the request had no
 * credentials.
 */
export function findBreach(
  document: OpenApiDocument,
  validators: Validators,
  operation: Operation,
  request: DocumentRequest,
  isAnonymous: boolean,
  reply: Reply
): string | undefined {
  const { status } = reply
  const { security } = operation
  const isClosed = security.length > 0 && security.every((one) => Object.keys(one).length > 0)

  if (status >= 500) return `the response is ${status}`
  if (isClosed && isAnonymous && status < 400) return `the response without credentials is ${status}`
  if (!request.isValid && status < 400) return `the response to a request that is not valid is ${status}`

  const response = findResponse(document, operation, status)

  return response ? findFault(validators, response, reply) : `the document does not have the status ${status}`
}

function findResponse(
  { components }: OpenApiDocument,
  { responses }: Operation,
  status: number
): OpenApiResponse | undefined {
  const isOther = status >= 400 && !NAMED.includes(status)
  const found =
    responses[status] ?? responses[`${String(status)[0]}XX`] ?? (isOther ? responses.default : undefined)

  if (!found || !('$ref' in found)) return found

  return components.responses[found.$ref.split('/').at(-1) as string]
}

/** The body of a response; `undefined` for one that is not JSON. */
export function parseReply({ text }: Reply): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function findFault(validators: Validators, { content }: OpenApiResponse, reply: Reply): string | undefined {
  const { status, type, text } = reply
  const body = parseReply(reply)
  const schema = content?.['application/json']?.schema

  // A redirect may have a page for people.
  if (!schema)
    return text === '' || (status < 400 && status >= 300) ? undefined : `the response ${status} has a body`
  if (!/^application\/json\b/i.test(type) || body === undefined) return `the response ${status} is no JSON`

  const fault = validators.findFault(schema, body)

  return fault && `the response ${status} is not what the document says: ${fault}`
}
