import { assertNoHookType, type HookInput, isHookTypeMap } from '../hooks/registry.ts'
import type { AroundHook } from '../hooks/types.ts'
import { createDebug } from '../utils/debug.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import { didYouMean } from '../utils/did-you-mean.ts'
import { stripSlashes, toPrefix } from '../utils/path.ts'
import { isPromise, settleWithin } from '../utils/promise.ts'
import type { Channel } from './channel.ts'
import { EmitterClass } from './emitter.ts'
import { reportError, runSafely } from './events.ts'
import { setUpService } from './extensions.ts'
import { assertHooks } from './hooks.ts'
import { getInternals, Internals } from './internals.ts'
import {
  addLifecycleHooks,
  type HookedLifecycle,
  hookSetup,
  hookTeardown,
  isLifecycleMap
} from './lifecycle.ts'
import { defaultServiceEvents } from './methods.ts'
import { listUnpublished, setPublisher } from './publish.ts'
import { type RegisteredRoute, registrationSteps, removeRoutes } from './register.ts'
import { Router } from './router.ts'
import { getServiceOptions, wrapService } from './service.ts'
import type {
  FeathersService,
  HookContext,
  MountedHandler,
  RouteLookup,
  ServiceMixin,
  ServiceOptions
} from './types.ts'

const debug = createDebug('alula:application')

/** The version of the Feathers API that an application speaks. Plugins compare it. */
export const version = '5.0.50'

