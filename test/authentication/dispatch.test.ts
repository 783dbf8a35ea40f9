import { expect, it } from 'vitest'
import { createStrategy } from '../../src/authentication.ts'
import { createApp, createAppWithUser, LOGIN } from './app.ts'

/** As `getDispatch` of `@feathersjs/schema` reads it. */
const DISPATCH = Symbol.for('@feathersjs/schema/dispatch')

it('the result of a login carries what clients may see of it', async () => {
  const { app, service } = await createAppWithUser()

  app.service('users').hooks({
    after: {
      find: [
        ({ result }: any) => {
          for (const user of result) Object.defineProperty(user, DISPATCH, { value: { email: user.email } })
        }
      ]
    }
  })

  const result = await service.create(LOGIN)

  expect(result.user).toHaveProperty('password')
  expect(result[DISPATCH]).toEqual({ ...result, user: { email: LOGIN.email } })
  expect(Object.keys(result)).not.toContain(DISPATCH)
})

it('a strategy of your own needs no service of entities as long as `isActive` is not set', async () => {
  const client = createStrategy(() => ({
    authenticate: async () => ({ authentication: { strategy: 'client' }, user: { id: 1 } })
  }))
  const service = createApp({ strategies: { client }, settings: { service: 'nowhere' } }).service(
    'authentication'
  )

  expect(await service.authenticate({ strategy: 'client' }, {}, 'client')).toMatchObject({ user: { id: 1 } })
})
