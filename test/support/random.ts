/** Random choices that are the same for the same seed. */
export interface Random {
  /** A whole number from 0 up to a limit, without it. */
  integer(limit: number): number
  pick<Value>(values: readonly Value[]): Value
  /** Whether something happens that does with this probability. */
  chance(probability: number): boolean
}

/** Creates random choices (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed

  function next(): number {
    state = (state + 0x6d2b79f5) | 0

    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)

    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed

    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  const integer = (limit: number) => Math.floor(next() * limit)

  return {
    integer,
    pick: (values) => values[integer(values.length)] as (typeof values)[number],
    chance: (probability) => next() < probability
  }
}
