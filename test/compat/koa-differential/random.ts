import fc from 'fast-check'
import qs from 'qs'
import { type Call, calls } from './calls.ts'

// Calls of two users to the generated application: most are valid, the others are damaged in one place or more.

type Named = readonly [name: string, call: Call]

const START = ['a user is created', 'another user is created', 'a login', 'another login']

const LOGIN = { strategy: 'local', email: 'ada@example.org', password: 'a secret' }

const id = fc.constantFrom('1', '2', '3', '4', '5', '7', '99', 'abc', '1.5')
// SQLite finds these by the number that they are; where one of two applications writes, all later responses differ.
const readId = fc.oneof({ weight: 5, arbitrary: id }, { weight: 1, arbitrary: fc.constantFrom('01', '1e0') })
// Without a date: records of one run may have the same, which those of another run do not.
const sortable = fc.constantFrom('id', 'id', 'text', 'userId', 'secret', 'user')
const field = fc.constantFrom(
  'id',
  'id',
  'text',
  'text',
  'createdAt',
  'userId',
  'email',
  'secret',
  'password'
)
const urlValue = fc.constantFrom('1', '2', '3', '5', 'Hello', 'a', '', ' 1', '01', '1e0', '-1', '1.5', 'true')
const socketValue = fc.oneof(urlValue, fc.constantFrom<unknown>(1, 2, 3, 5, true, false, null, 1.5, {}, []))
const operator = fc.constantFrom('$gt', '$gte', '$lt', '$lte', '$ne', '$ne', '$regex')
const listOperator = fc.constantFrom('$in', '$nin')
const count = fc.constantFrom<unknown>(0, 1, 2, 5, 100, -1, 1.5, 'many', '')
const selected = fc.constantFrom('id', 'text', 'userId', 'user', 'email', 'password', 'secret')

function toConditions(value: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  return fc.oneof(
    fc.tuple(field, value).map(([name, given]) => ({ [name]: given })),
    fc.tuple(field, operator, value).map(([name, key, given]) => ({ [name]: { [key]: given } })),
    fc
      .tuple(field, listOperator, fc.array(value, { minLength: 1, maxLength: 3 }))
      .map(([name, key, given]) => ({ [name]: { [key]: given } }))
  )
}

function toQuery(value: fc.Arbitrary<unknown>): fc.Arbitrary<object> {
  const condition = toConditions(value)
  const several = fc.array(condition, { minLength: 1, maxLength: 2 })
  const part = fc.oneof(
    { weight: 6, arbitrary: condition },
    { weight: 1, arbitrary: several.map(($or) => ({ $or })) },
    { weight: 1, arbitrary: several.map(($and) => ({ $and })) },
    { weight: 2, arbitrary: count.map(($limit) => ({ $limit })) },
    { weight: 1, arbitrary: count.map(($skip) => ({ $skip })) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(sortable, fc.constantFrom(1, -1, 1, -1, 0, 2))
        .map(([name, order]) => ({ $sort: { [name]: order } }))
    },
    {
      weight: 2,
      arbitrary: fc.uniqueArray(selected, { minLength: 1, maxLength: 3 }).map(($select) => ({ $select }))
    }
  )

  return fc
    .oneof(
      { weight: 2, arbitrary: fc.constant([]) },
      { weight: 5, arbitrary: fc.tuple(part) },
      { weight: 2, arbitrary: fc.tuple(part, part) }
    )
    .map((parts) => Object.assign({}, ...parts))
}

