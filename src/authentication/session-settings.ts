import { assertStoreService } from '../core/store-service.ts'
import type { RedisSettings } from '../redis/options.ts'
import { MemorySessionStore } from '../sessions/memory-store.ts'
import { type RefreshOptions, type RefreshSettings, toRefreshSettings } from '../sessions/options.ts'
import { RedisSessionStore } from '../sessions/redis-store.ts'
import { ServiceSessionStore } from '../sessions/service-store.ts'
import type { RefreshTokenKey } from '../sessions/token.ts'
import type { SessionStore } from '../sessions/types.ts'
import { isFunction, isString } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { isSamePlain } from '../utils/object.ts'
import { toSecrets } from './secret-keys.ts'
import type { AuthService } from './strategies.ts'

/** What the option `refresh` of an authentication service says: times, the store, the key of tokens. */
export class SessionSettings {
  private readonly service: AuthService
  private known: { readonly options: RefreshOptions; readonly settings: RefreshSettings } | undefined
  /** Used unless the configuration names a store. */
  private readonly ownStore = new MemorySessionStore()
  /** Where the configuration names a Redis. */
  private redis: { readonly location: unknown; readonly store: RedisSessionStore } | undefined

  constructor(service: AuthService) {
    this.service = service
  }

  /** The settings as they are now; `undefined` when sessions are off. */
  get current(): RefreshSettings | undefined {
    const { configKey, configuration } = this.service
    const { refresh: options } = configuration

    if (!options) return undefined

    if (this.known?.options !== options)
      this.known = { options, settings: toRefreshSettings(options, configKey) }

    return this.known.settings
  }

  /** The same, or the last ones: a call goes on by them when sessions are switched off during it. */
  get last(): RefreshSettings | undefined {
    return this.current ?? this.known?.settings
  }

  /** What the key of refresh tokens is derived from. */
  get key(): RefreshTokenKey {
    const { configKey, configuration } = this.service

    return { secrets: toSecrets(configuration.secret), service: configKey }
  }

  /** Where sessions are. */
  get store(): SessionStore {
    const { store } = this.last as RefreshSettings

    if (store === undefined) return this.ownStore
    if (isString(store)) return new ServiceSessionStore(this.service.app.service(store) as any)

    return this.getRedis(store)
  }

  /** Checks that sessions can be kept. Throws an Error with a sentence that says what is wrong. */
  assertStore(): void {
    const store = this.current?.store

    if (isString(store)) {
      assertStoreService(this.service.app.service(store), store, 'refresh.store', 'sessions')
      this.assertOwnStore(store)
    } else if (store && this.service.isReady) this.getRedis(store)
  }

  /** Connects to the Redis that the configuration names. Throws an Error when it does not respond in time. */
  async open(): Promise<void> {
    const store = this.current?.store

    if (!store || isString(store) || this.redis) return

    const opened = new RedisSessionStore(store, this.service.configKey)

    await opened.open()
    this.redis = { location: store.redis, store: opened }
  }

  /** Ends the connection to Redis. */
  close(): void {
    this.redis?.store.close()
    this.redis = undefined
  }

  /** Names the time for which tokens of an ended session stay valid in other processes. */
  warnOfOwnRevocations(): void {
    const { current } = this

    if (current?.store === undefined || this.service.configuration.revocation !== undefined) return

    process.emitWarning(
      `Sessions are in a store, but revoked tokens are in the memory of this process: in other processes the access tokens of ` +
        `a session that has ended are valid for another ${current.accessExpiresIn / 1000} seconds. ` +
        `Configure 'alula/sync' or the option 'revocation'`,
      { code: 'ALULA_OWN_REVOCATIONS' }
    )
  }

  /** The ids of their users may be the same: one would list and end the sessions of the other. */
  private assertOwnStore(path: string): void {
    const { app, configKey } = this.service
    const other = Object.values<any>(app.services).find(
      (service) =>
        isFunction(service.verifyAccessToken) &&
        service.configKey !== configKey &&
        service.configuration.refresh?.store === path
    )

    if (!other) return

    throw createError(
      'ALULA_INVALID_OPTION',
      `The authentication services of the settings '${other.configKey}' and '${configKey}' both keep sessions in '${path}': ` +
        "give each its own 'refresh.store'"
    )
  }

  private getRedis({ redis }: RedisSettings): RedisSessionStore {
    // By content: a configuration that is set again, or has defaults, holds a copy of the options.
    if (!this.redis || !isSamePlain(this.redis.location, redis)) {
      throw createError(
        'ALULA_INVALID_OPTION',
        "The option 'refresh.store' names a Redis that is not connected: set it before the application is set up"
      )
    }

    return this.redis.store
  }
}
