import {
  type Case,
  CREDENTIALS,
  DEFAULTS,
  FEATHERS,
  HASH,
  LOGIN,
  type Options,
  REST,
  start
} from './libraries.ts'

const localConfigurations: [string, Options, object][] = [
  [
    'a dotted username',
    { local: { ...DEFAULTS.local, usernameField: 'login.name' } },
    { login: { name: CREDENTIALS.email } }
  ],
  [
    'other names in the entity',
    { local: { ...DEFAULTS.local, usernameField: 'name', entityUsernameField: 'email' } },
    { name: CREDENTIALS.email }
  ],
  ['an entity of another name', { entity: 'account' }, {}],
  ['another id', { entityId: 'email' }, {}],
  ['an id that users do not have', { entityId: 'uuid' }, {}],
  ['an error message', { local: { ...DEFAULTS.local, errorMessage: 'No' } }, { password: 'wrong' }],
  [
    'users in a field that there is not',
    { local: { ...DEFAULTS.local, entityPasswordField: 'secret.hash' } },
    {}
  ],
  ['no entity', { entity: null }, {}],
  ['no service', { service: undefined }, {}],
  ['a service that there is not', { service: 'people' }, {}]
]

const userServices: [string, object][] = [
  ['pages', { find: async () => ({ total: 1, limit: 1, skip: 0, data: [{ id: 7, password: HASH }] }) }],
  ['empty pages', { find: async () => ({ total: 0, limit: 1, skip: 0, data: [] }) }],
  ['null', { find: async () => null }],
  ['an object', { find: async () => ({ id: 7 }) }],
  ['users without a password', { find: async () => [{ id: 7 }] }],
  ['users without an id', { find: async () => [{ password: HASH }] }],
  ['users with an empty password', { find: async () => [{ id: 7, password: '' }] }],
  [
    'users with a password that is no hash',
    { find: async () => [{ id: 7, password: CREDENTIALS.password }] }
  ],
  ['users with a number as password', { find: async () => [{ id: 7, password: 5 }] }],
  [
    'an error',
    {
      find: async () => {
        throw new Error('Out of order')
      }
    }
  ]
]

export const localCases: readonly Case[] = [
  ...localConfigurations.flatMap(([name, configuration, data]): Case[] => [
    [`local with ${name}`, (library) => start(library, configuration).service.create({ ...LOGIN, ...data })],
    [
      `local with ${name}, from outside`,
      (library) => start(library, configuration).service.create({ ...LOGIN, ...data }, { ...REST })
    ]
  ]),
  ...userServices.map(
    ([name, users]): Case => [
      `local over ${name}`,
      (library) => start(library, {}, users).service.create(LOGIN)
    ]
  ),
  ['local configuration', (library) => start(library).auth.getStrategy('local').configuration],
  [
    'local query',
    (library) => start(library).auth.getStrategy('local').getEntityQuery({ email: 'x', $limit: 5 }, {})
  ],
  [
    'local findEntity',
    (library) => start(library).auth.getStrategy('local').findEntity(CREDENTIALS.email, {})
  ],
  [
    'local findEntity without a username',
    (library) => start(library).auth.getStrategy('local').findEntity('', {})
  ],
  ['local getEntity', (library) => start(library).auth.getStrategy('local').getEntity({ id: 7, a: 1 }, {})],
  [
    'local getEntity from outside',
    (library) =>
      start(library)
        .auth.getStrategy('local')
        .getEntity({ id: 7, a: 1 }, { ...REST })
  ],
  ['local getEntity without an id', (library) => start(library).auth.getStrategy('local').getEntity({}, {})],
  [
    'local comparePassword',
    (library) =>
      start(library).auth.getStrategy('local').comparePassword({ password: HASH }, CREDENTIALS.password)
  ],
  [
    'local comparePassword without a hash',
    (library) => start(library).auth.getStrategy('local').comparePassword({}, 'x')
  ],
  ['local entity service', (library) => typeof start(library).auth.getStrategy('local').entityService.find],
  ...[CREDENTIALS.password, '', 5, null, 'x'.repeat(73), 'a\0b'].map(
    (password): Case => [
      `local hashPassword of ${JSON.stringify(password)}`,
      async (library) =>
        String(await start(library).auth.getStrategy('local').hashPassword(password, {})).slice(0, 7)
    ]
  ),
  [
    'local with a password of 73 bytes whose first 72 are right',
    async (library) => {
      // Made by bcrypt, of 72 characters.
      const [local] = start(FEATHERS).auth.getStrategies('local')
      const password = await local.hashPassword('x'.repeat(72), {})
      const { service } = start(library, {}, { find: async () => [{ id: 7, password }] })

      return service.create({ ...LOGIN, password: 'x'.repeat(73) })
    }
  ]
]
