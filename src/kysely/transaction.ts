import { type ControlledTransaction, type Kysely, type RawBuilder, sql } from 'kysely'
import { type FeathersError, isFeathersError } from '../errors.ts'
import { giveBack, inTurn, isThere } from './atomic.ts'
import { findDialect } from './dialect.ts'
import { isDeadlock, isDisconnection, toFeathersError, toLoss } from './errors.ts'

/** Sends an event. */
export type Emit = () => void

type SavepointCommand = 'savepoint' | 'release savepoint' | 'rollback to savepoint'

/**
 * A transaction that calls can join, or a savepoint in one. Hooks have it as `params.transaction`, with the names of
 * Feathers v5.
 */
export class Transaction {
  /** The transaction around this one. */
  readonly parent: Transaction | undefined
  /** Whether the outermost transaction was committed. */
  readonly committed: Promise<boolean>
  private readonly root: Transaction
  private readonly connection: ControlledTransaction<any>
  private readonly resolve: (isCommitted: boolean) => void
  private readonly savepoint: string
  private readonly events: Emit[]
  private isOver = false
  /** Whether statements run in it that nobody tells us about. That of the outermost counts. */
  private isLent = false
  /** Why there is no transaction any more. That of the outermost counts. */
  private loss: FeathersError | undefined

  private constructor(
    connection: ControlledTransaction<any>,
    parent: Transaction | undefined,
    events: Emit[] | undefined
  ) {
    const { promise, resolve } = createPromise<boolean>()

    this.connection = connection
    this.parent = parent
    this.root = parent?.root ?? this
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

    const transaction = new Transaction(parent.connection, parent, events)

    await transaction.run('savepoint')

    return transaction
  }

  /** The connection, as a Kysely instance, for statements that are not those of a service. */
  get trx(): ControlledTransaction<any> {
    this.root.isLent = true

    return this.connection
  }

  /** This transaction, or what of those around it has not ended. */
  get open(): Transaction | undefined {
    return this.isOver ? this.parent?.open : this
  }

  /** Whether it is in the same database as a Kysely instance. */
  isIn(Model: Kysely<any>): boolean {
    return this.connection.getExecutor().adapter === Model.getExecutor().adapter
  }

  /** Keeps an event until the outermost transaction is committed. */
  defer(emit: Emit): void {
    this.events.push(emit)
  }

  /**
   * Runs statements, when what was asked before is through.
   *
   * @param run The statements
   * @throws Unavailable when the database has taken the transaction back; what `run` throws
   */
  async use<T>(run: (connection: Kysely<any>) => Promise<T>): Promise<T> {
    return await inTurn(this.connection, async () => {
      if (this.root.loss) throw this.root.loss

      try {
        return await run(this.connection)
      } catch (error) {
        if (!isFeathersError(error) && (await this.isLostBy(error))) this.root.loss = toLoss(error)
        throw error
      }
    })
  }

  /**
   * Makes what happened last. The events are sent, or left to the transaction around this one.
   *
   * @throws FeathersError when the database refuses; nothing has happened then
   */
  async commit(): Promise<void> {
    this.isOver = true

    if (this.parent) return await this.mergeInto(this.parent)

    try {
      await this.use(async (connection) => {
        // SQLite says by itself that there is nothing to commit.
        if (this.isLent && findDialect(connection) !== 'sqlite' && !(await isThere(connection))) {
          throw toLoss(undefined)
        }

        await this.connection.commit().execute()
      })
    } catch (error) {
      this.resolve(false)
      // What could not be committed still holds the connection.
      await giveBack(this.connection, this.loss?.cause)
      // Of a commit without an answer nobody knows whether it was one.
      throw isDisconnection(error) ? toFeathersError(error) : (this.loss ?? toFeathersError(error))
    }

    this.resolve(true)
    for (const emit of this.events) emit()
  }

  /** Takes back what happened, and drops the events. Where it cannot, the database has done so by itself. */
  async rollback(): Promise<void> {
    if (this.isOver) return

    this.isOver = true

    if (this.parent) return await this.takeBack()

    this.resolve(false)
    await inTurn(this.connection, () => giveBack(this.connection, this.loss?.cause))
  }

  /** Asks the database, except where it would not answer, or where some go on after all and others do not. */
  private async isLostBy(error: unknown): Promise<boolean> {
    return isDisconnection(error) || isDeadlock(error) || !(await isThere(this.connection))
  }

  private async mergeInto(parent: Transaction): Promise<void> {
    try {
      await this.run('release savepoint')
    } catch (error) {
      await this.takeBack()
      throw error
    }

    for (const emit of this.events) parent.defer(emit)
  }

  /** Goes back to the savepoint. On PostgreSQL that mends a transaction in which a statement has failed. */
  private async takeBack(): Promise<void> {
    const { root } = this
    const cause = root.loss?.cause

    if (isDisconnection(cause) || isDeadlock(cause)) return

    await inTurn(this.connection, async () => {
      try {
        await this.toCommand('rollback to savepoint').execute(this.connection)
        root.loss = undefined
      } catch (error) {
        root.loss ??= toLoss(error)
      }
    })
  }

  private async run(command: SavepointCommand): Promise<void> {
    try {
      await this.use((connection) => this.toCommand(command).execute(connection))
    } catch (error) {
      throw this.root.loss ?? toFeathersError(error)
    }
  }

  private toCommand(command: SavepointCommand): RawBuilder<unknown> {
    return sql`${sql.raw(command)} ${sql.id(this.savepoint)}`
  }
}

let count = 0

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
