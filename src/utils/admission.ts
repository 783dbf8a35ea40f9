/** How long, in milliseconds, one that has to wait does so at most. */
const MAX_WAIT = 60_000

/** How many may begin at once after a quiet time: those of this time, in milliseconds. */
const BURST = 1000

/** Lets so many begin in a second. The others are told when to come again, each at another time. */
export class Admission {
  private readonly interval: number
  private readonly burst: number
  private readonly now: () => number
  /** When the last one would have begun, had they come one after the other. */
  private last = Number.NEGATIVE_INFINITY
  /** The time that was told to the last one that waits. */
  private told = Number.NEGATIVE_INFINITY

  /**
   * @param rate How many may begin in a second
   * @param now The clock, in milliseconds
   */
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

    // Not a difference, whose rounding would have one wait that comes alone.
    if (next <= now + this.burst) {
      this.last = next

      return 0
    }

    this.told = Math.max(this.told + interval, next - this.burst)

    const wait = this.told - now

    if (wait <= MAX_WAIT) return wait

    // Who asks without end must not have others wait without end.
    this.told = now + MAX_WAIT

    return MAX_WAIT * (0.5 + Math.random() / 2)
  }
}
