import { Timeout } from '../errors.ts'

/**
 * How many milliseconds a renewal may take. Long enough for a slow network: no call succeeds without it. Calls over a socket have
 * the same limit.
 */
const RENEWAL_TIMEOUT = 30_000

/** The same before the token expires: until then, calls can use it. */
const EARLY_RENEWAL_TIMEOUT = 10_000

/**
 * Runs a renewal: one at a time in all tabs of a browser, which share the lock, and for a limited time. A response that comes
 * late is ignored: the server sends the same tokens again. `isEarly`: whether the token has not expired yet; `renew` gets a
 * function that tells whether the result still counts. When the time is over, throws Timeout where the login is still the last
 * one (`isLast`), and returns `undefined` where it has been replaced.
 */
export async function runRenewal<Result>(
  lock: string,
  isEarly: boolean,
  isLast: () => boolean,
  renew: (isCurrent: () => boolean) => Promise<Result>
): Promise<Result | undefined> {
  const { locks } = (globalThis as { navigator?: { locks?: any } }).navigator ?? {}
  const limit = isEarly ? EARLY_RENEWAL_TIMEOUT : RENEWAL_TIMEOUT
  let isLate = false
  let timer: unknown
  const late = new Promise<undefined>((resolve, reject) => {
    timer = setTimeout(() => {
      isLate = true
      if (isLast()) reject(new Timeout(`The token was not renewed within ${limit} ms`))
      else resolve(undefined)
    }, limit)
  })
  // Inside a lock, too: other tabs wait until this settles.
  const renewNow = () => Promise.race([renew(() => isLast() && !isLate), late])

  try {
    return await Promise.race([locks ? locks.request(lock, renewNow) : renewNow(), late])
  } finally {
    clearTimeout(timer as number)
  }
}
