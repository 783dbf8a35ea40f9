import { toLoginParams } from '../access/credentials.ts'
import type { Application } from '../core/types.ts'
import { withoutServiceSlots } from '../utils/call-state.ts'
import { hasCode } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { isShownByService } from '../utils/dispatch.ts'
import { createHiddenField } from '../utils/hidden-field.ts'
import { copyWith, isPlainObject } from '../utils/object.ts'
import { withoutLookupField } from '../utils/own-adapter.ts'
import { assertSync } from '../utils/promise.ts'
import type { EntitySource } from './connections.ts'
import { MISSING_SECRET, toAlgorithms } from './options.ts'
import { type SecretKeys, toSecrets } from './secret-keys.ts'
import { getConfiguration } from './settings.ts'
import type { AuthService, Strategy } from './strategies.ts'
import type { AuthenticationConfiguration, AuthenticationParams, AuthenticationResult } from './types.ts'

/** Where an entity is that was loaded: the call of a client may see less of it than the server. */
export interface EntityPlace {
  readonly service: { get(id: any, params: object): Promise<any> }
  readonly id: unknown
  /** Its name on params, such as `user`. */
  readonly name: string
}

/** The entities of an authentication service: how they are loaded, who may log in, and what ties tokens to them. */
export class Entities {
  private readonly service: AuthService
  private readonly keys: SecretKeys
  /** Verified entities, on the `authentication` of a result, which stays the same when a subclass copies the result. */
  private readonly verified = createHiddenField<any>()

  constructor(service: AuthService, keys: SecretKeys) {
    this.service = service
    this.keys = keys
  }

  /** Loads an entity as the server sees it, with all fields. */
  load(
    { service, id }: Omit<EntityPlace, 'name'>,
    params: AuthenticationParams,
    query: object
  ): Promise<any> {
    return service.get(id, copyWith(toInternal(params), { query }))
  }

  /**
   * Loads an entity as an external call may see it, with the hooks for that. A call of the server gets the entity that
   * it has already.
   */
  show({ service, id, name }: EntityPlace, params: AuthenticationParams, entity: any): Promise<any> {
    return params.provider
      ? service.get(id, copyWith(toLoginParams(withoutOwnId(params), service), { [name]: entity }))
      : Promise.resolve(entity)
  }

  /** Replaces the entity of a result by what {@link show} returns, unless it says itself what clients may see of it. */
  async showIn(result: AuthenticationResult, params: AuthenticationParams): Promise<AuthenticationResult> {
    const found = params.provider ? this.find(result, params) : undefined

    if (!found || found.id === undefined || isShownByService(result[found.name])) return result

    const shown = await this.show(found, copyWith(params, { authenticated: true }), result[found.name])

    return copyWith(result, { [found.name]: shown })
  }

  /** Whether the option `isActive` lets an entity in. */
  async isActive(entity: any, params: AuthenticationParams): Promise<boolean> {
    const { isActive } = getConfiguration(this.service, params)

    return !isActive || Boolean(await isActive(entity, params))
  }

  /**
   * Whether the entity of a result may log in. That of a strategy that has not asked itself is loaded: the result may lack
   * what clients must not see.
   */
  async isActiveIn(result: AuthenticationResult, params: AuthenticationParams): Promise<boolean> {
    if (this.getVerified(result) || !getConfiguration(this.service, params).isActive) return true

    const found = this.find(result, params)

    if (!found) return true

    try {
      return await this.isActive(await this.load(found, {}, {}), params)
    } catch (error) {
      // Without an id, and for one that is gone.
      if (hasCode(error, 400) || hasCode(error, 404)) return false
      throw error
    }
  }

  /** Keeps with a result the entity that its strategy has verified and found to be active, as it was then. */
  setVerified<Result extends AuthenticationResult>(result: Result, entity: any): Result {
    this.verified.keep(result.authentication, entity)

    return result
  }

  /** The entity that the strategy of a result has verified; `undefined` for a strategy that has not said so. */
  getVerified({ authentication }: AuthenticationResult): any {
    return authentication && this.verified.get(authentication)
  }

  /** Whether tokens are tied to credentials: there are some, and the service makes the tokens itself. */
  areTied(params: object): boolean {
    return this.ties(getConfiguration(this.service, params))
  }

