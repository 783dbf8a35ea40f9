import { describe, expect, it, onTestFinished } from 'vitest'
import { AuthenticationService, authenticate, JWTStrategy, protect } from '../../src/authentication.ts'
import { memory } from '../../src/memory.ts'
import { configureLogin } from '../support/login.ts'
import { describeHttpTransports } from '../support/transports.ts'
import { createApp, createAppWithUser, decode, WREN } from './app.ts'

/** A sign-up and a login of one's own. */
function configureSignup(app: any): void {
  configureLogin(app)
  app.use('signup', {
    async create(data: any, params: any) {
      const user = await app.service('users').create(data)

      return app.service('authentication').issueToken({ user }, params)
    }
  })
}

describe('a token for an entity', () => {
  it('comes with the entity, and without a word about how it was verified', async () => {
    const { app, user, service } = await createAppWithUser()
    const response = await service.issueToken({ user })

    expect(response).toEqual({ accessToken: expect.any(String), user })
    expect(decode(response.accessToken).payload).toMatchObject({ sub: String(user.id) })
    expect(await service.create({ strategy: 'jwt', accessToken: response.accessToken })).toHaveProperty(
      'user.email',
      WREN.email
    )
    await app.service('users').patch(user.id, { password: 'another' })
    await expect(
      service.create({ strategy: 'jwt', accessToken: response.accessToken })
    ).rejects.toMatchObject({ code: 401 })
  })

  it('of a call from outside shows of the entity what the caller may see', async () => {
    const { app, user, service } = await createAppWithUser()

    app.service('users').hooks({
      before: { get: [authenticate('jwt')] },
      after: { all: [protect('password')] }
    })

    expect(user).toHaveProperty('password')
    expect(await service.issueToken({ user }, { provider: 'rest', query: {} })).toEqual({
      accessToken: expect.any(String),
      user: { id: user.id, email: WREN.email }
    })
  })

  it('without an id is refused', async () => {
    const { service } = await createAppWithUser()

    await expect(service.issueToken({ user: {} })).rejects.toThrow('Can not set subject from user.id')
  })
})

describe('an event that carries a token', () => {
  async function open(
    configure: (app: any) => void = () => undefined,
    wrap: (login: any) => unknown = (login) => login
  ) {
    const app = createApp()
    const published: unknown[] = []
    const emitted: unknown[] = []

    app.use('signup', {
      create: async (data: any, params: any) => {
        const user = await app.service('users').create(data)

        return wrap(await app.service('authentication').issueToken({ user }, params))
      }
    })
    app.channel('all').join({})
    app.publish(() => app.channel('all'))
    configure(app)
    app.on('publish', (event: string, _channel: unknown, { path }: any) => published.push(`${path} ${event}`))
    app.service('signup').on('created', (data: unknown) => emitted.push(data))
    await app.setup()

    const response = await app.service('signup').create(WREN)

    expect(emitted).toEqual([response])

    return published
  }

  it.each<[string, (login: any) => unknown]>([
    ['itself', (login) => login],
    ['below a name', (login) => ({ isNew: true, login })],
    ['in a list below a name', (login) => ({ logins: [login] })]
  ])('%s is not sent by the publisher of all services', async (_place, wrap) => {
    expect(await open(undefined, wrap)).toEqual(['users created'])
  })

  it('that only clients see is not sent by the publisher of all services', async () => {
    const showLogin = async (context: any) => {
      context.dispatch = { login: context.result }
      context.result = { isNew: true }
    }
    const configure = (app: any) => app.service('signup').hooks({ after: { create: [showLogin] } })

    expect(await open(configure)).toEqual(['users created'])
  })

  it('is sent by a publisher of its service', async () => {
    const configure = (app: any) => app.service('signup').publish('created', () => app.channel('all'))

    expect(await open(configure)).toEqual(['users created', 'signup created'])
  })
})

describeHttpTransports('a response with a token', (open) => {
  it('is not for caches, and shows no hash', async () => {
    const { request } = await open(configureSignup)
    const response = await request('/signup', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(WREN)
    })
    const { accessToken, ...others }: any = await response.json()

    expect(response.status).toBe(201)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(others).toEqual({ user: { id: 0, email: WREN.email } })

    const notes = await request('/notes', { headers: { authorization: `Bearer ${accessToken}` } })

    expect(await notes.json()).toEqual({ of: WREN.email })
    expect(notes.headers.get('cache-control')).toBe('private')
  })
})

describe('a second authentication service', () => {
  async function warn(settings: object): Promise<string[]> {
    const app = createApp({ strategies: { jwt: new JWTStrategy() } })
    const warnings: string[] = []
    const listen = ({ code, message }: any) => code === 'ALULA_SHARED_TOKENS' && warnings.push(message)

    app.set('staff', { ...app.get('authentication'), service: 'employees', ...settings })

    const staff = new AuthenticationService(app, 'staff')

    staff.register('jwt', new JWTStrategy())
    app.use('employees', memory()).use('staff', staff)
    process.on('warning', listen)
    onTestFinished(() => void process.off('warning', listen))
    await app.setup()
    await new Promise(setImmediate)

    return warnings
  }

  it('with the same secret and audience is warned of, once', async () => {
    expect(await warn({})).toEqual([
      "The authentication services of the settings 'authentication' and 'staff' have the same secret and audience: " +
        'a token of one opens what has the same id in the other. Give them different ones'
    ])
  })

  it.each([
    ['secret', { secret: 'another secret of the tests that is long enough' }],
    ['audience', { jwtOptions: { header: { typ: 'access' }, audience: 'staff', algorithm: 'HS256' } }],
    ['place of the entities', { service: 'users' }]
  ])('with another %s is not', async (_title, settings) => {
    expect(await warn(settings)).toEqual([])
  })
})
