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

it('fresh refuses users whom the application has logged in, because it knows no time of their login', async () => {
  const app: any = alula().use('users', memory({ store: { 1: { id: 1 } } }))

  app.set('authentication', { ...SETTINGS, authStrategies: ['jwt'] })

  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  app.use('authentication', authentication)

  for (const [path, optional] of [
    ['notes', false],
    ['posts', true]
  ] as const) {
    app.use(path, memory())
    app
      .service(path)
      .hooks({ before: { all: [authenticate({ strategies: ['jwt'], optional, fresh: '10m' })] } })
  }

  await app.setup()

  const user = await app.service('users').get(1)
  const stale = { code: 401, data: { reason: 'stale' } }

  for (const path of ['notes', 'posts']) {
    await expect(app.asClient({ user }).service(path).find()).rejects.toMatchObject(stale)
    await expect(
      app.service(path).find({ provider: 'rest', user, authenticated: true })
    ).rejects.toMatchObject(stale)
    expect(await app.service(path).find({ user, authenticated: true })).toEqual([])
  }

  await expect(app.asClient().service('notes').find()).rejects.toMatchObject({
    code: 401,
    message: 'Not authenticated'
  })
  expect(await app.asClient().service('posts').find()).toEqual([])

  // The call that loads the user of a login is none of that user yet.
  app.service('users').hooks({ before: { get: [authenticate({ strategies: ['jwt'], fresh: '10m' })] } })

  const accessToken = await app.service('authentication').createAccessToken({}, { subject: '1' })
  const client = app.asClient({ authentication: { strategy: 'jwt', accessToken } })

  expect(await client.service('notes').find()).toEqual([])
  await expect(app.asClient({ user }).service('users').get(1)).rejects.toMatchObject(stale)
})
