/** The longest wait, in milliseconds. */
const MAX_WAIT = 60_000

/** After a quiet time, as many may begin at once as the rate allows in this time, in milliseconds. */
const BURST = 1000

/** Limits how many may begin in a second. The others get different waits, so that they do not all come back at once. */
export class Admission {
  private readonly interval: number
  private readonly burst: number
  private readonly now: () => number
  /** When the last one would have begun, had they come one after the other. */
  private last = Number.NEGATIVE_INFINITY
  /** When the last one that waits may come again. */
  private told = Number.NEGATIVE_INFINITY

  /** `rate` is how many may begin in a second, `now` the clock in milliseconds. */
  constructor(rate: number, now: () => number = () => performance.now()) {
    this.interval = 1000 / rate
    this.burst = Math.max(BURST, this.interval)
    this.now = now
  }

  /** After how many milliseconds to come again; 0 for one that may begin. */
  take(): number {
    const { interval } = this
    const now = this.now()
    const next = Math.max(this.last, now) + interval

    // Compared as sums: the rounding of a difference would make a single caller wait.
    if (next <= now + this.burst) {
      this.last = next

      return 0
    }

    this.told = Math.max(this.told + interval, next - this.burst)

    const wait = this.told - now

    if (wait <= MAX_WAIT) return wait

    // Capped: a caller that asks again and again must not make the wait of the others grow without end.
    this.told = now + MAX_WAIT

    return MAX_WAIT * (0.5 + Math.random() / 2)
  }
}
