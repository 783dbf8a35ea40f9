import type { StoreAdapter } from '../core/store-service.ts'
import { getTraits } from '../hooks/traits.ts'
import { hasCode } from '../utils/check.ts'
import { findOrNothing } from '../utils/find-or-nothing.ts'
import { NOT_KEPT } from './response.ts'
import { type Claim, type IdempotencyStore, STORE_TIMES, type StoredCall, type Unite } from './types.ts'

/** The transactions of a database. */
interface Transactions {
  /** The same object for all services of a database. */
  readonly database: object
  readonly run: Unite
}

interface StoredRow {
  readonly hash: string
  readonly response: string | null
  readonly endsAt: number
}

/** In place of the response of a call whose method has run, until the response is known. It is no JSON. */
const MARK = 'run'

declare module '../hooks/traits.ts' {
  interface Traits {
    /** Of an adapter: the transactions of the database that a call with these params concerns. */
    readonly transactions?: (params: any) => Transactions
  }
}

/** Keeps responses in a service with an adapter, such as a table. */
export class ServiceIdempotencyStore implements IdempotencyStore {
  private readonly service: StoreAdapter
  private readonly now: () => number

  /** `assertStoreService` has checked the service; `now` returns the time, in milliseconds since 1970. */
  constructor(service: StoreAdapter, now: () => number = Date.now) {
    this.service = service
    this.now = now
  }

  async begin(claim: Claim, params: object): Promise<StoredCall | undefined> {
    const { id, hash, token } = claim
    const started = { hash, token, response: null, endsAt: this.now() + STORE_TIMES.lease }
    // First: in a transaction of PostgreSQL nothing could be read after an id that is taken.
    const found = await findOrNothing(() => this.service._get(id, params))

    if (found && this.now() < found.endsAt) return this.toStored(found)

    const isBegun = found
      ? await this.change({ id, token: found.token }, started, params)
      : await this.create(id, started, params)

    return isBegun ? undefined : { hash, response: undefined }
  }

  async finish(claim: Claim, response: string): Promise<boolean> {
    return await this.change(claim, { response, endsAt: this.now() + STORE_TIMES.lifetime }, {})
  }

  async mark(claim: Claim, params: object): Promise<boolean> {
    return await this.change(claim, { response: MARK, endsAt: this.now() + STORE_TIMES.lifetime }, params)
  }

  async release({ id, token }: Claim): Promise<void> {
    await findOrNothing(() => this.service._remove(id, { query: { token } }))
  }

  unite(service: object, params: object): Unite | undefined {
    const own = getTraits(this.service).transactions?.({})
    const { database, run } = getTraits(service).transactions?.(params) ?? {}

    return own && database === own.database ? run : undefined
  }

  /** The id is unique: of several, one is stored. */
  private async create(id: string, started: object, params: object): Promise<boolean> {
    try {
      await this.service._create({ [this.service.id ?? 'id']: id, ...started }, params)

      return true
    } catch (error) {
      if (hasCode(error, 409)) return false
      throw error
    }
  }

  /** Changes what a run has stored, in one statement that compares its token. */
  private async change(
    { id, token }: Pick<Claim, 'id' | 'token'>,
    changes: object,
    params: object
  ): Promise<boolean> {
    return Boolean(
      await findOrNothing(() => this.service._patch(id, changes, { ...params, query: { token } }))
    )
  }

  private toStored({ hash, response, endsAt }: StoredRow): StoredCall {
    if (response !== MARK) return { hash, response: response ?? undefined }

    const { lease, lifetime } = STORE_TIMES
    const isRunning = this.now() < endsAt - lifetime + lease

    return { hash, response: isRunning ? undefined : NOT_KEPT }
  }
}
