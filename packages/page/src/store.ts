import { useEffect, useState } from 'preact/hooks'

/** Something that changes by itself, such as the events of a connection. */
export class Store<Change> {
  readonly #listeners = new Set<(change?: Change) => void>()

  /** Calls a function after each change, with what there is to say of it; returns a function that stops this. */
  subscribe(listener: (change?: Change) => void): () => void {
    this.#listeners.add(listener)

    return () => void this.#listeners.delete(listener)
  }

  protected changed(change?: Change): void {
    for (const listener of this.#listeners) listener(change)
  }
}

/** Renders a component again after each change of a store. */
export function useStore<Change>(store: Store<Change>): void {
  const [, count] = useState(0)

  useEffect(() => store.subscribe(() => count((number) => number + 1)), [store])
}

/** An id that no other element has, for the life of a component. */
export function useUniqueId(): string {
  return useState(() => `e${Math.random()}-`)[0]
}
