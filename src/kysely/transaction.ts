import { AsyncLocalStorage } from 'node:async_hooks'
import type { Transaction as KyselyTransaction } from 'kysely'
import { GeneralError } from '../errors.ts'
import { setDeferral } from '../utils/deferral.ts'
import { createError } from '../utils/developer-error.ts'
import type { AnyKysely } from './any-kysely.ts'
import { release } from './atomic.ts'
import { checkout } from './checkout.ts'
import { SharedConnection } from './connection.ts'
import { type Database, findDatabase } from './databases.ts'
import { isDisconnection, toFeathersError, transactionEnded, transactionLost } from './errors.ts'
import { begin, commit, Savepoint } from './statements.ts'
import { warnOutside } from './warnings.ts'

/** Sends an event. */
type Emit = (transaction: object) => void

type State = 'open' | 'ending' | 'committed' | 'rolled back'

/** The transaction of the function that runs now. */
const current = new AsyncLocalStorage<Transaction>()

/** A call whose hooks begin and end transactions. */
export interface HookCall {
  /** The transactions that it has begun and not ended, the innermost last; `undefined` before the first. */
  begun?: Transaction[]
  /** The transaction that it was called with, which is for its caller to end. */
  readonly given: Transaction | undefined
  /** Whether one was committed. */
  hasCommitted?: boolean
  /** Whether its hooks and its method have run. */
  isOver?: boolean
  /** The nearest call around this one that may have a transaction. */
  outer: HookCall | undefined
}

/** The call whose hooks or method run now. Its transaction is not found by other calls: they get it by their params. */
export const currentCall = new AsyncLocalStorage<HookCall>()

/**
 * A transaction that calls can join, or a savepoint in one. It begins with the first call that joins it. Hooks have it
 * as `params.transaction`, with the names of Feathers v5.
 */
export class Transaction {
  /** The transaction around this one. */
  parent: Transaction | undefined
  private state: State = 'open'
  /** Whether calls find it because its function makes them, and not by their params. */
  readonly isScope: boolean
  private readonly events: Emit[] = []
  private readonly outcome = createPromise<boolean>()
  private beginning: Promise<SharedConnection> | undefined
  private connection: SharedConnection | undefined
  private savepoint: Savepoint | undefined
  /** The database that it begins in. */
  private database: Database | undefined
  /** Those that statements of its function have run in before it began. */
  private readonly before = new Set<Database>()
  private readonly ended = createPromise<void>()
  /** The savepoints that there are in it, the last on top. Those of the outermost count. */
  private readonly nested: Transaction[] = []
  /** Whether statements of others have run since its savepoint. */
  private isMixed = false

  private constructor(parent: Transaction | undefined, isScope: boolean) {
    this.parent = parent
    this.isScope = isScope
    setDeferral(Transaction.deferEvent)
  }

  /** Begins a transaction, or sets a savepoint in the one around it. Throws Unavailable when there is no connection. */
  static async begin(Model: AnyKysely, parent?: Transaction): Promise<Transaction> {
    return await new Transaction(parent, false).join(Model)
  }

  /**
   * Runs a function whose calls are in a transaction, or in a savepoint of the one around it. It begins at once in `Model`;
   * without that, the first call begins it. Throws what the function throws, and what `commit` throws.
   */
  static async run<T>(run: (transaction: Transaction) => Promise<T>, Model?: AnyKysely): Promise<T> {
    const transaction = new Transaction(current.getStore()?.open, true)

    try {
      if (Model) await transaction.join(Model)

      const result = await current.run(transaction, () => run(transaction))

      await transaction.commit()

      return result
    } catch (error) {
      // It fails where the connection is lost, and then the database takes everything back itself.
      await transaction.rollback().catch(() => undefined)
      throw error
    }
  }

  /** The transaction whose function runs now. Throws Unavailable when it was rolled back. */
  static get current(): Transaction | undefined {
    return current.getStore()?.open
  }

