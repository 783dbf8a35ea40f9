import { tracingChannel } from 'node:diagnostics_channel'
import { feathers as official } from '@feathersjs/feathers'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { feathers as ours } from '../../src/index.ts'
import { withoutCode } from '../support/error-code.ts'
import { scaled } from '../support/scale.ts'

// Random programs of hooks and calls run on Feathers v5 and on alula. Both must leave the same trace: which
// hook ran when, what it saw in the context, what came out, and which events were sent.

const METHODS = ['find', 'get', 'create', 'patch', 'custom'] as const
const TYPES = ['before', 'after', 'error', 'around'] as const

type Action =
  | { kind: 'none' }
  | { kind: 'throw'; id: number; async: boolean }
  | { kind: 'result'; value: unknown }
  | { kind: 'deleteResult' }
  | { kind: 'error'; value: string | null | undefined }
  | { kind: 'return'; value: object | 'context' }
  | { kind: 'event'; value: string | null }
  | { kind: 'params' }
  | { kind: 'register'; registration: Registration }

interface HookProgram {
  async: boolean
  enter: Action
  next: 'none' | 'once' | 'twice' | 'both'
  caught: 'pass' | 'swallow' | 'replace'
  leave: Action
}

interface Registration {
  level: 'app' | 'service'
  shape: 'typed' | 'array' | 'map'
  type: (typeof TYPES)[number]
  method: (typeof METHODS)[number] | 'all'
  hooks: HookProgram[]
}

type Step =
  | { kind: 'register'; registration: Registration }
  | { kind: 'call'; method: (typeof METHODS)[number]; behaviour: Action; withContext: boolean }

const value = fc.constantFrom<unknown>(undefined, null, 0, 'text', { a: 1 }, [{ a: 1 }, { b: 2 }], [])

const simpleAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Action>({ kind: 'none' }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('throw' as const), id: fc.nat(9), async: fc.boolean() })
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('result' as const), value }) },
  { weight: 1, arbitrary: fc.constant<Action>({ kind: 'deleteResult' }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('error' as const),
      value: fc.constantFrom('set', null, undefined)
    })
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('return' as const),
      value: fc.constantFrom<object | 'context'>(
        'context',
        { extra: 1 },
        { result: 'merged' },
        { params: { merged: true } }
      )
    })
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('event' as const),
      value: fc.constantFrom('created', 'special', null)
    })
  },
  { weight: 1, arbitrary: fc.constant<Action>({ kind: 'params' }) }
)

function registrationOf(
  action: fc.Arbitrary<Action>,
  types: readonly Registration['type'][] = TYPES
): fc.Arbitrary<Registration> {
  return fc.record({
    level: fc.constantFrom('app', 'service'),
    shape: fc.constantFrom('typed', 'typed', 'typed', 'array', 'map'),
    type: fc.constantFrom(...types),
    method: fc.constantFrom(...METHODS, 'all', 'all', 'create', 'create'),
    hooks: fc.array(
      fc.record({
        async: fc.boolean(),
        enter: action,
        next: fc.constantFrom('once', 'once', 'once', 'once', 'once', 'none', 'twice', 'both'),
        caught: fc.constantFrom('pass', 'pass', 'pass', 'swallow', 'replace'),
        leave: action
      }),
      { minLength: 1, maxLength: 3 }
    )
  }) as fc.Arbitrary<Registration>
}

const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 25, arbitrary: simpleAction },
  {
    weight: 1,
    // Not error hooks: see docs/compatibility.md#late-error-hooks.
    arbitrary: registrationOf(simpleAction, ['before', 'after', 'around']).map(
      (registration): Action => ({ kind: 'register', registration })
    )
  }
)

const step: fc.Arbitrary<Step> = fc.oneof(
  registrationOf(action).map((registration): Step => ({ kind: 'register', registration })),
  fc.record({
    kind: fc.constant('call' as const),
    method: fc.constantFrom(...METHODS, 'create' as const, 'create' as const),
    behaviour: simpleAction,
    withContext: fc.boolean()
  })
)

const programs = fc.array(step, { minLength: 2, maxLength: 14 })

