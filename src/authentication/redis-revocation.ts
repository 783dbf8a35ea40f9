import type { ConnectionListener, RedisLocation } from '../redis/connection.ts'
import { type RedisOptions, toRedisSettings } from '../redis/options.ts'
import { StoreConnection } from '../redis/store.ts'
import { isBoolean } from '../utils/check.ts'
import type { OptionCheck } from '../utils/options.ts'
import type { RevocationStore } from './revocation.ts'

/** The options of {@link RedisRevocationStore}. */
export interface RedisRevocationOptions extends RedisOptions<RedisLocation> {
  /**
   * Whether no token is accepted while Redis has no key `<prefix>:whole`. An operator sets the key, and a Redis that has lost its
   * data has lost it too: tokens that were revoked do not become valid again. `false` when left out.
   */
  failClosed?: boolean
}

/** The option that `sync` has, too. */
export const FAIL_CLOSED: OptionCheck = [isBoolean, 'true or false']

/** How far the clocks of two processes may differ, in milliseconds: a token expires in one of them later than in the other. */
const MAX_SKEW = 5 * 60_000

/**
 * Remembers in Redis which tokens no longer count, so that all processes know. `sync` has one; by itself it is for
 * applications without real-time connections, which need no message of a revocation: the next request finds it.
 *
 * As long as Redis is away it throws: a token that may have been revoked is not accepted.
 *
 * @example
 * const revocation = new RedisRevocationStore({ redis: 'redis://localhost:6379' })
 *
 * await revocation.connect()
 * app.set('authentication', { ...settings, revocation })
 */
export class RedisRevocationStore implements RevocationStore {
  private readonly prefix: string
  /** The key that Redis has unless it has lost its data; `undefined` where that is not asked. */
  private readonly mark: string | undefined
  private readonly connection: StoreConnection

  /**
   * @param options Where Redis is
   * @throws TypeError for an option that is not valid
   */
  constructor(options: RedisRevocationOptions) {
    const settings = toRedisSettings('RedisRevocationStore', options ?? {}, { failClosed: FAIL_CLOSED })

    this.prefix = settings.prefix
    this.mark = options.failClosed ? `${this.prefix}:whole` : undefined
    this.connection = new StoreConnection(settings, { content: 'Revoked tokens' })
  }

  /**
   * Connects to Redis. From then on the connection comes back by itself.
   *
   * @param listener Called when it is lost
   * @throws Error when Redis does not respond in time
   */
  async connect(listener?: ConnectionListener): Promise<void> {
    await this.connection.open(listener, () => this.handleConnection())
  }

  /** Ends the connection. `connect` makes another one. */
  close(): void {
    this.connection.close()
  }

  /** @throws Unavailable when Redis does not respond: the id may be revoked then, or not */
  async revoke(id: string, expiresAt: number): Promise<boolean> {
    const reply = await this.connection.ask((client) =>
      client.set(this.toKey(id), '1', { ...toExpiration(expiresAt), condition: 'NX' })
    )

    return reply === 'OK'
  }

  /** @throws Unavailable when Redis does not respond, and with `failClosed` when it may have lost what was revoked */
  async isRevoked(id: string): Promise<boolean> {
    const { mark } = this
    const key = this.toKey(id)

    if (mark === undefined) return (await this.connection.ask((client) => client.exists(key))) > 0

    return await this.connection.ask(async (client) => {
      const [revoked, whole] = await client.mGet([key, mark])

      if (whole === null) throw new Error(`Redis has no key '${mark}': it may have lost revoked tokens`)

      return revoked !== null
    })
  }

  /** Whether Redis can be asked now. */
  protected get isConnected(): boolean {
    return this.connection.isReady
  }

  /** Runs when Redis can be asked, at first and again. */
  protected handleConnection(): void {}

  private toKey(id: string): string {
    return `${this.prefix}:revoked:${id}`
  }
}

/** When Redis may forget a key: after some time, and not at a time, because its clock may be another one; or never. */
function toExpiration(expiresAt: number): { expiration?: { type: 'PX'; value: number } } {
  const time = Math.ceil(expiresAt - Date.now()) + MAX_SKEW

  // Redis cannot count with it.
  if (time >= Number.MAX_SAFE_INTEGER) return {}

  return { expiration: { type: 'PX', value: Math.max(1, time) } }
}
