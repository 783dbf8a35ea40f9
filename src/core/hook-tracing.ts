import { describeHook, getTraits } from '../hooks/traits.ts'
import type { HookType, Layer } from '../hooks/types.ts'
import { openTracing } from '../utils/tracing.ts'
import type { HookTracer } from './internals.ts'
import type { HookContext } from './types.ts'

/** The message of the channel `alula:hook`; `error` is added when the hook has failed. */
export interface HookMessage {
  readonly path: string
  readonly method: string
  readonly type: HookType
  /** The name of the function; empty for one that has none. */
  readonly name: string
  /** The context of the call, which holds its data and params. */
  readonly context: HookContext
  readonly error?: unknown
}

type WatchedHook = (this: unknown, context: HookContext, ...next: any[]) => unknown

const hooks = openTracing<HookMessage>('alula:hook')

/** Publishes each hook that runs on the channel `alula:hook`. */
export const hookTracer: HookTracer = {
  get isOn() {
    return hooks.hasSubscribers
  },
  watch(layers) {
    return layers.map(
      ({ around, phases }): Layer<HookContext> => ({
        around: around.map((hook) => watchHook('around', hook)),
        phases: phases.map(({ before = [], after = [], error = [] }) => ({
          before: before.map((hook) => watchHook('before', hook)),
          after: after.map((hook) => watchHook('after', hook)),
          error: error.map((hook) => watchHook('error', hook))
        }))
      })
    )
  }
}

function watchHook(type: HookType, hook: WatchedHook): WatchedHook {
  const { name } = hook

  return describeHook(function (this: unknown, context: HookContext, ...next: any[]) {
    const { path, method } = context
    const run = async () => hook.call(this, context, ...next)

    return hooks.tracePromise(run, { path, method, type, name, context })
  }, getTraits(hook))
}
