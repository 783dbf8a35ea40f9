import type { TRAITS, Traits } from './traits.ts'

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
export type Hook<C> = ((this: any, context: C) => unknown) & { readonly [TRAITS]?: Traits }

/** A hook around everything further in: code before and after `await next()`. */
export type AroundHook<C> = ((this: any, context: C, next: NextFunction) => unknown) & {
  readonly [TRAITS]?: Traits
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
