import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { hooks as decorate } from '@feathersjs/hooks'
import jsonwebtoken from 'jsonwebtoken'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  AuthenticationBase,
  AuthenticationService,
  type AuthenticationStrategy,
  JWTStrategy,
  LocalStrategy
} from '../../src/authentication.ts'
import { NotAuthenticated } from '../../src/errors.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { callService } from '../../src/transport.ts'
import { createApp, createAppWithUser, decode, LOCAL, LOGIN, SECRET } from './app.ts'

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const OTHER_SECRET = 'another secret of the tests, just as long as the first'

/** A service whose only strategy returns what it is told to. */
function createWithResult(result: object, settings: { [option: string]: unknown } = {}) {
  return createApp({ strategies: { test: { authenticate: async () => result } }, settings })
}

describe('a strategy that is registered', () => {
  it('hears its name, the application and the service, and then checks its configuration', () => {
    const app = alula()
    const auth = new AuthenticationBase(app)
    const calls: unknown[] = []

    auth.register('test', {
      verifyConfiguration: () => calls.push('verify'),
      setAuthentication: (given) => calls.push(given),
      setApplication: (given) => calls.push(given),
      setName: (name) => calls.push(name)
    })

    expect(calls[0]).toBe('test')
    expect(calls[1]).toBe(app)
    expect(calls[2]).toBe(auth)
    expect(calls.slice(3)).toEqual(['verify'])
  })

  it('is not kept when its configuration is refused', () => {
    const auth = new AuthenticationBase(alula())
    const refuse = () => {
      throw new Error('No good')
    }

    expect(() => auth.register('test', { verifyConfiguration: refuse })).toThrow('No good')
    expect(auth.strategyNames).toEqual([])
  })

  it('is set up with the service, and at once when that is set up already', async () => {
    const auth = new AuthenticationBase(alula())
    const calls: unknown[] = []
    const strategy: AuthenticationStrategy = { setup: async (...args) => void calls.push(args) }

    auth.register('early', strategy)
    expect(calls).toEqual([])
    expect(auth.isReady).toBe(false)

    await auth.setup()
    expect(auth.isReady).toBe(true)
    expect(calls).toEqual([[auth, 'early']])

    auth.register('late', strategy)
    expect(calls).toEqual([
      [auth, 'early'],
      [auth, 'late']
    ])
  })

  it('that can not be set up late is reported and brings nothing down', async () => {
    const app = createApp()
    const reported = once(app, 'error')
    const error = new Error('No connection')

    await app.setup()
    app.service('authentication').register('late', { setup: () => Promise.reject(error) })

    expect((await reported)[0]).toBe(error)
  })

  it('is torn down with the service', async () => {
    const calls: string[] = []
    const app = createApp({
      strategies: {
        a: { teardown: async () => calls.push('a') },
        b: {},
        c: { teardown: async () => calls.push('c') }
      },
      settings: { entity: null }
    })

    await app.setup()
    await app.teardown()

    expect(calls).toEqual(['a', 'c'])
    expect(app.service('authentication').isReady).toBe(false)
  })

  it('is found by its name', () => {
    const auth = new AuthenticationBase(alula())
    const [first, second] = [{}, {}]

    auth.register('first', first)
    auth.register('second', second)

    expect(auth.strategyNames).toEqual(['first', 'second'])
    expect(auth.getStrategy('first')).toBe(first)
    expect(auth.getStrategy('third')).toBeUndefined()
    expect(auth.getStrategies('second', 'third', 'first')).toEqual([second, first])
    expect(auth.getStrategies('second', 'third')[0]).toBe(second)
    expect(auth.getStrategies()).toEqual([])
  })

  it('is no other for a name that every object has', () => {
    const auth = new AuthenticationBase(alula())

    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(auth.getStrategy(name), name).toBeUndefined()
      expect(auth.getStrategies(name), name).toEqual([])
    }
  })
})

