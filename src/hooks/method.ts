import { createContextClass, type HookContextClass } from './context.ts'
import { getDefaults, getOriginal, getProperties } from './interop.ts'
import type { BaseContext, Method, Pipeline } from './types.ts'

/** How hooks are put around one method. */
export interface HookMethodOptions<C extends BaseContext> {
  /** The names of the arguments, in order. */
  readonly parameters: readonly string[]
  /** What every context of this method starts with. */
  readonly properties: object
  /** A number that changes whenever a hook is registered that may concern this method. */
  readonly version: () => number
  /** What a call without a `this` runs on: a method that was taken off its object. */
  readonly owner?: unknown
  /** Prepares the arguments of a call; it may replace some of them. */
  readonly enter?: ((args: unknown[]) => void) | undefined
  /**
   * Puts the hooks that are registered now around the method itself. `undefined` when there is nothing to do for a call
   * that needs a context.
   */
  readonly compile: (terminal: Pipeline<C>) => Pipeline<C> | undefined
  readonly observer?: CallObserver<C>
  readonly tracer?: CallTracer<C>
}

/** Runs calls for tools that watch them. */
export interface CallTracer<C extends BaseContext> {
  /** Whether anything watches, which can begin at any time. */
  readonly isOn: boolean
  run(context: C, call: () => Promise<unknown>): Promise<unknown>
}

/** Sees each call that has a context. */
export interface CallObserver<C extends BaseContext> {
  /** Runs before the hooks of a call. */
  readonly start: (context: C) => void
  /** Runs when all hooks of a call are through and none has failed. */
  readonly finish: (context: C) => void
}

/** A method with hooks around it. With a context of its own as last argument it resolves to that context. */
export interface HookMethod<C extends BaseContext = BaseContext> {
  (...args: unknown[]): Promise<any>
  /** The method as its author wrote it. */
  readonly original: Method
  /** The class of its contexts. */
  readonly Context: HookContextClass<C>
  /** Creates a context that can be passed as the last argument. */
  readonly createContext: (data?: object) => C
}

/**
 * Wraps a method so that calling it runs its hooks. The hooks are compiled at the first call, and again
 * at the first call after something was registered; calls that are running keep what they began with.
 */
export function hookMethod<C extends BaseContext>(
  method: (...args: never[]) => unknown,
  options: HookMethodOptions<C>
): HookMethod<C> {
  const { parameters, properties, version, owner, enter, compile, observer, tracer } = options
  const original = getOriginal(method)
  const defaults = getDefaults(method)
  const Context = createContextClass<C>(parameters, merge(properties, getProperties(method)))
  const paramsIndex = parameters.indexOf('params')

  let pipeline: Pipeline<C> | undefined
  let compiledVersion = -1

  const terminal: Pipeline<C> = async (context) => {
    if (!Object.hasOwn(context, 'result')) {
      context.result = await original.apply(context.self, context.arguments)
    }
  }

  async function hooked(this: unknown, ...args: unknown[]): Promise<unknown> {
    const given = args[args.length - 1] instanceof Context
    const current = version()

    enter?.(args)
    if (current !== compiledVersion) {
      pipeline = compile(terminal)
      compiledVersion = current
    }

    const isTraced = tracer?.isOn === true

    // Fast path: nothing needs the context, so skip creating it.
    if (!pipeline && !given && !defaults && !isTraced) {
      if (paramsIndex !== -1 && !args[paramsIndex]) args[paramsIndex] = {}

      return await original.apply(this ?? owner, args)
    }

    const context: C = given ? (args.pop() as C) : new Context()

    context.self = this ?? owner
    context.arguments = args
    if (defaults) applyDefaults(context, defaults(context))
    if (paramsIndex !== -1 && !args[paramsIndex]) args[paramsIndex] = {}

    if (isTraced) {
      await tracer?.run(context, async () => {
        observer?.start(context)
        await (pipeline ?? terminal)(context)
        observer?.finish(context)

        return context.result
      })
    } else {
      observer?.start(context)
      await (pipeline ?? terminal)(context)
      observer?.finish(context)
    }

    return given ? context : context.result
  }

  Object.defineProperties(hooked, copiedProperties(method))

  return Object.assign(hooked, { original, Context, createContext: (data?: object) => new Context(data) })
}

function applyDefaults(context: object, defaults: object | null | undefined): void {
  const values = context as Record<string, unknown>

  for (const [name, value] of Object.entries(defaults ?? {})) {
    if (values[name] === undefined) values[name] = value
  }
}

function merge(first: object, second: object): object {
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(first), ...Object.getOwnPropertyDescriptors(second) }
  )
}

/** Name, length and what else the author or a decorator put on the function, symbols included. */
function copiedProperties(method: object): PropertyDescriptorMap {
  const descriptors: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(method)
  const { prototype, arguments: _, caller, ...copied } = descriptors

  for (const key of Reflect.ownKeys(copied)) (copied[key] as PropertyDescriptor).configurable = true

  return copied
}
