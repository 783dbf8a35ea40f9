import { describe, expect, it } from 'vitest'
import { AuthenticationService, authenticationSettingsSchema } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { createApp, SECRET } from './app.ts'

function create(options: { [option: string]: unknown }): AuthenticationService {
  return new AuthenticationService(alula(), 'authentication', options)
}

describe('an option', () => {
  it.each([
    [
      'secret',
      [5, null, '', {}, [], ['']],
      'a string that is not empty, or several in an array, of which the first one signs'
    ],
    ['service', [5, null, '', {}], 'the path of a service'],
    ['entity', [5, '', {}, true], 'null, or a name that params and results do not have'],
    ['entityId', [5, '', null], 'a name'],
    ['authStrategies', ['jwt', null, [5], {}], 'an array of strategy names'],
    ['parseStrategies', ['jwt', null, [5], {}], 'an array of strategy names'],
    ['jwtOptions', ['1d', null, [], 5], 'an object'],
    ['isActive', [true, null, {}], 'a function'],
    [
      'revocation',
      [true, null, {}, { revoke: () => true }],
      "false, or an object with 'revoke' and 'isRevoked'"
    ]
  ])('%s is refused with a sentence when it has a value that it can not have', (option, values, expected) => {
    for (const value of values) {
      expect(() => create({ [option]: value }), JSON.stringify(value)).toThrow(
        `Invalid option '${option}' of authentication: expected ${expected}`
      )
    }
  })

  it('of each kind is taken', () => {
    const options = {
      secret: SECRET,
      service: 'users',
      entity: 'user',
      entityId: 'key',
      authStrategies: ['jwt'],
      parseStrategies: [],
      jwtOptions: {},
      isActive: () => true,
      revocation: { revoke: () => true, isRevoked: () => false },
      mine: { any: 'thing' }
    }

    expect(create(options).configuration).toEqual(options)
    expect(create({ entity: null, revocation: false }).configuration).toMatchObject({
      entity: null,
      revocation: false
    })
  })

  it.each([
    ['isactive', 'isActive'],
    ['AUTHstrategies', 'authStrategies'],
    ['parsestrategies', 'parseStrategies'],
    ['Secret', 'secret'],
    ['Service', 'service'],
    ['Entity', 'entity'],
    ['jwtoptions', 'jwtOptions'],
    ['entityID', 'entityId'],
    ['REVOCATION', 'revocation'],
    ['isActiv', 'isActive'],
    ['secrets', 'secret'],
    ['active', 'isActive']
  ])('%s is refused, with the question whether %s was meant', (option, meant) => {
    const message = `Unknown option '${option}' of authentication. Did you mean '${meant}'?`
    const app: any = alula()

    app.set('authentication', { [option]: 'x' })
    expect(() => new AuthenticationService(app)).toThrow(message)
    expect(() => create({ [option]: 'x' })).toThrow(message)

    const later: any = alula()

    new AuthenticationService(later, 'authentication', { secret: SECRET })
    expect(() => later.set('authentication', { [option]: 'x' })).toThrow(message)
    expect(later.get('authentication')).toEqual({ secret: SECRET })
  })

  it('of a strategy, or of an application, may have any name', () => {
    const options = { jwt: { header: 'X-Token' }, oauth: { SECRET: 'x' }, passwords: [], accounts: true }

    expect(() => create(options)).not.toThrow()
  })

  it.each([
    ...['accessToken', 'authentication', 'authenticated', 'connection', 'headers', 'provider', 'query'],
    ...['authStrategies', 'jwt', 'jwtOptions', 'payload', 'adapter', 'paginate', 'secret'],
    ...['route', '__proto__', 'constructor']
  ])('entity can not be %s, which params and results have already', (entity) => {
    const message =
      "Invalid option 'entity' of authentication: expected null, or a name that params and results do not have"

    expect(() => create({ entity })).toThrow(message)
    expect(() => createApp({ settings: { entity } })).toThrow(message)
  })

  it('is named after the setting', () => {
    expect(() => new AuthenticationService(alula(), 'admins', { entity: 5 } as any)).toThrow(
      "Invalid option 'entity' of admins"
    )
  })

  it('may be of a class, as packages that read files make them', () => {
    class Config {
      secret = SECRET
      entity = null
    }

    const app: any = alula()

    app.set('authentication', new Config())

    expect(new AuthenticationService(app).configuration).toMatchObject({ secret: SECRET, entity: null })
  })
})

