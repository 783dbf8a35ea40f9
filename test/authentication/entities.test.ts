import { expect, it } from 'vitest'
import { authenticate, JWTStrategy, LocalStrategy } from '../../src/authentication.ts'
import { Forbidden } from '../../src/errors.ts'
import { memory } from '../../src/memory.ts'
import { createAppWithUser, LOGIN } from './app.ts'

/** An application that is set up, and the methods of its users that are called. */
async function open(options: object = {}) {
  const { app, user, service } = await createAppWithUser(options)
  const calls: string[] = []

  app.service('users').hooks({
    around: {
      all: [
        async ({ method, params }: any, next: any) => {
          calls.push(`${method} ${params.provider ?? 'internal'}`)
          await next()
        }
      ]
    }
  })
  app.use('things', memory())
  app.service('things').hooks({ before: { all: [authenticate('jwt')] } })
  await app.setup()
  // The first login of a process finds out whether `get` shows what the login goes by.
  await service.create(LOGIN)
  calls.length = 0

  return { app, user, service, calls }
}

it('a login with a password is one query, and one read for what the client may see', async () => {
  const { service, calls } = await open()

  await service.create(LOGIN, { provider: 'rest', query: {} })
  expect(calls).toEqual(['find internal', 'get rest'])
})

it('a login by the server is one query', async () => {
  const { service, calls } = await open()

  await service.create(LOGIN)
  expect(calls).toEqual(['find internal'])
})

it('a call with a token is one read', async () => {
  const { app, service, calls } = await open()
  const { accessToken } = await service.create(LOGIN)

  calls.length = 0
  await app
    .service('things')
    .find({ provider: 'rest', query: {}, authentication: { strategy: 'jwt', accessToken } })
  expect(calls).toEqual(['get internal'])
})

it('a login with a token is one read, and one for what the client may see', async () => {
  const { service, calls } = await open()
  const { accessToken } = await service.create(LOGIN)

  calls.length = 0
  await service.create({ strategy: 'jwt', accessToken }, { provider: 'rest', query: {} })
  expect(calls).toEqual(['get internal', 'get rest'])
})

it('a token is not tied to a hash that only the login sees', async () => {
  class Selecting extends JWTStrategy {
    override async getEntityQuery() {
      return { $select: ['email'] }
    }
  }
  const { app, service } = await open({ strategies: { jwt: new Selecting(), local: new LocalStrategy() } })

  for (let n = 0; n < 2; n++) {
    const { accessToken } = await service.create(LOGIN)
    const authentication = { strategy: 'jwt', accessToken }

    expect(await app.service('things').find({ provider: 'rest', query: {}, authentication })).toEqual([])
  }
})

it('a password that is changed while it is compared ends the login', async () => {
  const { app, user, service } = await open()
  const { hasher } = app.get('authentication').local

  app.set('authentication', {
    ...app.get('authentication'),
    local: {
      ...app.get('authentication').local,
      hasher: {
        hash: hasher.hash,
        compare: async (password: string, hash: string) => {
          const isRight = await hasher.compare(password, hash)

          await app.service('users').patch(user.id, { password: 'another' })

          return isRight
        }
      }
    }
  })

  await expect(service.create(LOGIN)).rejects.toMatchObject({ code: 401, message: 'Invalid login' })
})

it('a strategy with getEntity loads at a login as with the new token: by its subject, with a query', async () => {
  const calls: unknown[] = []

  class Custom extends JWTStrategy {
    override async getEntity(id: any, params: any) {
      calls.push([id, params.query, params.authenticated])

      return super.getEntity(id, params)
    }
  }

  const strategies = { jwt: new Custom(), local: new LocalStrategy() }
  const { service } = await createAppWithUser({ strategies, users: memory({ startId: 7 }) })

  await service.create(LOGIN, { query: { name: 'not for users' } })
  expect(calls).toEqual([['7', {}, true]])
})

it('a strategy that says what the id of a user is loads at a login by the id of the record', async () => {
  class Custom extends JWTStrategy {
    override async getEntityId(result: any) {
      return Number(result.authentication.payload.sub)
    }
  }

  const strategies = { jwt: new Custom(), local: new LocalStrategy() }
  const { app, service } = await createAppWithUser({ strategies, users: memory({ startId: 7 }) })
  const ids: unknown[] = []

  app.service('users').hooks({ before: { get: [({ id }: any) => void ids.push(id)] } })
  await service.create(LOGIN)
  expect(ids).toEqual([7])
})

it('what getEntity of the jwt strategy throws refuses a login with a password too', async () => {
  class Verified extends JWTStrategy {
    override async getEntity(): Promise<never> {
      throw new Forbidden('not verified')
    }
  }

  const { service } = await createAppWithUser({
    strategies: { jwt: new Verified(), local: new LocalStrategy() }
  })

  await expect(service.create(LOGIN)).rejects.toMatchObject({ code: 403, message: 'not verified' })
})
