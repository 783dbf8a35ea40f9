/** Who makes a call: one of two users, a client without credentials, or one with a forged token. */
export type Caller = 'ada' | 'bob' | 'nobody' | 'forged'

/** One step of the script. */
export type Call =
  | {
      readonly kind: 'request'
      readonly method: string
      readonly path: string
      readonly body?: unknown
      readonly as?: Caller
      readonly headers?: { readonly [name: string]: string }
    }
  | { readonly kind: 'message'; readonly message: readonly unknown[]; readonly client: 'first' | 'second' }

type Named = readonly [name: string, call: Call]

const request = (
  name: string,
  method: string,
  path: string,
  details: { body?: unknown; as?: Caller; headers?: { [name: string]: string } } = {}
): Named => [name, { kind: 'request', method, path, ...details }]

const message = (name: string, client: 'first' | 'second', ...sent: unknown[]): Named => [
  name,
  { kind: 'message', client, message: sent }
]

const ADA = { email: 'ada@example.org', password: 'a secret' }
const BOB = { email: 'bob@example.org', password: 'another secret' }
const JSON_TYPE = { 'Content-Type': 'application/json' }

/** The classes of errors, by their names in `errors`. */
const CLASSES = [
  'BadRequest',
  'NotAuthenticated',
  'PaymentError',
  'Forbidden',
  'NotFound',
  'MethodNotAllowed',
  'NotAcceptable',
  'Timeout',
  'Conflict',
  'LengthRequired',
  'Unprocessable',
  'TooManyRequests',
  'GeneralError',
  'NotImplemented',
  'BadGateway',
  'Unavailable'
]

