/** How many points of a key are taken, and for how many milliseconds they stay taken. */
export interface TakenPoints {
  readonly count: number
  readonly resetIn: number
}

/** Keeps what failed logins are counted by. One in memory is the default; `RedisLoginBudgetStore` is for several processes. */
export interface LoginBudgetStore {
  /**
   * Takes one point of a key, and says how many are taken then. The first one begins the time, at whose end all are given back.
   *
   * @param key What is counted
   * @param duration How long points stay taken, in milliseconds
   */
  take(key: string, duration: number): TakenPoints | Promise<TakenPoints>
  /** Gives one point of a key back. */
  giveBack(key: string, duration: number): void | Promise<void>
  /** Remembers for 30 days that an account was used from an address: of the latest ten. */
  know(account: string, address: string): void | Promise<void>
  /** Whether an account was used from an address. */
  knows(account: string, address: string): boolean | Promise<boolean>
}

/** How long an address of an account is known, in milliseconds. */
export const KNOWN_FOR = 30 * 24 * 60 * 60_000

/** How many addresses of an account are known. */
export const MAX_KNOWN = 10

/** How many keys are counted, and how many accounts have known addresses: at least this many are kept, and at most twice as many. */
const MAX_KEYS = 25_000

interface Counter {
  count: number
  readonly endsAt: number
}

/** Counts in the memory of this process. What was used longest ago makes room: under an attack, what is attacked stays. */
export class MemoryLoginBudgetStore implements LoginBudgetStore {
  private readonly counters = new Latest<Counter>()
  /** By account: addresses, and when each is forgotten. */
  private readonly known = new Latest<Map<string, number>>()

  /** How many keys and accounts are kept. */
  get size(): number {
    return this.counters.size + this.known.size
  }

  take(key: string, duration: number): TakenPoints {
    const now = Date.now()
    const found = this.counters.get(key)
    const counter = found && found.endsAt > now ? found : { count: 0, endsAt: now + duration }

    counter.count++
    this.counters.set(key, counter)

    return { count: counter.count, resetIn: counter.endsAt - now }
  }

  /** Whether a point of a key is taken. */
  has(key: string): boolean {
    return (this.counters.get(key)?.endsAt ?? 0) > Date.now()
  }

  giveBack(key: string): void {
    const counter = this.counters.get(key)

    if (!counter) return

    counter.count--
    // Logins that take no points must not evict the counters of others.
    if (counter.count === 0) this.counters.delete(key)
  }

  know(account: string, address: string): void {
    const addresses = this.known.get(account) ?? new Map<string, number>()

    addresses.delete(address)
    addresses.set(address, Date.now() + KNOWN_FOR)
    if (addresses.size > MAX_KNOWN) addresses.delete(addresses.keys().next().value as string)
    this.known.set(account, addresses)
  }

  knows(account: string, address: string): boolean {
    return (this.known.get(account)?.get(address) ?? 0) > Date.now()
  }
}

/** A map that forgets what was set longest ago, half of it at once: to find the oldest entry of a `Map` takes long. */
class Latest<Value> {
  private recent = new Map<string, Value>()
  private older = new Map<string, Value>()

  get size(): number {
    return this.recent.size + this.older.size
  }

  get(key: string): Value | undefined {
    return this.recent.get(key) ?? this.older.get(key)
  }

  delete(key: string): void {
    this.recent.delete(key)
    this.older.delete(key)
  }

  set(key: string, value: Value): void {
    this.older.delete(key)
    this.recent.set(key, value)

    if (this.recent.size < MAX_KEYS) return

    this.older = this.recent
    this.recent = new Map()
  }
}
