import {
  authenticated,
  type Case,
  good,
  type Implementation,
  LOGIN,
  type Options,
  REST,
  start
} from './libraries.ts'

/** What the hook leaves on the params of a service that it is registered on. */
async function callWithHook(
  library: Implementation,
  hook: any,
  params: any,
  configuration: Options = {},
  phase = 'before'
) {
  const { app } = start(library, configuration)

  app.use('notes', { find: async ({ headers, ...seen }: any) => seen })
  app.service('notes').hooks({ [phase]: { find: [hook] } })

  return app.service('notes').find(params)
}

const hookParams: [string, any][] = [
  ['an internal call', {}],
  ['an external call', { ...REST }],
  ['an external call with a token', { ...REST, authentication: authenticated, query: { a: 1 } }],
  ['an internal call with a token', { authentication: authenticated, custom: 1 }],
  ['an internal call with a bad token', { authentication: { strategy: 'jwt', accessToken: 'x' } }],
  ['an external call with a bad token', { ...REST, authentication: { strategy: 'jwt', accessToken: 'x' } }],
  ['a call that is authenticated', { ...REST, authenticated: true }],
  ['a call with another strategy', { ...REST, authentication: LOGIN }],
  ['a call without a strategy', { ...REST, authentication: { accessToken: good } }],
  ['a call with text as authentication', { ...REST, authentication: 'x' }],
  ['an external call with an entity', { ...REST, user: { id: 9 } }],
  ['an internal call with an entity', { user: { id: 9 } }],
  ['an internal call with an entity and a token', { user: { id: 9 }, authentication: authenticated }],
  [
    'an external call with an entity and a token',
    { ...REST, user: { id: 9 }, authentication: authenticated }
  ],
  ['authenticated that is not true', { ...REST, authenticated: 'yes' }]
]

const hookArguments: [string, unknown[]][] = [
  ['nothing', []],
  ['an empty text', ['']],
  ['null', [null]],
  ['no strategies', [{ strategies: [] }]],
  ['settings without strategies', [{}]],
  ['a strategy', ['jwt']],
  ['two strategies', ['jwt', 'local']],
  ['a strategy and an empty text', ['jwt', '']]
]

