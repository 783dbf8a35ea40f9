/** The time in milliseconds after which a process that reads nothing counts as gone. */
const READER_TIMEOUT = 3000

/** The wait has this many steps: while this process is busy and receives nothing, at most one of them passes. */
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

  /** Resets the readers to an entry: it and all later ones are written again, so they count as unread. */
  rewind(sequence: number): void {
    for (const [origin, read] of this.sequences) this.sequences.set(origin, Math.min(read, sequence))
  }

  /** Ignores a process until its next message. */
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

/** The timer that gives up on processes that read nothing. */
export class ReaderTimeout {
  private timer: NodeJS.Timeout | undefined

  /**
   * Starts the timer, unless it runs already.
   *
   * @param onOver Called after the timeout
   * @param steps How many steps are left
   */
  begin(onOver: () => void, steps = STEPS): void {
    this.timer ??= setTimeout(() => {
      this.end()

      if (steps > 1) this.begin(onOver, steps - 1)
      else onOver()
    }, READER_TIMEOUT / STEPS)
  }

  /** Stops the timer. */
  end(): void {
    clearTimeout(this.timer)
    this.timer = undefined
  }
}