  /**
   * The transaction that a statement bypasses: that of the function or of the hooks that run now, if it has begun in the
   * database of the statement, or does so now.
   */
  static findBypassed(database: Database): Transaction | undefined {
    const root = current.getStore()?.openRoot

    if (root?.database === database) return root
    // It may begin later, in this database.
    if (root && !root.database) root.before.add(database)

    for (let call = currentCall.getStore(); call; call = call.outer) {
      const begun = call.begun?.at(-1)?.openRoot

      if (begun?.database === database) return begun
    }

    return undefined
  }

  /** Whether the outermost transaction was committed. */
  get committed(): Promise<boolean> {
    return this.root.outcome.promise
  }

  /** The connection as a Kysely instance, for statements that are not those of a service. They take their turns. */
  get trx(): KyselyTransaction<any> {
    const { connection } = this

    if (!connection) throw createError('ALULA_TRANSACTION_NOT_BEGUN', 'The transaction has not begun')

    return checkout(connection.db, async (run) => {
      connection.hasOwnStatements = true

      return await this.use(run)
    })
  }

  /** Begins it, if it has not begun, in the database of a Kysely instance. */
  async join(Model: AnyKysely): Promise<this> {
    this.beginning ??= this.begin(Model)

    const connection = await this.beginning

    if (findDatabase(connection.db) !== findDatabase(Model)) {
      throw new GeneralError('A transaction concerns one database, and this call has another')
    }

    return this
  }

  /**
   * Runs statements, when what was asked before is through. A function with a savepoint has the connection to itself:
   * what others did meanwhile would be taken back with it.
   *
   * @param run The statements
   * @throws Unavailable when the transaction has ended; what `run` throws
   */
  async use<T>(run: (db: AnyKysely) => Promise<T>): Promise<T> {
    const connection = this.connection as SharedConnection
    const { blocker, result } = await connection.take(async () => {
      const blocker = this.findBlocker()

      return { blocker, result: blocker ? undefined : await this.attempt(run) }
    })

    if (!blocker) return result as T

    await blocker.ended.promise

    return await this.use(run)
  }

  /**
   * Makes what happened last. The events are sent, or left to the transaction around this one.
   *
   * @throws FeathersError when the database refuses; nothing has happened then
   */
  async commit(): Promise<void> {
    if (this.state !== 'open') throw transactionEnded()

    this.state = 'ending'

    try {
      if (await this.beginning) await (this.parent ? this.merge() : this.commitAll())
    } catch (error) {
      await this.takeBack()
      throw error
    }

    this.state = 'committed'
    this.outcome.resolve(true)

    const waiting = this.parent?.waiting

    for (const emit of this.events.splice(0)) {
      if (waiting) waiting.defer(emit)
      else emit(this)
    }
  }

  /** Takes back what happened, and drops the events. Where it cannot, the database has done so by itself. */
  async rollback(): Promise<void> {
    if (this.state === 'open') await this.takeBack()
  }

  private get root(): Transaction {
    return this.parent?.root ?? this
  }

  /** The outermost transaction, as long as this one or one around it is open. */
  private get openRoot(): Transaction | undefined {
    return this.state === 'open' ? this.root : this.parent?.openRoot
  }

  /** This transaction, or the innermost around it that has not ended. Throws Unavailable when one of them was rolled back. */
  private get open(): Transaction | undefined {
    if (this.state === 'rolled back') throw transactionEnded()

    return this.state === 'open' ? this : this.parent?.open
  }

  /** Where an event of a call waits: in the transaction around it when it is committed. */
  private get waiting(): Transaction | undefined {
    return this.state === 'committed' ? this.parent?.waiting : this
  }

  /** Whether the transaction of the statements has ended, or the connection is in another one. */
  private get hasEnded(): boolean {
    return this.state === 'rolled back' || (this.parent ? this.parent.hasEnded : this.state === 'committed')
  }

  private isWithin(other: Transaction): boolean {
    return this === other || this.parent?.isWithin(other) === true
  }

  private async begin(Model: AnyKysely): Promise<SharedConnection> {
    // The one around a function may have ended since the function began.
    if (this.isScope) this.parent = this.parent?.open
    if (!this.parent) return await this.beginFirst(Model)

    await this.parent.join(Model)

    const connection = this.parent.connection as SharedConnection
    const savepoint = new Savepoint(connection.db)

    this.connection = connection

    try {
      await this.use(async () => {
        await savepoint.set()
        this.savepoint = savepoint
        this.root.nested.push(this)
      })
    } catch (error) {
      throw connection.loss ?? toFeathersError(error)
    }

    return connection
  }

