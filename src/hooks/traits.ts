// What hooks say about themselves, and so do rules, server values and services of the library.

/** How a hook authenticates. */
export interface Authenticates {
  /** The names of the strategies. */
  readonly strategies: readonly string[]
  /** Whether a call without credentials passes too. */
  readonly optional: boolean
}

/** What a hook says about itself. Higher folders add what only they read, with `declare module`. */
export interface Traits {
  /**
   * Of a before hook: an around hook, which runs around all before, after and error hooks of its level. For hooks that
   * belong together and share what is asynchronous, such as an `AsyncLocalStorage`.
   */
  readonly around?: (context: any, next: () => Promise<any>) => unknown
  /**
   * Of a before hook: when the input of its service is checked. `after` it, for one that authenticates, because a client
   * that is not let in learns nothing of fields; or `here`, for one that checks the input itself.
   */
  readonly input?: 'after' | 'here'
  /** How a hook authenticates, for what reads a pipeline. Inside another hook it is not seen. */
  readonly authenticates?: Authenticates
  /** The paths of the fields that a hook takes out of what clients get, for what reads a pipeline. */
  readonly protects?: readonly string[]
  /** Of a service of the library: who may call its methods. */
  readonly access?: { readonly [method: string]: 'anyone' | 'user' }
  /** Whether an around hook refuses every external call, for tools that read a pipeline. */
  readonly refuses?: true
}

/** Every other name on a service may be that of a method. Shared by all copies of the library in a bundle. */
export const TRAITS: unique symbol = Symbol.for('alula/traits')

/**
 * Where a hook keeps a guard: a function that sees the context of every call of the service, before all before
 * hooks and whichever method the hook itself was registered for. What it throws refuses the call. A symbol of its own,
 * because applications write guards.
 */
export const GUARD: unique symbol = Symbol.for('alula/guard')

/** Has a hook say something about itself. */
export function describeHook<Described extends object>(hook: Described, traits: Traits): Described {
  return Object.assign(hook, { [TRAITS]: traits })
}

/** What a hook or a service says about itself. */
export function getTraits(described: object): Traits {
  return (described as { readonly [TRAITS]?: Traits })[TRAITS] ?? NO_TRAITS
}

const NO_TRAITS: Traits = Object.freeze({})
