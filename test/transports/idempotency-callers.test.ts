import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import {
  AuthenticationBaseStrategy,
  AuthenticationService,
  authenticate,
  JWTStrategy
} from '../../src/authentication.ts'
import { NotAuthenticated } from '../../src/errors.ts'
import { createHandler } from '../../src/fetch.ts'
import { idempotency } from '../../src/idempotency.ts'
import { type Application, alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'

/** Calls an application over HTTP with a key; returns the status and the body. */
function caller(app: Application, params?: () => object) {
  const handle = createHandler(app, { logger: false, ...(params && { params }) } as any)

  return async (method: string, path: string, data: object, key: string, headers: object = {}) => {
    const response = await handle(
      new Request(`http://localhost/${path}`, {
        method,
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key, ...headers },
        body: JSON.stringify(data)
      })
    )

    return [response.status, await response.json()] as const
  }
}

class ApiKeyStrategy extends AuthenticationBaseStrategy {
  async authenticate({ apiKey }: any): Promise<any> {
    if (!['one', 'two'].includes(apiKey)) throw new NotAuthenticated('Unknown key')

    return { authentication: { strategy: 'apiKey' }, client: apiKey }
  }

  async parse({ headers }: any): Promise<any> {
    return headers['x-api-key'] ? { strategy: 'apiKey', apiKey: headers['x-api-key'] } : null
  }
}

it('callers with API keys do not get the responses of each other', async () => {
  const app = alula<any>()
  const authentication = new AuthenticationService(app as any)

  app.configure(idempotency())
  app.set('authentication', {
    secret: 'a secret of many characters',
    authStrategies: ['jwt', 'apiKey'],
    entity: null
  })
  authentication.register('jwt', new JWTStrategy())
  authentication.register('apiKey', new ApiKeyStrategy())
  app.use('authentication', authentication as any)
  app.use('orders', memory())
  app.service('orders').hooks({
    before: {
      create: [
        authenticate('apiKey'),
        ({ params, data }: any) => void Object.assign(data, { client: params.client })
      ]
    }
  })
  await app.setup()

  const call = caller(app)
  const key = randomUUID()
  const create = async (apiKey: string) =>
    await call('POST', 'orders', { item: 'tea' }, key, { 'X-Api-Key': apiKey })
  const [first, second] = [await create('one'), await create('two')]

  expect(first[1]).toMatchObject({ client: 'one' })
  expect(second[1]).toMatchObject({ client: 'two' })
  expect(await create('one')).toEqual(first)
  expect(await app.service('orders').find()).toHaveLength(2)
})

it.each([
  ['another name', { _id: 'a' }, { _id: 'b' }],
  ['no id', { email: 'a' }, { email: 'b' }],
  ['an object', { id: { tenant: 1, n: 1 } }, { id: { tenant: 2, n: 1 } }]
])('users of an existing login whose id is %s are told apart', async (_, one, other) => {
  const app = alula<any>()
  let user: object = one

  app.configure(idempotency())
  app.use('orders', memory())
  await app.setup()

  const call = caller(app, () => ({ user, authenticated: true }))
  const key = 'short-key'
  const [, first] = await call('POST', 'orders', { item: 'tea' }, key)

  expect((await call('POST', 'orders', { item: 'tea' }, key))[1]).toEqual(first)
  user = other
  expect((await call('POST', 'orders', { item: 'tea' }, key))[1]).not.toEqual(first)
})

it.each([
  ['a field', (token: string) => ({ session: { token } })],
  ['a longer text', (token: string) => ({ header: `Bearer ${token}` })]
])('a response with a token in %s is not kept', async (_, toResult) => {
  const app = alula<any>()
  const authentication = new AuthenticationService(app as any)

  app.configure(idempotency())
  app.set('authentication', { secret: 'a secret of many characters', authStrategies: ['jwt'], entity: null })
  authentication.register('jwt', new JWTStrategy())
  app.use('authentication', authentication as any)
  app.use('logins', {
    create: async () => toResult(await authentication.createAccessToken({ sub: '1' }))
  } as any)
  await app.setup()

  const call = caller(app)
  const key = randomUUID()

  expect((await call('POST', 'logins', {}, key))[0]).toBe(201)
  expect((await call('POST', 'logins', {}, key))[1]).toMatchObject({
    code: 409,
    data: { reason: 'not-kept' }
  })
})

it('a patch is repeated as long as hooks let the caller find the record', async () => {
  const app = alula<any>()

  app.configure(idempotency())
  app.use('orders', memory())
  app.service('orders').hooks({
    before: {
      patch: [({ params }: any) => void Object.assign(params, { query: { ...params.query, ownerId: 1 } })]
    }
  })
  await app.setup()
  await app.service('orders').create({ id: 1, ownerId: 1, done: false })

  const call = caller(app)
  const key = randomUUID()
  // The first call changes what it has asked for.
  const patch = async () => await call('PATCH', 'orders/1?done=false', { done: true }, key)
  const first = await patch()

  expect(first).toEqual([200, { id: 1, ownerId: 1, done: true }])
  expect(await patch()).toEqual(first)

  await app.service('orders').update(1, { ownerId: 2 })
  expect((await patch())[0]).toBe(404)
})
