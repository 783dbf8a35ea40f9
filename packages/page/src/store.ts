import { useEffect, useState } from 'preact/hooks'

/** Something that changes by itself, such as the events of a connection. */
export class Store {
  readonly #listeners = new Set<() => void>()

  /** Calls a function after each change; returns a function that stops this. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener)

    return () => void this.#listeners.delete(listener)
  }

  protected changed(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** Renders a component again after each change of a store. */
export function useStore(store: Store): void {
  const [, count] = useState(0)

  useEffect(() => store.subscribe(() => count((number) => number + 1)), [store])
}

/** An id that no other element has, for the life of a component. */
export function useUniqueId(): string {
  return useState(() => `e${Math.random()}-`)[0]
}
