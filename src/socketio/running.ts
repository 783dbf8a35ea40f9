import { settleWithin } from '../utils/promise.ts'

/** How long, in milliseconds, no work has to begin before everything counts as finished. */
const QUIET_TIME = 20

/** Counts work in progress, so that closing can wait for it. */
export class Running {
  private begun = 0
  private current = 0
  private readonly onIdle = new Set<() => void>()

  /** Counts a piece of work that begins. Returns a function that ends it, and may be called several times. */
  begin(): () => void {
    let isOver = false

    this.begun++
    this.current++

    return () => {
      if (isOver) return

      isOver = true
      this.current--
      if (this.current > 0) return

      for (const resolve of this.onIdle) resolve()
      this.onIdle.clear()
    }
  }

  /** Resolves as soon as no work is in progress. */
  async idle(): Promise<void> {
    if (this.current > 0) await new Promise<void>((resolve) => this.onIdle.add(resolve))
  }

  /** Resolves when no work is in progress and none has begun for a moment, after `limit` milliseconds at the latest. */
  async quiet(limit: number): Promise<void> {
    const end = performance.now() + limit
    let begun: number

    do {
      await settleWithin(end - performance.now(), [this.idle()])
      begun = this.begun
      await new Promise((resolve) => setTimeout(resolve, QUIET_TIME))
      // A busy process runs its timers late, with messages waiting to be read: those come first.
      await new Promise(setImmediate)
    } while (begun !== this.begun && performance.now() < end)
  }
}
