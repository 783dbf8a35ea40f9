import {
  authenticated,
  type Case,
  CREDENTIALS,
  good,
  LOGIN,
  outcome,
  REST,
  sign,
  start
} from './libraries.ts'

const requests: [string, unknown][] = [
  ['right credentials', LOGIN],
  ['a token', { strategy: 'jwt', accessToken: sign({ sub: '7' }) }],
  ['no data', undefined],
  ['null', null],
  ['no strategy', {}],
  ['an unknown strategy', { strategy: 'magic' }],
  ['an empty strategy', { strategy: '' }],
  ['a strategy that is null', { strategy: null }],
  ['a number as strategy', { strategy: 5 }],
  ['a list as strategy', { strategy: ['local'], ...CREDENTIALS }],
  ['__proto__ as strategy', { strategy: '__proto__' }],
  ['constructor as strategy', { strategy: 'constructor' }],
  ['no password', { strategy: 'local', email: CREDENTIALS.email }],
  ['no username', { strategy: 'local', password: CREDENTIALS.password }],
  ['an empty password', { ...LOGIN, password: '' }],
  ['an empty username', { ...LOGIN, email: '' }],
  ['a wrong password', { ...LOGIN, password: 'wrong' }],
  ['an unknown user', { ...LOGIN, email: 'nobody@example.org' }],
  ['a number as password', { ...LOGIN, password: 5 }],
  ['an object as password', { ...LOGIN, password: { $ne: null } }],
  ['an object as username', { ...LOGIN, email: { $ne: null } }],
  ['a list as username', { ...LOGIN, email: [CREDENTIALS.email] }],
  ['no token', { strategy: 'jwt' }],
  ['an empty token', { strategy: 'jwt', accessToken: '' }],
  ['an object as token', { strategy: 'jwt', accessToken: {} }],
  ['text that is no token', { strategy: 'jwt', accessToken: 'abc' }]
]

export const createCases: readonly Case[] = [
  ...requests.flatMap(([name, data]): Case[] => [
    [`create with ${name}`, (library) => start(library).service.create(data)],
    [`create with ${name}, from outside`, (library) => start(library).service.create(data, { ...REST })]
  ]),
  ['create without strategies', (library) => start(library, { authStrategies: [] }).service.create(LOGIN)],
  [
    'create without the setting of strategies',
    (library) => start(library, { authStrategies: undefined }).service.create(LOGIN)
  ],
  [
    'create by a strategy that is not allowed',
    (library) => start(library, { authStrategies: ['jwt'] }).service.create(LOGIN)
  ],
  [
    'create by a strategy that is allowed and not registered',
    (library) => start(library, { authStrategies: ['magic'] }).service.create({ strategy: 'magic' })
  ],
  [
    'create by a strategy without authenticate',
    (library) => {
      const { auth, service } = start(library, { authStrategies: ['silent'] })

      auth.register('silent', {})

      return service.create({ strategy: 'silent' })
    }
  ],
  [
    'create by a strategy that the params allow',
    (library) => start(library, { authStrategies: [] }).service.create(LOGIN, { authStrategies: ['local'] })
  ],
  [
    'create with no strategies in the params',
    (library) => start(library).service.create(LOGIN, { authStrategies: [] })
  ],
  [
    'create with a payload',
    (library) => start(library).service.create(LOGIN, { payload: { role: 'reader' } })
  ],
  [
    'create with options of a token',
    (library) =>
      start(library).service.create(LOGIN, {
        jwtOptions: { expiresIn: '1h', issuer: 'me', header: { x: 1 } }
      })
  ],
  [
    'create with options of a token under both names',
    (library) =>
      start(library).service.create(LOGIN, {
        jwtOptions: { issuer: 'me' },
        jwt: { issuer: 'you', subject: '9' }
      })
  ],
  [
    'create with a jwtid',
    (library) => start(library).service.create(LOGIN, { jwtOptions: { jwtid: 'chosen' } })
  ],
  [
    'create with another secret',
    async (library) => {
      const { service, auth } = start(library)
      const secret = 'another secret of the tests, just as long as that'
      const { accessToken } = await service.create(LOGIN, { secret })

      return [
        await auth.verifyAccessToken(accessToken, {}, secret),
        await outcome(() => auth.verifyAccessToken(accessToken), library)
      ]
    }
  ],
  [
    'create with a payload that has an issuer',
    (library) => start(library).service.create(LOGIN, { payload: { iss: 'me' } })
  ],
  [
    'create with a lifetime alone in the configuration',
    (library) => start(library, { jwtOptions: { expiresIn: 60 } }).service.create(LOGIN)
  ],
  [
    'create without an entity',
    (library) => start(library, { entity: null }).service.create({ strategy: 'jwt', accessToken: sign({}) })
  ],
  [
    'create by a strategy that returns a token',
    (library) => {
      const { auth, service } = start(library, { authStrategies: ['own'] })

      auth.register('own', { authenticate: async () => ({ accessToken: 'own', other: 1 }) })

      return service.create({ strategy: 'own' })
    }
  ],
  [
    'create by a strategy that returns nothing but a name',
    (library) => {
      const { auth, service } = start(library, { authStrategies: ['own'] })

      auth.register('own', { authenticate: async () => ({ authentication: { strategy: 'own' } }) })

      return service.create({ strategy: 'own' })
    }
  ],
  [
    'create by a strategy that returns an entity without an id',
    (library) => {
      const { auth, service } = start(library, { authStrategies: ['own'] })

      auth.register('own', { authenticate: async () => ({ user: { name: 'Wren' } }) })

      return service.create({ strategy: 'own' })
    }
  ],
  [
    'create hands a strategy',
    async (library) => {
      const { auth, service } = start(library, { authStrategies: ['own'] })
      const seen: unknown[] = []

      auth.register('own', { authenticate: async (...args: unknown[]) => seen.push(args) && {} })
      await service.create({ strategy: 'own', x: 1 }, { provider: 'rest', query: { y: 2 }, z: 3 })

      return seen
    }
  ],
  [
    'create asks the users, from inside',
    async (library) => {
      const { service, calls } = start(library)

      await service.create(LOGIN, { query: { a: 1 }, custom: true })

      return calls
    }
  ],
  [
    'create asks the users, from outside',
    async (library) => {
      const { service, calls } = start(library)

      await service.create(LOGIN, { ...REST, query: { a: 1 }, custom: true })

      return calls
    }
  ],
  [
    'create by a token asks the users, from inside',
    async (library) => {
      const { service, calls } = start(library)

      await service.create({ strategy: 'jwt', accessToken: sign({ sub: '7' }) }, { query: { a: 1 } })

      return calls
    }
  ],
  [
    'create by a token asks the users, from outside',
    async (library) => {
      const { service, calls } = start(library)

      await service.create({ strategy: 'jwt', accessToken: sign({ sub: '7' }) }, { ...REST, query: { a: 1 } })

      return calls
    }
  ]
]

