// What failed logins are counted by, and the event about each.
import { getClientPlace } from '../core/client-place.ts'
import { emitSafely } from '../core/events.ts'
import { LoginBudget } from '../login-budget/budget.ts'
import { addServiceSlots, getServiceSlots } from '../utils/call-state.ts'
import { hasCode } from '../utils/check.ts'
import { createTypeError } from '../utils/developer-error.ts'
import { assertSync } from '../utils/promise.ts'
import { toSecrets } from './secret-keys.ts'
import { getConfiguration } from './settings.ts'
import type { AuthService } from './strategies.ts'
import type { AuthenticationParams, AuthenticationRequest } from './types.ts'

declare module '../utils/call-state.ts' {
  interface ServiceSlots {
    /** Whether credentials are those of a login, and whether they are counted already: by account, or by address alone. */
    readonly attempt?: 'login' | 'counted' | 'address' | undefined
    /** Whether the account of a login was used before from the address of its client. */
    readonly isKnown?: boolean
  }
}

/** What listeners of `login:failed` get. It holds no secret, and no name that a user has typed. */
export interface FailedLogin {
  /** The name of the strategy, or `code` for a code that works once. */
  readonly strategy: string
  /** `refused` for wrong credentials, `limited` for an attempt that the budget has not let through. */
  readonly cause: 'refused' | 'limited'
  /** A keyed hash of whose credentials were tried: the same for the same account. `undefined` where that is not known. */
  readonly account: string | undefined
  /** The address of the client, where it is known. */
  readonly address: string | undefined
  /** The name of the transport, where it is known. */
  readonly provider: string | undefined
}

/** The attempts of clients to log in on an authentication service. */
export class Attempts {
  private readonly service: AuthService
  private readonly budget: LoginBudget

  constructor(service: AuthService) {
    this.service = service
    this.budget = new LoginBudget(service.app)
  }

  /**
   * Verifies credentials: those of clients within the budget for failed logins, where they can be guessed. Throws
   * TooManyRequests when the budget is used up; and what `work` throws.
   */
  async run<T>(
    data: AuthenticationRequest | null | undefined,
    params: AuthenticationParams,
    allowed: readonly string[],
    work: (params: AuthenticationParams) => Promise<T>
  ): Promise<T> {
    const { strategies } = this.service
    // A client may send anything in its place.
    const name = typeof data?.strategy === 'string' ? data.strategy : ''
    const strategy = allowed.includes(name) ? strategies[name] : undefined
    const { attempt } = getServiceSlots(params, strategies)

    if (!data || !strategy || attempt === 'counted') return work(params)

    const isCounted =
      strategy.isGuessable !== false && (attempt === 'login' || strategy.getAccount !== undefined)

    if ((!isCounted && attempt !== 'login') || !isOfClient(params)) return work(params)

    const account = toAccount(strategy.getAccount?.(data, params))

    if (attempt === 'address' && account === undefined) return work(params)

    // A strategy without an account may try the credentials of one by another strategy.
    const counted = account === undefined ? 'address' : 'counted'

    return this.count(name, account, params, isCounted, (isKnown) =>
      work(addServiceSlots(params, strategies, { attempt: isCounted ? counted : undefined, isKnown }))
    )
  }

  /**
   * Counts an attempt with credentials of any kind, which are `name` in the event. `isCounted`: whether a failure counts.
   * `work` compares them, and gets whether the account was used before from the address of the client.
   */
  async count<T>(
    name: string,
    account: string | undefined,
    params: AuthenticationParams,
    isCounted: boolean,
    work: (isKnown: boolean) => Promise<T>
  ): Promise<T> {
    const { budget: options, secret } = getConfiguration(this.service, params)
    const { attempt } = getServiceSlots(params, this.service.strategies)
    const isAddressCounted = attempt === 'address' || attempt === 'counted'
    const [first = ''] = toSecrets(secret)
    const given = account === '' ? undefined : account

    try {
      if (!isCounted) return await work(false)

      return await this.budget.run({ params, account: given, secret: first, options, isAddressCounted }, work)
    } catch (error) {
      if (hasCode(error, 401) || hasCode(error, 429)) {
        const failed: FailedLogin = {
          strategy: name,
          cause: hasCode(error, 429) ? 'limited' : 'refused',
          account: given === undefined ? undefined : this.budget.hashAccount(given, first),
          address: getClientPlace(params)?.address,
          provider: params.provider ?? params.connection?.provider
        }

        emitSafely(this.service.app, this.service.app, 'login:failed', [failed])
      }
      throw error
    }
  }
}

/** Notes that params are those of a login. */
export function asLogin<Params extends AuthenticationParams>(
  { strategies }: { readonly strategies: object },
  params: Params
): Params {
  return params.provider ? addServiceSlots(params, strategies, { attempt: 'login' }) : params
}

/** Whether a call is made for a client: also without `provider`, which hooks remove from the params of a verification. */
export function isOfClient(params: AuthenticationParams): boolean {
  return Boolean(params.provider ?? params.connection) || getClientPlace(params) !== undefined
}

function toAccount(value: unknown): string | undefined {
  const sentence = "'getAccount' of a strategy has to return a string, a finite number or undefined"
  const account = assertSync(value, sentence)

  if (account === undefined || typeof account === 'string') return account
  if (Number.isFinite(account)) return String(account)

  // Without an account the failures would count by address alone.
  throw createTypeError('ALULA_INVALID_RETURN_VALUE', sentence)
}
