import { FAIL_CLOSED } from '../authentication/redis-revocation.ts'
import { assertBeforeSetup } from '../core/assert-application.ts'
import { addPlugin, type ServiceEvent } from '../core/internals.ts'
import type { Application, ApplicationHookContext, NextFunction } from '../core/types.ts'
import type { RedisLocation } from '../redis/connection.ts'
import { type RedisOptions, toRedisSettings } from '../redis/options.ts'
import { isBoolean, isCount, isFunction, isStringList } from '../utils/check.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { isPlainObject } from '../utils/object.ts'
import { assertOption, type OptionChecks } from '../utils/options.ts'
import { Link, type LinkSettings } from './link.ts'
import { SharedRevocationStore } from './revocation.ts'

/** The options of {@link sync}. They have to be the same in all processes. */
export interface SyncOptions extends RedisOptions<RedisLocation> {
  /** How many bytes of events Redis keeps, and of its own events each process while Redis is away; 64 MiB when left out. */
  maxBytes?: number
  /** How long, in milliseconds, the connections of a process wait for its own events while Redis is away; 2000 when left out. */
  maxDelay?: number
  /** The names of params that publishers need besides `provider`, `query`, `route` and the entity. */
  params?: readonly string[]
  /** Which events leave the process; all but those of authentication services when left out. */
  filter?: (event: ServiceEvent) => boolean
  /** `false` leaves it to authentication services to remember which tokens were revoked. */
  revocation?: boolean
  /** As for `RedisRevocationStore`: no token is accepted while Redis has no key `<prefix>:whole`. */
  failClosed?: boolean
}

/** What must not leave the process. */
const PRIVATE_PARAMS = ['headers', 'authentication', 'connection']

const CHECKS: OptionChecks = {
  maxBytes: [(bytes) => isCount(bytes) && bytes > 0, 'a number of bytes'],
  maxDelay: [isCount, 'a number of milliseconds'],
  params: [
    (params) => isStringList(params) && !params.some((name) => PRIVATE_PARAMS.includes(name)),
    `an array of names other than ${PRIVATE_PARAMS.join(', ')}`
  ],
  filter: [isFunction, 'a function'],
  revocation: [isBoolean, 'true or false'],
  failClosed: FAIL_CLOSED
}

/**
 * Connects the processes of one application over Redis: the events of a service reach the connections of all of them,
 * and so do the revocations of tokens.
 *
 * The application emits `sync:away` and `sync:back` with `{ since, error }`, and `sync:gap` with `{ services }`
 * for what did not arrive, without names where it may be of any. `sync:away` and `sync:gap` are emitted as `error` too.
 *
 * @param options Where Redis is, and what to send over it
 * @returns A function for `app.configure`. `app.setup()` rejects when Redis cannot be reached
 * @throws TypeError for an option that is not valid
 * @example
 * app.configure(sync({ redis: 'redis://localhost:6379' }))
 */
export function sync(options: SyncOptions): (app: any) => void {
  const { revocation, failClosed, ...settings } = toSettings(options)

  return (app: Application) => {
    assertBeforeSetup(app, 'alula/sync')
    addPlugin(app, 'sync', "'alula/sync' is configured on the application already")

    const { redis, prefix, connectTimeout } = settings
    const revocations = revocation
      ? new SharedRevocationStore({ redis, prefix, connectTimeout, failClosed })
      : undefined
    let running: { readonly link: Link; readonly started: Promise<void> } | undefined
    let servers = 0

    async function stop(): Promise<void> {
      const ending = running

      running = undefined
      servers = 0
      await ending?.started.catch(() => undefined)
      await ending?.link.stop()
    }

    async function startSync({ app }: ApplicationHookContext, next: NextFunction): Promise<void> {
      // There may be several servers, each of which is set up.
      servers++

      if (!running) {
        const link = new Link(app, { ...settings, revocations })

        running = { link, started: link.start() }
      }

      try {
        await running.started
        if (revocations) installRevocations(app, revocations)
        await next()
      } catch (error) {
        // Another server may still use it.
        if (running && --servers === 0) await stop()
        throw error
      }
    }

    async function stopSync(_context: unknown, next: NextFunction): Promise<void> {
      try {
        await next()
      } finally {
        await stop()
      }
    }

    app.hooks({ setup: [startSync], teardown: [stopSync] })
  }
}

function toSettings(
  options: SyncOptions
): Omit<LinkSettings, 'revocations'> & { revocation: boolean; failClosed: boolean } {
  // The application, among others, which is what `app.configure(sync)` gives.
  if (!isPlainObject(options))
    throw createTypeError(
      'ALULA_INVALID_ARGUMENT',
      'sync expects options, as in app.configure(sync({ redis }))'
    )

  const settings = toRedisSettings('sync', options, CHECKS)
  const {
    maxBytes = 64 * 1024 * 1024,
    maxDelay = 2000,
    params = [],
    filter = () => true,
    revocation = true,
    failClosed = false
  } = options

  if (failClosed) {
    assertOption('sync', 'revocation', revocation, [
      (isShared) => isShared === true,
      "true with 'failClosed', which is about the store of 'sync'"
    ])
  }

  return {
    ...{ ...settings, maxBytes, maxDelay, params, revocation, failClosed },
    filter: (event) => !isAuthentication(event.context.service) && filter(event)
  }
}

/** Where nothing else was chosen. */
function installRevocations({ services }: Application, revocation: SharedRevocationStore): void {
  for (const service of Object.values<unknown>(services)) {
    if (!isAuthentication(service) || service.configuration.revocation !== undefined) continue

    const { app, configKey } = service

    app.set(configKey, { ...app.get(configKey), revocation })
  }
}

/** A service that issues tokens, as far as it matters here. */
interface TokenService {
  readonly app: Application
  /** The setting that its configuration is in. */
  readonly configKey: string
  readonly configuration: { readonly revocation?: unknown }
  revokeAccessToken(accessToken: string): Promise<unknown>
}

/** Its events hold access tokens. */
function isAuthentication(service: unknown): service is TokenService {
  return typeof (service as Partial<TokenService> | undefined)?.revokeAccessToken === 'function'
}
