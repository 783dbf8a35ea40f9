// The setting of an application that holds the configuration: checked whenever it is set, read once for each call.
import { addServiceSlots, getServiceSlots, type ServiceSlots } from '../utils/call-state.ts'
import { withDefaults } from './options.ts'
import type { AuthService } from './strategies.ts'
import type { AuthenticationConfiguration } from './types.ts'

declare module '../utils/call-state.ts' {
  interface ServiceSlots {
    /** The configuration that a call of an authentication service goes by. */
    readonly settings?: CallSettings
  }
}

interface Setting {
  readonly [option: string]: any
}

/** The part of a strategy that has settings. */
interface Strategy {
  readonly configuration: any
  readonly entityService: any
}

/** What a strategy goes by in a call. */
export class StrategySettings {
  private readonly strategy: Strategy
  readonly configuration: any
  private service: any

  constructor(strategy: Strategy) {
    this.strategy = strategy
    this.configuration = strategy.configuration
  }

  /** What `entityService` of the strategy returned first. */
  get entityService(): any {
    if (this.service === undefined) this.service = this.strategy.entityService

    return this.service
  }

  /** The name of the id of the entity. */
  get idName(): string {
    return this.configuration.entityId ?? this.entityService?.id
  }
}

/** What a call goes by, as it is when the call begins: a change counts from the next call on. */
interface CallSettings {
  readonly configuration: AuthenticationConfiguration
  /** Those of the strategies that the call has come to. */
  readonly strategies: Map<object, StrategySettings>
}

/** Has a call of an authentication service read the configuration once. Params that are of one already stay as they are. */
export function withSettings<Params extends object>(
  service: AuthService,
  params: Params,
  slots?: ServiceSlots
): Params {
  const { settings } = getServiceSlots(params, service.strategies)

  if (settings && !slots) return params

  return addServiceSlots(params, service.strategies, {
    settings: settings ?? { configuration: service.configuration, strategies: new Map() },
    ...slots
  })
}

/** The configuration of an authentication service for a call. For params of no call of the service it is read now. */
export function getConfiguration(
  service: AuthService,
  params: object | undefined
): AuthenticationConfiguration {
  return getServiceSlots(params, service.strategies).settings?.configuration ?? service.configuration
}

/**
 * Returns a function that adds defaults to a setting. The result is the same object until an option has changed: the setting may be
 * changed in place.
 */
export function createReader(): (setting: Setting) => AuthenticationConfiguration {
  let read: Setting = {}
  let configuration = Object.freeze(withDefaults(read))

  return (setting) => {
    let isSame = Object.keys(setting).length === Object.keys(read).length

    for (const name in setting) isSame &&= setting[name] === read[name]

    if (!isSame) {
      read = { ...setting }
      configuration = Object.freeze(withDefaults(read))
    }

    return configuration
  }
}

/**
 * Has a setting checked whenever it is set. `prepare` returns the value to store instead of the one that is set. `check` throws
 * for a value that is not valid, which the setting has by then: a value that is refused leaves the setting as it was.
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