export const removeCases: readonly Case[] = [
  ['remove with null', (library) => start(library).service.remove(null, { authentication: authenticated })],
  [
    'remove with null, from outside',
    (library) => start(library).service.remove(null, { ...REST, authentication: authenticated })
  ],
  [
    'remove with the token',
    (library) => start(library).service.remove(good, { authentication: authenticated })
  ],
  [
    'remove with another token',
    (library) => start(library).service.remove('x', { authentication: authenticated })
  ],
  ['remove without authentication', (library) => start(library).service.remove(null, {})],
  ['remove a token without authentication', (library) => start(library).service.remove(good, {})],
  ['remove by credentials', (library) => start(library).service.remove(null, { authentication: LOGIN })],
  [
    'remove without strategies',
    (library) =>
      start(library, { authStrategies: [] }).service.remove(null, { authentication: authenticated })
  ],
  [
    'remove with a bad token',
    (library) =>
      start(library).service.remove(null, { authentication: { strategy: 'jwt', accessToken: 'x' } })
  ]
]

export const connectionCases: readonly Case[] = [
  [
    'events of the application',
    async (library) => {
      const { app, service } = start(library)
      const events: unknown[] = []

      for (const event of ['login', 'logout']) {
        app.on(event, (result: any, params: any, context: any) =>
          events.push([event, result, params, context.method, context.path])
        )
      }
      await service.create(LOGIN)
      await service.remove(null, { authentication: authenticated })
      await service.create(LOGIN, { ...REST })
      await service.remove(null, { ...REST, authentication: authenticated })
      await service.create({ ...LOGIN, password: 'x' }, { ...REST }).catch(() => {})

      return events
    }
  ],
  ...['same', 'another'].map(
    (which): Case => [
      `a connection after a logout with ${which} token`,
      async (library) => {
        const { app, service } = start(library)
        const connection: any = { headers: {} }
        const seen: unknown[] = []
        const { accessToken } = await service.create(LOGIN, { provider: 'socketio', connection })

        seen.push({ ...connection })
        await service.remove(null, {
          provider: 'socketio',
          connection,
          authentication: { strategy: 'jwt', accessToken: which === 'same' ? accessToken : good }
        })
        seen.push({ ...connection })
        app.emit('disconnect', connection)
        seen.push({ ...connection })
        await new Promise((resolve) => setImmediate(resolve))
        seen.push({ ...connection })

        return seen
      }
    ]
  ),
  [
    'a connection without an entity',
    async (library) => {
      const { auth } = start(library, { entity: null })
      const connection: any = {}

      await auth.handleConnection('login', connection, { accessToken: good })

      const seen = { ...connection }

      await auth.handleConnection('logout', connection, { accessToken: good })

      return [seen, { ...connection }]
    }
  ],
  [
    'a connection that hears of a login without a token',
    async (library) => {
      const connection: any = {}

      await start(library).auth.handleConnection('login', connection, {})
      await start(library).auth.handleConnection('login', connection)

      return connection
    }
  ],
  [
    'a connection with a bad token',
    (library) => start(library).auth.handleConnection('login', {}, { accessToken: 'x' })
  ]
]