describe('the configuration', () => {
  it('needs an application', () => {
    const message = 'An application instance has to be passed to the authentication service'

    for (const app of [undefined, null, {}]) {
      expect(() => new AuthenticationBase(app as any)).toThrow(message)
      expect(() => new AuthenticationService(app as any)).toThrow(message)
    }
  })

  it('has defaults, also when there is no setting', () => {
    const app: any = alula()
    const auth = new AuthenticationService(app)

    expect(app.get('authentication')).toEqual({})
    expect(app.get('defaultAuthentication')).toBe('authentication')
    expect(auth.configuration).toEqual({
      authStrategies: [],
      jwtOptions: {
        header: { typ: 'access' },
        audience: 'https://yourdomain.com',
        issuer: 'feathers',
        algorithm: 'HS256',
        expiresIn: '1d'
      }
    })
  })

  it('replaces the default of jwtOptions as a whole', () => {
    const app: any = alula()
    const auth = new AuthenticationService(app, 'authentication', { jwtOptions: { expiresIn: '2d' } })

    expect(auth.configuration.jwtOptions).toEqual({ expiresIn: '2d' })
  })

  it('merges the options deeply over the setting, and changes neither', () => {
    const app: any = alula()
    const setting = { secret: SECRET, local: { usernameField: 'email' }, authStrategies: ['jwt', 'local'] }
    const options = { local: { passwordField: 'password' }, authStrategies: ['local'] }
    const copies = [structuredClone(setting), structuredClone(options)]

    app.set('authentication', setting)

    const auth = new AuthenticationService(app, 'authentication', options)

    expect(app.get('authentication')).toEqual({
      secret: SECRET,
      local: { usernameField: 'email', passwordField: 'password' },
      authStrategies: ['local']
    })
    expect(auth.configuration.local).toEqual({ usernameField: 'email', passwordField: 'password' })
    expect([setting, options]).toEqual(copies)
  })

  it('keeps the options of the constructor when the setting is set, as far as that says nothing else', () => {
    const app: any = alula()
    const isActive = () => true
    const options = {
      isActive,
      revocation: false as const,
      secret: SECRET,
      jwtOptions: { expiresIn: '2d', issuer: 'here' },
      authStrategies: ['jwt', 'local']
    }
    const copy = { ...options, jwtOptions: { ...options.jwtOptions } }
    const auth = new AuthenticationService(app, 'authentication', options)

    app.set('authentication', { secret: OTHER_SECRET, jwtOptions: { issuer: 'there' }, isActive: undefined })
    expect(app.get('authentication')).toEqual({
      ...options,
      secret: OTHER_SECRET,
      jwtOptions: { expiresIn: '2d', issuer: 'there' }
    })

    const isNobody = () => false
    const store = { revoke: async () => true, isRevoked: async () => false }

    app.set('authentication', { isActive: isNobody, revocation: store, authStrategies: ['jwt'] })
    expect(auth.configuration.isActive).toBe(isNobody)
    expect(auth.configuration.revocation).toEqual(store)
    expect(auth.configuration.authStrategies).toEqual(['jwt'])
    expect(auth.configuration.secret).toBe(SECRET)

    app.set('authentication', {})
    expect(app.get('authentication')).toEqual(copy)
    expect(options).toEqual(copy)
  })

  it('takes undefined for what was left out', () => {
    const app: any = alula()
    const auth = new AuthenticationService(app, 'authentication', {
      secret: SECRET,
      authStrategies: undefined
    })

    expect(auth.configuration.authStrategies).toEqual([])

    app.set('authentication', { secret: SECRET, jwtOptions: undefined, authStrategies: undefined })
    expect(auth.configuration.authStrategies).toEqual([])
    expect(auth.configuration.jwtOptions?.issuer).toBe('feathers')
  })

  it('that one of several services refuses leaves the old one for all', () => {
    for (const picky of [0, 1, 2]) {
      const app: any = alula()
      const setting = { secret: SECRET }

      app.set('authentication', setting)

      const services = Array.from({ length: 3 }, () => new AuthenticationService(app))
      const before = app.get('authentication')

      services[picky]?.register('picky', {
        verifyConfiguration() {
          if (app.get('authentication').wrong) throw new Error('Not this one')
        }
      })

      expect(() => app.set('authentication', { secret: OTHER_SECRET, wrong: true })).toThrow('Not this one')
      expect(app.get('authentication')).toBe(before)
      for (const { configuration } of services) expect(configuration.secret).toBe(SECRET)

      app.set('authentication', { secret: OTHER_SECRET })
      for (const { configuration } of services) expect(configuration.secret).toBe(OTHER_SECRET)
    }
  })

  it('is the setting as it is now, and cannot be changed by who reads it', () => {
    const app: any = alula()
    const auth = new AuthenticationService(app)

    expect(() => Object.assign(auth.configuration, { secret: 'lost' })).toThrow(TypeError)
    expect(app.get('authentication')).toEqual({})

    app.get('authentication').secret = SECRET
    expect(auth.configuration.secret).toBe(SECRET)

    app.set('authentication', { secret: OTHER_SECRET })
    expect(auth.configuration.secret).toBe(OTHER_SECRET)
    expect(auth.configuration.jwtOptions?.issuer).toBe('feathers')
  })

  it('is that of another setting when the service is told its name', () => {
    const app: any = alula()

    app.set('admins', { secret: SECRET })

    const auth = new AuthenticationService(app, 'admins')

    expect(auth.configKey).toBe('admins')
    expect(auth.configuration.secret).toBe(SECRET)
    expect(app.get('authentication')).toBeUndefined()
    expect(app.get('defaultAuthentication')).toBe('admins')
  })

  it.each([
    ['nothing', null],
    ['a text', 'secret'],
    ['a list', []]
  ])('that is %s is refused', (_title, value) => {
    const app: any = alula()

    new AuthenticationService(app)

    expect(() => app.set('authentication', value)).toThrow(
      'Invalid options of authentication: expected an object'
    )
    expect(app.get('authentication')).toEqual({})
  })

  it('that is no object is refused by a service that was given options too', () => {
    const app: any = alula()

    new AuthenticationService(app, 'authentication', { secret: SECRET })

    const before = app.get('authentication')

    for (const value of [null, undefined, 'secret', 5, true, [], () => ({})]) {
      expect(() => app.set('authentication', value), String(value)).toThrow(
        'Invalid options of authentication: expected an object'
      )
      expect(app.get('authentication')).toBe(before)
    }

    for (const wrong of [{ secret: 5 }, { entity: 'query' }, { jwtOptions: { algorithm: 'none' } }]) {
      expect(() => app.set('authentication', wrong)).toThrow('Invalid option')
      expect(app.get('authentication')).toBe(before)
    }
  })

  it('that several services share keeps the options of each, as far as that says nothing else', () => {
    const app: any = alula()

    app.set('authentication', { secret: SECRET })

    const options = [
      { first: 1, shared: { of: 'first', a: 1 }, authStrategies: ['jwt'] },
      { second: 2, shared: { of: 'second', b: 2 } },
      {}
    ]
    const services = options.map((given) => new AuthenticationService(app, 'authentication', given))

    for (const setting of [{ secret: OTHER_SECRET }, { secret: SECRET, jwt: {} }]) {
      app.set('authentication', setting)

      for (const { configuration } of services) {
        expect(configuration).toMatchObject({
          ...setting,
          first: 1,
          second: 2,
          shared: { a: 1, b: 2 },
          authStrategies: ['jwt']
        })
      }
    }

    app.set('authentication', { first: 'mine', shared: { a: 'mine' } })
    expect(services[1]?.configuration).toMatchObject({
      first: 'mine',
      second: 2,
      shared: { a: 'mine', b: 2 }
    })
    expect(options[0]).toEqual({ first: 1, shared: { of: 'first', a: 1 }, authStrategies: ['jwt'] })
  })

  it('is checked before the service exists', () => {
    const app: any = alula()

    app.set('authentication', { secret: 5 })
    expect(() => new AuthenticationService(app)).toThrow("Invalid option 'secret' of authentication")

    app.set('authentication', { secret: SECRET })
    expect(() => new AuthenticationService(app, 'authentication', { entity: 5 } as any)).toThrow(
      "Invalid option 'entity' of authentication"
    )
    expect(app.get('authentication')).toEqual({ secret: SECRET })
  })

  it('that is refused when it is set leaves the old one', async () => {
    const { app, service } = await createAppWithUser()
    const before = app.get('authentication')

    await app.setup()

    for (const [change, message] of [
      [{ secret: '' }, "Invalid option 'secret' of authentication: expected a string that is not empty"],
      [{ jwt: { expiresIn: '1d' } }, "Invalid JwtStrategy option 'authentication.jwt.expiresIn'"],
      [{ local: { ...LOCAL, hashSize: 99 } }, "Invalid option 'hashSize' of the 'local' strategy"],
      [{ secret: undefined }, "A 'secret' must be provided in your authentication configuration"],
      [{ service: undefined }, "The 'service' option is not set in the authentication configuration"],
      [{ service: 'nowhere' }, "Can not find service 'nowhere'"]
    ] as const) {
      expect(() => app.set('authentication', { ...before, ...change }), message).toThrow(message)
      expect(app.get('authentication'), message).toBe(before)
    }

    expect(await service.create(LOGIN)).toHaveProperty('accessToken')
  })

  it('counts at once when it is set', async () => {
    const { app, service } = await createAppWithUser()

    await app.setup()
    app.set('authentication', { ...app.get('authentication'), secret: OTHER_SECRET })

    const { accessToken } = await service.create(LOGIN)

    expect(() => jsonwebtoken.verify(accessToken, OTHER_SECRET)).not.toThrow()
    await expect(service.verifyAccessToken(accessToken, {}, SECRET)).rejects.toThrow('invalid signature')
  })
})

