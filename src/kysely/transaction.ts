import { type ControlledTransaction, type Kysely, type RawBuilder, sql } from 'kysely'
import { type FeathersError, isFeathersError } from '../errors.ts'
import { Turns } from '../utils/turns.ts'
import { isAlive, release } from './atomic.ts'
import { findDialect } from './databases.ts'
import { isDeadlock, isDisconnection, toFeathersError, transactionEnded, transactionLost } from './errors.ts'

/** Sends an event. */
export type Emit = () => void

/** A function whose calls are in a transaction. */
export interface Surroundings {
  /** The events of the calls, in their order. */
  readonly events: Emit[]
  /** Whether what runs now was begun by the function. */
  isCurrent(): boolean
}

type SavepointCommand = 'savepoint' | 'release savepoint' | 'rollback to savepoint'

/** A transaction has one connection: statements of two calls must not come between a savepoint and its end. */
const turns = new Turns<ControlledTransaction<any>>()

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
  private readonly surroundings: Surroundings | undefined
  private readonly events: Emit[]
  private readonly ended: Promise<void>
  private readonly end: () => void
  /** The savepoints that there are, the last on top. Those of the outermost count. */
  private readonly savepoints: Transaction[] = []
  /** Whether others have gone on behind its savepoint. */
  private isMixed = false
  private isOver = false
  private isCommitted = false
  private isTakenBack = false
  /** Whether statements run in it that nobody tells us about. That of the outermost counts. */
  private isLent = false
  /** Why there is no transaction any more. That of the outermost counts. */
  private loss: FeathersError | undefined

  private constructor(
    connection: ControlledTransaction<any>,
    parent: Transaction | undefined,
    surroundings: Surroundings | undefined
  ) {
    const { promise, resolve } = createPromise<boolean>()
    const ended = createPromise<void>()

    this.connection = connection
    this.parent = parent
    this.root = parent?.root ?? this
    this.committed = parent?.committed ?? promise
    this.resolve = resolve
    this.surroundings = surroundings
    this.events = surroundings?.events ?? []
    this.ended = ended.promise
    this.end = ended.resolve
    this.savepoint = `alula_transaction_${++count}`
  }

  /**
   * Begins a transaction, or sets a savepoint in one.
   *
   * @param Model The Kysely instance
   * @param parent The transaction around it
   * @param surroundings The function that it is for, if it is one
   * @throws Unavailable when there is no connection
   */
  static async begin(
    Model: Kysely<any>,
    parent?: Transaction,
    surroundings?: Surroundings
  ): Promise<Transaction> {
    if (!parent) {
      return new Transaction(await orFail(Model.startTransaction().execute()), undefined, surroundings)
    }

    const transaction = new Transaction(parent.connection, parent, surroundings)

    await transaction.run('savepoint')

    return transaction
  }

  /** The connection, as a Kysely instance, for statements that are not those of a service. */
  get trx(): ControlledTransaction<any> {
    this.root.isLent = true

    return this.connection
  }

  /** Where an event of it waits: with the transaction around it when it is committed. */
  get waiting(): Transaction | undefined {
    return this.isCommitted ? this.parent?.waiting : this
  }

  /** Whether it is in the same database as a Kysely instance. */
  isIn(Model: Kysely<any>): boolean {
    return this.connection.getExecutor().adapter === Model.getExecutor().adapter
  }

  /** Keeps an event until the outermost transaction is committed. */
  defer(emit: Emit): void {
    if (!this.isTakenBack) this.events.push(emit)
  }

  /**
   * Runs statements, when what was asked before is through. A function with a savepoint has the connection to itself:
   * what others did meanwhile would be taken back with it.
   *
   * @param run The statements
   * @throws Unavailable when the transaction has ended; what `run` throws
   */
  async use<T>(run: (connection: Kysely<any>) => Promise<T>): Promise<T> {
    const { rival, result } = await turns.take(this.connection, async () => {
      const rival = this.findRival()

      return { rival, result: rival ? undefined : await this.attempt(run) }
    })

    if (!rival) return result as T

    await rival.ended

    return await this.use(run)
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
        if (this.isLent && !findDialect(connection).failsEmptyCommit && !(await isAlive(connection))) {
          throw transactionLost(undefined)
        }

        await this.connection.commit().execute()
        this.isCommitted = true
      })
    } catch (error) {
      this.isTakenBack = true
      this.resolve(false)
      // What could not be committed still holds the connection.
      await release(this.connection, this.loss?.cause)
      // Of a commit without an answer nobody knows whether it was one.
      throw isDisconnection(error) ? toFeathersError(error) : (this.loss ?? toFeathersError(error))
    }

    this.resolve(true)
    for (const emit of this.events.splice(0)) emit()
  }

  /** Takes back what happened, and drops the events. Where it cannot, the database has done so by itself. */
  async rollback(): Promise<void> {
    if (this.isOver) return

    this.isOver = true

    if (this.parent) return await this.takeBack()

    this.resolve(false)
    await turns.take(this.connection, async () => {
      this.isTakenBack = true
      await release(this.connection, this.loss?.cause)
    })
  }

  /** A function that has the connection, and to which what runs now does not belong. */
  private findRival(): Transaction | undefined {
    // What is refused need not wait.
    if (this.root.loss || this.hasEnded) return undefined

    return this.root.savepoints.find(
      (other) => other.surroundings && !this.isWithin(other) && !other.surroundings.isCurrent()
    )
  }

  private isWithin(other: Transaction): boolean {
    return this === other || this.parent?.isWithin(other) === true
  }

  /** Whether statements would be in no transaction any more, or in one that is not theirs. */
  private get hasEnded(): boolean {
    return this.root.isCommitted || this.isTakenBack || this.parent?.hasEnded === true
  }

  private async attempt<T>(run: (connection: Kysely<any>) => Promise<T>): Promise<T> {
    if (this.root.loss) throw this.root.loss
    if (this.hasEnded) throw transactionEnded()

    this.mixWithOthers()

    try {
      return await run(this.connection)
    } catch (error) {
      if (!isFeathersError(error) && (await this.isLostBy(error))) this.root.loss = transactionLost(error)
      throw error
    }
  }

  /** Asks the database, except where it would not answer, or where some go on after all and others do not. */
  private async isLostBy(error: unknown): Promise<boolean> {
    return isDisconnection(error) || isDeadlock(error) || !(await isAlive(this.connection))
  }

  private async mergeInto(parent: Transaction): Promise<void> {
    try {
      await this.run('release savepoint')
    } catch (error) {
      await this.takeBack()
      throw error
    }

    this.isCommitted = true
    for (const emit of this.events.splice(0)) parent.defer(emit)
  }

  /** Savepoints are a stack, and each takes back all that came behind it: of calls at the same time, too. */
  private mixWithOthers(): void {
    const { savepoints } = this.root

    // Not before it has its own: it is only said where that is.
    if (this.parent && !savepoints.includes(this)) return

    for (const other of savepoints) if (!this.isWithin(other)) other.isMixed = true
  }

  /** Whether something would be taken back that is not its own. */
  private get holdsOthers(): boolean {
    const { savepoints } = this.root
    const above = savepoints.slice(savepoints.indexOf(this) + 1)

    return this.isMixed || above.some((other) => !other.isWithin(this))
  }

  /** Goes back to the savepoint. On PostgreSQL that mends a transaction in which a statement has failed. */
  private async takeBack(): Promise<void> {
    await turns.take(this.connection, async () => {
      const { root, holdsOthers } = this
      const cause = root.loss?.cause
      const isGone = this.hasEnded || isDisconnection(cause) || isDeadlock(cause)

      this.isTakenBack = true
      this.leave()
      if (isGone) return
      if (holdsOthers) {
        root.loss ??= transactionLost(undefined)

        return
      }

      try {
        await this.toCommand('rollback to savepoint').execute(this.connection)
        root.loss = undefined
      } catch (error) {
        root.loss ??= transactionLost(error)
      }
    })
  }

  private async run(command: 'savepoint' | 'release savepoint'): Promise<void> {
    try {
      await this.use(async (connection) => {
        const { savepoints } = this.root

        if (command === 'savepoint') {
          await this.toCommand(command).execute(connection)
          savepoints.push(this)
        } else {
          // Those above it would go with it.
          if (savepoints.at(-1) === this) await this.toCommand(command).execute(connection)
          this.leave()
        }
      })
    } catch (error) {
      throw this.root.loss ?? toFeathersError(error)
    }
  }

  /** Lets others have the connection. */
  private leave(): void {
    const { savepoints } = this.root
    const position = savepoints.indexOf(this)

    if (position >= 0) savepoints.splice(position, 1)
    this.end()
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