  /**
   * Values, by the names of strategies, that change when the credentials of an entity do; `undefined` when no strategy sees
   * one. They are made with the secret that signs when `secret` is left out.
   */
  toFingerprints(
    entity: any,
    params: object,
    secret = toSecrets(getConfiguration(this.service, params).secret)[0]
  ): { [strategy: string]: string } | undefined {
    if (!secret) throw createError('ALULA_MISSING_SECRET', MISSING_SECRET)

    let fingerprints: { [strategy: string]: string } | undefined

    for (const [name, strategy] of Object.entries(this.service.strategies)) {
      const credential = readCredential(strategy, entity, params) ?? null

      if (credential === null) continue

      fingerprints ??= Object.create(null) as { [strategy: string]: string }
      fingerprints[name] = this.keys.createFingerprint(secret, name, credential)
    }

    return fingerprints
  }

  /**
   * Whether the credentials of an entity are what they were when a token was made. Those of a strategy that the
   * service does not have do not count, nor those that came later.
   */
  hasFingerprints(entity: any, fingerprints: unknown, params: object = {}): boolean {
    if (fingerprints === undefined) return true

    const configuration = getConfiguration(this.service, params)

    if (!this.ties(configuration)) return true
    if (!isPlainObject(fingerprints)) return false

    const claimed = Object.entries(fingerprints)

    if (claimed.length === 0) return false

    // Those of a token that a later secret has signed were made with that one.
    return toSecrets(configuration.secret).some((secret) => {
      const current = this.toFingerprints(entity, params, secret) ?? {}

      return claimed.every(
        ([name, fingerprint]) =>
          this.service.strategies[name]?.getCredential === undefined || current[name] === fingerprint
      )
    })
  }

  /**
   * Whether the credentials in two records of an entity are the same. What the second one does not show, because it
   * was loaded without that field, does not count.
   */
  haveSameCredentials(verified: any, current: any, params: object): boolean {
    return Object.values(this.service.strategies).every((strategy) => {
      const credential = readCredential(strategy, current, params)

      return (
        credential === undefined ||
        JSON.stringify(credential) === JSON.stringify(readCredential(strategy, verified, params))
      )
    })
  }

  /** The services of the entities of all strategies. */
  findSources(): EntitySource[] {
    const { app, configuration, strategies } = this.service
    const settings = [configuration, ...Object.keys(strategies).map((name) => configuration[name] ?? {})]

    return settings.flatMap(
      ({ service: path = configuration.service, entityId = configuration.entityId }) => {
        const service: any = path && findService(app, path)

        return typeof service?.on === 'function' ? { path, service, idName: entityId ?? service.id } : []
      }
    )
  }

  /** Where the entity of a result is; `undefined` for a result without one. */
  private find(result: AuthenticationResult, params: object): EntityPlace | undefined {
    const { entity: name, entityId, service: path } = getConfiguration(this.service, params)
    const entity = name && result[name]

    if (!name || !entity || !path) return undefined

    const service: any = this.service.app.service(path)

    return { name, service, id: entity[entityId ?? service.id] }
  }

  private ties({ revocation, secret, jwtOptions }: AuthenticationConfiguration): boolean {
    const [signing = ''] = toSecrets(secret)

    return (
      revocation !== false &&
      this.keys.canSign(signing, toAlgorithms(jwtOptions)) &&
      Object.values(this.service.strategies).some((strategy) => strategy.getCredential !== undefined)
    )
  }
}

/** All promises look the same: a change of the credential would not be seen. */
function readCredential(strategy: Strategy<any>, entity: any, params: object): unknown {
  return assertSync(
    strategy.getCredential?.(entity, params),
    "'getCredential' of a strategy has to return the credential itself"
  )
}

/** A strategy may name a service that does not exist: its first login says so. */
function findService(app: Application, path: string): unknown {
  try {
    return app.service(path)
  } catch {
    return undefined
  }
}

/** The params of a call by the server itself, for the service of the entity. Those that are such params already are not copied. */
export function toInternal<Params extends { provider?: unknown }>(params: Params): Params {
  return withoutServiceSlots(withoutProvider(params))
}

/** Params without `provider`, for a method of a strategy in the same call. Params that have none are not copied. */
export function withoutProvider<Params extends { provider?: unknown }>(params: Params): Params {
  const own = withoutOwnId(params)

  if (!own.provider) return own

  const { provider, ...internal } = own

  return internal as Params
}

/** Params without the field that names a record of the authentication service in place of its id. */
function withoutOwnId<Params extends object>(params: Params): Params {
  const { adapter } = params as { adapter?: { readonly by?: object } }

  return adapter?.by === undefined ? params : copyWith(params, { adapter: withoutLookupField(adapter) })
}
