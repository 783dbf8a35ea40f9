import { createError, createTypeError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { GUARD } from './traits.ts'
import type { AroundHook, BaseContext, Hook, HookType, Layer } from './types.ts'

/** A function, a list of them, or either by method name, with `all` for every method. */
export type HookInput<F> = F | readonly F[] | { readonly [method: string]: F | readonly F[] | undefined }

/** Hooks by type. */
export interface HookTypeMap<C> {
  readonly around?: HookInput<AroundHook<C>>
  readonly before?: HookInput<Hook<C>>
  readonly after?: HookInput<Hook<C>>
  readonly error?: HookInput<Hook<C>>
}

/** Covers all hook types; the list it is stored in says which. */
type RegisteredHook<C> = ((this: any, context: C, ...next: any[]) => unknown) & { [GUARD]?: Hook<C> }

const HOOK_TYPES: readonly string[] = ['around', 'before', 'after', 'error'] satisfies HookType[]

/** The layer of a registry without hooks. */
const NO_HOOKS: Layer<any> = {
  around: [],
  phases: [{ before: [], error: [] }, { before: [], after: [], error: [] }, { after: [] }]
}

/** What was registered at one level, in order. It knows nothing of how hooks run. */
export class HookRegistry<C extends BaseContext> {
  /** Goes up with every registration: a pipeline that was compiled for another version is out of date. */
  version = 0

  private readonly lists = new Map<string, RegisteredHook<C>[]>()

  /**
   * Adds hooks after the existing ones: by type, then a function, a list, or either by method name. If one of them is invalid,
   * none is added. Throws an Error for an unknown type, TypeError for a hook that is not a function.
   */
  add(hooks: HookTypeMap<C>): this {
    const entries = Object.entries(hooks).flatMap(([type, input]) => toEntries<C>(type, input))

    for (const { key, hook } of entries) {
      const list = this.lists.get(key)

      if (list) list.push(hook)
      else this.lists.set(key, [hook])
    }

    this.version++

    return this
  }

  /** The hooks of one type that were registered under exactly this name, as they are now. */
  list(type: HookType, method: string): readonly RegisteredHook<C>[] {
    // A copy: what is registered during a call is for the next one.
    return [...(this.lists.get(toKey(type, method)) ?? [])]
  }

  /** The guards of all hooks, whichever method these are for. */
  guards(): readonly Hook<C>[] {
    return this.lists.size === 0 ? [] : getGuards([...this.lists.values()].flat())
  }

  /**
   * The hooks that apply to a method, in the order of Feathers v5: `all` comes before the method’s own,
   * except that errors are seen by the method’s own hooks first. `after.all` runs before the method’s own
   * after hooks.
   */
  layer(method: string): Layer<C> {
    if (this.lists.size === 0) return NO_HOOKS

    return {
      around: [...this.list('around', 'all'), ...this.list('around', method)],
      phases: [
        { before: this.list('before', 'all'), error: this.list('error', 'all') },
        {
          before: this.list('before', method),
          after: this.list('after', method),
          error: this.list('error', method)
        },
        { after: this.list('after', 'all') }
      ]
    }
  }
}

/** The guards that hooks carry. */
export function getGuards<C>(hooks: readonly RegisteredHook<C>[]): readonly Hook<C>[] {
  return hooks.map((hook) => hook[GUARD]).filter((guard) => guard !== undefined)
}

/** Whether an object is a map of hooks by type: it has hooks of one, or names nothing else. */
export function isHookTypeMap<C>(input: object): input is HookTypeMap<C> {
  const names = Object.keys(input)

  return (
    HOOK_TYPES.some((type) => Boolean((input as Record<string, unknown>)[type])) ||
    (names.length > 0 && names.every((name) => HOOK_TYPES.includes(name)))
  )
}

/**
 * Refuses a name in a map of hooks by method that was meant for a type of hooks: its hooks would never run. Throws an Error
 * that asks for the type.
 */
export function assertNoHookType(name: string): void {
  if (!HOOK_TYPES.includes(name) && didYouMean(name, HOOK_TYPES)) throw toTypeError(name)
}

/** The methods that a map of hooks by type names, without `all`. */
export function getMethodNames(input: object): string[] {
  const names = Object.values(input).flatMap((hooks) => Object.keys(toMethodMap(hooks)))

  return names.filter((name) => name !== 'all')
}

function toEntries<C>(type: string, input: unknown): { key: string; hook: RegisteredHook<C> }[] {
  if (!HOOK_TYPES.includes(type)) throw toTypeError(type)

  return Object.entries(toMethodMap(input)).flatMap(([method, hooks]) =>
    toList(hooks).map((hook) => {
      if (typeof hook !== 'function') {
        throw createTypeError(
          'ALULA_INVALID_HOOK',
          `Invalid '${type}' hook for '${method}': expected a function, got ${typeof hook}`
        )
      }

      return { key: toKey(type, method), hook: hook as RegisteredHook<C> }
    })
  )
}

function toTypeError(type: string): Error {
  return createError(
    'ALULA_UNKNOWN_HOOK_TYPE',
    `'${type}' is not a valid hook type${didYouMean(type, HOOK_TYPES)}`
  )
}

function toMethodMap(input: unknown): object {
  const isMap = typeof input === 'object' && input !== null && !Array.isArray(input)

  return isMap ? input : { all: input }
}

function toList(hooks: unknown): readonly unknown[] {
  if (hooks === undefined || hooks === null) return []

  return Array.isArray(hooks) ? hooks : [hooks]
}

function toKey(type: string, method: string): string {
  return `${type} ${method}`
}
