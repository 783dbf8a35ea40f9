import { getMiddleware, HOOKS } from '../hooks/interop.ts'
import { type HookMethod, hookMethod } from '../hooks/method.ts'
import { compilePipeline } from '../hooks/pipeline.ts'
import {
  assertNoHookType,
  getGuards,
  getMethodNames,
  type HookInput,
  HookRegistry,
  isHookTypeMap
} from '../hooks/registry.ts'
import type { AroundHook, Hook, Layer, Method } from '../hooks/types.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { observeEvent } from './events.ts'
import { extendLayers, insertBefore, type Levels } from './extensions.ts'
import { getInternals } from './internals.ts'
import { getDefinition, isStandardMethod } from './methods.ts'
import { getHookMethods, getServiceOptions } from './service.ts'
import type { FeathersService, HookContext, Http } from './types.ts'

/** The methods of a registered service. */
export interface HookedMethods {
  readonly [method: string]: HookMethod<HookContext> | undefined
}

/** Where a registered service has its hooks. */
export const SERVICE_HOOKS: unique symbol = Symbol.for('alula/service-hooks')

/**
 * Puts hooks around the methods of a registered service and gives it its `hooks` function. The hooks that run are those of the
 * application, then those of the class or the object, then those of the service. Throws an Error when a listed method is not a
 * function.
 */
export function implementHooks(service: FeathersService, path: string, app: object): void {
  if (typeof service.hooks === 'function') return

  const methods = getHookMethods(service, getServiceOptions(service))
  const originals = new Map(methods.map((method) => [method, getMethod(service, method)]))
  // Most methods bring no hooks along; the service may get some later.
  const carriers = [service, ...[...originals.values()].filter((original) => HOOKS in original)]
  const internals = getInternals(app)
  const { hooks: shared, hookTracer } = internals
  const hooks = new ServiceHooks(service, shared)

  hooks.toLayers = (method) => {
    const guards = shared.guards().concat(hooks.guards(carriers))
    const layer = shared.layer(method)
    // Before the first before hook, where error hooks of the application see what they throw.
    const ofApplication = insertBefore(layer, guards, layer.phases[0], 0)

    return [ofApplication, ...hooks.layers(method, originals.get(method))]
  }

  for (const [method, original] of originals) {
    const value = hookMethod(original, {
      owner: service,
      parameters: getDefinition(method).args,
      properties: contextProperties(app, service, path, method),
      // Another number, of which no registration makes the same, when tools begin or end to watch hooks.
      version: () => hooks.version + (hookTracer?.isOn ? 0.5 : 0),
      enter: internals.createEntry?.(app, service, path, method),
      compile: (terminal) => {
        const layers = extendLayers(service, method, hooks.toLayers(method))
        const pipeline = compilePipeline(hookTracer?.isOn ? hookTracer.watch(layers) : layers, terminal)

        return pipeline === terminal && !getDefinition(method).event ? undefined : pipeline
      },
      observer: observeEvent(method, internals),
      tracer: internals.callTracer
    })

    // Enumerable, as in v5: plugins list the members of a service.
    Object.defineProperty(service, method, { value, configurable: true, enumerable: true, writable: true })
  }

  Object.defineProperty(service, 'hooks', {
    configurable: true,
    writable: true,
    value(this: unknown, input: unknown) {
      hooks.add(input)

      return this
    }
  })
}

/**
 * Creates a context for a call, to be passed as its last argument; the call then resolves to the context.
 *
 * @param service A registered service
 * @param method The name of one of its methods
 * @param data What the context starts with
 * @throws Error when the method has no hooks
 */
export function createContext(service: any, method: string, data: object = {}): any {
  const create = service[method]?.createContext

  if (typeof create !== 'function')
    throw createError('ALULA_UNKNOWN_METHOD', `Can not create context for method ${method}`)

  return create(data)
}

/** Refuses what can hold no hooks. */
export function assertHooks(input: unknown): asserts input is object {
  if (typeof input === 'object' && input !== null) return

  throw createTypeError(
    'ALULA_INVALID_HOOK',
    `Invalid hooks: expected an object or an array, got ${input === null ? 'null' : typeof input}`
  )
}