export const hookCases: readonly Case[] = [
  ...hookParams.flatMap(([name, params]): Case[] => [
    [`the hook on ${name}`, (library) => callWithHook(library, library.authenticate('jwt'), params)],
    [
      `the hook on ${name}, without an entity`,
      (library) => callWithHook(library, library.authenticate('jwt'), params, { entity: null })
    ]
  ]),
  ...hookArguments.map(
    ([name, args]): Case => [`the hook made of ${name}`, (library) => typeof library.authenticate(...args)]
  ),
  [
    'the hook around',
    (library) =>
      callWithHook(
        library,
        library.authenticate('jwt'),
        { ...REST, authentication: authenticated },
        {},
        'around'
      )
  ],
  [
    'the hook after',
    (library) => callWithHook(library, library.authenticate('jwt'), { ...REST }, {}, 'after')
  ],
  [
    'the hook of another service',
    (library) =>
      callWithHook(library, library.authenticate({ service: 'authentication', strategies: ['jwt'] }), {
        ...REST,
        authentication: authenticated
      })
  ],
  [
    'the hook of a service that is none',
    (library) =>
      callWithHook(library, library.authenticate({ service: 'users', strategies: ['jwt'] }), { ...REST })
  ],
  [
    'the hook of a service that there is not',
    (library) =>
      callWithHook(library, library.authenticate({ service: 'nowhere', strategies: ['jwt'] }), { ...REST })
  ],
  [
    'the hook without authentication',
    async (library) => {
      const app = library.create()

      app.use('notes', { find: async () => [] })
      app.service('notes').hooks({ before: { find: [library.authenticate('jwt')] } })

      return app.service('notes').find({ ...REST })
    }
  ],
  [
    'the hook on the authentication service',
    async (library) => {
      const { service } = start(library)

      service.hooks({ before: { create: [library.authenticate('jwt')] } })

      return service.create(LOGIN)
    }
  ],
  [
    'hashPassword',
    async (library) => {
      const { app } = start(library)

      app.service('users').hooks({ before: { create: [library.hooks.hashPassword('password')] } })

      const { password, ...rest } = await app.service('users').create({ password: 'x', name: 'Wren' })
      const list = await app.service('users').create([{ password: 'x' }, { name: 'x' }])

      return [password.slice(0, 7), rest, list[0].password.slice(0, 7), list[1]]
    }
  ],
  [
    'hashPassword of a dotted field',
    async (library) => {
      const { app } = start(library)
      const data = { login: { password: 'x', other: 1 } }

      app.service('users').hooks({ before: { create: [library.hooks.hashPassword('login.password')] } })

      const { login } = await app.service('users').create(data)

      return [login.password.slice(0, 7), login.other, data]
    }
  ],
  ...([null, '', 5, {}, undefined] as unknown[]).map(
    (password): Case => [
      `hashPassword of ${JSON.stringify(password)}`,
      async (library) => {
        const { app } = start(library)

        app.service('users').hooks({ before: { create: [library.hooks.hashPassword('password')] } })

        const user = await app.service('users').create({ password })

        return user.password?.slice(0, 7)
      }
    ]
  ),
  ['hashPassword without a field', (library) => library.hooks.hashPassword()],
  [
    'hashPassword by a strategy that there is not',
    (library) => {
      const { app } = start(library)

      app
        .service('users')
        .hooks({ before: { create: [library.hooks.hashPassword('password', { strategy: 'x' })] } })

      return app.service('users').create({ password: 'x' })
    }
  ],
  [
    'hashPassword by a service that is none',
    (library) => {
      const { app } = start(library)

      app
        .service('users')
        .hooks({ before: { create: [library.hooks.hashPassword('password', { authentication: 'users' })] } })

      return app.service('users').create({ password: 'x' })
    }
  ],
  [
    'hashPassword without authentication',
    (library) => {
      const app = library.create()

      app.use('users', { create: async (data: any) => data })
      app.service('users').hooks({ before: { create: [library.hooks.hashPassword('password')] } })

      return app.service('users').create({ password: 'x' })
    }
  ],
  [
    'passwordHash of undefined',
    (library) => library.passwordHash({ strategy: 'local' })(undefined, {}, start(library))
  ],
  [
    'passwordHash',
    async (library) =>
      (await library.passwordHash({ strategy: 'local' })('x', {}, { ...start(library), params: {} })).slice(
        0,
        7
      )
  ],
  [
    'passwordHash by a strategy that there is not',
    (library) => library.passwordHash({ strategy: 'x' })('x', {}, { ...start(library), params: {} })
  ]
]

const protectedResults: [string, string, unknown][] = [
  ['an object', 'get', { id: 1, password: 'x', nested: { password: 'y', other: 1 } }],
  ['a list', 'find', [{ id: 1, password: 'x' }, 5, null, [{ password: 'x' }]]],
  [
    'a page',
    'find',
    { total: 1, data: [{ id: 1, password: 'x', nested: { password: 'y' } }], password: 'z' }
  ],
  ['a page of another method', 'feed', { total: 1, data: [{ id: 1, password: 'x' }], password: 'z' }],
  ['an object with toJSON', 'get', { password: 'x', toJSON: () => ({ id: 1, password: 'x' }) }],
  ['a text', 'get', 'password'],
  ['nothing', 'get', undefined],
  ['null', 'get', null],
  ['a number', 'get', 5]
]

export const protectCases: readonly Case[] = protectedResults.flatMap(([name, method, result]): Case[] =>
  [undefined, 'rest'].flatMap((provider): Case[] => [
    [
      `protect ${name}, ${provider ? 'from outside' : 'from inside'}`,
      async (library) => {
        const context: any = { method, result, params: { provider } }

        await library.hooks.protect('password', 'nested.password')(context)

        return { result: context.result, dispatch: context.dispatch }
      }
    ],
    [
      `protect ${name} around, ${provider ? 'from outside' : 'from inside'}`,
      async (library) => {
        const context: any = { method, params: { provider } }

        await library.hooks.protect('password', 'nested.password')(context, async () => {
          context.result = result
        })

        return { result: context.result, dispatch: context.dispatch }
      }
    ]
  ])
)
