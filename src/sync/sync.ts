import type { ServiceEvent } from '../core/publish.ts'
import type { ApplicationHookContext, NextFunction } from '../core/types.ts'
import { isStringList } from '../utils/check.ts'
import type { RedisLocation } from './connection.ts'
import { Link, type LinkSettings } from './link.ts'
import { SharedRevocationStore } from './revocation.ts'

/** The options of {@link sync}. They have to be the same in all processes. */
export interface SyncOptions {
  /**
   * Where Redis is: a URL, options of `createClient` of the package `redis`, or a client that it made. A client is only
   * asked for others like it.
   */
  redis: RedisLocation
  /** What the names of keys begin with, so that several applications can share one Redis; `alula` when left out. */
  prefix?: string
  /** How many events Redis keeps for processes that are away for a while, and each process as long as Redis is away. */
  maxLength?: number
  /** The names of params that publishers need besides `provider`, `query`, `route` and the entity. */
  params?: readonly string[]
  /** Which events leave the process; all but those of authentication services when left out. */
  filter?: (event: ServiceEvent) => boolean
  /** `false` leaves it to authentication services to remember which tokens were revoked. */
  revocation?: boolean
  /** How long set-up waits for Redis, in milliseconds; 5000 when left out. */
  connectTimeout?: number
}

/** What must not leave the process. */
const PRIVATE_PARAMS = ['headers', 'authentication', 'connection']

/** By the relays of applications, which are the same when an application has become a part of another object. */
const configured = new WeakSet<object>()

/**
 * Connects the processes of one application over Redis: the events of a service reach the connections of all of them,
 * and so do the revocations of tokens.
 *
 * The application emits `sync:away` and `sync:back` with `{ since, error }`, and `sync:gap` with `{ origin, missed }`
 * for what did not arrive; `error` hears of both, too.
 *
 * @param options Where Redis is, and what to send over it
 * @returns A function for `app.configure`. `app.setup()` rejects when Redis can not be reached
 * @throws TypeError for an option that is not valid
 * @example
 * app.configure(sync({ redis: 'redis://localhost:6379' }))
 */
export function sync(options: SyncOptions): (app: any) => void {
  const { revocation = true, ...settings } = toSettings(options)

  return (app) => {
    const revocations = revocation ? new SharedRevocationStore(settings) : undefined
    let starting: Promise<Link> | undefined

    async function stop(): Promise<void> {
      const link = await starting?.catch(() => undefined)

      starting = undefined
      await link?.stop()
    }

    async function startSync({ app }: ApplicationHookContext<any>, next: NextFunction): Promise<void> {
      // There may be several servers, each of which is set up.
      starting ??= start(app, { ...settings, revocations })

      try {
        await starting
        if (revocations) installRevocations(app, revocations)
        await next()
      } catch (error) {
        await stop()
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

    if (app._isSetup) throw new Error("'alula/sync' has to be configured before the application is set up")
    if (configured.has(app._relays)) throw new Error("'alula/sync' is configured on the application already")

    configured.add(app._relays)

    app.hooks({ setup: [startSync], teardown: [stopSync] })
  }
}

function toSettings(
  {
    redis,
    prefix = 'alula',
    maxLength = 10_000,
    params = [],
    filter = () => true,
    revocation = true,
    connectTimeout = 5000,
    ...others
  }: SyncOptions = {} as SyncOptions
): Omit<LinkSettings, 'revocations'> & { revocation: boolean } {
  const [unknown] = Object.keys(others)

  if (unknown !== undefined) throw new TypeError(`Unknown option '${unknown}' of sync`)

  assertOption(
    'redis',
    isLocation(redis),
    'a URL, options of createClient (with host and port in socket), or a client'
  )
  assertOption('prefix', typeof prefix === 'string' && prefix !== '', 'a text that is not empty')
  assertOption('maxLength', Number.isSafeInteger(maxLength) && maxLength > 0, 'a number of events')
  assertOption('params', isStringList(params), 'an array of names')
  for (const name of params) assertOption('params', !PRIVATE_PARAMS.includes(name), `no '${name}'`)
  assertOption('filter', typeof filter === 'function', 'a function')
  assertOption('revocation', typeof revocation === 'boolean', 'true or false')
  assertOption('connectTimeout', connectTimeout > 0, 'a number of milliseconds')

  return {
    ...{ redis, prefix, maxLength, params, revocation, connectTimeout },
    filter: (event) => !isAuthentication(event.context.service) && filter(event)
  }
}

async function start(app: any, settings: LinkSettings): Promise<Link> {
  const link = new Link(app, settings)

  try {
    await link.start()
  } catch (error) {
    await link.stop()
    throw error
  }

  return link
}

/** Where nothing else was chosen. */
function installRevocations({ services }: any, revocation: SharedRevocationStore): void {
  for (const service of Object.values<any>(services)) {
    if (!isAuthentication(service) || service.configuration.revocation !== undefined) continue

    const { app, configKey } = service

    app.set(configKey, { ...app.get(configKey), revocation })
  }
}

/** Its events hold access tokens. */
function isAuthentication(service: any): boolean {
  return typeof service?.revokeAccessToken === 'function'
}

function isLocation(redis: unknown): boolean {
  // There they would be ignored, and Redis looked for on this machine.
  const isMisplaced = ['host', 'port'].some((name) => Object.hasOwn(Object(redis), name))

  return (
    (typeof redis === 'string' && redis !== '') ||
    (typeof redis === 'object' && redis !== null && !isMisplaced)
  )
}

function assertOption(name: string, isValid: boolean, expected: string): void {
  if (!isValid) throw new TypeError(`Invalid option '${name}' of sync: expected ${expected}`)
}
