import { type ControlledTransaction, type Kysely, sql } from 'kysely'
import { inTurn } from './atomic.ts'
import { findDialect } from './dialect.ts'
import { toFeathersError } from './errors.ts'

/** Sends an event. */
export type Emit = () => void

/**
 * A transaction that calls can join, or a savepoint in one. Hooks have it as `params.transaction`, with the names of
 * Feathers v5.
 */
export class Transaction {
  /** The connection, as a Kysely instance. */
  readonly trx: ControlledTransaction<any>
  /** The transaction around this one. */
  readonly parent: Transaction | undefined
  /** Whether the outermost transaction was committed. */
  readonly committed: Promise<boolean>
  private readonly resolve: (isCommitted: boolean) => void
  private readonly savepoint: string
  private readonly events: Emit[]
  private isOver = false

  private constructor(
    trx: ControlledTransaction<any>,
    parent: Transaction | undefined,
    events: Emit[] | undefined
  ) {
    const { promise, resolve } = createPromise<boolean>()

    this.trx = trx
    this.parent = parent
    this.committed = parent?.committed ?? promise
    this.resolve = resolve
    this.events = events ?? []
    this.savepoint = `alula_transaction_${++count}`
  }

  /**
   * Begins a transaction, or sets a savepoint in one.
   *
   * @param Model The Kysely instance
   * @param parent The transaction around it
   * @param events Where events are kept, when others keep theirs there too
   * @throws Unavailable when there is no connection
   */
  static async begin(Model: Kysely<any>, parent?: Transaction, events?: Emit[]): Promise<Transaction> {
    if (!parent) return new Transaction(await orFail(Model.startTransaction().execute()), undefined, events)

    const transaction = new Transaction(parent.trx, parent, events)

    await transaction.run('savepoint')

    return transaction
  }

  /** This transaction, or what of those around it has not ended. */
  get open(): Transaction | undefined {
    return this.isOver ? this.parent?.open : this
  }

  /** Whether it is in the same database as a Kysely instance. */
  isIn(Model: Kysely<any>): boolean {
    return this.trx.getExecutor().adapter === Model.getExecutor().adapter
  }

  /** Keeps an event until the outermost transaction is committed. */
  defer(emit: Emit): void {
    this.events.push(emit)
  }

  /**
   * Makes what happened last. The events are sent, or left to the transaction around this one.
   *
   * @throws FeathersError when the database refuses; nothing has happened then
   */
  async commit(): Promise<void> {
    this.isOver = true

    if (this.parent) {
      await this.run('release savepoint')
      for (const emit of this.events) this.parent.defer(emit)

      return
    }

    try {
      await inTurn(this.trx, () => orFail(commit(this.trx)))
    } catch (error) {
      this.resolve(false)
      // What could not be committed may still hold the connection.
      if (!this.trx.isRolledBack && !this.trx.isCommitted)
        await this.trx
          .rollback()
          .execute()
          .catch(() => undefined)
      throw error
    }

    this.resolve(true)
    for (const emit of this.events) emit()
  }

  /** Takes back what happened, and drops the events. */
  async rollback(): Promise<void> {
    this.isOver = true

    if (this.parent) return await this.run('rollback to savepoint')

    this.resolve(false)
    await inTurn(this.trx, () => orFail(this.trx.rollback().execute()))
  }

  private async run(command: 'savepoint' | 'release savepoint' | 'rollback to savepoint'): Promise<void> {
    await inTurn(this.trx, () => orFail(sql`${sql.raw(command)} ${sql.id(this.savepoint)}`.execute(this.trx)))
  }
}

let count = 0

/** For a transaction in which a statement has failed PostgreSQL takes `commit` for `rollback`, without an error. */
async function commit(trx: ControlledTransaction<any>): Promise<void> {
  if (findDialect(trx) === 'postgres') await sql`select 1`.execute(trx)

  await trx.commit().execute()
}

async function orFail<T>(promise: Promise<T>): Promise<T> {
  try {
    return await promise
  } catch (error) {
    throw toFeathersError(error)
  }
}

function createPromise<T>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((done) => {
    resolve = done
  })

  return { promise, resolve }
}