describe('the options of a token', () => {
  it.each(['clockTolerance', 'clockTimestamp'])('have a number of seconds as %s', (option) => {
    for (const value of ['5', '1d', null, Number.NaN, Infinity]) {
      expect(() => create({ jwtOptions: { [option]: value } }), String(value)).toThrow(
        `Invalid option '${option}' of authentication.jwtOptions: expected a number of seconds`
      )
    }

    for (const value of [0, 5, undefined]) {
      expect(() => create({ jwtOptions: { [option]: value } })).not.toThrow()
    }
  })

  it.each(['expiresIn', 'notBefore', 'maxAge'])('have a number, or a text with a unit, as %s', (option) => {
    for (const value of ['60', ' 60', '60 ', '-60', '1.5']) {
      expect(() => create({ jwtOptions: { [option]: value } }), value).toThrow(
        `Invalid option '${option}' of authentication.jwtOptions: expected a number of seconds, or a duration with a unit like '1d'`
      )
    }

    for (const value of [60, '1d', '10 hours', '1.5h', undefined]) {
      expect(() => create({ jwtOptions: { [option]: value } }), String(value)).not.toThrow()
    }
  })
})

describe('the algorithm', () => {
  it.each([
    ['HS256', 'HS384', 'HS512'],
    ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
    ['ES256', 'ES384', 'ES512']
  ])('may be any of %s …, or several of them', (...algorithms) => {
    for (const algorithm of [...algorithms, algorithms]) {
      expect(() => create({ jwtOptions: { algorithm } })).not.toThrow()
    }
  })

  it.each([['none'], ['None'], ['hs256'], [''], [[]], [['HS256', 'none']], [5], ['HS1'], ['constructor']])(
    'can not be %j',
    (algorithm) => {
      expect(() => create({ jwtOptions: { algorithm } })).toThrow(
        "Invalid option 'algorithm' of authentication.jwtOptions: expected one or several of HS256, HS384, HS512, RS256"
      )
    }
  )

  it('can not be of two kinds of keys: the public one would be taken for a secret', () => {
    expect(() => create({ jwtOptions: { algorithm: ['RS256', 'HS256'] } })).toThrow(
      `Invalid option 'algorithm' of authentication.jwtOptions: expected algorithms that go with the same kind of key, got ["RS256","HS256"]`
    )
    expect(() => create({ jwtOptions: { algorithms: ['ES256', 'PS256'] } })).toThrow('the same kind of key')
  })

  it('of one call is checked as well', async () => {
    const service = createApp().service('authentication')
    const token = await service.createAccessToken({})

    for (const options of [{ algorithm: 'none' }, { algorithms: ['HS256', 'none'] }, { algorithms: [] }]) {
      await expect(service.verifyAccessToken(token, options)).rejects.toThrow(
        "Invalid option 'algorithm' of jwtOptions"
      )
    }
    await expect(service.verifyAccessToken(token, { algorithms: ['HS256', 'RS256'] })).rejects.toThrow(
      'the same kind of key'
    )
  })
})

describe('the schema of the settings', () => {
  it('says what is required', () => {
    expect(authenticationSettingsSchema.type).toBe('object')
    expect(authenticationSettingsSchema.required).toEqual(['secret', 'entity', 'authStrategies'])
    expect(authenticationSettingsSchema.properties.local.required).toEqual(['usernameField', 'passwordField'])
  })

  it('can be written as JSON', () => {
    expect(JSON.parse(JSON.stringify(authenticationSettingsSchema))).toEqual(authenticationSettingsSchema)
  })
})