  private async beginFirst(Model: AnyKysely): Promise<SharedConnection> {
    const database = findDatabase(Model)

    if (this.before.has(database)) warnOutside(database)

    this.database = database

    try {
      const db = await current.exit(() => begin(Model))

      this.connection = new SharedConnection(db)

      return this.connection
    } catch (error) {
      this.database = undefined
      throw toFeathersError(error)
    }
  }

  /** A function that has the connection, and to which what runs now does not belong. */
  private findBlocker(): Transaction | undefined {
    // What is refused need not wait.
    if (this.connection?.loss || this.hasEnded) return undefined

    const running = current.getStore()

    return this.root.nested.find(
      (other) => other.isScope && !this.isWithin(other) && running?.isWithin(other) !== true
    )
  }

  private async attempt<T>(run: (db: AnyKysely) => Promise<T>): Promise<T> {
    const { nested } = this.root

    if (!this.connection?.loss && this.hasEnded) throw transactionEnded()

    // Savepoints are a stack, and each takes back all that came after it: of calls at the same time, too.
    if (!this.parent || nested.includes(this)) {
      for (const other of nested) if (!this.isWithin(other)) other.isMixed = true
    }

    return await (this.connection as SharedConnection).attempt(run)
  }

  private async commitAll(): Promise<void> {
    const connection = this.connection as SharedConnection

    try {
      await this.use(async () => {
        await connection.assertAlive()
        await commit(connection.db)
        // Calls that wait for their turn come too late.
        this.state = 'committed'
      })
    } catch (error) {
      // A commit without a reply may have succeeded or failed.
      throw isDisconnection(error) ? toFeathersError(error) : (connection.loss ?? toFeathersError(error))
    }
  }

  private async merge(): Promise<void> {
    try {
      await this.use(async () => {
        // Those above it would go with it.
        if (this.root.nested.at(-1) === this) await this.savepoint?.release()
        this.leave()
      })
    } catch (error) {
      throw this.connection?.loss ?? toFeathersError(error)
    }
  }

  private async takeBack(): Promise<void> {
    this.state = 'rolled back'
    this.outcome.resolve(false)

    // One that could not begin has nothing to take back.
    const connection = await this.beginning?.catch(() => undefined)

    if (!connection) return
    if (this.parent) await connection.take(() => this.rollBackToSavepoint(connection))
    else await connection.take(() => release(connection.db, connection.loss?.cause))
  }

  private async rollBackToSavepoint(connection: SharedConnection): Promise<void> {
    const { nested } = this.root
    const above = nested.slice(nested.indexOf(this) + 1)
    // Whether something would be taken back that is not its own.
    const holdsOthers = this.isMixed || above.some((other) => !other.isWithin(this))
    const isGone = this.parent?.hasEnded || connection.isGone

    this.leave()
    if (isGone) return

    if (holdsOthers) {
      connection.loss ??= transactionLost(undefined)

      return
    }

    try {
      await this.savepoint?.rollBack()
      connection.loss = undefined
    } catch (error) {
      connection.loss ??= transactionLost(error)
    }
  }

  /** Lets others have the connection. */
  private leave(): void {
    const { nested } = this.root
    const position = nested.indexOf(this)

    if (position >= 0) nested.splice(position, 1)
    this.ended.resolve()
  }

  private defer(emit: Emit): void {
    if (this.state !== 'rolled back') this.events.push(emit)
  }

  /** Has an event wait for the transaction of its call: that of its params, or the one whose function runs now. */
  private static deferEvent(emit: Emit, { params }: { params?: { transaction?: unknown } }): boolean {
    const own = params?.transaction instanceof Transaction ? params.transaction : undefined
    const waiting = own?.waiting ?? current.getStore()?.waiting

    waiting?.defer(emit)

    return waiting !== undefined
  }
}

function createPromise<T>() {
  let resolve: (value: T) => void = () => undefined
  const promise = new Promise<T>((done) => {
    resolve = done
  })

  return { promise, resolve }
}
