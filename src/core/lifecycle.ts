// `setup` and `teardown` of an application, with the hooks around them.
import { hookMethod } from '../hooks/method.ts'
import { compilePipeline } from '../hooks/pipeline.ts'
import { HookRegistry } from '../hooks/registry.ts'
import type { AroundHook, BaseContext } from '../hooks/types.ts'
import { createError } from '../utils/developer-error.ts'
import { settleWithin } from '../utils/promise.ts'
import { endStreams, getInternals, type Internals } from './internals.ts'

/** `setup` or `teardown` of an application. */
export type Lifecycle = (this: any, server?: unknown) => Promise<any>

/** `setup` or `teardown` with the hooks around it. */
export interface HookedLifecycle {
  readonly run: Lifecycle
  /** More may be added later. */
  readonly around: AroundHook<BaseContext>[]
}

/** How long, in milliseconds, `setup` waits for a `teardown`. One that is called inside it would wait for ever. */
const LONGEST_TEARDOWN = 30_000

/**
 * Puts hooks around `setup`. It begins when the `teardown` that runs has ended, and does nothing where another one comes
 * meanwhile.
 */
export function hookSetup(setup: Lifecycle): HookedLifecycle {
  const { around, run } = hookLifecycle(setup, 'setup')

  return {
    around,
    async run(this: any, server?: unknown) {
      const internals = getInternals(this)
      const { teardowns, tearingDown } = internals
      const count = Number(server === undefined)

      // From the first hook on, which may take longer than the services.
      internals.settingUp += count

      try {
        if (tearingDown) await waitForEnd(tearingDown)

        // Of several, the last `teardown` wins.
        return internals.teardowns === teardowns ? await run.call(this, server) : this
      } finally {
        internals.settingUp -= count
      }
    }
  }
}

/**
 * Puts hooks around `teardown`. One that is called while one runs is that one: a second signal must not tear down what requests
 * still use.
 */
export function hookTeardown(teardown: Lifecycle): HookedLifecycle {
  const { around, run } = hookLifecycle(teardown, 'teardown')
  let ending: Promise<unknown> | undefined

  const hooked: HookedLifecycle = {
    around,
    run(this: any, server?: unknown) {
      const internals = getInternals(this)

      endStreams(this)
      // Those that plugins have replaced are parts of this one.
      if (this.teardown === hooked.run) internals.teardowns++
      ending ??= run.call(this, server).finally(() => {
        ending = undefined
      })

      const all = Promise.allSettled([internals.tearingDown, ending]).then(() => {
        if (internals.tearingDown === all) internals.tearingDown = undefined
      })

      // What is set up meanwhile waits for the end, and for that of a call that this one is a part of.
      internals.tearingDown = all

      // Another promise: to wait for one handles its error, and one that the caller does not handle ends the process.
      return ending.then()
    }
  }

  return hooked
}

/** Waits for the `teardown` that runs, which would tear down what is set up. */
async function waitForEnd(tearingDown: Promise<void>): Promise<void> {
  if (await settleWithin(LONGEST_TEARDOWN, [tearingDown])) return

  throw createError(
    'ALULA_TEARDOWN_RUNNING',
    `app.teardown() has not finished after ${LONGEST_TEARDOWN / 1000} seconds: await it before app.setup(), and do not call app.setup() inside it`
  )
}

/** Puts hooks around a function. */
function hookLifecycle(lifecycle: Lifecycle, method: 'setup' | 'teardown'): HookedLifecycle {
  const around: AroundHook<BaseContext>[] = []
  /** The set-ups of the application when a call began. */
  const begun = new WeakMap<BaseContext, Internals['setups']>()
  const getSetups = ({ self }: BaseContext) => getInternals(self as object).setups

  // One function inside and one outside, because hooks of `@feathersjs/hooks` go to the `original` of what they are
  // put around: inside they would be lost, and outside they would lose ours.
  const run = hookMethod(
    function (this: unknown, server?: unknown) {
      return lifecycle.call(this, server)
    },
    {
      parameters: ['server'],
      properties: {
        method,
        type: 'around',
        get app() {
          return (this as { self?: unknown }).self
        }
      },
      version: () => around.length,
      // `teardown` replaces the set-ups: after one that came during a hook of `setup`, nothing is set up.
      compile: (terminal) =>
        compilePipeline([{ around, phases: [] }], async (context) => {
          if (method === 'setup' && begun.get(context) !== getSetups(context)) context.result = context.self
          else await terminal(context)
        }),
      observer: {
        start: (context) => void begun.set(context, getSetups(context)),
        finish: () => undefined
      }
    }
  )

  return { around, run }
}

type OneOrMany<T> = T | readonly T[]

interface LifecycleMap {
  readonly setup?: OneOrMany<AroundHook<BaseContext>>
  readonly teardown?: OneOrMany<AroundHook<BaseContext>>
}

/** Whether a map of hooks is one for `setup` and `teardown`. */
export function isLifecycleMap(input: LifecycleMap): boolean {
  return Boolean(input.setup || input.teardown)
}

/** Adds around hooks to `setup` and `teardown`; to both or, when one is not valid, to none. */
export function addLifecycleHooks(
  app: { readonly _setup: HookedLifecycle; readonly _teardown: HookedLifecycle },
  input: LifecycleMap
): void {
  const { setup, teardown, ...others } = input
  const [other] = Object.keys(others)

  if (other !== undefined)
    throw createError(
      'ALULA_UNKNOWN_HOOK_TYPE',
      `'${other}' is not a valid hook next to 'setup' and 'teardown'`
    )

  const hooks = new HookRegistry<BaseContext>().add({ around: { setup, teardown } })

  app._setup.around.push(...hooks.list('around', 'setup'))
  app._teardown.around.push(...hooks.list('around', 'teardown'))
}
