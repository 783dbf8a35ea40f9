import type { RedisSettings } from '../redis/options.ts'
import { StoreConnection } from '../redis/store.ts'
import type { SessionChanges, SessionStore, StoredSession } from './types.ts'

/** How far the clocks of a process and of Redis may differ, in milliseconds. */
const MAX_SKEW = 5 * 60_000

/** Stores a session, and its id for its user: KEYS are both, ARGV the id, for how long, and the fields with their values. */
const CREATE = `
redis.call('HSET', KEYS[1], unpack(ARGV, 3))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('SADD', KEYS[2], ARGV[1])
if redis.call('PTTL', KEYS[2]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[2], ARGV[2]) end`

/** Compares and swaps: ARGV are how many fields are expected, these with their values, and those that change with theirs. */
const UPDATE = `
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
local first = 2 + 2 * ARGV[1]
for i = 2, first - 1, 2 do
  if redis.call('HGET', KEYS[1], ARGV[i]) ~= ARGV[i + 1] then return 0 end
end
redis.call('HSET', KEYS[1], unpack(ARGV, first))
return 1`

/** Keeps sessions in Redis, for all processes. As long as Redis is away, no session begins or is refreshed. */
export class RedisSessionStore extends StoreConnection implements SessionStore {
  private readonly prefix: string

  /** @param owner The authentication service, in names of keys */
  constructor(settings: RedisSettings, owner: string) {
    super(settings, { content: 'Sessions', user: "The option 'refresh.store'" })
    this.prefix = `${settings.prefix}:${owner}`
  }

  async create(session: StoredSession): Promise<void> {
    const { id, userId, expiresAt } = session
    const lifetime = Math.max(1, Math.ceil(expiresAt - Date.now())) + MAX_SKEW

    await this.ask((client) =>
      client.eval(CREATE, {
        keys: [this.toKey(id), this.toUserKey(userId)],
        arguments: [id, String(lifetime), ...toFields(session)]
      })
    )
  }

  async get(id: string): Promise<StoredSession | undefined> {
    return toSession(await this.ask((client) => client.hGetAll(this.toKey(id))))
  }

  async update(id: string, expected: SessionChanges, changes: SessionChanges): Promise<boolean> {
    const count = Object.keys(expected).length
    const changed = await this.ask((client) =>
      client.eval(UPDATE, {
        keys: [this.toKey(id)],
        arguments: [String(count), ...toFields(expected), ...toFields(changes)]
      })
    )

    return changed === 1
  }

  /** Its id stays with its user until the sessions of the user are read. */
  async remove(id: string): Promise<boolean> {
    return (await this.ask((client) => client.del(this.toKey(id)))) > 0
  }

  async findByUser(userId: string): Promise<readonly StoredSession[]> {
    const key = this.toUserKey(userId)

    return this.ask(async (client) => {
      const ids = await client.sMembers(key)
      const found = await Promise.all(ids.map(async (id) => toSession(await client.hGetAll(this.toKey(id)))))
      const gone = ids.filter((_, index) => !found[index])

      if (gone.length > 0) await client.sRem(key, gone)

      return found.filter((session) => session !== undefined)
    })
  }

  private toKey(id: string): string {
    return `${this.prefix}:session:${id}`
  }

  private toUserKey(userId: string): string {
    return `${this.prefix}:sessions:${userId}`
  }
}

/** Each value as JSON: a hash of Redis has strings alone. */
function toFields(values: object): string[] {
  return Object.entries(values).flatMap(([name, value]) => [name, JSON.stringify(value)])
}

function toSession(fields: { readonly [name: string]: unknown }): StoredSession | undefined {
  const entries = Object.entries(fields).map(([name, value]) => [name, JSON.parse(String(value))])

  return entries.length > 0 ? Object.fromEntries(entries) : undefined
}
