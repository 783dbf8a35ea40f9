import { setImmediate } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { AuthenticationService, authenticate, LocalStrategy, protect } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'
import { SECRET } from '../support/login.ts'

const LOCAL = { usernameField: 'email', passwordField: 'password' }

/** What set-up says of the passwords that a service shows. */
async function listWarnings(service: object, hooks: object = {}, options: object = {}): Promise<string[]> {
  const app: any = alula()
  const warnings: string[] = []
  const listen = ({ code, message }: any) => code === 'ALULA_SHOWN_PASSWORD' && warnings.push(message)

  process.on('warning', listen)
  onTestFinished(() => void process.off('warning', listen))
  app.set('authentication', {
    secret: SECRET,
    service: 'users',
    entity: 'user',
    authStrategies: ['local'],
    local: LOCAL
  })

  const authentication = new AuthenticationService(app)

  authentication.register('local', new LocalStrategy())
  app.use('authentication', authentication)
  app.use('users', service, options)
  app.service('users').hooks(hooks)
  await app.setup()
  await setImmediate()
  await app.teardown()

  return warnings
}

it.each<[string, object]>([
  ['without hooks', {}],
  ['behind a login', { before: { all: [authenticate('local')] } }]
])('set-up warns of users whose hash a login shows: of a service %s', async (_name, hooks) => {
  expect(await listWarnings(memory(), hooks)).toEqual([
    "Clients get 'password' of the service 'users', also with a login: add the hook protect('password') after all its methods"
  ])
})

it.each<[string, object, object?, object?]>([
  ['of hooks that protect it', memory(), { after: { all: [protect('password')] } }],
  ['of a hook that may take it out', memory(), { after: { get: [async () => undefined] } }],
  ['of a hook that may select fields', memory(), { before: { get: [async () => undefined] } }],
  ['of a hook around it', memory(), { around: { all: [async (_: unknown, next: any) => next()] } }],
  [
    'of a schema',
    memory(),
    {},
    { schema: schema({ type: 'object', properties: { password: { type: 'string' } } } as const) }
  ],
  ['of a service of your own', { id: 'id', get: async () => ({}), find: async () => [] }]
])(
  'and says nothing where that is not known, because %s',
  async (_name, service, hooks = {}, options = {}) => {
    expect(await listWarnings(service, hooks, options)).toEqual([])
  }
)
