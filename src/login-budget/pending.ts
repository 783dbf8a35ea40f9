/** The attempts that have taken a point and have not ended, by what the point is of. */
export class PendingAttempts {
  private readonly counts = new Map<string, number>()
  private readonly waiting = new Map<string, (() => void)[]>()

  /** Notes an attempt that takes a point. */
  begin(key: string): void {
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1)
  }

  /**
   * Notes that an attempt has ended.
   *
   * @param key What it had a point of
   * @param hasGivenBack Whether the point is there again
   */
  end(key: string, hasGivenBack: boolean): void {
    const count = (this.counts.get(key) ?? 1) - 1

    if (count > 0) this.counts.set(key, count)
    else this.counts.delete(key)

    if (!hasGivenBack && count > 0) return

    const waiting = this.waiting.get(key) ?? []

    this.waiting.delete(key)
    for (const resume of waiting) resume()
  }

  /**
   * Waits until a point may be there again.
   *
   * @returns `false` at once where no attempt is left that could give one back
   */
  async next(key: string): Promise<boolean> {
    if (!this.counts.has(key)) return false

    await new Promise<void>((resume) => {
      const waiting = this.waiting.get(key)

      if (waiting) waiting.push(resume)
      else this.waiting.set(key, [resume])
    })

    return true
  }
}
