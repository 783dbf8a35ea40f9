import { isBoolean, isFunction } from '../utils/check.ts'
import { assertOptions, type OptionCheck, type OptionChecks } from '../utils/options.ts'
import type { LoginBudgetStore } from './store.ts'

/** The option `budget` of authentication: how many logins may fail. */
export interface LoginBudgetOptions {
  /** How many logins to one account may fail from one address; 10 when left out. */
  points?: number | undefined
  /** How many logins may fail from one address, of IPv6 from one network of 64 bits; 100 when left out. */
  addressPoints?: number | undefined
  /**
   * How many logins to one account may fail from everywhere; 100 when left out. Beyond that, addresses that the account was
   * not used from get through once in 30 seconds.
   */
  accountPoints?: number | undefined
  /** How many seconds a failed login counts, from the first one on; 900 when left out. */
  duration?: number | undefined
  /** Whether a login without points is refused; with `NODE_ENV=production` when left out. Otherwise a warning says so, once. */
  enforce?: boolean | undefined
  /** Where failed logins are counted; in the memory of the process when left out. */
  store?: LoginBudgetStore | undefined
}

/** The same, with nothing left out but the store. */
export interface LoginBudgetSettings {
  readonly points: number
  readonly addressPoints: number
  readonly accountPoints: number
  /** In milliseconds. */
  readonly duration: number
  readonly isEnforced: boolean
  readonly store: LoginBudgetStore | undefined
}

const POINTS: OptionCheck = [
  (value) => Number.isSafeInteger(value) && Number(value) > 0,
  'a positive integer'
]

const CHECKS: OptionChecks = {
  points: POINTS,
  addressPoints: POINTS,
  accountPoints: POINTS,
  duration: [(value) => POINTS[0](value), 'a whole number of seconds'],
  enforce: [isBoolean, 'true or false'],
  store: [isStore, "an object with 'take', 'giveBack', 'know' and 'knows'"]
}

/** Checks the option. Throws a TypeError with a sentence that names what is wrong. */
export function assertBudget(name: string, options: unknown): void {
  if (options !== undefined && options !== false) assertOptions(name, options, CHECKS, { under: 'budget' })
}

/** Puts in place what the option leaves out. */
export function toSettings(options: LoginBudgetOptions = {}): LoginBudgetSettings {
  const { points = 10, addressPoints = 100, accountPoints = 100, duration = 900, enforce, store } = options

  return {
    points,
    addressPoints,
    accountPoints,
    duration: duration * 1000,
    isEnforced: enforce ?? process.env.NODE_ENV === 'production',
    store
  }
}

function isStore(value: any): boolean {
  return ['take', 'giveBack', 'know', 'knows'].every((name) => isFunction(value?.[name]))
}
