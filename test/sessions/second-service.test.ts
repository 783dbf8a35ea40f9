import { expect, it, onTestFinished } from 'vitest'
import { access, user } from '../../src/access.ts'
import {
  AuthenticationService,
  authenticate,
  hashPassword,
  JWTStrategy,
  LocalStrategy,
  SessionService
} from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { LOCAL, SECRET } from '../authentication/app.ts'

function addLogin(
  app: any,
  path: string,
  settings: { secret: string; service: string; entity: string }
): void {
  app.set(path, { ...settings, authStrategies: ['jwt', 'local'], local: LOCAL, refresh: {} })

  const auth = new AuthenticationService(app, path)

  auth.register('jwt', new JWTStrategy())
  auth.register('local', new LocalStrategy())
  app.use(path, auth)
  app.use(settings.service, memory({ startId: 1 }), { methods: [] })
  app
    .service(settings.service)
    .hooks({ before: { create: [hashPassword('password', { authentication: path } as any)] } })
}

it('sessions of a second authentication service are seen and ended with its own tokens alone', async () => {
  const app: any = alula()

  addLogin(app, 'authentication', { secret: SECRET, service: 'users', entity: 'user' })
  addLogin(app, 'staff-login', { secret: `${SECRET} of the staff`, service: 'staff', entity: 'member' })
  // The one lets users of the first service call, the other the staff.
  app.use('opened', new SessionService(app, 'staff-login'), {
    methods: ['find', 'remove'],
    access: access({ find: user, remove: user })
  })
  app.use('staff-login/sessions', new SessionService(app, 'staff-login'), {
    methods: ['find', 'remove']
  })
  app.service('staff-login/sessions').hooks({
    before: { all: [authenticate({ service: 'staff-login', strategies: ['jwt'] })] }
  })
  await app.setup()
  onTestFinished(async () => void (await app.teardown()))

  const logIn = async (path: string, users: string) => {
    const credentials = { email: `${users}@example.org`, password: 'x' }

    await app.service(users).create(credentials)

    return app
      .asClient()
      .service(path)
      .create({ strategy: 'local', refresh: true, ...credentials })
  }
  const as = ({ accessToken }: any, path: string) =>
    app.asClient({ authentication: { strategy: 'jwt', accessToken } }).service(path)
  // Both have the id 1.
  const boss = await logIn('staff-login', 'staff')
  const eve = await logIn('authentication', 'users')
  const [session] = await as(boss, 'staff-login/sessions').find()

  expect(session).toMatchObject({ current: true })
  expect(await as(eve, 'opened').find()).toEqual([])
  expect(await as(eve, 'opened').remove(null)).toEqual([])
  await expect(as(eve, 'opened').remove(session.id)).rejects.toMatchObject({ code: 404 })
  expect(await as(boss, 'staff-login/sessions').find()).toEqual([session])
  expect(await as(boss, 'staff-login/sessions').remove(session.id)).toEqual(session)
})
