import { createHash } from 'node:crypto'
import type { RateLimiterRedis } from 'rate-limiter-flexible'
import type { Client, RedisLocation } from '../redis/connection.ts'
import { type RedisOptions, type RedisSettings, toRedisSettings } from '../redis/options.ts'
import { StoreConnection } from '../redis/store.ts'
import { createDebug } from '../utils/debug.ts'
import { rethrowMissingPeer } from '../utils/peer.ts'
import {
  KNOWN_FOR,
  type LoginBudgetStore,
  MAX_KNOWN,
  MemoryLoginBudgetStore,
  type TakenPoints
} from './store.ts'

/** The options of {@link RedisLoginBudgetStore}. */
export interface RedisLoginBudgetOptions extends RedisOptions<RedisLocation> {}

/** For how long, in milliseconds, a Redis that has not responded is not asked. */
const PAUSE = 2000

/** More points than are ever taken: what is too many is decided elsewhere. */
const POINTS = Number.MAX_SAFE_INTEGER

/** Deletes a counter without points in the same step, as the memory does: a counter below zero would be one point more. */
const GIVE_BACK = "if redis.call('DECR', KEYS[1]) <= 0 then redis.call('DEL', KEYS[1]) end"

const debug = createDebug('alula:redis')

/**
 * Counts failed logins in Redis, by the package `rate-limiter-flexible`: several processes have one budget. As long as Redis is
 * away, each process counts in its memory.
 *
 * @example
 * const store = new RedisLoginBudgetStore({ redis: 'redis://localhost:6379' })
 *
 * await store.connect()
 * app.set('authentication', { ...settings, budget: { store } })
 */
export class RedisLoginBudgetStore implements LoginBudgetStore {
  private readonly settings: RedisSettings
  private readonly memory = new MemoryLoginBudgetStore()
  private readonly connection: StoreConnection
  private Limiter: typeof RateLimiterRedis | undefined
  private pausedUntil = 0
  /** By duration. */
  private readonly limiters = new Map<number, RateLimiterRedis>()

  /**
   * @param options Where Redis is
   * @throws TypeError for an option that is not valid
   */
  constructor(options: RedisLoginBudgetOptions) {
    this.settings = toRedisSettings('RedisLoginBudgetStore', options ?? {})
    this.connection = new StoreConnection(this.settings, { content: 'Failed logins' })
  }

  /**
   * Connects to Redis. From then on the connection comes back by itself.
   *
   * @throws Error when Redis does not respond in time, and without the package `rate-limiter-flexible`
   */
  async connect(): Promise<void> {
    const { RateLimiterRedis } = await import('rate-limiter-flexible').catch(
      rethrowMissingPeer('rate-limiter-flexible', 'RedisLoginBudgetStore')
    )

    await this.connection.open()
    this.limiters.clear()
    this.Limiter = RateLimiterRedis
  }

  /** Ends the connection. `connect` makes another one. */
  close(): void {
    this.connection.close()
    this.limiters.clear()
  }

  take(key: string, duration: number): Promise<TakenPoints> {
    let isInMemory = false

    return this.ask(
      async (client) => {
        const limiter = this.toLimiter(client, duration)
        const { consumedPoints: count, msBeforeNext: resetIn } = await limiter.consume(key)

        // Redis was late: this point belongs to no login, and would stay taken.
        if (isInMemory) await client.eval(GIVE_BACK, { keys: [limiter.getKey(key)] })

        return { count, resetIn }
      },
      () => {
        isInMemory = true

        return this.memory.take(key, duration)
      }
    )
  }

  /** Where it was taken. Redis is asked during a pause, too: otherwise the point would stay taken. */
  async giveBack(key: string, duration: number): Promise<void> {
    if (this.memory.has(key)) return this.memory.giveBack(key)
    if (!this.connection.isReady) return

    try {
      await this.connection.ask((client) =>
        client.eval(GIVE_BACK, { keys: [this.toLimiter(client, duration).getKey(key)] })
      )
    } catch (error) {
      this.pause(error as Error)
    }
  }

  know(account: string, address: string): Promise<void> {
    const key = this.toKey(account)

    return this.ask(
      async (client) => {
        const now = Date.now()

        await client
          .multi()
          .zAdd(key, { score: now, value: toDigest(account, address) })
          .zRemRangeByRank(key, 0, -MAX_KNOWN - 1)
          .pExpire(key, KNOWN_FOR)
          .exec()
      },
      () => this.memory.know(account, address)
    )
  }

  knows(account: string, address: string): Promise<boolean> {
    return this.ask(
      async (client) => {
        const usedAt = await client.zScore(this.toKey(account), toDigest(account, address))

        return usedAt !== null && usedAt + KNOWN_FOR > Date.now()
      },
      () => this.memory.knows(account, address)
    )
  }

  private toLimiter(client: Client, duration: number): RateLimiterRedis {
    const known = this.limiters.get(duration)

    if (known) return known

    const { Limiter, settings } = this

    if (!Limiter) throw new Error('The store is not connected')

    const limiter = new Limiter({
      storeClient: client,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
      keyPrefix: `${settings.prefix}:login-budget`,
      points: POINTS,
      duration: duration / 1000
    })

    this.limiters.set(duration, limiter)

    return limiter
  }

  private toKey(account: string): string {
    return `${this.settings.prefix}:login-addresses:${account}`
  }

  private async ask<T>(question: (client: Client) => Promise<T>, inMemory: () => T): Promise<T> {
    if (!this.connection.isReady || this.pausedUntil > Date.now()) return inMemory()

    try {
      return await this.connection.ask(question)
    } catch (error) {
      this.pause(error as Error)

      return inMemory()
    }
  }

  private pause(error: Error): void {
    this.pausedUntil = Date.now() + PAUSE
    debug('Failed logins are counted in memory: %s', error.cause ?? error)
  }
}

/** A hash, so that Redis stores no addresses of users. */
function toDigest(account: string, address: string): string {
  return createHash('sha256').update(`${account} ${address}`).digest('base64url').slice(0, 22)
}