/** The calls of the differential test, in the order in which they are made. */
export const calls: readonly Named[] = [
  // Users and logins.
  request('a user is created', 'POST', '/users', { body: ADA }),
  request('another user is created', 'POST', '/users', { body: BOB }),
  request('a user without an email', 'POST', '/users', { body: { password: 'x' } }),
  request('a user with an email that is too short', 'POST', '/users', {
    body: { email: 'a', password: 'x' }
  }),
  request('a user with a further field', 'POST', '/users', { body: { ...ADA, admin: true } }),
  request('a user that exists', 'POST', '/users', { body: ADA }),
  request('users for nobody', 'GET', '/users'),
  request('a login', 'POST', '/authentication', { body: { strategy: 'local', ...ADA } }),
  request('another login', 'POST', '/authentication', { body: { strategy: 'local', ...BOB } }),
  request('a login with a wrong password', 'POST', '/authentication', {
    body: { strategy: 'local', ...ADA, password: 'wrong' }
  }),
  request('a login of an unknown user', 'POST', '/authentication', {
    body: { strategy: 'local', ...ADA, email: 'nobody@example.org' }
  }),
  request('a login without a password', 'POST', '/authentication', {
    body: { strategy: 'local', email: ADA.email }
  }),
  request('a login without a strategy', 'POST', '/authentication', { body: ADA }),
  request('a login with an unknown strategy', 'POST', '/authentication', {
    body: { strategy: 'magic', ...ADA }
  }),
  request('a login with nothing', 'POST', '/authentication', { body: {} }),
  request('a login with a token that is none', 'POST', '/authentication', {
    body: { strategy: 'jwt', accessToken: 'none' }
  }),
  request('users find themselves', 'GET', '/users', { as: 'ada' }),
  request('a user gets itself', 'GET', '/users/1', { as: 'ada' }),
  request('a user gets another one', 'GET', '/users/2', { as: 'ada' }),
  request('users with a forged token', 'GET', '/users', { as: 'forged' }),
  request('users with another scheme', 'GET', '/users', { headers: { Authorization: 'Basic YTpi' } }),
  request('users with an empty header', 'GET', '/users', { headers: { Authorization: '' } }),
  request('users with a token and no scheme', 'GET', '/users', { headers: { Authorization: 'abc' } }),
  request('a user changes its email', 'PATCH', '/users/2', {
    as: 'bob',
    body: { email: 'robert@example.org' }
  }),
  request('a user changes to an email that is taken', 'PATCH', '/users/2', {
    as: 'bob',
    body: { email: ADA.email }
  }),
  request('a user changes a field that it lacks', 'PATCH', '/users/2', { as: 'bob', body: { admin: true } }),
  request('a user changes another one', 'PATCH', '/users/1', {
    as: 'bob',
    body: { email: 'eve@example.org' }
  }),
  request('a user is replaced', 'PUT', '/users/1', { as: 'ada', body: ADA }),

  // Messages.
  request('messages for nobody', 'GET', '/messages'),
  request('messages with a forged token', 'GET', '/messages', { as: 'forged' }),
  request('no messages', 'GET', '/messages', { as: 'ada' }),
  request('a message is created', 'POST', '/messages', { as: 'ada', body: { text: 'Hello' } }),
  request('another message is created', 'POST', '/messages', { as: 'bob', body: { text: 'Good day' } }),
  request('a third message is created', 'POST', '/messages', { as: 'ada', body: { text: 'Ünïcödé €' } }),
  request('a message without text', 'POST', '/messages', { as: 'ada', body: {} }),
  request('a message with a number for text', 'POST', '/messages', { as: 'ada', body: { text: 1 } }),
  request('a message with a further field', 'POST', '/messages', {
    as: 'ada',
    body: { text: 'x', userId: 2 }
  }),
  request('several messages at once', 'POST', '/messages', {
    as: 'ada',
    body: [{ text: 'x' }, { text: 'y' }]
  }),
  request('a message without a body', 'POST', '/messages', { as: 'ada' }),
  request('a message from nobody', 'POST', '/messages', { body: { text: 'x' } }),
  request('a message as broken JSON', 'POST', '/messages', {
    as: 'ada',
    body: '{"text":',
    headers: JSON_TYPE
  }),
  request('a message as an empty string', 'POST', '/messages', { as: 'ada', body: '', headers: JSON_TYPE }),
  request('a message as a string', 'POST', '/messages', { as: 'ada', body: '"text"', headers: JSON_TYPE }),
  request('a message as a form', 'POST', '/messages', {
    as: 'ada',
    body: 'text=Form',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' }
  }),
  request('a message as text', 'POST', '/messages', {
    as: 'ada',
    body: 'text',
    headers: { 'Content-Type': 'text/plain' }
  }),
  request('a message that is too large', 'POST', '/messages', {
    as: 'ada',
    body: { text: 'x'.repeat(1_100_000) }
  }),
  request('all messages', 'GET', '/messages', { as: 'ada' }),
  request('sorted messages', 'GET', '/messages?$sort[id]=-1', { as: 'ada' }),
  request('a page of messages', 'GET', '/messages?$limit=1&$skip=1', { as: 'ada' }),
  request('no page of messages', 'GET', '/messages?$limit=0', { as: 'ada' }),
  request('selected fields', 'GET', '/messages?$select[]=text&$select[]=userId', { as: 'ada' }),
  request('messages by equality', 'GET', '/messages?text=Hello', { as: 'ada' }),
  request('messages by a list', 'GET', '/messages?id[$in][]=1&id[$in][]=3', { as: 'ada' }),
  request('messages by a range', 'GET', '/messages?id[$gt]=1&id[$lte]=3', { as: 'ada' }),
  request('messages by alternatives', 'GET', '/messages?$or[0][id]=1&$or[1][text]=Good%20day', { as: 'ada' }),
  request('messages by inequality', 'GET', '/messages?text[$ne]=Hello', { as: 'ada' }),
  request('messages by an operator that is none', 'GET', '/messages?text[$regex]=H', { as: 'ada' }),
  request('messages by a field that is none', 'GET', '/messages?secret=1', { as: 'ada' }),
  request('messages sorted by a field that is none', 'GET', '/messages?$sort[secret]=1', { as: 'ada' }),
  request('messages with a limit that is none', 'GET', '/messages?$limit=many', { as: 'ada' }),
  request('messages with a negative limit', 'GET', '/messages?$limit=-1', { as: 'ada' }),
  request('a message', 'GET', '/messages/1', { as: 'bob' }),
  request('a message with a slash after it', 'GET', '/messages/1/', { as: 'bob' }),
  request('messages with a slash after them', 'GET', '/messages/?$limit=0', { as: 'bob' }),
  request('a message that does not exist', 'GET', '/messages/99', { as: 'bob' }),
  request('a message with an id that is none', 'GET', '/messages/abc', { as: 'bob' }),
  request('a message is changed', 'PATCH', '/messages/1', { as: 'ada', body: { text: 'Hello again' } }),
  request('a message is changed to nothing', 'PATCH', '/messages/1', { as: 'ada', body: {} }),
  request('a message is changed by nobody', 'PATCH', '/messages/1', { body: { text: 'x' } }),
  request('a message that does not exist is changed', 'PATCH', '/messages/99', {
    as: 'ada',
    body: { text: 'x' }
  }),
  request('all messages are changed', 'PATCH', '/messages', { as: 'ada', body: { text: 'x' } }),
  request('a message is replaced', 'PUT', '/messages/1', { as: 'ada', body: { text: 'x' } }),
  request('a message is removed', 'DELETE', '/messages/2', { as: 'bob' }),
  request('a message is removed again', 'DELETE', '/messages/2', { as: 'bob' }),
  request('all messages are removed', 'DELETE', '/messages', { as: 'ada' }),
  request('a custom method', 'POST', '/messages', {
    as: 'ada',
    body: { text: 'loud' },
    headers: { 'X-Service-Method': 'shout' }
  }),
  request('a custom method for nobody', 'POST', '/messages', {
    body: { text: 'loud' },
    headers: { 'X-Service-Method': 'shout' }
  }),
  request('a custom method that is none', 'POST', '/messages', {
    as: 'ada',
    body: {},
    headers: { 'X-Service-Method': 'whisper' }
  }),
  request('a standard method by the header', 'POST', '/messages', {
    as: 'ada',
    body: { text: 'x' },
    headers: { 'X-Service-Method': 'create' }
  }),
  request('the head of messages', 'HEAD', '/messages', { as: 'ada' }),
  request('the options of messages', 'OPTIONS', '/messages', { as: 'ada' }),

  // Errors.
  ...CLASSES.map((name) => request(`the error ${name}`, 'GET', `/failures/${name}`)),
  request('a plain error', 'GET', '/failures/plain'),
  request('an error with a code', 'GET', '/failures/code'),
  request('an error with JSON', 'GET', '/failures/json'),
  request('an error that is for clients', 'GET', '/failures/exposed'),
  request('an error that is a string', 'GET', '/failures/string'),
  request('a result', 'GET', '/failures/other'),
  request('a result of null', 'GET', '/failures/null'),
  request('an empty list', 'GET', '/failures'),
  request('a status of a hook', 'POST', '/failures', { body: { http: { status: 202 } } }),
  request('a location of a hook', 'POST', '/failures', { body: { http: { location: '/health' } } }),
  request('a method that is missing', 'DELETE', '/failures/1'),

  // Routes.
  request('a route with text', 'GET', '/health'),
  request('a route with JSON', 'GET', '/json?a[b]=1&c[]=2'),
  request('a route with a body', 'POST', '/json', { body: { a: 1 } }),
  request('a route that fails', 'GET', '/crash'),
  request('a route that refuses', 'GET', '/teapot'),
  request('a route that fails on purpose', 'GET', '/hidden'),
  request('a route that redirects', 'GET', '/redirect'),
  request('a route with a status alone', 'GET', '/status'),
  request('a route with nothing', 'GET', '/empty'),
  request('a route that does not exist', 'GET', '/nowhere'),
  request('a route that does not exist, with a body', 'POST', '/nowhere', { body: { a: 1 } }),
  request('a path below a record', 'GET', '/messages/1/more', { as: 'ada' }),
  request('the root', 'GET', '/'),

  // Sockets.
  message('messages over a socket, for nobody', 'first', 'find', 'messages', {}),
  message('a login over a socket', 'first', 'create', 'authentication', {
    strategy: 'local',
    ...ADA
  }),
  message('a wrong login over a socket', 'second', 'create', 'authentication', {
    strategy: 'local',
    ...ADA,
    password: 'wrong'
  }),
  message('messages over a socket', 'first', 'find', 'messages', {}),
  message('a message over a socket', 'first', 'create', 'messages', { text: 'From a socket' }),
  request('a message over REST, with an event', 'POST', '/messages', {
    as: 'bob',
    body: { text: 'From a request' }
  }),
  message('a message is changed over a socket', 'first', 'patch', 'messages', 1, { text: 'Changed' }),
  message('a message without text over a socket', 'first', 'create', 'messages', {}),
  message('a message that does not exist, over a socket', 'first', 'get', 'messages', 99),
  message('a service that does not exist, over a socket', 'first', 'find', 'nowhere', {}),
  message('a custom method over a socket', 'first', 'shout', 'messages', { text: 'loud' }),
  message('an error over a socket', 'first', 'get', 'failures', 'Conflict'),
  message('a plain error over a socket', 'first', 'get', 'failures', 'plain'),
  message('the other socket logs in', 'second', 'create', 'authentication', { strategy: 'local', ...ADA }),
  message('a message is removed over a socket', 'first', 'remove', 'messages', 1),
  message('a logout over a socket', 'first', 'remove', 'authentication', null),
  message('messages over a socket after the logout', 'first', 'find', 'messages', {}),
  message('a message after the logout, for the other socket', 'second', 'create', 'messages', {
    text: 'Alone'
  }),

  // Logouts.
  request('a logout', 'DELETE', '/authentication', { as: 'bob' }),
  request('a logout of nobody', 'DELETE', '/authentication'),
  request('a logout with a forged token', 'DELETE', '/authentication', { as: 'forged' }),
  request('messages after a logout', 'GET', '/messages?$limit=0', { as: 'bob' }),
  request('a user is removed', 'DELETE', '/users/2', { as: 'ada' })
]
