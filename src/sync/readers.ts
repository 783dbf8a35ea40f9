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