describe('setup', () => {
  it.each([
    [{ secret: undefined }, "A 'secret' must be provided in your authentication configuration"],
    [{ service: undefined }, "The 'service' option is not set in the authentication configuration"],
    [{ service: 'nowhere' }, "Can not find service 'nowhere'"],
    [
      { entity: undefined },
      "The 'entity' option is not set in the authentication configuration (set to 'null' if it is not required)"
    ],
    [
      { jwtOptions: { algorithm: 'ES256' } },
      "The 'secret' of the authentication configuration must be a key in PEM for ES256"
    ],
    [
      { service: 'things' },
      "The 'things' service does not have an 'id' property and no 'entityId' option is set."
    ]
  ])('refuses %j', async (settings, message) => {
    const app = createApp({ settings }).use('things', { get: async () => ({}) })

    await expect(app.setup()).rejects.toThrow(message)
    expect(app.service('authentication').isReady).toBe(false)
  })

  it.each<[string, object, string?]>([
    ['a time that is none', { expiresIn: 'abc' }, '"expiresIn" should be a number of seconds'],
    ['no time at all', { expiresIn: 0 }, 'jwt expired'],
    ['a time that is over', { expiresIn: -1 }, 'jwt expired'],
    ['an audience that is none', { audience: 5 }, '"audience" must be a string or array'],
    ['a header that is none', { header: 'x' }, '"header" must be an object'],
    ['a type that is none', { header: { typ: ['access'] } }],
    ['an option that nobody knows', { expiresin: '1d' }, '"expiresin" is not allowed']
  ])('refuses %s in jwtOptions, which would make no valid token', async (_title, jwtOptions, reason = '') => {
    const app = createApp({ settings: { jwtOptions } })

    await expect(app.setup()).rejects.toThrow(
      `The 'jwtOptions' of the authentication configuration make no valid token: ${reason}`
    )
    expect(app.service('authentication').isReady).toBe(false)
  })

  it('refuses such jwtOptions when they are set later, and keeps the old ones', async () => {
    const { app, service } = await createAppWithUser()

    await app.setup()

    const before = app.get('authentication')

    expect(() => app.set('authentication', { ...before, jwtOptions: { expiresIn: 'abc' } })).toThrow(
      "The 'jwtOptions' of the authentication configuration make no valid token: "
    )
    expect(app.get('authentication')).toBe(before)
    expect(await service.create(LOGIN)).toHaveProperty('accessToken')
  })

  it('refuses a key that is not one for the algorithm', async () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const toPem = (key: typeof ec.privateKey) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

    for (const [key, algorithm] of [
      [ec.privateKey, 'ES384'],
      [ec.privateKey, 'ES512'],
      [ec.privateKey, 'RS256'],
      [rsa.privateKey, 'ES256']
    ] as const) {
      const app = createApp({ settings: { secret: toPem(key), jwtOptions: { algorithm } } })

      await expect(app.setup(), algorithm).rejects.toThrow(
        "The 'jwtOptions' of the authentication configuration make no valid token: "
      )
    }

    for (const [key, algorithm] of [
      [ec.privateKey, 'ES256'],
      [rsa.privateKey, 'PS384']
    ] as const) {
      await createApp({ settings: { secret: toPem(key), jwtOptions: { algorithm } } }).setup()
    }
  })

  it('takes a public key alone, with which tokens of others are verified', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const secret = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const { app, user, service } = await createAppWithUser({
      settings: { secret, jwtOptions: { algorithm: 'ES256' } }
    })
    const token = jsonwebtoken.sign({}, privateKey, { algorithm: 'ES256', subject: `${user.id}` })

    await app.setup()

    expect((await service.create({ strategy: 'jwt', accessToken: token })).user.id).toBe(user.id)
    await expect(service.create(LOGIN)).rejects.toThrow()
  })

  it('takes options for tokens that are not valid yet', async () => {
    const app = createApp({ settings: { jwtOptions: { notBefore: '1d' } } })

    await app.setup()
    expect(app.service('authentication').isReady).toBe(true)
  })

  it.each([
    ['a service with an id', {}],
    ['a service without one, when it is named', { service: 'things', entityId: 'key' }],
    ['no service, when there is no entity', { service: undefined, entity: null }]
  ])('takes %s', async (_title, settings) => {
    const app = createApp({ settings }).use('things', { get: async () => ({}) })

    await app.setup()
    expect(app.service('authentication').isReady).toBe(true)
  })

  it('publishes nothing, whatever the application publishes', async () => {
    const app = createApp()
    const published: string[] = []

    app.use('things', { create: async () => ({}) })
    app.channel('all').join({})
    app.publish(() => app.channel('all'))
    app.on('publish', (event: string, _channel: unknown, { path }: any) => published.push(`${path} ${event}`))
    await app.setup()

    app.service('authentication').emit('created', { accessToken: 'secret' })
    app.service('things').emit('created', {})

    // The context of an event that a service sends itself has its path.
    expect(published).toEqual(['things created'])
  })

  /** The warnings with a code that some work leads to. */
  async function collectWarnings(code: string, work: () => Promise<unknown>): Promise<any[]> {
    const warned: any[] = []
    const listen = (warning: any) => warned.push(warning)

    process.on('warning', listen)
    onTestFinished(() => void process.off('warning', listen))

    await work()
    // Warnings are emitted in the next tick.
    await new Promise((resolve) => setImmediate(resolve))

    return warned.filter((warning) => warning.code === code)
  }

  it('warns of strategies that are not registered, and names each once', async () => {
    const ours = await collectWarnings('ALULA_UNKNOWN_STRATEGY', async () => {
      await createApp({
        settings: { authStrategies: ['jwt', 'lokal'], parseStrategies: ['jwt', 'apiKey', 'lokal'] }
      }).setup()
      await createApp({ settings: { parseStrategies: ['jwt'] } }).setup()
    })

    expect(ours).toHaveLength(1)
    expect(ours[0].message).toBe(
      'The authentication configuration names strategies that are not registered: lokal, apiKey'
    )
  })

  it('warns of a secret that is short', async () => {
    const ours = await collectWarnings('ALULA_SHORT_SECRET', async () => {
      await createApp({ settings: { secret: 'x'.repeat(31) } }).setup()
      await createApp({ settings: { secret: 'x'.repeat(32) } }).setup()
    })

    expect(ours).toHaveLength(1)
    expect(ours[0].message).toContain('The authentication secret has 31 bytes')
    expect(ours[0].message).not.toContain('xxx')
  })
})