async function run(feathers: () => any, program: Step[]): Promise<unknown[]> {
  const trace: unknown[] = []
  let behaviour: Action = { kind: 'none' }
  let hookCount = 0

  function perform(context: any, action: Action): unknown {
    switch (action.kind) {
      case 'none':
        return undefined
      case 'throw':
        if (action.async) return Promise.reject(new Error(`thrown ${action.id}`))
        throw new Error(`thrown ${action.id}`)
      case 'result':
        context.result = action.value
        return undefined
      case 'deleteResult':
        delete context.result
        return undefined
      case 'error':
        context.error = action.value === 'set' ? new Error('set') : action.value
        return undefined
      case 'return':
        return action.value === 'context' ? context : action.value
      case 'event':
        context.event = action.value
        return undefined
      case 'params':
        context.params = { ...context.params, count: (context.params.count ?? 0) + 1 }
        return undefined
      case 'register':
        register(action.registration)
        return undefined
    }
  }

  function look(label: string, context: any): void {
    trace.push([label, describe(context), context.original && describe(context.original)])
  }

  function toHook(hook: HookProgram, id: number) {
    const body = (context: any) => {
      look(`hook ${id}`, context)
      return perform(context, hook.enter)
    }

    return hook.async ? async (context: any) => body(context) : body
  }

  function toAroundHook(hook: HookProgram, id: number) {
    return async (context: any, next: () => Promise<unknown>) => {
      look(`enter ${id}`, context)
      await perform(context, hook.enter)
      try {
        const running = hook.next === 'none' ? undefined : next()
        const second =
          hook.next === 'both' ? next().catch((error: any) => withoutCode(error.message)) : undefined

        await running
        if (second) trace.push([`second next of ${id}`, await second])
        if (hook.next === 'twice') await next()
      } catch (error: any) {
        look(`caught ${id} ${error && withoutCode(error.message)}`, context)
        if (hook.caught === 'replace') throw new Error(`replaced by ${id}`)
        if (hook.caught === 'pass') throw error
      }
      look(`leave ${id}`, context)
      await perform(context, hook.leave)
    }
  }

  function register({ level, shape, type, method, hooks }: Registration): void {
    const target = level === 'app' ? app : app.service('things')
    const isAround = shape !== 'typed' || type === 'around'
    const list = hooks.map((hook) => (isAround ? toAroundHook : toHook)(hook, ++hookCount))

    if (shape === 'array') target.hooks(list)
    else if (shape === 'typed') target.hooks({ [type]: { [method]: list } })
    else target.hooks({ [method === 'all' && level === 'service' ? 'get' : method]: list })
  }

  async function call({ method, withContext }: Step & { kind: 'call' }): Promise<void> {
    const service = app.service('things')
    const args = {
      find: [{}],
      get: [1, {}],
      create: [{ n: 1 }],
      patch: [1, { n: 2 }, {}],
      custom: [{ n: 3 }]
    }[method]
    const context = service[method].createContext({ http: {} })
    // Missing arguments would move the context to their place.
    const full = {
      find: [{}],
      get: [1, {}],
      create: [{ n: 1 }, {}],
      patch: [1, { n: 2 }, {}],
      custom: [{ n: 3 }, {}]
    }[method]

    try {
      const result = await (withContext ? service[method](...full, context) : service[method](...args))

      trace.push(withContext ? ['context', result === context, describe(result)] : ['result', print(result)])
    } catch (error: any) {
      trace.push(['rejected', error && withoutCode(error.message)])
    }

    if (withContext) look('after the call', context)
  }

  const app = feathers()
  const implementation =
    (name: string) =>
    (...args: unknown[]) => {
      trace.push(['method', name, print(args)])
      if (behaviour.kind === 'result') return behaviour.value
      if (behaviour.kind === 'throw') return perform(null, behaviour)
      return Promise.resolve({ from: name })
    }

  app.use('things', Object.fromEntries(METHODS.map((name) => [name, implementation(name)])), {
    methods: METHODS,
    events: ['own']
  })
  for (const event of ['created', 'patched', 'special']) {
    app.service('things').on(event, (item: unknown, context: any) => {
      trace.push(['event', event, print(item), describe(context)])
    })
  }

  for (const step of program) {
    if (step.kind === 'register') register(step.registration)
    else {
      behaviour = step.behaviour
      await call(step)
    }
  }

  return trace
}

function describe(context: any): unknown {
  return {
    own: Object.keys(context).sort().join(),
    type: context.type,
    event: context.event,
    result: print(context.result),
    error:
      context.error && (context.error.message ? withoutCode(context.error.message) : print(context.error)),
    extra: context.extra,
    arguments: print(context.arguments)
  }
}

function print(value: unknown): string {
  return value === undefined ? 'undefined' : JSON.stringify(value)
}

/** Runs it while a tool watches hooks, or not. */
async function runOurs(program: Step[], isWatched: boolean): Promise<unknown[]> {
  if (!isWatched) return await run(ours, program)

  const channel = tracingChannel('alula:hook')
  const watch = { start() {} } as any

  channel.subscribe(watch)
  try {
    return await run(ours, program)
  } finally {
    channel.unsubscribe(watch)
  }
}

it('random hooks run as on Feathers v5, watched by a tool or not', async () => {
  await fc.assert(
    fc.asyncProperty(programs, fc.boolean(), async (program, isWatched) => {
      const [expected, actual] = [await run(official, program), await runOurs(program, isWatched)]

      expect(actual).toEqual(expected)
    }),
    { numRuns: scaled(100_000) }
  )
}, 900_000)
