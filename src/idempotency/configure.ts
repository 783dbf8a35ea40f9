import { assertBeforeSetup, assertCalled } from '../core/assert-application.ts'
import { addRepetition } from '../core/gate.ts'
import { addPlugin } from '../core/internals.ts'
import { takesKey } from '../core/repeatable.ts'
import { assertStoreService } from '../core/store-service.ts'
import type { Application, ApplicationHookContext, FeathersService, NextFunction } from '../core/types.ts'
import { getTraits } from '../hooks/traits.ts'
import { type RedisOptions, toRedisSettings } from '../redis/options.ts'
import { isCount, isObject, isString } from '../utils/check.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import { MemoryIdempotencyStore } from './memory-store.ts'
import { RedisIdempotencyStore } from './redis-store.ts'
import { type IdempotencySettings, Repetition } from './repetition.ts'
import { ServiceIdempotencyStore } from './service-store.ts'
import type { IdempotencyStore } from './types.ts'

/** The options of {@link idempotency}. */
export interface IdempotencyOptions {
  /** The path of a service that keeps keys and responses, or a Redis; the memory of the process when left out. */
  store?: string | RedisOptions
  /** How many bytes of JSON a response may have that is kept; 1 MiB when left out. */
  maxSize?: number
}

const CHECKS: OptionChecks = {
  store: [(store) => isString(store) || isObject(store), 'the path of a service, or { redis } with a URL'],
  maxSize: [isCount, 'a number of bytes']
}

/**
 * Lets clients repeat a call without a second effect: a request with `POST` or `PATCH` and the header `Idempotency-Key`
 * (draft-ietf-httpapi-idempotency-key-header) gets the response of the first one with this key for 24 hours. Another request
 * with the key fails with 422, and with 409 while the first one runs.
 *
 * It concerns `create`, `patch` and custom methods of all services, but those of the library that log in.
 *
 * @param options Where keys are kept
 * @returns A function for `app.configure`. `app.setup()` rejects where the store cannot be used
 * @throws TypeError for an option that is not valid
 * @example
 * app.configure(idempotency({ store: { redis: 'redis://localhost:6379' } }))
 */
export function idempotency(options: IdempotencyOptions = {}): (app: any) => void {
  assertCalled('idempotency', options)
  assertOptions<unknown>('idempotency', options, CHECKS)

  const { store: place, maxSize = 1024 * 1024 } = options
  const redis = isObject(place) ? toRedisSettings('idempotency', place, {}, 'store') : undefined

  return (app: Application) => {
    assertBeforeSetup(app, 'alula/idempotency')
    addPlugin(app, 'idempotency', "'alula/idempotency' is configured on the application already")

    const shared = redis && new RedisIdempotencyStore(redis)
    let store: IdempotencyStore | undefined = isString(place)
      ? undefined
      : (shared ?? new MemoryIdempotencyStore())

    // With a call at the latest: hooks of `setup` do not run for a sub-application.
    const getStore = () => (store ??= findService(app, place as string))

    async function open(_context: ApplicationHookContext, next: NextFunction): Promise<void> {
      getStore()
      // Once for all servers: to connect again refuses the commands that wait for a reply.
      if (!shared?.isOpen) await shared?.open()
      await next()
    }

    async function close(_context: unknown, next: NextFunction): Promise<void> {
      try {
        await next()
      } finally {
        shared?.close()
      }
    }

    app.hooks({ setup: [open], teardown: [close] })
    addToServices(app, () => ({ store: getStore(), maxSize }))
  }
}

function findService(app: Application, path: string): IdempotencyStore {
  const service: unknown = app.service(path)

  assertStoreService(service, path, 'store', 'idempotency keys')

  return new ServiceIdempotencyStore(service)
}

/** Has calls of the services that there are, and of those that come, repeated. */
function addToServices(app: Application, getSettings: () => IdempotencySettings): void {
  const add = (service: FeathersService, path: string) => {
    // What logs in gives out credentials.
    if (getTraits(service).access) return

    const repetition = new Repetition(path, getSettings)

    addRepetition(service, (method, layers) => (takesKey(service, method) ? repetition.wrap(layers) : layers))
  }

  for (const [path, service] of Object.entries(app.services)) add(service as FeathersService, path)
  app.mixins.push(add)
}
