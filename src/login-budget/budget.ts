// One budget for failed logins of an application, whatever they come through.
import { createHmac } from 'node:crypto'
import { getClientPlace } from '../core/client-place.ts'
import { reportError } from '../core/events.ts'
import { getInternals, warnOnce } from '../core/internals.ts'
import type { Application, Params } from '../core/types.ts'
import { TooManyRequests } from '../errors.ts'
import { hasCode } from '../utils/check.ts'
import { deriveKey } from '../utils/derive-key.ts'
import { mapAll } from '../utils/promise.ts'
import { toAddressKey } from './address.ts'
import { type LoginBudgetOptions, type LoginBudgetSettings, toSettings } from './options.ts'
import { PendingAttempts } from './pending.ts'
import { type LoginBudgetStore, MemoryLoginBudgetStore, type TakenPoints } from './store.ts'

declare module '../core/internals.ts' {
  interface Internals {
    /** Where failed logins are counted, unless the configuration has a store. */
    loginBudget?: { readonly store: LoginBudgetStore; readonly pending: PendingAttempts }
  }
}

/** An attempt to log in, or to use a code. */
export interface LoginAttempt {
  readonly params: Params
  /** Whose credentials are tried, as the client says; `undefined` where it does not say that. */
  readonly account: string | undefined
  /** What keys are made with. */
  readonly secret: string
  /** The option of the authentication service. */
  readonly options: false | LoginBudgetOptions | undefined
  /** Whether it is a part of an attempt that has taken a point of the address: to wait for another one could last forever. */
  readonly isAddressCounted?: boolean
}

/** What an attempt is counted under. */
interface Place {
  /** As a keyed hash, so that neither a store nor a log has names. */
  readonly account: string | undefined
  /** `undefined` where it is not known: then accounts alone count. */
  readonly address: string | undefined
  readonly isAddressCounted: boolean
}

/** For how long an account that is attacked lets one attempt through from the addresses that it does not know, in milliseconds. */
const SLOW = 30_000

/** Statuses by which credentials are refused. Others say that they were not compared. */
const FAILURES: readonly number[] = [401, 403, 404]

/** The budget for failed logins of an application. */
export class LoginBudget {
  private readonly app: Application

  /** @param app The application, which keeps what is counted */
  constructor(app: Application) {
    this.app = app
  }

  /**
   * Runs an attempt, if there are points for it. The points are taken before, and given back unless it fails: of many attempts
   * at one moment no more pass than one after another. `work` compares the credentials, and gets whether the account was used
   * before from the address of the client. Throws TooManyRequests without points, with `retryAfter` in seconds as its data;
   * what `work` throws.
   */
  async run<T>(attempt: LoginAttempt, work: (isKnown: boolean) => Promise<T>): Promise<T> {
    if (attempt.options === false) return work(false)

    const settings = toSettings(attempt.options)
    const points = new Points(this.app, settings, this.toPlace(attempt, settings))
    // No client waits for that.
    const end = (outcome: Outcome) => void points.end(outcome).catch((error) => reportError(this.app, error))

    await points.take()

    try {
      const result = await work(points.isKnown)

      end('right')

      return result
    } catch (error) {
      end(FAILURES.some((status) => hasCode(error, status)) ? 'wrong' : 'not compared')
      throw error
    }
  }

  /** An account as stores and events have it: the same for all ways to write the name, and the name cannot be read from it. */
  hashAccount(account: string, secret: string): string {
    const key = deriveKey(secret, 'alula/login-budget')

    return createHmac('sha256', key).update(toPlainName(account)).digest('base64url').slice(0, 22)
  }

  private toPlace(
    { params, account, secret, isAddressCounted = false }: LoginAttempt,
    { isEnforced }: LoginBudgetSettings
  ): Place {
    const { address, isBehindProxy = false } = getClientPlace(params) ?? {}
    const key = isBehindProxy ? undefined : toAddressKey(address)

    if (key === undefined && isEnforced) warnOfUnknownAddress(this.app, isBehindProxy)

    const hash = account === undefined ? undefined : this.hashAccount(account, secret)

    return { address: key, account: hash, isAddressCounted }
  }
}

const UNSEEN = /[\p{Mark}\p{Format}\p{Control}]/gu

/**
 * A name without what databases may ignore when they compare: case, spaces around, accents, and characters that are not seen.
 * Otherwise each way to write it would have points of its own. Accounts whose names are the same like this share theirs.
 */
function toPlainName(account: string): string {
  // Before too: to bring marks into their order takes time that grows with the square of their number.
  return account.replace(UNSEEN, '').normalize('NFKD').replace(UNSEEN, '').trim().toUpperCase().toLowerCase()
}

/** What came of the credentials of an attempt. */
type Outcome = 'right' | 'wrong' | 'not compared'

