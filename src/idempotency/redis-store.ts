import type { RedisSettings } from '../redis/options.ts'
import { StoreConnection } from '../redis/store.ts'
import { type Claim, type IdempotencyStore, STORE_TIMES, type StoredCall } from './types.ts'

/** Begins a call: ARGV are the token, the hash, and for how long; returns the hash and the response of another one. */
const BEGIN = `
if redis.call('EXISTS', KEYS[1]) == 1 then return redis.call('HMGET', KEYS[1], 'hash', 'response') end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'hash', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return false`

/**
 * ARGV are the token, the hash, the response, and for how long it is kept. After the lease, the key has expired: if no other
 * run has begun, the response is stored, or else a repetition would run the method again.
 */
const FINISH = `
local token = redis.call('HGET', KEYS[1], 'token')
if token and token ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'token', ARGV[1], 'hash', ARGV[2], 'response', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[4])
return 1`

const RELEASE = `
if redis.call('HGET', KEYS[1], 'token') == ARGV[1] then redis.call('DEL', KEYS[1]) end`

/** Keeps responses in Redis, for all processes. As long as Redis is away, calls with a key fail. */
export class RedisIdempotencyStore extends StoreConnection implements IdempotencyStore {
  private readonly prefix: string

  constructor(settings: RedisSettings) {
    super(settings, { content: 'Idempotency keys', user: "The option 'store' of idempotency()" })
    this.prefix = `${settings.prefix}:idempotency:`
  }

  async begin({ id, hash, token }: Claim): Promise<StoredCall | undefined> {
    const found = await this.run(BEGIN, id, [token, hash, String(STORE_TIMES.lease)])

    if (!Array.isArray(found)) return undefined

    const [storedHash, response] = found as [string, string | null]

    return { hash: storedHash, response: response ?? undefined }
  }

  async finish({ id, hash, token }: Claim, response: string): Promise<boolean> {
    return (await this.run(FINISH, id, [token, hash, response, String(STORE_TIMES.lifetime)])) === 1
  }

  async release({ id, token }: Claim): Promise<void> {
    await this.run(RELEASE, id, [token])
  }

  private async run(script: string, id: string, args: string[]): Promise<unknown> {
    return await this.ask((client) => client.eval(script, { keys: [this.prefix + id], arguments: args }))
  }
}
