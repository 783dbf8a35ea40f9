import { isPlainObject } from '../utils/object.ts'
import { MISSING_SECRET, toAlgorithms } from './options.ts'
import { canSign, createFingerprint } from './tokens.ts'
import type { AuthenticationConfiguration } from './types.ts'

/** The part of an authentication service that is needed here. */
interface Service {
  readonly configuration: AuthenticationConfiguration
  readonly strategies: { readonly [name: string]: { getCredential?(entity: any): unknown } }
}

/**
 * What proves the identity of entities, for example their password hashes, as the strategies of a service see it.
 * Tokens are tied to it by fingerprints: when it changes, they are void, on every server and after every restart.
 */
export class Credentials {
  private readonly service: Service
  /** By the `authentication` of a result, which survives when a subclass copies the result. */
  private readonly verified = new WeakMap<object, any>()

  private signer: { secret: string; algorithm: string | undefined; canSign: boolean } = {
    secret: '',
    algorithm: undefined,
    canSign: false
  }

  constructor(service: Service) {
    this.service = service
  }

  /** Whether tokens are tied to credentials: there are some, and the service makes the tokens itself. */
  get areTracked(): boolean {
    return (
      this.service.configuration.revocation !== false &&
      this.makesTokens &&
      Object.values(this.service.strategies).some((strategy) => strategy.getCredential !== undefined)
    )
  }

  /**
   * Keeps the entity that a strategy has verified and found to be active, as it was then and with all fields.
   *
   * @param authentication The `authentication` of the result of the strategy
   */
  remember(authentication: object, entity: any): void {
    this.verified.set(authentication, entity)
  }

  /** The entity that a strategy has verified, when it said so. */
  recall(authentication: object | undefined): any {
    return authentication && this.verified.get(authentication)
  }

  /**
   * Values, by the names of strategies, that change when the credentials of an entity do; `undefined` when no strategy
   * sees one.
   */
  toFingerprints(entity: any): { [strategy: string]: string } | undefined {
    const { secret } = this.service.configuration

    if (!secret) throw new Error(MISSING_SECRET)

    let fingerprints: { [strategy: string]: string } | undefined

    for (const [name, strategy] of Object.entries(this.service.strategies)) {
      const credential = strategy.getCredential?.(entity) ?? null

      if (credential === null) continue

      fingerprints ??= Object.create(null) as { [strategy: string]: string }
      fingerprints[name] = createFingerprint(secret, name, credential)
    }

    return fingerprints
  }

  /**
   * Whether the credentials of an entity are what they were when a token was made. Those of a strategy that the
   * service does not have do not count, nor those that came later.
   *
   * @param fingerprints What the token says
   * @param entity The entity as it is now
   */
  match(fingerprints: unknown, entity: any): boolean {
    if (fingerprints === undefined || !this.areTracked) return true
    if (!isPlainObject(fingerprints)) return false

    const current = this.toFingerprints(entity) ?? {}
    const claimed = Object.entries(fingerprints)

    return (
      claimed.length > 0 &&
      claimed.every(
        ([name, fingerprint]) =>
          this.service.strategies[name]?.getCredential === undefined || current[name] === fingerprint
      )
    )
  }

  /** Kept, because each request needs to know, and reading a key takes long. */
  private get makesTokens(): boolean {
    const { secret = '', jwtOptions } = this.service.configuration
    const algorithms = toAlgorithms(jwtOptions)
    const [algorithm] = algorithms

    if (this.signer.secret !== secret || this.signer.algorithm !== algorithm) {
      this.signer = { secret, algorithm, canSign: canSign(secret, algorithms) }
    }

    return this.signer.canSign
  }

  /**
   * Whether the credentials in two records of an entity are the same. What the second one does not show, because it
   * was loaded without that field, does not count.
   */
  areSame(verified: any, current: any): boolean {
    return Object.values(this.service.strategies).every((strategy) => {
      const credential = strategy.getCredential?.(current)

      return (
        credential === undefined ||
        JSON.stringify(credential) === JSON.stringify(strategy.getCredential?.(verified))
      )
    })
  }
}
