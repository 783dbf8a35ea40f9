/** A call with a key, as a store knows it. */
export interface Claim {
  /** A hash of the key, of who has sent it, and of the service and the method. */
  readonly id: string
  /** A hash of what was sent. */
  readonly hash: string
  /** Names the run: what an earlier run stores after its lease changes nothing. */
  readonly token: string
}

/** What is stored for a key. */
export interface StoredCall {
  readonly hash: string
  /** As JSON; an empty string for a call that has run and whose response is not kept, `undefined` for one that runs. */
  readonly response: string | undefined
}

/** Where keys and responses are kept. */
export interface IdempotencyStore {
  /**
   * Begins a call in one step: of several that begin with one key, one does, and the others get what is stored. One that is
   * still running after its lease can be begun anew. A store in the same database joins the transaction of the params of the
   * call.
   */
  begin(claim: Claim, params: object): Promise<StoredCall | undefined>
  /**
   * Stores a response as JSON, or an empty string for none, unless another run has begun meanwhile. Returns whether it was
   * stored.
   */
  finish(claim: Claim, response: string): Promise<boolean>
  /** Forgets a call, unless another run has begun meanwhile. */
  release(claim: Claim): Promise<void>
  /** How a call and its key are written in one transaction; `undefined` where they are not in one database. */
  unite?(service: object, params: object): Unite | undefined
  /**
   * Stores that the method of a call has run, in the transaction of its record, unless another run has begun meanwhile; the
   * params are as for `begin`. The call still runs, with a new lease; after it, its response is not kept. There with `unite`.
   * Returns whether it was stored.
   */
  mark?(claim: Claim, params: object): Promise<boolean>
}

/** Runs a function in a transaction, which calls of the services of one database join. */
export type Unite = <Result>(run: () => Promise<Result>) => Promise<Result>

/** How long stores keep what they have, in milliseconds. */
export const STORE_TIMES = Object.freeze({
  /** After how long a call that has not finished can be begun anew. */
  lease: 60_000,
  /** For how long responses are kept. */
  lifetime: 24 * 60 * 60_000
})
