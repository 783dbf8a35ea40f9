import { onTestFinished, vi } from 'vitest'
import {
  AuthenticationService,
  authenticate,
  hashPassword,
  JWTStrategy,
  LocalStrategy,
  MemoryRevocationStore,
  protect,
  type RevocationStore
} from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import type { EndedSession } from '../../src/sessions/types.ts'
import { handleSocket, type SocketReply } from '../../src/transport.ts'
import { LOCAL, SECRET } from '../authentication/app.ts'

export const WREN = { email: 'wren@example.org', password: 'correct horse' }

export const LOGIN = { strategy: 'local', ...WREN, refresh: true }

export const MINUTE = 60_000
export const DAY = 86_400_000

/** What processes share. */
export interface Shared {
  readonly users: any
  readonly sessions: any
  readonly revocation: RevocationStore
}

export function createShared(): Shared {
  const ids = new MemoryRevocationStore()
  const listeners = new Set<(id?: string) => void>()
  const announce = (id: string) => {
    for (const listener of listeners) listener(id)
  }

  return {
    users: memory({ startId: 1 }),
    sessions: memory(),
    revocation: {
      isRevoked: (id) => ids.isRevoked(id),
      revoke(id, expiresAt) {
        announce(id)

        return ids.revoke(id, expiresAt)
      },
      announce,
      subscribe(listener) {
        listeners.add(listener)

        return () => void listeners.delete(listener)
      }
    }
  }
}

/** An application without transports. */
export async function createApp(options: Parameters<typeof configureSessions>[1] = {}) {
  const app: any = alula()
  const ended: EndedSession[] = []

  configureSessions(app, options)
  app.on('session:ended', (event: EndedSession) => ended.push(event))
  await app.setup()
  onTestFinished(async () => void (await app.teardown()))

  const authentication = app.service('authentication')
  const asClient = (accessToken?: string) =>
    app.asClient(accessToken ? { authentication: { strategy: 'jwt', accessToken } } : {})

  return {
    app,
    ended,
    authentication,
    asClient,
    logIn: (data: object = {}, accessToken?: string): Promise<any> =>
      asClient(accessToken)
        .service('authentication')
        .create({ ...LOGIN, ...data }),
    refresh: (refreshToken: string): Promise<any> =>
      asClient().service('authentication').create({ strategy: 'refresh', refreshToken }),
    use: (accessToken: string): Promise<unknown> => asClient(accessToken).service('notes').find(),
    logOut: (token: string, id: string | null = null): Promise<any> =>
      asClient(token).service('authentication').remove(id),
    connect: (since: number) => new Socket(app, since),
    /** As the user does. */
    patch: (accessToken: string, data: object): Promise<any> =>
      asClient(accessToken).service('users').patch(1, data)
  }
}

/** A connection of a client, by a transport that is in memory. */
export class Socket {
  /** When it was logged in last. */
  since: number
  isClosed = false
  private readonly app: any
  private readonly connection = { provider: 'memory', headers: {} }

  constructor(app: any, since: number) {
    this.app = app
    this.since = since

    const close = (connection: object) => {
      if (connection !== this.connection) return

      this.isClosed = true
      app.off('disconnect', close)
    }

    app.on('disconnect', close)
    app.emit('connection', this.connection)
  }

  call(method: string, path: string, ...args: unknown[]): Promise<SocketReply> {
    return handleSocket(this.app, { method, path, args, connection: this.connection }, () => undefined)
  }

  /** As when a network fails. */
  lose(): void {
    this.app.emit('disconnect', this.connection)
  }
}

/** What the applications of these tests differ in, beside settings of their authentication service. */
interface SessionOptions {
  /** `false` where sessions are off. */
  readonly refresh?: object | false
  readonly shared?: Partial<Shared>
  /** The field that names a user. */
  readonly by?: string
  readonly [setting: string]: any
}

/** Adds users who log in, with sessions, and a service that needs a login. */
export function configureSessions(
  app: any,
  { refresh = {}, shared, by, ...settings }: SessionOptions = {}
): void {
  app.set('authentication', {
    secret: SECRET,
    service: 'users',
    entity: 'user',
    authStrategies: ['jwt', 'local'],
    local: { ...LOCAL, hasher: HASHER },
    ...(shared?.revocation && { revocation: shared.revocation }),
    ...(refresh && { refresh: { ...(shared?.sessions && { store: 'sessions' }), ...refresh } }),
    ...settings
  })

  const auth = new AuthenticationService(app)

  auth.register('jwt', new JWTStrategy())
  auth.register('local', new LocalStrategy())
  app.use('users', shared?.users ?? memory({ startId: 1 }), {
    methods: ['get', 'create', 'patch', 'remove'],
    ...(by && { by })
  })
  if (shared?.sessions) app.use('sessions', shared.sessions, { methods: [] })
  app.use('authentication', auth)
  app.use('notes', { find: async () => ['a note'] }, { methods: ['find'] })
  app.service('notes').hooks({ before: { find: [authenticate('jwt')] } })
  app.service('users').hooks({
    before: {
      get: [authenticate('jwt')],
      create: [hashPassword('password')],
      patch: [authenticate('jwt'), hashPassword('password')],
      remove: [authenticate('jwt')]
    },
    after: { all: [protect('password')] }
  })
}

/** The clock of this process, which stands still until it is set. Timers go on. */
export function stopClock(): { advance(milliseconds: number): void; now(): number } {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_800_000_000_000 })

  return {
    advance: (milliseconds) => void vi.setSystemTime(Date.now() + milliseconds),
    now: () => Date.now()
  }
}

/** The clock of this process and its timers, which stand still until they are set. */
export function stopTimers(): { advance(milliseconds: number): Promise<unknown> } {
  vi.useFakeTimers({
    toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
    now: 1_800_000_000_000
  })

  return { advance: (milliseconds) => vi.advanceTimersByTimeAsync(milliseconds) }
}

/** Of no cost. Two hashes of one password differ. */
const HASHER = {
  hash: async (password: string) => `${Math.random()}:${password}`,
  compare: async (password: string, hash: string) => hash.slice(hash.indexOf(':') + 1) === password
}
