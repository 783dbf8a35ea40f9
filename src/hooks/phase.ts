import type { BaseContext, Hook, NextFunction, Phase, Pipeline } from './types.ts'

/**
 * Puts the before, after and error hooks of a phase around a pipeline. All that Feathers v5 says about
 * `error`, `result`, `original` and `type` is here and nowhere else.
 */
export function wrapPhase<C extends BaseContext>(inner: Pipeline<C>, phase: Phase<C>): Pipeline<C> {
  const before = phase.before ?? []
  const after = phase.after ?? []
  const error = phase.error ?? []
  const guarded = before.length + after.length > 0 ? wrapBeforeAfter(inner, before, after) : inner

  return error.length > 0 ? wrapError(guarded, error) : guarded
}

/**
 * Turns before, after and error hooks into one around hook, with the rules that a service applies to them.
 *
 * @param phase The hooks; `before` and `after` run in order, `error` sees what any of them or `next` throws
 */
export function collect<C extends BaseContext>(
  phase: Phase<C>
): (context: C, next: NextFunction) => Promise<any> {
  return (context, next) => wrapPhase<C>(() => next(), phase)(context)
}

function wrapBeforeAfter<C extends BaseContext>(
  inner: Pipeline<C>,
  before: readonly Hook<C>[],
  after: readonly Hook<C>[]
): Pipeline<C> {
  return async (context) => {
    await runTyped(before, context, 'before')
    await inner(context)
    await runTyped(after, context, 'after')
  }
}

function wrapError<C extends BaseContext>(inner: Pipeline<C>, hooks: readonly Hook<C>[]): Pipeline<C> {
  return async (context) => {
    try {
      return await inner(context)
    } catch (error) {
      return await recover(context, error, hooks)
    }
  }
}

async function recover<C extends BaseContext>(
  context: C,
  error: unknown,
  hooks: readonly Hook<C>[]
): Promise<void> {
  // An error that an inner level has already been through keeps the `original` of that level.
  if (context.error !== error || context.result !== undefined) {
    context.original = { ...context }
    context.error = error
    delete context.result
  }

  try {
    const type = context.type

    context.type = 'error'
    for (const hook of hooks) merge(context, await hook.call(context.self, context))
    context.type = type
  } catch (thrown) {
    context.error = thrown
    throw thrown
  }

  if (context.result === undefined && context.error !== undefined) throw context.error
}

async function runTyped<C extends BaseContext>(
  hooks: readonly Hook<C>[],
  context: C,
  type: string
): Promise<void> {
  for (const hook of hooks) {
    const outer = context.type

    context.type = type

    const returned = await hook.call(context.self, context)

    // Not in a `finally`: v5 plugins read the type that a throwing hook leaves behind.
    context.type = outer
    merge(context, returned)
  }
}

function merge(context: object, returned: unknown): void {
  if (returned && returned !== context) Object.assign(context, returned)
}
