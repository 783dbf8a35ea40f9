import type { JsonSchema } from '../schema/json-schema.ts'
import type { Guard } from './security.ts'
import type { OpenApiContent, OpenApiReference, OpenApiResponse } from './types.ts'

/** What all errors look like. */
export const ERROR: JsonSchema = {
  type: 'object',
  required: ['name', 'message', 'code', 'className'],
  properties: {
    name: { type: 'string' },
    message: { type: 'string' },
    code: { type: 'integer' },
    className: { type: 'string' },
    data: {},
    errors: { type: 'object', description: 'What is wrong with a field, by its path' }
  }
}

const DESCRIPTIONS = {
  BadRequest: 'The data or the query is not valid',
  NotAuthenticated: 'There are no valid credentials',
  Forbidden: 'The caller may not do this',
  NotFound: 'There is no such record',
  Conflict: 'A unique value is taken, or other records refer to the record',
  OtherError: 'Any other error'
} as const

type ErrorName = keyof typeof DESCRIPTIONS

const ERROR_CONTENT: OpenApiContent = {
  'application/json': { schema: { $ref: '#/components/schemas/Error' } }
}

/** References to the responses with errors; all documents share them. */
const REFERENCES = Object.fromEntries(
  Object.keys(DESCRIPTIONS).map((name) => [name, Object.freeze({ $ref: `#/components/responses/${name}` })])
) as { readonly [Name in keyof typeof DESCRIPTIONS]: OpenApiReference }

/** Responses by status. */
interface Responses {
  [status: string]: OpenApiResponse | OpenApiReference
}

/** What decides which responses a call may have. */
export interface ResponseSources {
  readonly method: string
  /** The status that its service declares for it. */
  readonly status: number | undefined
  /** The result; `undefined` where it is not known. */
  readonly result: JsonSchema | undefined
  /** Whether there may be no result. */
  readonly mayBeEmpty: boolean
  /** The status of an error, by its name. */
  readonly toStatus: (name: string) => number
  /** Whether it may also be at another address. */
  readonly mayRedirect: boolean
  /** Who may call it. */
  readonly guard: Guard
  /** Whether it may name a record that is not there: by its path or, for a custom method, by its data. */
  readonly mayMiss: boolean
  /** Whether it may write a value that has to be unique, or remove a record that others refer to. */
  readonly mayConflict: boolean
  readonly isLogin: boolean
  /** Whether it creates a record or patches one, which its status says. */
  readonly isUpsert: boolean
}

/** The responses with errors, by name. */
export function toErrorResponses(): { [name: string]: OpenApiResponse } {
  return Object.fromEntries(
    Object.entries(DESCRIPTIONS).map(([name, description]) => [name, { description, content: ERROR_CONTENT }])
  )
}

/** The responses of a call: what it returns, and its errors. */
export function toResponses(sources: ResponseSources): Responses {
  const {
    method,
    status = method === 'create' ? 201 : 200,
    result,
    mayBeEmpty,
    mayRedirect,
    guard,
    mayMiss,
    mayConflict,
    isLogin,
    isUpsert,
    toStatus
  } = sources
  // With a number in the literal: an object that gets its first number later takes room for all smaller ones, 5 kB.
  const responses: Responses = { [toStatus('BadRequest')]: REFERENCES.BadRequest }
  const add = (name: ErrorName) => addError(responses, toStatus(name), name)

  if (status !== 204) responses[status] = { description: 'The result', content: toJsonContent(result ?? {}) }
  if (isUpsert && status === 200)
    responses[201] = { description: 'The new record', content: toJsonContent(result ?? {}) }
  if (mayBeEmpty || status === 204) responses[204] = { description: 'There is no result' }
  if (!result && mayRedirect) responses['3XX'] = { description: 'The result is at another address' }
  // What a login is wrong about is not said by a status of its own.
  if (guard.isAuthenticated || isLogin) add('NotAuthenticated')
  if (guard.isGuarded) add('Forbidden')
  if (mayMiss) add('NotFound')
  if (mayConflict) add('Conflict')
  responses.default = REFERENCES.OtherError

  return responses
}

/** The setting `errorStatus` may give several errors the same status. */
function addError(responses: Responses, status: number, name: ErrorName): void {
  const known = responses[status]

  if (known === undefined) {
    responses[status] = REFERENCES[name]
    return
  }

  const before = '$ref' in known ? toDescription(known) : known.description

  responses[status] = { description: `${before}, or: ${DESCRIPTIONS[name]}`, content: ERROR_CONTENT }
}

function toDescription({ $ref }: OpenApiReference): string {
  return DESCRIPTIONS[$ref.split('/').at(-1) as ErrorName]
}

/** A body of JSON. */
export function toJsonContent(schema: JsonSchema): OpenApiContent {
  return { 'application/json': { schema } }
}
