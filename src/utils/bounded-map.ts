/** A map that holds no more than it may: the oldest entry makes room for a new one. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  private readonly limit: number

  /** @param limit How many entries there may be */
  constructor(limit: number) {
    super()
    this.limit = limit
  }

  override set(key: Key, value: Value): this {
    if (this.size >= this.limit && !this.has(key)) this.delete(this.keys().next().value as Key)

    return super.set(key, value)
  }
}
