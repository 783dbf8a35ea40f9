import { onTestFinished } from 'vitest'
import { AuthenticationService, hashPassword, JWTStrategy, LocalStrategy } from '../../src/authentication.ts'
import { toEventData } from '../../src/core/publish.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { type SyncOptions, sync } from '../../src/sync.ts'
import { SECRET } from '../support/login.ts'
import { createPrefix, REDIS_URL } from '../support/redis.ts'

/** What an application did, as if it were a process. */
export interface Process {
  readonly app: any
  readonly things: any
  /** What connections got, in order. */
  readonly heard: { event: string; payload: any; data: any; context: any }[]
  /** What listeners of the service got. */
  readonly emitted: any[]
  readonly errors: any[]
  readonly gaps: any[]
  readonly statuses: string[]
}

/**
 * Starts an application with `things`, of which one connection hears all. It is torn down when the test ends.
 *
 * @param options Those of `sync`
 * @param configure What else there is
 */
export async function startProcess(
  options: SyncOptions,
  configure: (app: any) => void = () => undefined
): Promise<Process> {
  const app: any = alula()
  const process: Process = {
    app,
    heard: [],
    emitted: [],
    errors: [],
    gaps: [],
    statuses: [],
    get things() {
      return app.service('things')
    }
  }

  app.configure(sync(options))
  app.use('things', memory({ multi: true }), {
    methods: ['find', 'get', 'create', 'update', 'patch', 'remove'],
    events: ['custom']
  })
  configure(app)
  app.service('things').publish(() => app.channel('all'))
  app.channel('all').join({ of: app })
  app.on('publish', (event: string, _channel: unknown, context: any, data: unknown) => {
    process.heard.push({ event, payload: toEventData(context, data), data, context })
  })
  app.on('error', (error: any) => process.errors.push(error))
  app.on('sync:gap', (gap: unknown) => process.gaps.push(gap))
  app.on('sync:away', () => process.statuses.push('away'))
  app.on('sync:back', () => process.statuses.push('back'))
  for (const event of ['created', 'patched', 'custom']) {
    app.service('things').on(event, (data: unknown) => process.emitted.push(data))
  }

  onTestFinished(async () => void (await app.teardown()))
  await app.setup()

  return process
}

/** Starts two applications that share a prefix of the Redis of all tests. */
export async function startTwo(configure?: (app: any) => void, options: object = {}) {
  const prefix = createPrefix()
  const one = await startProcess({ redis: REDIS_URL, prefix, ...options }, configure)
  const other = await startProcess({ redis: REDIS_URL, prefix, ...options }, configure)

  return { one, other, prefix }
}

/** What `configureUsers` lets in. */
export const LOGIN = { strategy: 'local', email: 'wren@example.org', password: 'correct horse' }

/**
 * Gives an application users, and a service through which they log in.
 *
 * @param users Where they are
 */
export function configureUsers(app: any, users: any = memory(), settings: object = {}): void {
  app.set('authentication', {
    ...{ secret: SECRET, entity: 'user', service: 'users', authStrategies: ['jwt', 'local'] },
    local: { usernameField: 'email', passwordField: 'password', hashSize: 4 },
    ...settings
  })

  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  authentication.register('local', new LocalStrategy())
  app.use('users', users).use('authentication', authentication)
  app.service('users').hooks({ before: { create: [hashPassword('password')] } })
}

/** The payloads that the connection of a process got, in order. */
export function payloads({ heard }: Process): any[] {
  return heard.map(({ payload }) => payload)
}
