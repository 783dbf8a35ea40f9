import type { Application } from '../core/types.ts'
import { getServiceSlots } from '../utils/call-state.ts'
import { createError, createTypeError } from '../utils/developer-error.ts'
import type { AuthenticationBase, AuthenticationStrategy } from './base.ts'
import { StrategySettings } from './settings.ts'

/** The base of strategies that are classes: it keeps what a strategy is given at registration. */
export class AuthenticationBaseStrategy implements AuthenticationStrategy {
  declare authentication?: AuthenticationBase
  declare app?: Application
  declare name?: string

  setAuthentication(auth: AuthenticationBase): void {
    this.authentication = auth
  }

  setApplication(app: Application): void {
    this.app = app
  }

  /** @throws Error for a second name: the first one’s configuration would be lost */
  setName(name: string): void {
    assertNameless(this.name, name)

    this.name = name
  }

  /** What the configuration holds under the name of the strategy. */
  get configuration(): any {
    return this.auth.configuration[this.name as string]
  }

  /** The service that the strategy is registered on, for code that runs when it is. */
  protected get auth(): AuthenticationBase {
    if (!this.authentication)
      throw createError(
        'ALULA_UNREGISTERED_STRATEGY',
        'The strategy is not registered on an authentication service'
      )

    return this.authentication
  }

  /**
   * The configuration and the entity service for a call: read once for the calls of the authentication service.
   *
   * @param params The params of the call
   */
  protected getSettings(params: object | undefined): StrategySettings {
    const known = getServiceSlots(params, this.auth.strategies).settings?.strategies
    const settings = known?.get(this)

    if (settings) return settings

    const made = new StrategySettings(this)

    known?.set(this, made)

    return made
  }

  /** The service that holds the entities: that of the strategy, or else of all; `null` when none is configured. */
  get entityService(): any {
    const { service = this.auth.configuration.service } = this.configuration ?? {}

    return service ? (this.app?.service(service) ?? null) : null
  }
}

/**
 * Checks that a strategy is registered on a service that can do what it asks for. Throws an Error for the service of another
 * package.
 */
export function assertOwnService(strategy: AuthenticationBaseStrategy): void {
  if (strategy.authentication?.entities === undefined) {
    throw createError(
      'ALULA_INVALID_STRATEGY',
      `The '${strategy.name}' strategy needs the AuthenticationService of the package that it comes from`
    )
  }
}

function assertNameless(current: string | undefined, name: string): void {
  if (current !== undefined && current !== name) {
    throw createError(
      'ALULA_STRATEGY_TAKEN',
      `The strategy '${name}' is registered as '${current}' already: each name needs one of its own`
    )
  }
}

/** What a strategy gets to work with. */
export interface StrategyDependencies {
  readonly app: Application
  readonly auth: AuthenticationBase
  /** The name that the strategy is registered under. */
  readonly name: string
}

/**
 * Makes a strategy of a function, without a class. Each registration needs a strategy of its own.
 *
 * @param create Gets the application, the service and the name of the strategy; returns its members
 * @example
 * const apiKey = createStrategy(() => ({
 *   parse: async ({ headers }) => headers['x-api-key'] ? { strategy: 'apiKey', key: headers['x-api-key'] } : null,
 *   authenticate: async ({ key }) => ({ authentication: { strategy: 'apiKey' }, client: findClient(key) })
 * }))
 *
 * authentication.register('apiKey', apiKey)
 */
export function createStrategy(
  create: (dependencies: StrategyDependencies) => AuthenticationStrategy
): AuthenticationStrategy {
  if (typeof create !== 'function')
    throw createTypeError(
      'ALULA_INVALID_ARGUMENT',
      'createStrategy expects a function that returns a strategy'
    )

  const dependencies: { -readonly [key in keyof StrategyDependencies]?: StrategyDependencies[key] } = {}

  const strategy: AuthenticationStrategy = {
    setName: (name) => {
      assertNameless(dependencies.name, name)

      dependencies.name = name
    },
    setApplication: (app) => {
      dependencies.app = app
    },
    // The last of the three, in Feathers v5 too.
    setAuthentication: (auth) => {
      Object.assign(strategy, create({ ...dependencies, auth } as StrategyDependencies))
    }
  }

  return strategy
}
