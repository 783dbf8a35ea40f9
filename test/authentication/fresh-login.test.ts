import { expect, it } from 'vitest'
import { AuthenticationService, authenticate, JWTStrategy } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'

const SETTINGS = { secret: 'a secret that is long enough for a test', service: 'users', entity: 'user' }

it('fresh goes by the tokens of the authentication service that the hook names', async () => {
  const app: any = alula().use('users', memory({ store: { 1: { id: 1 } } }))

  for (const [path, issuer] of [
    ['authentication', 'one'],
    ['v2/authentication', 'two']
  ] as const) {
    const authentication = new AuthenticationService(app, path, {
      ...SETTINGS,
      authStrategies: ['jwt'],
      jwtOptions: { issuer }
    })

    authentication.register('jwt', new JWTStrategy())
    app.use(path, authentication)
  }

  app.use('notes', memory())
  app.service('notes').hooks({
    before: { all: [authenticate({ service: 'v2/authentication', strategies: ['jwt'], fresh: '10m' })] }
  })
  await app.setup()

  const accessToken = await app.service('v2/authentication').createAccessToken({}, { subject: '1' })
  const params = { provider: 'rest', authentication: { strategy: 'jwt', accessToken } }

  expect(await app.service('notes').find(params)).toEqual([])
})
