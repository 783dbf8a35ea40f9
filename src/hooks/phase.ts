import { keepSlots } from '../utils/call-state.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { wrapAround } from './compose.ts'
import { getTraits } from './traits.ts'
import type { BaseContext, Hook, NextFunction, Phase, Pipeline } from './types.ts'

/** A before or after hook with the type that the context has meanwhile; or, without a type, everything further in. */
type Step<C> =
  | { readonly type: 'before' | 'after'; readonly run: Hook<C> }
  | { readonly type?: undefined; readonly run: Pipeline<C> }

/**
 * Puts the before, after and error hooks of several phases, the outermost first, around a pipeline. All that Feathers v5 says
 * about `error`, `result`, `original` and `type` is here and nowhere else.
 */
export function wrapPhases<C extends BaseContext>(
  inner: Pipeline<C>,
  phases: readonly Phase<C>[]
): Pipeline<C> {
  // One list for all phases, because each function that is awaited costs as much as a hook. Only error hooks divide it.
  let steps: readonly Step<C>[] = [{ run: inner }]

  for (const { before = [], after = [], error = [] } of phases.toReversed()) {
    steps = [...toSteps('before', before), ...steps, ...toSteps('after', after)]
    if (error.length > 0) steps = [{ run: wrapError(runSteps(steps), error) }]
  }

  const around = new Set(
    phases.flatMap(({ before = [] }) => before.flatMap((hook) => getTraits(hook).around ?? []))
  )

  return [...around].reduceRight(wrapAround, runSteps(steps))
}

/**
 * Turns before, after and error hooks into one around hook, with the rules that a service applies to them.
 *
 * @param phase The hooks; `before` and `after` run in order, `error` sees what any of them or `next` throws
 * @throws TypeError for what is no list of functions under one of these names
 */
export function collect<C extends BaseContext>(
  phase: Phase<C>
): (context: C, next: NextFunction) => Promise<any> {
  for (const [type, hooks = []] of Object.entries(phase)) assertHooks(type, hooks)

  return (context, next) => wrapPhases<C>(() => next(), [phase])(context)
}

function assertHooks(type: string, hooks: unknown): void {
  const isList = Array.isArray(hooks) && hooks.every((hook) => typeof hook === 'function')

  if (!isList || !['before', 'after', 'error'].includes(type)) {
    throw createTypeError(
      'ALULA_INVALID_HOOK',
      `Invalid '${type}' of collect: expected lists of functions, 'before', 'after' and 'error'`
    )
  }
}

function toSteps<C>(type: 'before' | 'after', hooks: readonly Hook<C>[]): readonly Step<C>[] {
  return hooks.map((run) => ({ type, run }))
}

function runSteps<C extends BaseContext>(steps: readonly Step<C>[]): Pipeline<C> {
  const [only] = steps

  if (only && steps.length === 1 && only.type === undefined) return only.run

  return async (context) => {
    // By position: an iterator takes a tenth of the time of the hooks.
    for (let index = 0; index < steps.length; index++) {
      const { type, run } = steps[index] as Step<C>

      if (type === undefined) {
        await run(context)
        continue
      }

      const outer = context.type

      context.type = type

      const returned = await run.call(context.self, context)

      // Not in a `finally`: v5 plugins read the type that a throwing hook leaves behind.
      context.type = outer
      merge(context, returned)
    }
  }
}

function wrapError<C extends BaseContext>(inner: Pipeline<C>, hooks: readonly Hook<C>[]): Pipeline<C> {
  return async (context) => {
    try {
      return await inner(context)
    } catch (error) {
      // An error hook takes an error back by setting it to undefined.
      return await recover(context, error === undefined ? new Error('undefined was thrown') : error, hooks)
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

function merge(context: object, returned: unknown): void {
  if (returned && returned !== context) keepSlots(context, () => Object.assign(context, returned))
}