describe('an access token', () => {
  it('is made with the options of the configuration, and has a random id', async () => {
    const { service } = await createAppWithUser()
    const first = decode(await service.createAccessToken({ my: 'payload' }))
    const second = decode(await service.createAccessToken({ my: 'payload' }))

    expect(first.header).toEqual({ alg: 'HS256', typ: 'access' })
    expect(first.payload).toMatchObject({ my: 'payload', aud: 'https://yourdomain.com', iss: 'feathers' })
    expect(first.payload.exp - first.payload.iat).toBe(24 * 60 * 60)
    expect(first.payload.jti).toMatch(UUID)
    expect(second.payload.jti).toMatch(UUID)
    expect(second.payload.jti).not.toBe(first.payload.jti)
  })

  it('is made with options for one call, merged deeply over the others', async () => {
    const { service } = await createAppWithUser()
    const token = await service.createAccessToken(
      {},
      { jwtid: 'mine', subject: '7', expiresIn: 60, header: { extra: 'name' } }
    )
    const { header, payload } = decode(token)

    expect(header).toEqual({ alg: 'HS256', typ: 'access', extra: 'name' })
    expect(payload).toMatchObject({ jti: 'mine', sub: '7', iss: 'feathers' })
    expect(payload.exp - payload.iat).toBe(60)
  })

  it('has a random id when the one that is given is empty', async () => {
    const { service } = await createAppWithUser()

    for (const jwtid of ['', undefined, null]) {
      expect(decode(await service.createAccessToken({}, { jwtid })).payload.jti).toMatch(UUID)
    }
  })

  it('is not made with options that are not valid', async () => {
    const { service } = await createAppWithUser()

    await expect(service.createAccessToken({}, { audience: 5 })).rejects.toThrow(
      '"audience" must be a string or array'
    )
    await expect(service.createAccessToken({}, { algorithm: 'none' })).rejects.toThrow(
      'a token must be signed'
    )
    await expect(service.createAccessToken({}, { sold: true })).rejects.toThrow('"sold" is not allowed')
  })

  it('is signed with the first of several algorithms, and verified by any of them', async () => {
    const app = createApp({ settings: { jwtOptions: { algorithm: ['HS512', 'HS256'] } } })
    const service = app.service('authentication')
    const token = await service.createAccessToken({})
    const older = jsonwebtoken.sign({}, SECRET, { algorithm: 'HS256' })
    const foreign = jsonwebtoken.sign({}, SECRET, { algorithm: 'HS384' })

    expect(decode(token).header.alg).toBe('HS512')
    await service.verifyAccessToken(token)
    await service.verifyAccessToken(older)
    await expect(service.verifyAccessToken(foreign)).rejects.toThrow('invalid algorithm')
  })

  it('is signed and verified with keys', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const app = createApp({
      settings: {
        secret: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
        jwtOptions: { algorithm: 'ES256' }
      }
    })
    const service = app.service('authentication')
    const token = await service.createAccessToken({ my: 'payload' })

    expect(await service.verifyAccessToken(token)).toMatchObject({ my: 'payload' })
    expect(jsonwebtoken.verify(token, publicKey)).toMatchObject({ my: 'payload' })
  })

  it('is verified by its signature, issuer, audience and time', async () => {
    const { service } = await createAppWithUser()
    const token = await service.createAccessToken({ my: 'payload' })
    const expired = await service.createAccessToken({}, { expiresIn: -5 })
    const early = await service.createAccessToken({}, { notBefore: 60 })

    expect(await service.verifyAccessToken(token)).toEqual(decode(token).payload)

    for (const [given, options, message] of [
      [token, { issuer: 'someone else' }, 'jwt issuer invalid. expected: someone else'],
      [token, { audience: 'someone else' }, 'jwt audience invalid. expected: someone else'],
      [token, { algorithm: 'HS512' }, 'invalid algorithm'],
      [token, { algorithm: ['HS384', 'HS512'] }, 'invalid algorithm'],
      [token, { header: { typ: 'refresh' } }, 'jwt type invalid. expected: refresh'],
      [expired, {}, 'jwt expired'],
      [early, {}, 'jwt not active'],
      ['nonsense', {}, 'jwt malformed'],
      [undefined, {}, 'jwt malformed'],
      [{ toString: () => token }, {}, 'jwt malformed']
    ] as const) {
      const error = await service.verifyAccessToken(given, options).catch((error: unknown) => error)

      expect(error, message).toBeInstanceOf(NotAuthenticated)
      expect(error.message).toBe(message)
    }
  })

  it('is made and accepted when the setting says how to verify', async () => {
    const jwtOptions = {
      issuer: ['new', 'old'],
      clockTolerance: 60,
      maxAge: '1h',
      ignoreNotBefore: true,
      expiresIn: '1d'
    }
    const { service } = await createAppWithUser({ settings: { jwtOptions } })
    const now = Math.floor(Date.now() / 1000)
    const sign = (claims: object) => jsonwebtoken.sign({ iss: 'old', ...claims }, SECRET)
    const { accessToken } = await service.create(LOGIN)

    expect(decode(accessToken).payload.iss).toBe('new')
    expect(await service.create({ strategy: 'jwt', accessToken })).toHaveProperty('user')

    await service.verifyAccessToken(sign({}))
    await service.verifyAccessToken(sign({ exp: now - 30 }))
    await service.verifyAccessToken(sign({ nbf: now + 1000 }))

    for (const [claims, message] of [
      [{ iss: 'other' }, 'jwt issuer invalid. expected: new,old'],
      [{ exp: now - 90 }, 'jwt expired'],
      [{ iat: now - 7200 }, 'maxAge exceeded']
    ] as const) {
      await expect(service.verifyAccessToken(sign(claims)), message).rejects.toMatchObject({
        name: 'NotAuthenticated',
        message
      })
    }
  })

  it('that is refused says why in the data of the error', async () => {
    const { service } = await createAppWithUser()
    const expired = await service.createAccessToken({}, { expiresIn: -5 })
    const error = await service.verifyAccessToken(expired).catch((error: unknown) => error)

    expect(error).toMatchObject({ name: 'NotAuthenticated', code: 401, data: { name: 'TokenExpiredError' } })
    expect(error.data.expiredAt).toEqual(new Date(decode(expired).payload.exp * 1000))

    await expect(service.verifyAccessToken('nonsense')).rejects.toMatchObject({
      data: { name: 'JsonWebTokenError' }
    })
  })

  it('that has expired is accepted when one call says so', async () => {
    const { service } = await createAppWithUser()
    const expired = await service.createAccessToken({ my: 'payload' }, { expiresIn: -5 })

    expect(await service.verifyAccessToken(expired, { ignoreExpiration: true })).toMatchObject({
      my: 'payload'
    })
    expect(await service.verifyAccessToken(expired, { clockTolerance: 60 })).toMatchObject({ my: 'payload' })
  })

  it('is signed and verified with another secret for one call', async () => {
    const { service } = await createAppWithUser()
    const token = await service.createAccessToken({ my: 'payload' }, undefined, OTHER_SECRET)

    await expect(service.verifyAccessToken(token)).rejects.toThrow('invalid signature')
    expect(await service.verifyAccessToken(token, {}, OTHER_SECRET)).toMatchObject({ my: 'payload' })
  })

  it('is neither made nor verified without a secret', async () => {
    const auth = new AuthenticationService(alula())
    const message = "A 'secret' must be provided in your authentication configuration"

    await expect(auth.createAccessToken({})).rejects.toThrow(message)
    await expect(auth.verifyAccessToken('a.b.c')).rejects.toThrow(message)
  })
})