const text = fc.constantFrom<unknown>('Hello', 'Good day', 'a', '', 'Ünïcödé €')
const message = fc.oneof(
  { weight: 6, arbitrary: fc.record({ text }) },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        text: fc.constantFrom<unknown>('Hello', 1, null, true, [], {}),
        userId: fc.constantFrom<unknown>(1, 2),
        secret: fc.constant('x')
      },
      { requiredKeys: [] }
    )
  }
)
const messages = fc.oneof(
  { weight: 6, arbitrary: message },
  { weight: 1, arbitrary: fc.array(message, { maxLength: 2 }) }
)
// A new password ends the login in alula, and is hashed, which takes time.
const email = fc.oneof(
  fc.integer({ min: 1, max: 300 }).map((number) => `user-${number}@example.org`),
  fc.constantFrom<unknown>('a', 1, null)
)
const user = fc.record({ email, admin: fc.constant(true) }, { requiredKeys: ['email'] })
const path = fc.constantFrom('messages', 'messages', 'messages', 'users')
const caller = fc.constantFrom('ada', 'ada', 'ada', 'bob', 'bob', 'nobody')

const toUrl = (name: string, query: object) => {
  const search = qs.stringify(query, { encodeValuesOnly: true })

  return search === '' ? name : `${name}?${search}`
}

const query = toQuery(urlValue)
// A number in another form finds a record in one of two applications alone, and after a write all later responses differ.
const writtenQuery = toQuery(fc.constantFrom('1', '2', '3', '5', 'Hello', 'a', '', 'true'))

const request: fc.Arbitrary<Call> = fc
  .tuple(
    fc.oneof(
      { weight: 6, arbitrary: fc.record({ method: fc.constant('GET'), name: path, query }) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(path, readId, query)
          .map(([name, one, asked]) => ({ method: 'GET', name: `${name}/${one}`, query: asked }))
      },
      {
        weight: 3,
        arbitrary: fc.record({ method: fc.constant('POST'), name: fc.constant('messages'), body: messages })
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(id, message, writtenQuery)
          .map(([one, body, asked]) => ({ method: 'PATCH', name: `messages/${one}`, body, query: asked }))
      },
      {
        weight: 1,
        arbitrary: fc.tuple(id, user).map(([one, body]) => ({ method: 'PATCH', name: `users/${one}`, body }))
      },
      { weight: 1, arbitrary: id.map((one) => ({ method: 'DELETE', name: `messages/${one}` })) },
      {
        weight: 1,
        arbitrary: fc.record({
          method: fc.constantFrom('PATCH', 'DELETE', 'PUT'),
          name: path,
          body: message
        })
      },
      {
        weight: 1,
        arbitrary: fc.record({
          method: fc.constant('POST'),
          name: fc.constant('messages'),
          body: fc.constant({ text: 'loud' }),
          headers: fc.constant({ 'X-Service-Method': 'shout' })
        })
      }
    ),
    caller
  )
  .map(([{ method, name, query: asked = {}, ...details }, as]: any) => ({
    kind: 'request',
    method,
    path: `/${toUrl(name, asked)}`,
    ...details,
    ...(as !== 'nobody' && { as })
  }))

const socketQuery = toQuery(socketValue)

const sent: fc.Arbitrary<Call> = fc
  .tuple(
    fc.oneof(
      { weight: 4, arbitrary: fc.tuple(fc.constant('find'), path, socketQuery) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('get'), path, readId, socketQuery) },
      { weight: 2, arbitrary: fc.tuple(fc.constant('create'), fc.constant('messages'), messages) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('patch'), fc.constant('messages'), id, message) },
      { weight: 1, arbitrary: fc.tuple(fc.constant('remove'), fc.constant('messages'), id) }
    ),
    fc.constantFrom('first' as const, 'second' as const)
  )
  .map(([given, client]) => ({ kind: 'message', client, message: given }))

/**
 * Makes a script: two users that log in over HTTP, one of them over a socket too, and then random calls.
 *
 * @param seed The same calls for the same seed
 * @param size How many random calls
 */
export function createScript(seed: number, size: number): readonly Named[] {
  const random = fc.sample(fc.oneof({ weight: 3, arbitrary: request }, { weight: 1, arbitrary: sent }), {
    seed,
    numRuns: size
  })

  return [
    ...calls.filter(([name]) => START.includes(name)),
    [
      'a login over a socket',
      { kind: 'message', client: 'first', message: ['create', 'authentication', LOGIN] }
    ],
    ...random.map((call, index): Named => [`${index} ${JSON.stringify(call)}`, call])
  ]
}