/** What is known of the hooks of a method, and at which version that was found. */
export interface HookAnswer {
  readonly version: number
  readonly hasHooks: boolean
  /** Whether they refuse external calls, or those without a login. */
  readonly isGuarded: boolean
  /** The paths of the fields that they keep from clients. */
  readonly protects: readonly string[]
}

/** All hooks of one service: what `service.hooks` registered, and what its class or object brought along. */
export class ServiceHooks {
  private readonly inner = new HookRegistry<HookContext>()
  // Lists and maps without a type. As in v5 they run outside of `{ around }`, with the hooks of the class.
  private readonly outer = new HookRegistry<HookContext>()
  private readonly service: FeathersService
  private readonly shared: HookRegistry<HookContext>
  private manager: unknown
  /** Goes up with what is changed from outside. */
  changes = 0
  /** The layers of a method, with those of the application. */
  declare toLayers: (method: string) => Levels
  /** What is known of the hooks of methods: pages and events ask it of each relation, and events that code sends. */
  declare answers: Map<string, HookAnswer> | undefined

  /** @param shared The hooks of the application that has registered it first */
  constructor(service: FeathersService, shared: HookRegistry<HookContext>) {
    this.service = service
    this.shared = shared
    this.manager = (service as { [HOOKS]?: unknown })[HOOKS]
    // `hooks(service, […])` of the package `@feathersjs/hooks` may come at any time.
    Object.defineProperty(service, HOOKS, {
      configurable: true,
      get: () => this.manager,
      set: (manager) => {
        this.manager = manager
        this.changes++
      }
    })
    Object.defineProperty(service, SERVICE_HOOKS, { value: this })
  }

  /** Goes up with each hook that is added, to the application too. */
  get version(): number {
    return this.shared.version + this.inner.version + this.outer.version + this.changes
  }

  add(input: unknown): void {
    assertHooks(input)

    if (isHookTypeMap(input)) {
      // Those of standard methods may be there for a service that has not all of them.
      for (const method of getMethodNames(input)) if (!isStandardMethod(method)) this.assertHooked(method)

      this.inner.add(input)
      return
    }

    if (!Array.isArray(input)) {
      for (const method of Object.keys(input)) this.assertHooked(method)
    }

    this.outer.add({ around: input as HookInput<AroundHook<HookContext>> })
  }

  /** The guards of the service, those of hooks that its class or its methods brought along included. */
  guards(carriers: readonly unknown[]): readonly Hook<HookContext>[] {
    return getGuards(carriers.flatMap(getMiddleware<HookContext>)).concat(
      this.outer.guards(),
      this.inner.guards()
    )
  }

  layers(method: string, original: unknown): [ofClass: Layer<HookContext>, ofService: Layer<HookContext>] {
    const around = getMiddleware<HookContext>(this.service).concat(
      this.outer.list('around', 'all'),
      getMiddleware<HookContext>(original),
      this.outer.list('around', method)
    )

    return [{ around, phases: [] }, this.inner.layer(method)]
  }

  private assertHooked(method: string): void {
    if (typeof (this.service as unknown as HookedMethods)[method]?.createContext !== 'function') {
      const question = didYouMean(method, getServiceOptions(this.service).methods)

      if (!question) assertNoHookType(method)

      throw createError(
        'ALULA_UNKNOWN_METHOD',
        `Method ${method} is not a Feathers hooks enabled service method${question}`
      )
    }
  }
}

function getMethod(service: object, method: string): Method {
  const found: unknown = (service as { [name: string]: unknown })[method]

  if (typeof found !== 'function')
    throw createError(
      'ALULA_UNKNOWN_METHOD',
      `Can not apply hooks. '${method}' is not a function, and the option 'methods' names it`
    )

  return found as Method
}

/** What all contexts of a method share. */
function contextProperties(app: unknown, service: unknown, path: string, method: string): object {
  return {
    app,
    path,
    method,
    service,
    event: null,
    type: 'around',
    get statusCode(): number | undefined {
      return (this as { http?: Http }).http?.status
    },
    set statusCode(status: number | undefined) {
      const context = this as { http?: Http }

      context.http ??= {}
      context.http.status = status
    }
  }
}