describe('authenticate', () => {
  it('hands the data to the strategy, and marks the params', async () => {
    const auth = new AuthenticationBase(alula())
    const data = { strategy: 'test', my: 'data' }
    const params = { query: { a: 1 } }
    let seen: unknown[] = []

    auth.register('test', {
      authenticate: async (...args) => {
        seen = args

        return { my: 'result' }
      }
    })

    expect(await auth.authenticate(data, params, 'other', 'test')).toEqual({ my: 'result' })
    expect(seen[0]).toBe(data)
    expect(seen[1]).toEqual({ query: { a: 1 }, authenticated: true })
    expect(params).toEqual({ query: { a: 1 } })
  })

  it('says what is wrong with the strategy', async () => {
    const auth = new AuthenticationBase(alula())

    auth.register('test', { authenticate: async () => ({}) })
    auth.register('silent', {})

    for (const [data, allowed, reason] of [
      [undefined, ['test'], ' (no `strategy` set)'],
      [null, ['test'], ' (no `strategy` set)'],
      [{}, ['test'], ' (no `strategy` set)'],
      [{ strategy: '' }, [''], ' (no `strategy` set)'],
      [{ strategy: 'test' }, [], ' (strategy not allowed in authStrategies)'],
      [{ strategy: ['test'] }, ['test'], ' (strategy not allowed in authStrategies)'],
      [{ strategy: 'constructor' }, ['test'], ' (strategy not allowed in authStrategies)'],
      [{ strategy: 'unknown' }, ['unknown'], ''],
      [{ strategy: 'silent' }, ['silent'], '']
    ] as [any, string[], string][]) {
      await expect(auth.authenticate(data, {}, ...allowed)).rejects.toMatchObject({
        name: 'NotAuthenticated',
        message: `Invalid authentication information${reason}`
      })
    }
  })
})

describe('parse', () => {
  it('returns what the first strategy finds, in the order of the names', async () => {
    const auth = new AuthenticationBase(alula())
    const [request, response] = [{ headers: {} }, {}]
    const seen: unknown[] = []
    const find =
      (found: any) =>
      async (...args: unknown[]) => {
        seen.push(...args)

        return found
      }

    auth.register('silent', {})
    auth.register('nothing', { parse: find(null) })
    auth.register('less', { parse: find(undefined) })
    auth.register('first', { parse: find({ strategy: 'first' }) })
    auth.register('second', { parse: find({ strategy: 'second' }) })

    expect(await auth.parse(request, response, 'silent', 'nothing', 'less', 'second', 'first')).toEqual({
      strategy: 'second'
    })
    expect(seen).toHaveLength(6)
    expect(seen[0]).toBe(request)
    expect(seen[1]).toBe(response)

    expect(await auth.parse(request, response, 'silent', 'nothing', 'unknown')).toBeNull()
    expect(await auth.parse(request, response)).toBeNull()
  })
})

