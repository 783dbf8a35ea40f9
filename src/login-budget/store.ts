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

/** How many keys are counted, and how many accounts have known addresses. */
const MAX_KEYS = 50_000

interface Counter {
  count: number
  readonly endsAt: number
}

/** Counts in the memory of this process. What was used longest ago makes room: under an attack, what is attacked stays. */
export class MemoryLoginBudgetStore implements LoginBudgetStore {
  private readonly counters = new Map<string, Counter>()
  /** By account: addresses, and when each is forgotten. */
  private readonly known = new Map<string, Map<string, number>>()

  /** How many keys and accounts are kept. */
  get size(): number {
    return this.counters.size + this.known.size
  }

  take(key: string, duration: number): TakenPoints {
    const now = Date.now()
    const found = this.counters.get(key)
    const counter = found && found.endsAt > now ? found : { count: 0, endsAt: now + duration }

    counter.count++
    touch(this.counters, key, counter, MAX_KEYS)

    return { count: counter.count, resetIn: counter.endsAt - now }
  }

  giveBack(key: string): void {
    const counter = this.counters.get(key)

    if (counter && counter.count > 1) counter.count--
    else this.counters.delete(key)
  }

  know(account: string, address: string): void {
    const addresses = this.known.get(account) ?? new Map<string, number>()

    touch(addresses, address, Date.now() + KNOWN_FOR, MAX_KNOWN)
    touch(this.known, account, addresses, MAX_KEYS)
  }

  knows(account: string, address: string): boolean {
    return (this.known.get(account)?.get(address) ?? 0) > Date.now()
  }
}

/** Sets an entry as the latest one, and removes the oldest beyond a limit. */
function touch<Value>(map: Map<string, Value>, key: string, value: Value, limit: number): void {
  map.delete(key)
  map.set(key, value)
  if (map.size > limit) map.delete(map.keys().next().value as string)
}
