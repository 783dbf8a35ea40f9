// The public keys of an issuer (RFC 7517 §5).
import type { LocalJWKSet } from 'jose'
import { Unavailable } from '../errors.ts'
import { hasCode } from '../utils/check.ts'
import { readBounded } from '../utils/read-bounded.ts'

/** Makes what chooses a key of a set: `createLocalJWKSet` of `jose`. */
export type CreateKeySet = (keys: any) => LocalJWKSet

/** How often keys are fetched again, at most, in milliseconds: for one that is not known, and while the issuer is away. */
const COOLDOWN = 60_000

/** How soon they are fetched again while there are none, in milliseconds. */
const RETRY = 1000

/** After how many milliseconds they are fetched again by themselves: keys that the issuer has withdrawn go. */
const MAX_AGE = 10 * 60_000

/** After how many milliseconds a request waits for that. */
const MAX_STALE = 2 * MAX_AGE

/** How long an issuer may take to respond, in milliseconds. */
const TIMEOUT = 5000

/** How many bytes its keys may have. */
const MAX_SIZE = 256 * 1024

/** The public keys of one issuer. Those that are known stay in use while the issuer is away. */
export class KeySet {
  private readonly url: string
  private readonly create: CreateKeySet
  private keys: LocalJWKSet | undefined
  private askedAt = Number.NEGATIVE_INFINITY
  /** When those that are known were asked for. */
  private knownAt = Number.NEGATIVE_INFINITY
  private fetching: Promise<void> | undefined

  constructor(url: string, create: CreateKeySet) {
    this.url = url
    this.create = create
  }

  /**
   * The key that the header of a token asks for, among those of the issuer. Throws Unavailable as long as there are no keys,
   * and for one that is not known while the issuer is away.
   */
  async find(...asked: Parameters<LocalJWKSet>): ReturnType<LocalJWKSet> {
    if (!this.keys) await this.fetchAfter(RETRY)
    else await this.refresh()

    if (!this.keys) throw createUnavailable()

    try {
      return await this.keys(...asked)
    } catch (error) {
      if (!hasCode(error, 'ERR_JWKS_NO_MATCHING_KEY')) throw error
    }

    await this.fetchAfter(COOLDOWN)

    // The issuer may have the key by now.
    if (this.knownAt < this.askedAt) throw createUnavailable()

    return this.keys(...asked)
  }

  /** Fetches keys that are old. Those that are known stay when that fails. */
  private async refresh(): Promise<void> {
    const age = performance.now() - this.knownAt

    if (age < MAX_AGE) return

    const fetching = this.fetchAfter(COOLDOWN).catch(() => undefined)

    if (age >= MAX_STALE) await fetching
  }

  /** For all callers at once. */
  private async fetchAfter(time: number): Promise<void> {
    if (!this.fetching && performance.now() - this.askedAt >= time) {
      this.askedAt = performance.now()
      this.fetching = this.fetch().finally(() => {
        this.fetching = undefined
      })
    }

    await this.fetching
  }

  private async fetch(): Promise<void> {
    try {
      const keys: any = JSON.parse(await fetchText(this.url))

      // One that has lost its keys is away.
      if (!(keys?.keys?.length > 0)) throw new Error('There are no keys')

      this.keys = this.create(keys)
      this.knownAt = this.askedAt
    } catch (cause) {
      throw Object.assign(createUnavailable(), { cause })
    }
  }
}

async function fetchText(url: string): Promise<string> {
  const response = await fetch(url, {
    headers: { Accept: 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT)
  })

  if (!response.ok) throw new Error(`The response is ${response.status}`)

  return (await readBounded(response, MAX_SIZE)).toString()
}

function createUnavailable(): Unavailable {
  return new Unavailable('The issuer of the token cannot be reached')
}