describe('handleConnection', () => {
  it('tells the strategies one after another', async () => {
    const auth = new AuthenticationBase(alula())
    const [connection, result] = [{}, {}]
    const calls: unknown[][] = []
    const listen = (name: string): AuthenticationStrategy => ({
      handleConnection: async (...args) => {
        calls.push([name, ...args])
        await new Promise((resolve) => setImmediate(resolve))
        calls.push([name, 'is done'])
      }
    })

    auth.register('first', listen('first'))
    auth.register('silent', {})
    auth.register('second', listen('second'))
    await auth.handleConnection('login', connection, result)

    expect(calls).toEqual([
      ['first', 'login', connection, result],
      ['first', 'is done'],
      ['second', 'login', connection, result],
      ['second', 'is done']
    ])
    expect(calls[0]?.[2]).toBe(connection)
  })

  it('is called when a connection ends', async () => {
    const connection = {}
    const seen = new Promise((resolve) => {
      const app = createApp({
        strategies: { test: { handleConnection: async (...args: unknown[]) => resolve(args) } },
        settings: { entity: null }
      })

      app.emit('disconnect', connection)
    })

    expect(await seen).toEqual(['disconnect', connection, undefined])
  })

  it('that fails when a connection ends is reported', async () => {
    const error = new Error('Broken')
    const app = createApp({
      strategies: { test: { handleConnection: () => Promise.reject(error) } },
      settings: { entity: null }
    })
    const reported = once(app, 'error')

    app.emit('disconnect', {})

    expect((await reported)[0]).toBe(error)
  })
})

describe('create', () => {
  it('returns a token, the entity and what the token says', async () => {
    const { service, user } = await createAppWithUser()
    const result = await service.create(LOGIN)

    expect(result).toEqual({
      accessToken: expect.any(String),
      user,
      authentication: { strategy: 'local', payload: decode(result.accessToken).payload }
    })
    expect(result.authentication.payload).toMatchObject({ sub: String(user.id), iss: 'feathers' })
    expect(await service.verifyAccessToken(result.accessToken)).toEqual(result.authentication.payload)
  })

  it('fails without strategies', async () => {
    const { service } = await createAppWithUser({ settings: { authStrategies: [] } })
    const message = 'No authentication strategies allowed for creating a JWT (`authStrategies`)'

    await expect(service.create(LOGIN)).rejects.toMatchObject({ name: 'NotAuthenticated', message })
    await expect(service.create(LOGIN, { authStrategies: [] })).rejects.toMatchObject({ message })
  })

  it('uses the strategies of the params instead of those of the configuration', async () => {
    const { service } = await createAppWithUser({ settings: { authStrategies: ['jwt'] } })
    const reason = 'Invalid authentication information (strategy not allowed in authStrategies)'

    await expect(service.create(LOGIN)).rejects.toThrow(reason)
    expect(await service.create(LOGIN, { authStrategies: ['local'] })).toHaveProperty('accessToken')
    await expect(service.create({ strategy: 'jwt' }, { authStrategies: ['local'] })).rejects.toThrow(reason)
  })

  it('returns a result that has a token already as it is', async () => {
    const result = { accessToken: 'mine', authentication: { strategy: 'test' }, user: { id: 1 } }
    const service = createWithResult(result).service('authentication')

    expect(await service.create({ strategy: 'test' })).toBe(result)
  })

  it('puts payload, jwtOptions and secret of the params into the token', async () => {
    const { service } = await createAppWithUser()
    const params = {
      payload: { role: 'admin' },
      jwtOptions: { issuer: 'us', audience: 'you' },
      jwt: { audience: 'them' },
      secret: OTHER_SECRET
    }
    const { accessToken, authentication } = await service.create(LOGIN, params)

    expect(authentication.payload).toMatchObject({ role: 'admin', iss: 'us', aud: 'them' })
    expect(jsonwebtoken.verify(accessToken, OTHER_SECRET)).toEqual(authentication.payload)
  })

  it('takes a subject that is given for that of the entity', async () => {
    const { service } = await createAppWithUser()
    const { authentication } = await service.create(LOGIN, { jwtOptions: { subject: 'someone' } })

    expect(authentication.payload.sub).toBe('someone')
  })

  it('makes the subject of the id that the configuration names', async () => {
    const user = { id: 1, key: 'wren' }
    const app = createWithResult({ user }, { entityId: 'key' })
    const { authentication } = await app.service('authentication').create({ strategy: 'test' })

    expect(authentication.payload.sub).toBe('wren')
  })

  it('leaves the subject out without an entity', async () => {
    const app = createWithResult({ some: 'result' }, { entity: null, service: undefined })
    const result = await app.service('authentication').create({ strategy: 'test' })

    expect(result.some).toBe('result')
    expect(result.authentication.payload).not.toHaveProperty('sub')
  })

  it('fails when the entity has no id', async () => {
    for (const user of [{ name: 'Wren' }, { id: undefined }, { id: null }]) {
      const service = createWithResult({ user }).service('authentication')

      await expect(service.create({ strategy: 'test' })).rejects.toMatchObject({
        name: 'NotAuthenticated',
        message: 'Can not set subject from user.id'
      })
    }
  })

  it('uses what a subclass says of payload, options and claims', async () => {
    class Custom extends AuthenticationService {
      override async getPayload(result: any) {
        return { greeting: result.greeting }
      }

      override async getTokenOptions(result: any, params: any) {
        return { ...(await super.getTokenOptions(result, params)), issuer: 'a subclass' }
      }
    }

    const app: any = alula()
    const auth = new Custom(app, 'authentication', { secret: SECRET, entity: null, authStrategies: ['test'] })

    auth.register('test', {
      authenticate: async () => ({ greeting: 'Hello' }),
      getClaims: async () => ({ claimed: true })
    })
    app.use('authentication', auth)

    const { authentication } = await app.service('authentication').create({ strategy: 'test' })

    expect(authentication.payload).toMatchObject({ greeting: 'Hello', iss: 'a subclass', claimed: true })
  })
})

