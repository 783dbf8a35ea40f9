/** Runs async work one at a time per key, in the order in which it came. Work that fails does not stop the next. */
export class KeyedMutex<Key> {
  private readonly last = new Map<Key, Promise<unknown>>()

  /** Runs a function after all earlier work of its key. */
  async run<T>(key: Key, work: () => Promise<T>): Promise<T> {
    const turn = (this.last.get(key) ?? Promise.resolve()).then(work)
    const settled = turn.catch(() => undefined)

    this.last.set(key, settled)

    try {
      return await turn
    } finally {
      if (this.last.get(key) === settled) this.last.delete(key)
    }
  }
}
