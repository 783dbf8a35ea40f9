import { errors, type FeathersErrorJSON } from '../errors.ts'
import { isNever, isObject } from '../utils/check.ts'
import { assertOptions, type OptionCheck } from '../utils/options.ts'

/** Clients and browsers act on these: they log in, read `Allow`, and wait. */
const FIXED: readonly number[] = [401, 405, 429]

/** The status of each error, by its name. */
const STATUSES: ReadonlyMap<string, number> = new Map(
  Object.keys(errors)
    .filter((name) => name !== 'FeathersError' && !/^\d/.test(name))
    .map((name) => [name, new (errors[name] as (typeof errors)['BadRequest'])().code])
)

const CHANGED: OptionCheck = [
  isChangeable,
  'a status from 400 to 599, but not 401, 405 or 429, on which clients act'
]

const UNCHANGED: OptionCheck = [isNever, 'it to be left out, because clients act on 401, 405 and 429']

/**
 * Checks the setting `errorStatus`: by the name of an error, the status that clients get for it. Throws TypeError for a name
 * that is no error, and for a status that cannot be changed or chosen.
 */
export function assertErrorStatus(statuses: unknown): void {
  if (statuses === undefined) return

  assertOptions(
    "the setting 'errorStatus'",
    statuses,
    Object.fromEntries(
      [...STATUSES].map(([name, status]) => [name, FIXED.includes(status) ? UNCHANGED : CHANGED])
    )
  )
}

/** The status that clients get for an error, by its name. A status that the error was given stays. */
export function toErrorStatus(
  app: { get?(name: any): any },
  { name, code }: Pick<FeathersErrorJSON, 'name' | 'code'>
): number {
  const statuses: unknown = app.get?.('errorStatus')

  if (!isObject(statuses) || STATUSES.get(name) !== code || !Object.hasOwn(statuses, name)) return code

  return isChangeable(statuses[name]) && !FIXED.includes(code) ? statuses[name] : code
}

/** The status that clients get for errors of a name. */
export function getErrorStatus(app: { get?(name: any): any }, name: string): number {
  return toErrorStatus(app, { name, code: STATUSES.get(name) ?? 500 })
}

function isChangeable(status: unknown): status is number {
  return (
    Number.isInteger(status) &&
    Number(status) >= 400 &&
    Number(status) < 600 &&
    !FIXED.includes(Number(status))
  )
}