describe('remove', () => {
  it('returns what the strategy returns, without an id and with the token as the id', async () => {
    const { service, user } = await createAppWithUser()

    for (const toId of [() => null, (token: string) => token]) {
      const { accessToken } = await service.create(LOGIN)
      const authentication = { strategy: 'jwt', accessToken }
      const result = await service.remove(toId(accessToken), { authentication })

      expect(result).toMatchObject({ accessToken, user, authentication })
    }
  })

  it('refuses an id that is another token', async () => {
    const { service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)
    const authentication = { strategy: 'jwt', accessToken }

    for (const params of [{ authentication }, {}, undefined]) {
      await expect(service.remove('another', params)).rejects.toMatchObject({
        name: 'NotAuthenticated',
        message: 'Invalid access token'
      })
    }

    expect(await service.create(authentication)).toHaveProperty('user')
  })

  it('refuses a call that is not authenticated', async () => {
    const { service } = await createAppWithUser()

    await expect(service.remove(null)).rejects.toMatchObject({ name: 'NotAuthenticated' })
    await expect(
      service.remove(null, { authentication: { strategy: 'jwt', accessToken: 'nonsense' } })
    ).rejects.toThrow('jwt malformed')
  })

  it('allows the strategies of the configuration only', async () => {
    const { app, service } = await createAppWithUser()
    const { accessToken } = await service.create(LOGIN)

    app.set('authentication', { ...app.get('authentication'), authStrategies: ['local'] })

    await expect(
      service.remove(null, { authentication: { strategy: 'jwt', accessToken }, authStrategies: ['jwt'] })
    ).rejects.toThrow('strategy not allowed in authStrategies')
  })

  it('returns the result of a strategy that goes by no token', async () => {
    const result = { authentication: { strategy: 'test' }, user: { id: 1 } }
    const service = createWithResult(result).service('authentication')

    expect(await service.remove(null, { authentication: { strategy: 'test' } })).toBe(result)
  })
})

describe('defaultAuthentication', () => {
  it('returns the service whose configuration the setting names', () => {
    const app: any = alula()

    new AuthenticationService(app)
    expect(app.defaultAuthentication()).toBeNull()

    app.use('sessions', new AuthenticationService(app))
    app.use('things', { get: async () => ({}) })
    expect(app.defaultAuthentication()).toBe(app.service('sessions'))
  })

  it('returns the service of a path', () => {
    const app = createApp().use('things', { get: async () => ({}) })

    expect(app.defaultAuthentication('things')).toBe(app.service('things'))
    expect(() => app.defaultAuthentication('nowhere')).toThrow("Can not find service 'nowhere'")
  })

  it('chooses among several services by the setting', () => {
    const app: any = alula()

    app.use('first', new AuthenticationService(app, 'one'))
    app.use('second', new AuthenticationService(app, 'two'))
    expect(app.defaultAuthentication()).toBe(app.service('first'))

    app.set('defaultAuthentication', 'two')
    expect(app.defaultAuthentication()).toBe(app.service('second'))
  })

  it('of the application stays when there is one', () => {
    const app: any = alula()
    const mine = () => null

    app.defaultAuthentication = mine
    new AuthenticationService(app)

    expect(app.defaultAuthentication).toBe(mine)
  })
})

describe('a service that was decorated with @feathersjs/hooks', () => {
  it.each<[string, (app: any, hooks: any) => AuthenticationService]>([
    [
      'the prototype of a subclass',
      (app, hooks) => {
        class Custom extends AuthenticationService {}

        decorate(Custom.prototype, hooks)

        return new Custom(app)
      }
    ],
    [
      'a subclass',
      (app, hooks) => {
        class Custom extends AuthenticationService {}

        decorate(Custom, hooks)

        return new Custom(app)
      }
    ],
    ['the service itself', (app, hooks) => decorate(new AuthenticationService(app), hooks)]
  ])('runs the hooks of %s once, with the context of the service', async (_title, create) => {
    const app: any = alula()
    const seen: any[] = []
    const look = async (context: any, next: any) => {
      await next()
      seen.push({
        app: context.app,
        path: context.path,
        method: context.method,
        data: context.data,
        id: context.id,
        provider: context.params.provider,
        token: context.result.accessToken
      })
      context.result = { ...context.result, looked: true }
    }
    const events: unknown[] = []

    app.set('authentication', {
      secret: SECRET,
      service: 'users',
      entity: 'user',
      authStrategies: ['jwt', 'local'],
      local: LOCAL
    })

    const auth = create(app, { create: [look], remove: [look] })

    auth.register('jwt', new JWTStrategy())
    auth.register('local', new LocalStrategy())
    app.use('users', memory()).use('authentication', auth)
    app.on('login', (result: any) => events.push(['login', result.looked]))
    app.on('logout', (result: any) => events.push(['logout', result.looked]))
    onTestFinished(async () => void (await app.teardown()))

    const service = app.service('authentication')
    const password = await (auth.getStrategy('local') as any).hashPassword(LOGIN.password)

    await app.service('users').create({ email: LOGIN.email, password })

    const params = { provider: 'rest', query: {} }
    const { result: login } = await callService(service, { method: 'create', data: LOGIN, params })
    const { accessToken: token } = login
    const { result: logout } = await callService(service, {
      method: 'remove',
      id: null,
      params: { ...params, authentication: { strategy: 'jwt', accessToken: token } }
    })

    const common = { app, path: 'authentication', provider: 'rest', token }

    expect(login).toMatchObject({ user: { email: LOGIN.email }, looked: true })
    expect(logout).toMatchObject({ user: { email: LOGIN.email }, looked: true })
    expect(seen).toEqual([
      { ...common, method: 'create', data: LOGIN, id: undefined },
      { ...common, method: 'remove', data: undefined, id: null }
    ])
    expect(events).toEqual([
      ['login', true],
      ['logout', true]
    ])
  })
})

describe('several services in one application', () => {
  it('have secrets, entities and strategies of their own', async () => {
    const { app, service } = await createAppWithUser()
    const admins = new AuthenticationService(app, 'adminAuthentication', {
      secret: OTHER_SECRET,
      service: 'admins',
      entity: 'admin',
      authStrategies: ['token', 'password'],
      password: LOCAL
    })

    admins.register('token', new JWTStrategy())
    admins.register('password', new LocalStrategy())
    app.use('admins', memory({ id: 'key' })).use('admin-authentication', admins)

    const hash = await (admins.getStrategy('password') as LocalStrategy).hashPassword('a password')

    await app.service('admins').create({ key: 'a1', email: 'root@example.org', password: hash })
    await app.setup()

    const other = app.service('admin-authentication')
    const login = await other.create({
      strategy: 'password',
      email: 'root@example.org',
      password: 'a password'
    })

    expect(login.admin.key).toBe('a1')
    expect(login.authentication.payload.sub).toBe('a1')
    expect((await other.create({ strategy: 'token', accessToken: login.accessToken })).admin.key).toBe('a1')

    await expect(service.create({ strategy: 'jwt', accessToken: login.accessToken })).rejects.toThrow(
      'invalid signature'
    )
    await expect(other.create({ ...LOGIN, strategy: 'password' })).rejects.toThrow('Invalid login')
    expect(app.defaultAuthentication()).toBe(service)
  })
})

