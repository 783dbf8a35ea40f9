import type { JsonSchema } from '../schema/json-schema.ts'
import { isAuthenticated, isGuarded } from './security.ts'
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

const DESCRIPTIONS: { readonly [name: string]: readonly [status: string, description: string] } = {
  BadRequest: ['400', 'The data or the query is not valid'],
  NotAuthenticated: ['401', 'There are no valid credentials'],
  Forbidden: ['403', 'The caller may not do this'],
  NotFound: ['404', 'There is no such record'],
  Conflict: ['409', 'A unique value is taken'],
  OtherError: ['default', 'Any other error']
}

/** A response, after its status. */
export type StatusEntry<Response> = readonly [status: string, response: Response]

/** The responses with errors, by name. */
export function toErrorResponses(): { [name: string]: OpenApiResponse } {
  const content = toJsonContent({ $ref: '#/components/schemas/Error' })

  return Object.fromEntries(
    Object.entries(DESCRIPTIONS).map(([name, [, description]]) => [name, { description, content }])
  )
}

/**
 * The errors of a call, each with its status. They are entries, because an object whose keys are numbers takes room for
 * all smaller numbers, and each copy of it takes that room again.
 *
 * @param who Who may call it, as in the table of `exposure`
 * @param hasRecord Whether it names a record
 * @param writes Whether it may write a value that has to be unique
 */
export function toErrors(
  who: string,
  hasRecord: boolean,
  writes: boolean
): readonly StatusEntry<OpenApiReference>[] {
  const names = [
    'BadRequest',
    ...(isAuthenticated(who) ? ['NotAuthenticated'] : []),
    ...(isGuarded(who) ? ['Forbidden'] : []),
    ...(hasRecord ? ['NotFound'] : []),
    ...(writes ? ['Conflict'] : []),
    'OtherError'
  ]

  return names.map((name) => [DESCRIPTIONS[name]?.[0] ?? '', { $ref: `#/components/responses/${name}` }])
}

/** A body of JSON. */
export function toJsonContent(schema: JsonSchema): OpenApiContent {
  return { 'application/json': { schema } }
}