/** The points of one attempt. */
class Points {
  private readonly app: Application
  private readonly settings: LoginBudgetSettings
  private readonly place: Place
  private readonly store: LoginBudgetStore
  private readonly pending: PendingAttempts
  /** The keys of which a point is taken. */
  private readonly taken: string[] = []
  /** Whether the account was used before from the address. */
  isKnown = false

  constructor(app: Application, settings: LoginBudgetSettings, place: Place) {
    const internals = getInternals(app)

    internals.loginBudget ??= { store: new MemoryLoginBudgetStore(), pending: new PendingAttempts() }

    this.app = app
    this.settings = settings
    this.place = place
    this.store = settings.store ?? internals.loginBudget.store
    this.pending = internals.loginBudget.pending
  }

  /** @throws TooManyRequests when there is none left */
  async take(): Promise<void> {
    const { account, address, isAddressCounted } = this.place
    const { points, addressPoints, accountPoints } = this.settings

    try {
      // First, so that an address without points leaves no counters of the names that it tries.
      if (address && !isAddressCounted) await this.takeOf(`address ${address}`, addressPoints)
      if (account && address) {
        await this.takeOf(`both ${account} ${address}`, points)
        this.isKnown = await this.store.knows(account, address)
      }
      if (account) await this.takeOfAccount(account, accountPoints)
    } catch (error) {
      const hasPoints = !(error instanceof NoPoints)

      if (hasPoints || this.settings.isEnforced) {
        await this.end('not compared')
        throw hasPoints ? error : toTooMany(error.resetIn)
      }

      warnOnce(
        this.app,
        'ALULA_LOGIN_BUDGET',
        'The budget for failed logins is used up: with NODE_ENV=production the response would be a 429'
      )
    }
  }

  /** Ends the attempt: points of wrong credentials stay taken. */
  async end(outcome: Outcome): Promise<void> {
    const { account, address } = this.place

    await mapAll(this.taken.splice(0), (key) => this.release(key, outcome !== 'wrong'))

    if (outcome === 'right' && account && address) await this.store.know(account, address)
  }

  /** Also where the store fails: other attempts may wait, and one of them resumes where the point is of use to it. */
  private async release(key: string, givesBack: boolean, isOfUse = givesBack): Promise<void> {
    try {
      if (givesBack) await this.store.giveBack(key, this.settings.duration)
    } finally {
      this.pending.end(key, isOfUse)
    }
  }

  /** Points that other attempts may give back are waited for: many users of one address log in after a restart. */
  private async takeOf(key: string, limit: number): Promise<void> {
    const { isEnforced } = this.settings

    await this.pending.begin(key, isEnforced ? limit : Number.POSITIVE_INFINITY)

    for (;;) {
      const wasOnly = this.pending.isOnly(key)
      const { count, resetIn } = await this.takeOne(key)

      // There may be more points.
      if (count <= limit) return this.pending.resumeNext(key, limit)

      const isLast = wasOnly && this.pending.isOnly(key)

      this.taken.pop()
      // No other attempt can use a point over the limit.
      await this.release(key, true, false)

      if (!isEnforced || isLast) throw new NoPoints(resetIn)

      await this.pending.beginAgain(key)
    }
  }

  /** An account that is attacked from many addresses stays open to its own, and to one attempt of all others at a time. */
  private async takeOfAccount(account: string, limit: number): Promise<void> {
    const key = `account ${account}`

    await this.pending.begin(key, Number.POSITIVE_INFINITY)

    const { count } = await this.takeOne(key)

    if (count <= limit || this.isKnown) return

    const slow = await this.store.take(`slow ${account}`, SLOW)

    if (slow.count > 1) throw new NoPoints(slow.resetIn)
  }

  private async takeOne(key: string): Promise<TakenPoints> {
    try {
      const points = await this.store.take(key, this.settings.duration)

      this.taken.push(key)

      return points
    } catch (error) {
      this.pending.end(key, true)
      throw error
    }
  }
}

class NoPoints extends Error {
  readonly resetIn: number

  constructor(resetIn: number) {
    super()
    this.resetIn = resetIn
  }
}

/** The same whatever there are no points of: it does not tell whether there is such an account. */
function toTooMany(resetIn: number): TooManyRequests {
  return new TooManyRequests('Too many failed logins: try again later', {
    retryAfter: Math.max(1, Math.ceil(resetIn / 1000))
  })
}

function warnOfUnknownAddress(app: Application, isBehindProxy: boolean): void {
  const reason = isBehindProxy
    ? "Requests come through a proxy, and nothing says how many there are: set 'trustProxy' of the transport, " +
      "'trust proxy' of Express or 'proxy' of Koa"
    : "The address of a client is not known: have the transport pass it on, as 'address'"

  warnOnce(app, 'ALULA_UNKNOWN_ADDRESS', `${reason}. Until then failed logins are counted by account alone`)
}
