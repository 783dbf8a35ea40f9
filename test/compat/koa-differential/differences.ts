import type { Differences } from '../differences.ts'

/** Where `errorHandler` of alula responds otherwise, whatever application it is used in. */
export const ofErrors: Differences = {
  'koa-errors': {
    'a user changes to an email that is taken': [
      "500: update `users` set `email` = 'ada@example.org' where `users`.`id` in (2) - UNIQUE constraint failed: users.email",
      "500 GeneralError: update `users` set `email` = 'ada@example.org' where `users`.`id` in (2) - UNIQUE constraint failed: users.email"
    ],
    'a message is changed to nothing': [
      '500: Empty .update() call detected! Update data does not contain any values to update. This will result in a faulty query. Table: messages. Columns: .',
      '500 GeneralError: Empty .update() call detected! Update data does not contain any values to update. This will result in a faulty query. Table: messages. Columns: .'
    ],
    'a plain error': ['500: It is plain', '500 GeneralError: It is plain'],
    'an error with a code': ['500: It has a code', '500 GeneralError: It has a code'],
    'an error with JSON': ['500 {"own":true}', '500 GeneralError: It has JSON'],
    'an error that is a string': ['500 {}', '500 GeneralError: It is a string'],
    'a route that fails': ['500: The route has failed', '500 GeneralError: The route has failed'],
    'a route that fails on purpose': ['500: A secret', '500 GeneralError: A secret']
  },
  'koa-exposed-errors': {
    'an error that is for clients': ['500: It is shown', '409 Conflict: It is shown'],
    'a route that refuses': ['500: No coffee', '418 BadRequest: No coffee']
  },
  'koa-bodies': {
    'a message as broken JSON': [
      '500: Unexpected end of JSON input',
      '400 BadRequest: Invalid request body: expected valid JSON'
    ],
    'a message as a string': [
      '500: invalid JSON, only supports object and array',
      '400 BadRequest: Invalid request body: expected valid JSON'
    ],
    'a message that is too large': [
      '500: request entity too large',
      '413 PayloadTooLarge: The request body is larger than the server accepts'
    ]
  },
  'koa-status': {
    'a route with a status alone': ['404 NotFound: Path /status not found', '202 "Accepted"']
  }
}

/** Where the core, authentication and sockets of alula differ. */
export const ofCore: Differences = {
  'malformed-tokens': {
    'a login with a token that is none': [
      '401 NotAuthenticated: jwt malformed',
      '401 NotAuthenticated: Invalid access token'
    ],
    'users with a token and no scheme': [
      '401 NotAuthenticated: jwt malformed',
      '401 NotAuthenticated: Invalid access token'
    ],
    'users with a forged token': [
      '401 NotAuthenticated: invalid token',
      '401 NotAuthenticated: Invalid access token'
    ],
    'messages with a forged token': [
      '401 NotAuthenticated: invalid token',
      '401 NotAuthenticated: Invalid access token'
    ],
    'a logout with a forged token': [
      '401 NotAuthenticated: invalid token',
      '401 NotAuthenticated: Invalid access token'
    ]
  },
  logout: {
    'messages after a logout': [
      '200 {"total":5,"limit":0,"skip":0,"data":[]}',
      '401 NotAuthenticated: jwt revoked'
    ]
  },
  'socket-errors': {
    'a plain error over a socket': ['Error: It is plain', 'GeneralError: It is plain']
  }
}

/** Where `rest` of alula reads bodies otherwise. */
export const ofBodies: Differences = {
  'koa-missing-body': {
    'a message without a body': [
      '400 BadRequest: validation failed: must be object',
      "400 BadRequest: validation failed: must have required property 'text'"
    ]
  },
  'parsed-bodies': {
    'a message as text': [
      '400 BadRequest: validation failed: must be object',
      '400 BadRequest: Invalid request body: expected a JSON object or array, got string'
    ]
  }
}

/** A response in one line. */
export function summarize({ status, body, error, result }: any): string {
  const shown = error ?? body ?? result
  const name = shown.name ?? (error ? 'Error' : '')
  const details = Array.isArray(shown.data) ? shown.data.map((item: any) => `: ${item.message}`).join('') : ''

  if (shown.message === undefined) return `${status} ${JSON.stringify(shown)}`

  return `${[status, name].filter(Boolean).join(' ')}: ${shown.message}${details}`
}
