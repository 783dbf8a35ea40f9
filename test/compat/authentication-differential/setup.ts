import { type Case, DEFAULTS, type Implementation, type Options, SECRET, start } from './libraries.ts'

async function setUp(library: Implementation, configuration: Options, users?: object): Promise<string> {
  const { app } = start(library, configuration, users)

  await app.setup()
  await app.teardown()

  return 'is set up'
}

const construct = (library: Implementation, setting: unknown, ...args: unknown[]) => {
  const app = library.create()

  if (setting !== undefined) app.set('authentication', setting)

  const auth = new library.AuthenticationService(app, ...args)

  return { app, auth }
}

export const setupCases: readonly Case[] = [
  ['setup', (library) => setUp(library, {})],
  ['setup without a secret', (library) => setUp(library, { secret: undefined })],
  ['setup with a secret that is no text', (library) => setUp(library, { secret: 5 })],
  ['setup with an empty secret', (library) => setUp(library, { secret: '' })],
  ['setup without a service', (library) => setUp(library, { service: undefined })],
  ['setup with a service that there is not', (library) => setUp(library, { service: 'nowhere' })],
  ['setup with a service without an id', (library) => setUp(library, {}, { id: undefined })],
  [
    'setup with a service without an id, and entityId',
    (library) => setUp(library, { entityId: 'id' }, { id: undefined })
  ],
  [
    'setup without an entity',
    (library) => setUp(library, { entity: null, service: undefined, secret: SECRET })
  ],
  ['setup with an entity that is undefined', (library) => setUp(library, { entity: undefined })],
  ['construct without an app', (library) => new library.AuthenticationService()],
  ['construct with an app that is none', (library) => new library.AuthenticationService({})],
  ['construct without a setting', (library) => construct(library, undefined).app.get('authentication')],
  [
    'construct merges options',
    (library) =>
      construct(library, { a: { b: 1 } }, 'authentication', { a: { c: 2 } }).app.get('authentication')
  ],
  [
    'construct with another key',
    (library) => {
      const { app } = construct(library, undefined, 'other', { secret: SECRET })

      return [app.get('other'), app.get('authentication'), app.get('defaultAuthentication')]
    }
  ],
  [
    'construct with a setting that is no object',
    (library) => construct(library, 'x').app.get('authentication')
  ],
  [
    'construct with strategies that are no list',
    (library) => construct(library, { authStrategies: 'jwt' }).auth.configuration.authStrategies
  ],
  [
    'construct with options of a token that are no object',
    (library) => construct(library, { jwtOptions: 'x' }).auth.configuration.jwtOptions
  ],
  [
    'construct with an unknown algorithm',
    (library) => construct(library, { jwtOptions: { algorithm: 'x' } }).auth.configuration.jwtOptions
  ],
  ['configuration', (library) => construct(library, { secret: SECRET }).auth.configuration],
  [
    'configuration with options of a token',
    (library) => construct(library, { jwtOptions: { issuer: 'me' } }).auth.configuration
  ],
  [
    'configuration is a copy',
    (library) => {
      const { auth } = construct(library, {})

      auth.configuration.secret = 'x'

      return auth.configuration.secret
    }
  ],
  [
    'configuration is read anew',
    (library) => {
      const { app, auth } = start(library)

      app.set('authentication', { ...DEFAULTS, issuer: 'me' })

      return auth.configuration.issuer
    }
  ],
  [
    'a setting that is not valid, later',
    (library) => {
      const { app } = start(library)

      app.set('authentication', { ...DEFAULTS, local: {} })

      return 'is set'
    }
  ],
  ['names of strategies', (library) => start(library).auth.strategyNames],
  [
    'getStrategies',
    (library) =>
      start(library)
        .auth.getStrategies('jwt', 'x', 'local')
        .map((strategy: any) => strategy.name)
  ],
  ['getStrategy that there is not', (library) => start(library).auth.getStrategy('x')],
  ['getStrategy __proto__', (library) => start(library).auth.getStrategy('__proto__')],
  ['getStrategies constructor', (library) => start(library).auth.getStrategies('constructor').length],
  ['default authentication', (library) => start(library).app.defaultAuthentication().configKey],
  [
    'default authentication by path',
    (library) => start(library).app.defaultAuthentication('authentication').configKey
  ],
  [
    'default authentication by a path with slashes',
    (library) => start(library).app.defaultAuthentication('/authentication').configKey
  ],
  [
    'default authentication that there is not',
    (library) => start(library).app.defaultAuthentication('nowhere')
  ],
  [
    'default authentication that is not registered',
    (library) => construct(library, {}).app.defaultAuthentication()
  ],
  [
    'default authentication by another key',
    (library) => {
      const { app } = start(library)

      app.use('second', new library.AuthenticationService(app, 'other', { secret: SECRET }))
      app.set('defaultAuthentication', 'other')

      return app.defaultAuthentication().configKey
    }
  ],
  [
    'what a strategy hears at registration',
    async (library) => {
      const { auth, app } = start(library)
      const heard: unknown[] = []
      const strategy = Object.fromEntries(
        ['setName', 'setApplication', 'setAuthentication', 'verifyConfiguration', 'setup'].map((name) => [
          name,
          (...args: unknown[]) => void heard.push([name, args.length])
        ])
      )

      auth.register('early', strategy)
      heard.push('setup of the app')
      await app.setup()
      app.service('authentication').register('late', strategy)
      await app.teardown()

      return heard
    }
  ],
  ['register local without fields', (library) => start(library, { local: {} })],
  ['register local without a password field', (library) => start(library, { local: { usernameField: 'x' } })],
  ['register local without a configuration', (library) => start(library, { local: undefined })],
  [
    'register local with a cost that is none',
    (library) => typeof start(library, { local: { ...DEFAULTS.local, hashSize: 'x' } })
  ],
  ['register jwt with an unknown option', (library) => start(library, { jwt: { expiresIn: '1d' } })],
  ['register jwt with a header that is no text', (library) => start(library, { jwt: { header: true } })],
  [
    'register jwt with schemes that are no list',
    (library) => typeof start(library, { jwt: { schemes: 'Bearer' } })
  ],
  [
    'jwt configuration',
    (library) => start(library, { jwt: { header: 'X' }, entityId: 'x' }).auth.getStrategy('jwt').configuration
  ],
  [
    'jwt entity without a service',
    (library) => start(library, { service: undefined }).auth.getStrategy('jwt').getEntity(7, {})
  ],
  ['jwt query', (library) => start(library).auth.getStrategy('jwt').getEntityQuery({})],
  [
    'base strategy without a service',
    (library) => {
      const { auth } = start(library, { own: { a: 1 } })
      const strategy = new library.AuthenticationBaseStrategy()

      auth.register('own', strategy)

      return [
        strategy.configuration,
        strategy.entityService && 'a service',
        strategy.name,
        strategy.app === auth.app
      ]
    }
  ],
  [
    'base strategy with a service',
    (library) => {
      const { auth, app } = start(library, { own: { service: 'users' } })
      const strategy = new library.AuthenticationBaseStrategy()

      auth.register('own', strategy)

      return strategy.entityService === app.service('users')
    }
  ],
  ['exported hooks', (library) => Object.keys(library.hooks).sort()],
  ['required settings', (library) => library.authenticationSettingsSchema.required]
]
