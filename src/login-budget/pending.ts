import { Unavailable } from '../errors.ts'

/** How many attempts may wait for points of one key when another one comes. */
const MAX_WAITING = 1000

interface Attempts {
  /** How many ask for a point or have one. */
  count: number
  readonly waiting: (() => void)[]
}

/** The attempts of this process that ask for a point or have one, by what the point is of, and those that wait for one. */
export class PendingAttempts {
  private readonly attempts = new Map<string, Attempts>()

  /**
   * Notes an attempt that asks for a point. As long as `limit` others are noted, or others wait, it waits. Throws Unavailable
   * when too many wait already.
   */
  async begin(key: string, limit: number): Promise<void> {
    const attempts = this.attempts.get(key) ?? { count: 0, waiting: [] }
    const { count, waiting } = attempts

    this.attempts.set(key, attempts)

    if (count < limit && waiting.length === 0) {
      attempts.count++

      return
    }

    if (waiting.length >= MAX_WAITING) throw new Unavailable('Too many logins are waiting to be checked')

    await new Promise<void>((resume) => void waiting.push(resume))
  }

  /** Notes an attempt that got no point, as soon as one is given back or no other attempt is noted. It waits before others. */
  async beginAgain(key: string): Promise<void> {
    const attempts = this.attempts.get(key)

    if (attempts) await new Promise<void>((resume) => void attempts.waiting.unshift(resume))
    else this.attempts.set(key, { count: 1, waiting: [] })
  }

  /** Whether no attempt is noted but the one that asks: none that could give a point back. */
  isOnly(key: string): boolean {
    return this.attempts.get(key)?.count === 1
  }

  /** Notes that an attempt has ended; `hasGivenBack`: whether the point is there again. */
  end(key: string, hasGivenBack: boolean): void {
    const attempts = this.attempts.get(key)

    if (!attempts) return

    attempts.count--

    if (hasGivenBack || attempts.count === 0) this.resumeNext(key)
    if (attempts.count === 0) this.attempts.delete(key)
  }

  /** Resumes one waiting attempt. All at once would ask again each time that a point is given back. */
  resumeNext(key: string, limit = Number.POSITIVE_INFINITY): void {
    const attempts = this.attempts.get(key)

    if (!attempts || attempts.count >= limit) return

    const resume = attempts.waiting.shift()

    if (!resume) return

    attempts.count++
    resume()
  }
}
