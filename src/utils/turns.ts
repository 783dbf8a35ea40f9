/** Lets what concerns one thing run one after another, in the order in which it came, whatever becomes of the others. */
export class Turns<Key> {
  private readonly last = new Map<Key, Promise<unknown>>()

  /**
   * Runs something when all that came before it is through.
   *
   * @param key What it concerns
   * @param run What to run
   * @returns What it returns
   */
  async take<T>(key: Key, run: () => Promise<T>): Promise<T> {
    const turn = (this.last.get(key) ?? Promise.resolve()).then(run)
    const settled = turn.catch(() => undefined)

    this.last.set(key, settled)

    try {
      return await turn
    } finally {
      if (this.last.get(key) === settled) this.last.delete(key)
    }
  }
}
