import jsonwebtoken from 'jsonwebtoken'
import { describe, expect, it } from 'vitest'
import { AuthenticationBase, AuthenticationService } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { createAppWithUser, LOCAL, LOGIN, OTHER_SECRET, SECRET } from './app.ts'

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
