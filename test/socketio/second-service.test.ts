import { expect, it } from 'vitest'
import {
  AuthenticationService,
  authenticate,
  hashPassword,
  JWTStrategy,
  LocalStrategy
} from '../../src/authentication.ts'
import { NotAuthenticated } from '../../src/errors.ts'
import { memory } from '../../src/memory.ts'
import { defer } from '../support/deferred.ts'
import { CountingHasher, configureLogin, SECRET } from '../support/login.ts'
import { call, connect, hear, open } from '../support/socketio.ts'

const BOSS = { email: 'boss', password: 'one' }

/** A socket that is logged in at a second authentication service, which has a secret of its own. */
async function start() {
  const { promise: goesOn, resolve: goOn } = defer()
  const { app, url } = await open((app: any) => {
    configureLogin(app)
    app.set('staff-login', {
      secret: `${SECRET} of the staff`,
      service: 'staff',
      entity: 'member',
      authStrategies: ['jwt', 'local'],
      local: { usernameField: 'email', passwordField: 'password', hasher: new CountingHasher() }
    })

    const login = new AuthenticationService(app, 'staff-login')

    login.register('jwt', new JWTStrategy())
    login.register('local', new LocalStrategy())
    app.use('staff-login', login)
    app.use('staff', memory(), { methods: [] })
    app
      .service('staff')
      .hooks({ before: { create: [hashPassword('password', { authentication: 'staff-login' })] } })
    app.use('reports', {
      async get(id: string, { member }: any) {
        if (id === 'slow') await goesOn
        if (id === 'secret') throw new NotAuthenticated('Send the second factor')

        return { id, for: member.email }
      }
    })
    app
      .service('reports')
      .hooks({ before: { all: [authenticate({ service: 'staff-login', strategies: ['jwt'] })] } })
  })
  const { id } = await app.service('staff').create(BOSS)
  const socket = await connect(url, { reconnection: false })

  await call(socket, 'create', 'staff-login', { strategy: 'local', ...BOSS }, {})

  return { app, goOn, id, socket }
}

it('a call that fails with a 401 leaves a socket open whose login at a second service is valid', async () => {
  const { goOn, socket } = await start()
  const slow = call(socket, 'get', 'reports', 'slow', {})

  await expect(call(socket, 'get', 'reports', 'secret', {})).rejects.toMatchObject({ code: 401 })
  await expect(call(socket, 'get', 'reports', 'secret', {})).rejects.toMatchObject({ code: 401 })
  goOn()
  expect(await slow).toEqual({ id: 'slow', for: 'boss' })
  expect(await call(socket, 'get', 'reports', 'one', {})).toEqual({ id: 'one', for: 'boss' })
})

it('a call that fails with a 401 closes a socket whose login at a second service is no longer valid', async () => {
  const { app, id, socket } = await start()
  const ended = hear(socket, 'disconnect')

  await (app.service('staff') as any)._remove(id)
  await expect(call(socket, 'get', 'reports', 'one', {})).rejects.toMatchObject({ code: 401 })
  expect(await ended).toEqual(['io server disconnect', undefined])
})
