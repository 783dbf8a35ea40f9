// What a login calls: strategies, a hasher, a store of revocations. A new member of one of these types is a row, without which
// its table does not compile.
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  type AuthenticationConfiguration,
  AuthenticationService,
  type AuthenticationStrategy,
  type Hasher,
  JWTStrategy,
  LocalStrategy,
  MemoryRevocationStore,
  type RevocationStore
} from '../../../src/authentication.ts'
import { alula } from '../../../src/index.ts'
import { memory } from '../../../src/memory.ts'
import { socketio } from '../../../src/socketio.ts'
import { toUrl } from '../../support/server.ts'
import { ask, connectSocket } from '../../support/sockets.ts'
import {
  FAILURES,
  type Failure,
  Faults,
  type FunctionNames,
  watchProcess
} from '../support/application-code.ts'

type Functions<T> = { readonly [Name in FunctionNames<T>]: (...args: any[]) => any }

/** Whether the failure is one of registration, of the start, or of what runs afterwards. */
type When = 'registration' | 'start' | 'later'

const STRATEGY: Functions<AuthenticationStrategy> & { readonly name?: string } = {
  setName: () => undefined,
  setApplication: () => undefined,
  setAuthentication: () => undefined,
  verifyConfiguration: () => undefined,
  setup: async () => undefined,
  teardown: async () => undefined,
  authenticate: async () => ({ authentication: { strategy: 'own' }, user: { id: 0 } }),
  parse: async () => null,
  handleConnection: async () => undefined,
  getEntity: async (entity) => entity,
  getAccount: () => 'account',
  getCredential: () => 'credential',
  getClaims: async () => ({})
}

const HASHER: Functions<Hasher> = {
  hash: async (password) => `hash of ${password}`,
  compare: async (password, hash) => hash === `hash of ${password}`,
  needsRehash: () => false,
  close: async () => undefined
}

const store = new MemoryRevocationStore()

const REVOCATION: Functions<RevocationStore> = {
  revoke: async (id, expiresAt) => store.revoke(id, expiresAt),
  isRevoked: async (id) => store.isRevoked(id),
  subscribe: () => () => undefined,
  announce: () => undefined
}

const SETTINGS: Functions<Pick<AuthenticationConfiguration, 'isActive'>> = { isActive: async () => true }

const TABLES = { strategy: STRATEGY, hasher: HASHER, revocation: REVOCATION, settings: SETTINGS }

/** Called when the application ends, or by strategies that are given an entity. */
const UNSEEN = ['teardown', 'close', 'getEntity']

type Kind = keyof typeof TABLES

const ROWS = Object.entries(TABLES).flatMap(([kind, functions]) =>
  Object.keys(functions).map((name) => [kind as Kind, name] as const)
)

function createApp(kind: Kind, name: string, faults: Faults) {
  const { strategy, hasher, revocation, settings }: { [Name in Kind]: object } = {
    ...TABLES,
    [kind]: { ...TABLES[kind], [name]: faults.make(0, (TABLES[kind] as any)[name]) }
  }
  const app: any = alula().configure(socketio({ logger: false }))

  app.set('authentication', {
    secret: 'a secret of the tests that is long enough to be one',
    service: 'users',
    entity: 'user',
    authStrategies: ['jwt', 'own', 'local'],
    local: { usernameField: 'email', passwordField: 'password', hasher },
    revocation,
    ...settings
  })
  app.use('users', memory({ store: { 0: { id: 0, email: 'a', password: 'hash of b' } } }))

  const auth = new AuthenticationService(app)

  auth.register('jwt', new JWTStrategy())
  auth.register('local', new LocalStrategy())
  auth.register('own', { ...strategy } as AuthenticationStrategy)
  app.use('authentication', auth)

  return app
}

const LOGINS = [
  { strategy: 'own' },
  { strategy: 'local', email: 'a', password: 'b' },
  { strategy: 'local', email: 'nobody', password: 'b' }
]

/** Logs in and out in all ways; returns how often a call has failed that would not have. */
async function use(app: any, url: string): Promise<number> {
  let failures = 0

  for (const login of LOGINS) {
    const socket = await connectSocket(url, { reconnection: false }).catch(() => undefined)

    if (!socket) {
      failures++
      continue
    }

    const left = new Promise((resolve) => app.once('disconnect', resolve))
    const [error] = await ask(socket, 'create', 'authentication', login)
    const [ofLogout] = error ? [] : await ask(socket, 'remove', 'authentication', null)

    if (error?.code === 500 || ofLogout?.code === 500) failures++
    await app.service('users').patch(0, { name: 'A' })
    socket.close()
    await left
  }

  return failures
}

describe.each(ROWS)('%s.%s', (kind, name) => {
  it.each(Object.keys(FAILURES) as Failure[])('that %s does not end the process', async (failure) => {
    const faults = new Faults(failure)
    const assertAlive = watchProcess()
    const reported: unknown[] = []
    let when: When = 'registration'

    try {
      const app = createApp(kind, name, faults)

      app.on('error', (error: unknown) => reported.push(error))
      when = 'start'

      const url = toUrl(await app.listen(0, '127.0.0.1'))

      onTestFinished(async () => void (await app.teardown().catch(() => undefined)))
      when = 'later'
      reported.push(...Array(await use(app, url)).fill('a call'))
      await assertAlive()
      faults.repair()
      if (!UNSEEN.includes(name)) expect(reported).not.toEqual([])
      expect(await use(app, url)).toBe(0)
    } catch (error) {
      if (when === 'later') throw error
    }

    await assertAlive()
  })
})
