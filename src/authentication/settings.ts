// The setting of an application that holds the configuration: checked whenever it is set, read once for each call.
import { addServiceSlots, getServiceSlots } from '../utils/call-state.ts'
import { withDefaults } from './options.ts'
import type { AuthenticationConfiguration } from './types.ts'

declare module '../utils/call-state.ts' {
  interface ServiceSlots {
    /** The configuration that a call of an authentication service goes by. */
    readonly settings?: CallSettings
  }
}

/** The part of an authentication service that is needed here. */
interface Service {
  readonly configuration: AuthenticationConfiguration
  /** The same object for the registered service, which inherits from the one of the application. */
  readonly strategies: object
}

/** The part of a strategy that has settings. */
interface Strategy {
  readonly configuration: any
  readonly entityService: any
}

/** The settings of a strategy for one call. */
export class StrategySettings {
  private readonly strategy: Strategy
  private known: { readonly configuration: any } | undefined
  private found: { readonly service: any } | undefined

  constructor(strategy: Strategy) {
    this.strategy = strategy
  }

  /** What `configuration` of the strategy returned first. */
  get configuration(): any {
    this.known ??= { configuration: this.strategy.configuration }

    return this.known.configuration
  }

  /** What `entityService` of the strategy returned first. */
  get entityService(): any {
    this.found ??= { service: this.strategy.entityService }

    return this.found.service
  }

  /** The name of the id of the entity. */
  get idName(): string {
    return this.configuration.entityId ?? this.entityService?.id
  }
}

/** The configuration as one call sees it, and what its strategies make of it: a change counts from the next call on. */
class CallSettings {
  readonly configuration: AuthenticationConfiguration
  private readonly strategies = new Map<object, StrategySettings>()

  constructor(configuration: AuthenticationConfiguration) {
    this.configuration = configuration
  }

  of(strategy: Strategy): StrategySettings {
    const known = this.strategies.get(strategy)

    if (known) return known

    const settings = new StrategySettings(strategy)

    this.strategies.set(strategy, settings)

    return settings
  }
}

/** Has a call of an authentication service read the configuration once. Params that are of one already stay as they are. */
export function withSettings<Params extends object>(service: Service, params: Params): Params {
  const { strategies, configuration } = service

  return getServiceSlots(params, strategies).settings
    ? params
    : addServiceSlots(params, strategies, { settings: new CallSettings(configuration) })
}

/**
 * The configuration of an authentication service for a call.
 *
 * @param service The service
 * @param params The params of the call; for those of no call of the service it is read now
 */
export function getConfiguration(service: Service, params: object | undefined): AuthenticationConfiguration {
  return getServiceSlots(params, service.strategies).settings?.configuration ?? service.configuration
}

/** The same for a strategy of the service. */
export function getStrategySettings(
  service: Service,
  strategy: Strategy,
  params: object | undefined
): StrategySettings {
  return getServiceSlots(params, service.strategies).settings?.of(strategy) ?? new StrategySettings(strategy)
}

/**
 * Returns a function that reads a setting with its defaults. The result is the same object until an option has changed.
 *
 * @param getSetting Returns the setting, which may have been changed in place
 */
export function createReader(
  getSetting: () => { readonly [option: string]: any }
): () => AuthenticationConfiguration {
  let read: { readonly [option: string]: any } = {}
  let configuration = Object.freeze(withDefaults(read))

  return () => {
    const setting = getSetting()

    if (!hasSameOptions(setting, read)) {
      read = { ...setting }
      configuration = Object.freeze(withDefaults(read))
    }

    return configuration
  }
}

function hasSameOptions(
  one: { readonly [option: string]: unknown },
  other: { readonly [option: string]: unknown }
): boolean {
  let count = 0

  for (const name in one) {
    if (one[name] !== other[name]) return false
    count++
  }

  return count === Object.keys(other).length
}

/**
 * Has a setting checked whenever it is set. A value that is refused leaves the setting as it was.
 *
 * @param settings The settings of an application
 * @param name The name of the setting
 * @param prepare Returns the value to store instead of the one that is set
 * @param check Throws for a value that is not valid; the setting already has it
 */
export function watchSetting(
  settings: Record<string, any>,
  name: string,
  prepare: (value: unknown) => unknown,
  check: () => void
): void {
  // Another service may watch the same setting.
  const outer = Object.getOwnPropertyDescriptor(settings, name)
  let current: unknown = settings[name]

  function read(): unknown {
    return outer?.get ? outer.get.call(settings) : current
  }

  function write(value: unknown): void {
    if (outer?.set) outer.set.call(settings, value)
    else current = value
  }

  Object.defineProperty(settings, name, {
    configurable: true,
    enumerable: true,
    get: read,
    set(value: unknown) {
      const previous = read()

      try {
        write(prepare(value))
        check()
      } catch (error) {
        write(previous)
        throw error
      }
    }
  })
}
