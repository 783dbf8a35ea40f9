/** What the pipeline itself needs of a context. `core` adds `app`, `service`, `data` and the rest. */
export interface BaseContext {
  /** The `this` of the call. */
  self?: unknown
  /** The arguments of the call; named parameters read and write them. */
  arguments: unknown[]
  type: string
  result?: unknown
  error?: unknown
  original?: unknown
}

/** A method as its author wrote it. Which arguments it takes is checked where it is declared. */
export type Method = (...args: unknown[]) => unknown

/** Runs everything further in. Rejects when it is called a second time in the same hook. */
export type NextFunction = () => Promise<any>

/**
 * A before, after or error hook. What it returns is merged into the context, unless it is the context
 * itself or nothing.
 */
export type Hook<C> = ((this: any, context: C) => unknown) & {
  readonly [AROUND]?: AroundHook<C>
  readonly [INPUT]?: 'after' | 'here'
  readonly [AUTHENTICATES]?: Authenticates
  readonly [PROTECTS]?: readonly string[]
}

/** A hook around everything further in: code before and after `await next()`. */
export type AroundHook<C> = ((this: any, context: C, next: NextFunction) => unknown) & {
  readonly [AUTHENTICATES]?: Authenticates
  readonly [REFUSES]?: true
  readonly [PROTECTS]?: readonly string[]
}

/** The kinds of hooks that can be registered. */
export type HookType = 'around' | 'before' | 'after' | 'error'

/** Hooks that share one error boundary: the error hooks see what the before and after hooks let through. */
export interface Phase<C> {
  readonly before?: readonly Hook<C>[]
  readonly after?: readonly Hook<C>[]
  readonly error?: readonly Hook<C>[]
}

/** One level of hooks (application, class or service): around hooks outside, phases inside, outermost first. */
export interface Layer<C> {
  readonly around: readonly AroundHook<C>[]
  readonly phases: readonly Phase<C>[]
}

/** A compiled chain. It leaves the result in the context. */
export type Pipeline<C> = (context: C) => Promise<unknown>

/**
 * Where a before hook keeps an around hook, which runs around all before, after and error hooks of its level: for hooks
 * that belong together and share what is asynchronous, such as an `AsyncLocalStorage`.
 */
export const AROUND: unique symbol = Symbol.for('alula/around')

/**
 * Where a hook keeps a guard: a function that sees the context of every call of the service, before all before
 * hooks and whichever method the hook itself was registered for. What it throws refuses the call.
 */
export const GUARD: unique symbol = Symbol.for('alula/guard')

/**
 * Where a before hook says when the input of its service is checked: `after` it, for one that authenticates, because a
 * client that is not let in learns nothing of fields; or `here`, for one that checks the input itself.
 */
export const INPUT: unique symbol = Symbol.for('alula/input')

/** Where a hook that authenticates says how, for what reads a pipeline. Inside another hook it is not seen. */
export const AUTHENTICATES: unique symbol = Symbol.for('alula/authenticates')

/** Where a hook has the paths of the fields that it takes out of what clients get, for what reads a pipeline. */
export const PROTECTS: unique symbol = Symbol.for('alula/protects')

/** Marks an around hook that lets no call from outside pass, for what reads a pipeline. */
export const REFUSES: unique symbol = Symbol.for('alula/refuses')

/** How a hook authenticates. */
export interface Authenticates {
  /** The names of the strategies. */
  readonly strategies: readonly string[]
  /** Whether a call without credentials passes too. */
  readonly optional: boolean
}