/** Segments as clients send them, escaped; without `.` and `..`, which URLs resolve. */
const MOUNTABLE = /^(?:\/(?!\.{1,2}(?:\/|$))(?:[\w.~!$&'()+,;=@-]|%[\da-f]{2})+)+$/i

/**
 * How long, in milliseconds, `teardown` waits for the set-ups and publishers that have begun. One that calls `teardown` itself
 * would otherwise wait for its own end.
 */
const GRACE = 5000

/**
 * An application without what only servers need; `Feathers` is the whole. Its fields are plain properties, without `#`:
 * `express(app)` moves them onto an Express application, and plugins replace some of them.
 */
export class BaseApplication extends EmitterClass {
  services: Record<string, any> = Object.create(null)
  settings: Record<string, any> = Object.create(null)
  mixins: ServiceMixin<any>[] = [...registrationSteps]
  version: string = version
  routes: Router<RegisteredRoute> = new Router<RegisteredRoute>()
  _isSetup = false
  _internals: Internals = new Internals()
  _setup: HookedLifecycle = hookSetup(setupServices)
  _teardown: HookedLifecycle = hookTeardown(teardownServices)

  get(name: string): any {
    return this.settings[name]
  }

  set(name: string, value: unknown): this {
    this.settings[name] = value

    return this
  }

  configure(callback: (this: any, app: any) => void): this {
    if (typeof callback !== 'function') {
      throw createTypeError(
        'ALULA_INVALID_ARGUMENT',
        `app.configure expects a function, got ${callback === null ? 'null' : typeof callback}`
      )
    }

    const result: unknown = callback.call(this, this)

    // An Express application is a function too, and what many callbacks return.
    if (typeof result === 'function' && (result as unknown) !== this) {
      throw createTypeError(
        'ALULA_NOT_CALLED',
        `app.configure got '${callback.name || 'a function'}', which returned another function: call it first, as in app.configure(${callback.name || 'plugin'}())`
      )
    }

    // As in v5 what follows does not wait for it.
    if (isPromise(result)) runSafely(this, () => result)

    return this
  }

  defaultService(location: string): any {
    throw createError(
      'ALULA_UNKNOWN_SERVICE',
      `Can not find service '${location}'${didYouMean(location, Object.keys(this.services))}`
    )
  }

  service(location: string): any {
    const path = toServicePath(location)

    if (this.services[path] === undefined) this.use(path, this.defaultService(path))

    return this.services[path]
  }

  lookup(path: string): RouteLookup | null {
    const match = this.routes.lookup(path)

    return match && { service: match.data.service, params: { ...match.data.params, ...match.params } }
  }

  use(path: string, service: unknown, options?: ServiceOptions): this {
    const location = toServicePath(path)

    if (isApplication(service)) {
      const subPaths = Object.keys(service.services)
      const { mounts } = getInternals(service)

      for (const subPath of subPaths) assertFree(this, toServicePath(`${location}/${subPath}`))
      for (const prefix of mounts.keys()) assertNotMounted(this, toPrefix(`${location}${prefix}`))
      for (const subPath of subPaths) this.use(`${location}/${subPath}`, service.service(subPath))
      for (const [prefix, handler] of mounts) this.mount(`${location}${prefix}`, handler)

      return this
    }

    assertFree(this, location)

    debug('Registering service at `%s`', location)

    const registered = wrapService(location, service, options)

    try {
      for (const mixin of this.mixins) mixin.call(this, registered, location, getServiceOptions(registered))
    } catch (error) {
      if (this.routes.get(location)?.service === registered) removeRoutes(this, location)
      throw error
    }

    this.services[location] = registered

    // Without waiting for it.
    if (this._isSetup) runSafely(this, () => setUpOnce(this, registered, location))

    return this
  }

  mount(path: string, handler: MountedHandler): this {
    const prefix = typeof path === 'string' ? toPrefix(path) : ''

    if (!MOUNTABLE.test(prefix)) {
      throw createTypeError(
        'ALULA_INVALID_PATH',
        `Invalid path '${String(path)}' of app.mount: expected a path such as '/docs', as a URL has it, without placeholders`
      )
    }
    if (typeof handler !== 'function') {
      throw createTypeError(
        'ALULA_INVALID_ARGUMENT',
        `app.mount('${prefix}') expects a function that turns a Request into a Response`
      )
    }

    assertNotMounted(this, prefix)
    this._internals.mounts.set(prefix, handler)

    return this
  }

  async unuse(location: string): Promise<any> {
    const path = toServicePath(location)
    const service = this.services[path]

    if (service === undefined) return undefined

    // First, so that no request comes in while it is torn down.
    delete this.services[path]
    removeRoutes(this, path)
    this._internals.setups.delete(service)

    if (typeof service.teardown === 'function') await service.teardown(this, path)

    return service
  }

  get setup(): (server?: unknown) => Promise<this> {
    return this._setup.run
  }

  set setup(setup: (server?: unknown) => Promise<this>) {
    if (setup !== this._setup.run) this._setup = hookSetup(setup)
  }

  get teardown(): (server?: unknown) => Promise<this> {
    return this._teardown.run
  }

  set teardown(teardown: (server?: unknown) => Promise<this>) {
    if (teardown !== this._teardown.run) this._teardown = hookTeardown(teardown)
  }

  hooks(input: object): this {
    const { hooks } = this._internals

    assertHooks(input)

    if (isHookTypeMap(input)) hooks.add(input)
    else if (isLifecycleMap(input)) addLifecycleHooks(this, input)
    else {
      if (!Array.isArray(input)) Object.keys(input).forEach(assertNoHookType)
      hooks.add({ around: input as HookInput<AroundHook<HookContext>> })
    }

    return this
  }

  get channels(): string[] {
    return this._internals.channels.names
  }

  channel(...names: (string | string[])[]): Channel {
    const { channels } = this._internals

    // On the first need, when it is certain which object is the application: `express(app)` makes another one.
    channels.watch(this)

    return channels.get(...names)
  }

  /**
   * Says how services are reached: a transport that has a server puts its own `listen` in this place.
   *
   * @throws Error always
   */
  listen(..._args: unknown[]): never {
    throw createError(
      'ALULA_NO_SERVER',
      'This application has no server: use express(app), toListener(app) or socketio()'
    )
  }

  publish(...args: unknown[]): this {
    setPublisher(this._internals.publishers, defaultServiceEvents, args)

    return this
  }

  registerPublisher(...args: unknown[]): this {
    return this.publish(...args)
  }
}

/** Before anything is done to a service, so that one that is refused leaves no trace. */
function assertFree({ _internals, services }: BaseApplication, location: string): void {
  if (services[location] !== undefined) throw toTaken(`Path ${location} already exists`)

  for (const prefix of _internals.mounts.keys()) assertReachable(location, prefix)
}

function assertNotMounted({ _internals, services }: BaseApplication, prefix: string): void {
  if (_internals.mounts.has(prefix)) throw toTaken(`A function is mounted for '${prefix}' already`)

  for (const location of Object.keys(services)) assertReachable(location, prefix)
}

function assertReachable(location: string, prefix: string): void {
  if (`/${location}/`.startsWith(`${prefix}/`))
    throw toTaken(`A function is mounted for '${prefix}': no request would reach '${location}'`)
}

function toTaken(message: string): Error {
  return createError('ALULA_PATH_TAKEN', message)
}

async function setupServices(this: BaseApplication): Promise<BaseApplication> {
  this._internals.checkSettings?.(this)
  this._isSetup = true
  this._internals.streams ??= new Map()

  const { setups } = this._internals

  for (const path of Object.keys(this.services)) {
    // `teardown` has replaced them: the application is being torn down.
    if (this._internals.setups !== setups) break

    const service = this.services[path]

    // The setup of an earlier service may have removed it.
    if (service) await setUpOnce(this, service, path)
  }

  return this
}

/** Sets a service up, unless that was done or begun: `setup` may be called again, for another server. */
function setUpOnce(app: BaseApplication, service: FeathersService, location: string): Promise<void> {
  const { setups } = app._internals
  let setup = setups.get(service)

  if (!setup) {
    setup = setUpOrEvict(app, service, location)
    setups.set(service, setup)
  }

  return setup
}

/** Sets a service up. A failure evicts it from the set-ups, so that `setup` may be called again. */
async function setUpOrEvict(app: BaseApplication, service: FeathersService, location: string): Promise<void> {
  // Those of now, because `teardown` replaces them.
  const { setups } = app._internals

  try {
    // Awaited, because a callback on the promise would cut `app.setup()` off the stack of the error.
    await setUpService(service, location, app)
  } catch (error) {
    setups.delete(service)

    throw error
  }
}

async function teardownServices(this: BaseApplication): Promise<BaseApplication> {
  const { setups } = this._internals
  const services = Object.values(this.services)
  const begun = services.flatMap((service) => [setups.get(service), ...listUnpublished(service)])
  let failure: { readonly error: unknown } | undefined

  this._isSetup = false
  this._internals.setups = new WeakMap()

  // All of them first, because they may use other services. The caller of `setup` gets their errors.
  await settleWithin(GRACE, begun)

  for (const path of Object.keys(this.services)) {
    // A service that fails must not leave the connections of the others open.
    try {
      await this.services[path]?.teardown?.(this, path)
    } catch (error) {
      if (failure) reportError(this, error)
      failure ??= { error }
    }
  }

  if (failure) throw failure.error

  return this
}

function toServicePath(path: unknown): string {
  if (typeof path !== 'string')
    throw createError('ALULA_INVALID_PATH', `'${path}' is not a valid service path.`)

  return stripSlashes(path) || '/'
}

function isApplication(service: unknown): service is BaseApplication {
  const { service: find, services } = (service ?? {}) as Partial<BaseApplication>

  return typeof find === 'function' && typeof services === 'object'
}
