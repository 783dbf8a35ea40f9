import { AsyncLocalStorage } from 'node:async_hooks'
import type { Kysely } from 'kysely'
import { GeneralError } from '../errors.ts'
import { addDeferral } from '../utils/deferral.ts'
import { transactionEnded } from './errors.ts'
import { type Emit, type Surroundings, Transaction } from './transaction.ts'

/** What runs in `withTransaction`. The transaction begins with the first call that has a database. */
class Scope implements Surroundings {
  readonly events: Emit[] = []
  private readonly parent: Scope | undefined
  private transaction: Promise<Transaction> | undefined
  private state: 'open' | 'ending' | 'committed' | 'taken back' = 'open'

  constructor(parent: Scope | undefined) {
    this.parent = parent
  }

  /**
   * This scope, or what of those around it has not ended.
   *
   * @throws Unavailable when one of them was taken back
   */
  get open(): Scope | undefined {
    if (this.state === 'taken back') throw transactionEnded()

    return this.state === 'open' ? this : this.parent?.open
  }

  get isOpen(): boolean {
    return this.state === 'open'
  }

  /** Where an event of a call waits: in the scope around it when it is committed. */
  get waiting(): Scope | undefined {
    return this.state === 'committed' ? this.parent?.waiting : this
  }

  isCurrent(): boolean {
    return scopes.getStore()?.isWithin(this) === true
  }

  /** The transaction, begun if it has not. */
  async join(Model: Kysely<any>): Promise<Transaction> {
    this.transaction ??= this.begin(Model)

    return await this.transaction
  }

  defer(emit: Emit): void {
    if (this.state !== 'taken back') this.events.push(emit)
  }

  async commit(): Promise<void> {
    this.state = 'ending'

    try {
      // The transaction has the same events, so that those of hooks inside it keep their place.
      await (await this.transaction)?.commit()
    } catch (error) {
      this.state = 'taken back'
      throw error
    }

    this.state = 'committed'

    for (const emit of this.events.splice(0)) {
      if (this.parent) this.parent.defer(emit)
      else emit()
    }
  }

  async rollback(): Promise<void> {
    this.state = 'taken back'
    // One that could not begin has nothing to take back.
    await (await this.transaction?.catch(() => undefined))?.rollback()
  }

  private isWithin(other: Scope): boolean {
    return this === other || this.parent?.isWithin(other) === true
  }

  private async begin(Model: Kysely<any>): Promise<Transaction> {
    return await Transaction.begin(Model, await this.parent?.open?.join(Model), this)
  }
}

const scopes = new AsyncLocalStorage<Scope>()

/**
 * Runs a function whose calls succeed together or not at all. Every call of a service of `alula/kysely` that is made
 * inside, by other services and hooks too, joins one transaction; a `withTransaction` inside it sets a savepoint. Events
 * wait for the outermost commit, and are dropped when there is none.
 *
 * @param _app The application, as in the hooks. Events of all applications of the process wait
 * @param run The function. When it throws or rejects, everything is taken back
 * @returns What the function returns
 * @throws TypeError without a function; what the function throws; FeathersError when the database refuses to commit;
 * Unavailable inside one that has failed
 * @example
 * await withTransaction(app, async () => {
 *   await app.service('accounts').patch(from, { balance: 0 })
 *   await app.service('accounts').patch(to, { balance: 100 })
 * })
 */
export async function withTransaction<T>(_app: object, run: () => Promise<T>): Promise<T> {
  if (typeof run !== 'function') {
    throw new TypeError(
      'withTransaction expects an application and a function: withTransaction(app, async () => …)'
    )
  }

  const scope = new Scope(scopes.getStore()?.open)

  deferEvents()

  try {
    const result = await scopes.run(scope, run)

    await scope.commit()

    return result
  } catch (error) {
    // It fails where the connection is lost, and then the database takes everything back itself.
    if (scope.isOpen) await scope.rollback().catch(() => undefined)
    throw error
  }
}

/**
 * The transaction that a call belongs to: that of its params, or the one around it.
 *
 * @param params The params of the call
 * @param Model The Kysely instance of its service
 * @returns `undefined` for a call that belongs to none
 * @throws GeneralError for a transaction of another database, in which there may be a table of the same name;
 * Unavailable when the function around it has failed
 */
export async function findTransaction(
  params: { transaction?: Transaction } | undefined,
  Model: Kysely<any>
): Promise<Transaction | undefined> {
  const transaction = params?.transaction ?? (await scopes.getStore()?.open?.join(Model))

  if (transaction && !transaction.isIn(Model)) {
    throw new GeneralError('A transaction concerns one database, and this call has another')
  }

  return transaction
}

/** Has events wait for the transaction of their call. */
export function deferEvents(): void {
  addDeferral(deferEvent)
}

function deferEvent(emit: Emit, { params }: { params?: { transaction?: unknown } }): boolean {
  const waiting = (params?.transaction as Transaction | undefined)?.waiting ?? scopes.getStore()?.waiting

  waiting?.defer(emit)

  return waiting !== undefined
}