describe('the events of the application', () => {
  it('tell of logins and logouts from outside, with result, params and context', async () => {
    const { app, service } = await createAppWithUser()
    const seen: unknown[][] = []

    app.on('login', (...args: unknown[]) => seen.push(['login', ...args]))
    app.on('logout', (...args: unknown[]) => seen.push(['logout', ...args]))

    const inside = await service.create(LOGIN)

    await service.remove(null, { authentication: { strategy: 'jwt', accessToken: inside.accessToken } })
    expect(seen).toEqual([])

    const login = await callService(service, {
      method: 'create',
      data: LOGIN,
      params: { provider: 'rest', query: {} }
    })

    expect(seen).toHaveLength(1)
    expect(seen[0]?.[0]).toBe('login')
    expect(seen[0]?.[1]).toBe(login.result)
    expect(seen[0]?.[2]).toBe(login.params)
    expect(seen[0]?.[3]).toBe(login)
    expect(seen[0]?.[2]).toEqual({ provider: 'rest', query: {} })

    const { accessToken } = login.result
    const logout = await callService(service, {
      method: 'remove',
      id: null,
      params: { provider: 'rest', query: {}, authentication: { strategy: 'jwt', accessToken } }
    })

    expect(seen).toHaveLength(2)
    expect(seen[1]?.[0]).toBe('logout')
    expect(seen[1]?.[1]).toBe(logout.result)
    expect(seen[1]?.[2]).toBe(logout.params)
    expect(seen[1]?.[3]).toBe(logout)
  })

  it('do not come when a login fails', async () => {
    const { app, service } = await createAppWithUser()
    const seen: unknown[] = []

    app.on('login', (result: unknown) => seen.push(result))
    await expect(service.create({ ...LOGIN, password: 'wrong' }, { provider: 'rest' })).rejects.toThrow()

    expect(seen).toEqual([])
  })

  it('come after the connection is up to date', async () => {
    const { app, service, user } = await createAppWithUser()
    const connection: any = {}
    const params = { provider: 'socketio', connection }
    const seen: unknown[] = []

    app.on('login', () => seen.push({ ...connection }))
    app.on('logout', () => seen.push({ ...connection }))

    const { accessToken } = await service.create(LOGIN, params)
    const authentication = { strategy: 'jwt', accessToken }

    await service.remove(null, { ...params, authentication })

    expect(seen).toEqual([{ user, authentication }, {}])
  })

  it('whose listener fails are reported with the context of the call', async () => {
    const { app, service } = await createAppWithUser()
    const reported: unknown[][] = []
    const fail = () => {
      throw new Error('Not today')
    }

    app.on('error', (...args: unknown[]) => reported.push(args))
    app.on('login', fail).on('logout', fail)

    const params = { provider: 'rest', query: {} }
    const login = await callService(service, { method: 'create', data: LOGIN, params })
    const authentication = { strategy: 'jwt', accessToken: login.result.accessToken }
    const logout = await callService(service, {
      method: 'remove',
      id: null,
      params: { ...params, authentication }
    })

    expect(reported.map(([, context]) => context)).toEqual([login, logout])
    expect(reported[0]?.[1]).toBe(login)
    expect(reported[1]?.[1]).toBe(logout)
  })

  it('do no harm when a listener fails, and tell the others', async () => {
    const { app, service } = await createAppWithUser()
    const [thrown, rejected] = [new Error('Thrown'), new Error('Rejected')]
    const reported: unknown[] = []
    const seen: string[] = []

    app.on('error', (error: unknown) => reported.push(error))
    app.on('login', () => {
      throw thrown
    })
    app.on('login', async () => {
      throw rejected
    })
    app.on('login', () => seen.push('last'))

    expect(await service.create(LOGIN, { provider: 'rest' })).toHaveProperty('accessToken')
    expect(seen).toEqual(['last'])
    expect(reported).toEqual([thrown, rejected])
  })
})

describe('an answer', () => {
  const DISPATCH = Symbol.for('@feathersjs/schema/dispatch')

  it('has the entity as clients may see it', async () => {
    const user = { id: 1, email: 'wren@example.org', password: 'a hash' }

    Object.defineProperty(user, DISPATCH, { value: { id: 1 } })

    const service = createWithResult({ user, authentication: { strategy: 'test' } }).service('authentication')

    for (const call of [
      { method: 'create', data: { strategy: 'test' }, params: { provider: 'rest' } },
      { method: 'remove', id: null, params: { provider: 'rest', authentication: { strategy: 'test' } } }
    ]) {
      const { result, dispatch } = await callService(service, call)

      expect(result.user).toBe(user)
      expect(dispatch).toEqual({ ...result, user: { id: 1 } })
    }
  })

  it('has everything when nothing is hidden', async () => {
    const { service } = await createAppWithUser()
    const { result, dispatch } = await callService(service, { method: 'create', data: LOGIN, params: {} })

    expect(dispatch).toEqual(result)
    expect(dispatch).toMatchObject({ accessToken: expect.any(String) })
  })

  it('of hooks of the service is kept', async () => {
    const { app, service } = await createAppWithUser()

    app.service('authentication').hooks({
      after: { create: [(context: any) => void Object.assign(context, { dispatch: { shown: true } })] }
    })

    const { dispatch } = await callService(service, { method: 'create', data: LOGIN, params: {} })

    expect(dispatch).toEqual({ shown: true })
  })

  it('over HTTP must not be stored, and keeps its other headers', async () => {
    const { service } = await createAppWithUser()
    const context = service.create.createContext({ http: { headers: { 'X-Mine': 'yes' } } })

    await service.create(LOGIN, { provider: 'rest' }, context)
    expect(context.http.headers).toEqual({ 'X-Mine': 'yes', 'Cache-Control': 'no-store' })

    const authentication = { strategy: 'jwt', accessToken: context.result.accessToken }
    const logout = service.remove.createContext({ http: {} })

    await service.remove(null, { provider: 'rest', authentication }, logout)
    expect(logout.http.headers).toEqual({ 'Cache-Control': 'no-store' })
  })
})
