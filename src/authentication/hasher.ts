import { BadRequest } from '../errors.ts'
import { createError } from '../utils/developer-error.ts'
import { BcryptThreads } from './bcrypt-threads.ts'

/** Hashes passwords. Anything with these two functions can take the place of bcrypt. */
export interface Hasher {
  /**
   * Hashes a new password.
   *
   * @param password The password
   * @param isAborted Whether the client has gone: a hash that has not begun yet need not be made. It may reject then
   * @throws BadRequest for a password that the algorithm cannot hash as a whole
   */
  hash(password: string, isAborted?: () => boolean): Promise<string>
  /**
   * Whether a password is the one that a hash was made of.
   *
   * @param isAborted Whether the client has gone: a comparison that has not begun yet need not run. It may reject then
   * @param isKnown Whether the account was used before from the address of the client: the comparison may then run before others
   * that wait, which may be guesses
   */
  compare(password: string, hash: string, isAborted?: () => boolean, isKnown?: boolean): Promise<boolean>
  /** Whether a hash is weaker than a new one would be. Without this function no hash is renewed. */
  needsRehash?(hash: string): boolean
  /** Ends what runs in the background. */
  close?(): Promise<void> | void
}

/** A cost, and then 22 characters of salt and 31 of digest. Without `$2x$`, which marks a faulty digest: bcryptjs throws. */
const BCRYPT = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/

/** bcrypt reads no further, and some implementations stop at a NUL. In bytes. */
const MAX_PASSWORD = 72

/** bcrypt in worker threads: a hash takes longer than a hundred requests, which must not wait for it. */
export class BcryptHasher implements Hasher {
  /** How many rounds a hash takes, as a power of two. */
  readonly cost: number
  private readonly threads = new BcryptThreads()
  /** The highest cost of all hashes so far: a comparison that fails takes as long as one with such a hash. */
  private highestCost: number

  /**
   * @param cost How many rounds a hash takes, as a power of two: from 4 to 31
   * @throws Error for another cost
   */
  constructor(cost: number) {
    if (!isCost(cost))
      throw createError(
        'ALULA_INVALID_OPTION',
        'Invalid cost of a bcrypt hash: expected an integer from 4 to 31'
      )

    this.cost = cost
    this.highestCost = cost
  }

  async hash(password: string, isAborted?: () => boolean): Promise<string> {
    if (!isHashable(password)) {
      throw new BadRequest(
        `Invalid password: expected at most ${MAX_PASSWORD} bytes in UTF-8 and no NUL character`
      )
    }

    return (await this.threads.run({ method: 'hash', password, by: this.cost }, isAborted)) as string
  }

  async compare(
    password: string,
    hash: string,
    isAborted?: () => boolean,
    isKnown?: boolean
  ): Promise<boolean> {
    const cost = toCost(hash)

    this.highestCost = Math.max(this.highestCost, cost ?? 0)

    // For an unknown user as for a known one, whatever the hash costs: the time must not tell them apart.
    if (cost === undefined || !isHashable(password)) {
      return this.compareWithNothing(this.highestCost, isAborted)
    }
    if (await this.threads.run({ method: 'compare', password, by: hash }, isAborted, isKnown)) return true

    // Each cost takes twice as long as the one before: 2^c + 2^(c+1) + … + 2^(h−1) = 2^h − 2^c.
    for (let below = cost; below < this.highestCost; below++) await this.compareWithNothing(below, isAborted)

    return false
  }

  needsRehash(hash: string): boolean {
    return (toCost(hash) ?? this.cost) < this.cost
  }

  close(): Promise<void> {
    return this.threads.close()
  }

  private async compareWithNothing(cost: number, isAborted?: () => boolean): Promise<false> {
    // The form of a hash, of no known password.
    const hash = `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`

    await this.threads.run({ method: 'compare', password: '', by: hash }, isAborted)

    return false
  }
}

/** Whether bcrypt knows a cost. */
export function isCost(cost: unknown): cost is number {
  return Number.isInteger(cost) && (cost as number) >= 4 && (cost as number) <= 31
}

/** The cost of a hash; `undefined` for a string that is none. */
function toCost(hash: string): number | undefined {
  const cost = BCRYPT.exec(hash)?.[1]

  return cost === undefined ? undefined : Number(cost)
}

function isHashable(password: string): boolean {
  return !password.includes('\0') && Buffer.byteLength(password) <= MAX_PASSWORD
}
