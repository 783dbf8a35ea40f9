import { randomUUID } from 'node:crypto'
import { expect, it, onTestFinished } from 'vitest'
import {
  AuthenticationService,
  authenticate,
  hashPassword,
  JWTStrategy,
  LocalStrategy
} from '../../src/authentication.ts'
import { createHandler } from '../../src/fetch.ts'
import { idempotency } from '../../src/idempotency.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { CountingHasher, configureLogin, SECRET } from '../support/login.ts'

const LOCAL = { usernameField: 'email', passwordField: 'password', hasher: new CountingHasher() }
const WREN = { email: 'wren', password: 'one' }
const BOSS = { email: 'boss', password: 'one' }

/** Two authentication services, which differ in the secret and in the service of users. Users of both have the id 1. */
async function start(entity: string) {
  const app: any = alula().configure(idempotency())

  configureLogin(app, { users: { startId: 1 }, settings: { local: LOCAL } })
  app.set('partners', {
    secret: `${SECRET} of partners`,
    service: 'partner-users',
    entity,
    authStrategies: ['jwt', 'local'],
    local: LOCAL,
    refresh: {}
  })

  const login = new AuthenticationService(app, 'partners')
  const own = authenticate('jwt')
  const partner = authenticate({ service: 'partner-login', strategies: ['jwt'] })

  login.register('jwt', new JWTStrategy())
  login.register('local', new LocalStrategy())
  app.use('partner-login', login)
  app.use('partner-users', memory({ startId: 1 }), { methods: [] })
  app
    .service('partner-users')
    .hooks({ before: { create: [hashPassword('password', { authentication: 'partner-login' })] } })

  let count = 0

  app.use(
    'orders',
    {
      create: async (_data: unknown, { user, [entity]: member }: any) => ({
        id: ++count,
        for: (member ?? user).email
      })
    },
    { methods: ['create'] }
  )
  app.service('orders').hooks({
    before: { create: [(context: any) => own(context).catch(() => partner(context))] }
  })
  await app.setup()
  onTestFinished(async () => void (await app.teardown()))
  await app.service('users').create(WREN)
  await app.service('partner-users').create(BOSS)

  const handle = createHandler(app, { logger: false })
  const send = async (path: string, data: object, headers = {}): Promise<any> => {
    const response = await handle(
      new Request(`http://localhost/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(data)
      })
    )

    return response.json()
  }

  return {
    send,
    order: ({ accessToken }: any, key: string) =>
      send('orders', { item: 'tea' }, { Authorization: `Bearer ${accessToken}`, 'Idempotency-Key': key })
  }
}

it.each(['user', 'member'])(
  'a key gets no response of a user of another authentication service, whose entity is the %s',
  async (entity) => {
    const { order, send } = await start(entity)
    const key = randomUUID()
    const boss = await send('partner-login', { strategy: 'local', ...BOSS })
    const wren = await send('authentication', { strategy: 'local', ...WREN })

    expect(await order(boss, key)).toEqual({ id: 1, for: 'boss' })
    expect(await order(wren, key)).toEqual({ id: 2, for: 'wren' })
    expect(await order(boss, key)).toEqual({ id: 1, for: 'boss' })
    expect(await order(wren, key)).toEqual({ id: 2, for: 'wren' })
  }
)

it.each(['user', 'member'])(
  'a key keeps its response when a token of a second service is renewed, whose entity is the %s',
  async (entity) => {
    const { order, send } = await start(entity)
    const key = randomUUID()
    const login = await send('partner-login', { strategy: 'local', refresh: true, ...BOSS })

    expect(await order(login, key)).toEqual({ id: 1, for: 'boss' })

    const renewed = await send('partner-login', { strategy: 'refresh', refreshToken: login.refreshToken })

    expect(renewed.accessToken).not.toBe(login.accessToken)
    expect(await order(renewed, key)).toEqual({ id: 1, for: 'boss' })
  }
)
