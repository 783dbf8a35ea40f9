import { expect, it } from 'vitest'
import { access, user } from '../../src/access.ts'
import { AuthenticationService, JWTStrategy, SessionService } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { KEY, open, sign } from '../authentication/issuers-app.ts'
import { createApp, WREN } from '../sessions/app.ts'
import { startIssuer } from '../support/issuer.ts'
import { until } from '../support/until.ts'

it('the subject of another issuer lists and ends no sessions of the user who has it as an id', async () => {
  const issuer = await startIssuer(KEY)
  const { app, url } = await open({
    issuers: [issuer],
    settings: { refresh: {} },
    users: [
      { id: 1, sub: '2' },
      { id: 2, sub: '1' }
    ]
  })

  app.use('authentication/sessions', new SessionService(app), {
    methods: ['find', 'remove'],
    access: access({ all: user })
  })

  const { refreshToken } = await app
    .service('authentication')
    .issueToken({ user: { id: 2 } }, { refresh: true })
  const headers = { Authorization: `Bearer ${await sign(issuer, { claims: { sub: '2' } })}` }
  const call = async (method: string, id = '') =>
    fetch(`${url}/authentication/sessions${id}`, { method, headers })

  expect(await (await call('GET')).json()).toEqual([])
  expect((await call('DELETE', `/${refreshToken.split('.')[0]}`)).status).toBe(404)
  await app.service('authentication').create({ strategy: 'refresh', refreshToken })
})

it('a new password that another issuer lets a user set leaves sessions with the id of its token alone', async () => {
  const { app, logIn, refresh } = await createApp()

  await app.service('users').create(WREN)

  const { refreshToken, authentication: login } = await logIn()
  const payload = { ...login.payload, iss: 'https://issuer.example.org' }

  await app
    .service('users')
    .patch(1, { password: 'new' }, { user: { id: 1 }, authentication: { strategy: 'jwt', payload } })
  await expect(refresh(refreshToken)).rejects.toMatchObject({ data: { reason: 'password' } })
})

it('a refresh token that was replaced long ago ends its session, and tells nobody whose it was', async () => {
  const { app, logIn, refresh, logOut, ended } = await createApp()

  await app.service('users').create(WREN)

  const first = await logIn()

  await refresh((await refresh(first.refreshToken)).refreshToken)
  expect(await logOut(first.refreshToken)).toEqual({ authentication: { strategy: 'refresh' } })
  expect(ended).toMatchObject([{ cause: 'logout', userId: '1' }])
})

it('the session of a user who was removed is none of the next user with the same id', async () => {
  const { app, authentication, ended, refresh } = await createApp()

  // As people have it who log in by a provider.
  await app.service('users').create({ email: WREN.email })

  const { refreshToken } = await authentication.issueToken({ user: { id: 1 } }, { refresh: true })

  await app.service('users').remove(1)
  await until(() => expect(ended).toMatchObject([{ cause: 'user', userId: '1' }]))
  await app.service('users').create({ id: 1, email: 'ada@example.org' })
  await expect(refresh(refreshToken)).rejects.toMatchObject({ data: { reason: 'ended' } })
})

it('two authentication services do not keep the sessions of users with the same ids in one place', async () => {
  const app: any = alula()

  for (const [name, service] of [
    ['authentication', 'users'],
    ['staff', 'admins']
  ] as const) {
    app.set(name, {
      secret: `a secret for ${name}, longer than thirty-two bytes`,
      service,
      entity: 'user',
      authStrategies: ['jwt'],
      refresh: { store: 'sessions' }
    })

    const authentication = new AuthenticationService(app, name)

    authentication.register('jwt', new JWTStrategy())
    app.use(name, authentication)
    app.use(service, memory())
  }
  app.use('sessions', memory(), { methods: [] })

  await expect(app.setup()).rejects.toThrow("both keep sessions in 'sessions'")
})
