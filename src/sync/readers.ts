/** How long, in milliseconds, a process is waited for that does not read. It may be gone. */
const PATIENCE = 3000

/** In how many steps that is waited: a process that is busy hears of nobody, and no more than one of them passes. */
const STEPS = 10

/** How far the processes have read what this one has written, this one among them. */
export class Readers {
  private readonly sequences = new Map<string, number>()

  /** The number of the last entry that all have read. */
  get slowest(): number {
    return Math.min(Number.POSITIVE_INFINITY, ...this.sequences.values())
  }

  /** Notes that a process has read up to an entry. */
  advance(origin: string, sequence: number): void {
    this.sequences.set(origin, Math.max(sequence, this.sequences.get(origin) ?? 0))
  }

  /** Entries from this one on are written again: nobody has read them. */
  rewind(sequence: number): void {
    for (const [origin, read] of this.sequences) this.sequences.set(origin, Math.min(read, sequence))
  }

  /** Takes no account of a process any more, until it is heard of. */
  forget(origin: string): void {
    this.sequences.delete(origin)
  }

  /** Forgets those that have not read beyond an entry. */
  forgetUpTo(sequence: number): void {
    for (const [origin, read] of this.sequences) {
      if (read <= sequence) this.sequences.delete(origin)
    }
  }
}

/** The time for which those are waited for that do not read. */
export class Patience {
  private timer: NodeJS.Timeout | undefined

  /**
   * Begins to wait, unless that was done already.
   *
   * @param onOver What is done when it was too long
   * @param steps How many steps are left
   */
  begin(onOver: () => void, steps = STEPS): void {
    this.timer ??= setTimeout(() => {
      this.end()

      if (steps > 1) this.begin(onOver, steps - 1)
      else onOver()
    }, PATIENCE / STEPS)
  }

  /** Ends the waiting. */
  end(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }
}
