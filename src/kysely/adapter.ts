import { AdapterBase } from '../adapter/base.ts'
import { type AdapterMethods, type FindMethod, implementService } from '../adapter/methods.ts'
import { isPaginated, type Paged, type Unpaged } from '../adapter/options.ts'
import type { Id, Paginated } from '../core/types.ts'
import { BadRequest } from '../errors.ts'
import type { ParsedQuery } from '../query/ast.ts'
import type { AnyKysely } from './any-kysely.ts'
import type { Fragment, StoredRow } from './dialect.ts'
import { toTableError } from './errors.ts'
import { toColumn } from './field.ts'
import { insertRows, toNewRow } from './insert.ts'
import { withPluginsOf, withSchema } from './instance.ts'
import { type AnyKyselyParams, assertOptions, type KyselyOptions, type KyselyParams } from './options.ts'
import { sortById } from './order.ts'
import { watchStatements } from './outside.ts'
import { assertSelection, countRecords, readRecord, readRecords, toNotFound, toRecord } from './read.ts'
import { MissingTable, openSession, type Session } from './session.ts'
import { toExpression } from './where.ts'
import { findTransaction } from './with-transaction.ts'
import { changeRows, type Row, removeRows, toRow, toWholeRow } from './write.ts'

/**
 * Keeps records in a table of SQLite, PostgreSQL, MySQL or MariaDB. A query means what it means in memory. Each method
 * is one statement where the database can, and one transaction where it cannot.
 */
export class KyselyAdapter<
  Result = any,
  Data = Partial<Result>,
  ServiceParams extends AnyKyselyParams = KyselyParams,
  PatchData = Partial<Data>
> extends AdapterBase<Result, Data, PatchData, ServiceParams, KyselyOptions> {
  /**
   * @param options The options
   * @param further The names of options that a subclass adds: any other that is unknown is then refused
   * @throws TypeError for an option that is not valid, Error for a database that is not known, and for an operator without a meaning
   */
  constructor(options: KyselyOptions, further?: readonly string[]) {
    super(options)
    assertOptions(this.constructor.name, options, further)
    watchStatements(options.Model)
  }

  /** The Kysely instance of a call: that of `params.adapter`, or of the service. */
  getModel(params?: ServiceParams): AnyKysely {
    const { Model, schema } = this.getOptions(params)

    return schema === undefined ? Model : withSchema(Model, schema)
  }

  async _find(params?: ServiceParams): Promise<Paginated<Result> | Result[]> {
    const query = this.parseQuery(params)
    const { paginate } = this.getOptions(params)

    return await this.run(params, async (session) => {
      const where = this.prepare(query, session)
      const records = readRecords<Result>(session, query, where)

      if (!isPaginated(paginate)) return await records

      const page = { limit: query.limit as number, skip: query.skip }

      if (paginate.total === false) return { ...page, data: await records } as Paginated<Result>

      const [total, data] = await Promise.all([countRecords(session, where), records])

      return { total, ...page, data }
    })
  }

  async _get(id: Id, params?: ServiceParams): Promise<Result> {
    const query = this.parseQuery(params)

    return await this.run(params, (session) => readRecord<Result>(session, id, query))
  }

  async _create(data: Data, params?: ServiceParams): Promise<Result>
  async _create(data: Data[], params?: ServiceParams): Promise<Result[]>
  async _create(data: Data | Data[], params?: ServiceParams): Promise<Result | Result[]>
  async _create(data: Data | Data[], params?: ServiceParams): Promise<Result | Result[]> {
    const { select } = this.parseQuery(params)

    return await this.run(params, async (session) => {
      assertSelection(select, session)

      const items = Array.isArray(data) ? data : [data]

      if (params?.provider && !this.getOptions(params).allowId) assertNumbered(items, session)

      const rows = await insertRows(
        session,
        items.map((item) => toNewRow(item as object, session))
      )
      const records = rows.map(toRecord<Result>(session, select))

      return Array.isArray(data) ? records : (records[0] as Result)
    })
  }

  async _update(id: Id, data: Data, params?: ServiceParams): Promise<Result> {
    return (await this.change(id, params, (session) => toWholeRow(data as object, session))) as Result
  }

  async _patch(id: Id, data: PatchData, params?: ServiceParams): Promise<Result>
  async _patch(id: null, data: PatchData, params?: ServiceParams): Promise<Result[]>
  async _patch(id: Id | null, data: PatchData, params?: ServiceParams): Promise<Result | Result[]>
  async _patch(id: Id | null, data: PatchData, params?: ServiceParams): Promise<Result | Result[]> {
    return await this.change(id, params, (session) => toRow(data as object, session))
  }

  async _remove(id: Id, params?: ServiceParams): Promise<Result>
  async _remove(id: null, params?: ServiceParams): Promise<Result[]>
  async _remove(id: Id | null, params?: ServiceParams): Promise<Result | Result[]>
  async _remove(id: Id | null, params?: ServiceParams): Promise<Result | Result[]> {
    const query = this.parseQuery(params)

    return await this.run(params, async (session) => {
      const rows = await removeRows(session, { id, where: this.prepare(query, session) })

      return toResult<Result>(id, rows, query, session)
    })
  }

  private async change(
    id: Id | null,
    params: ServiceParams | undefined,
    toChange: (session: Session) => Row
  ): Promise<Result | Result[]> {
    const query = this.parseQuery(params)

    return await this.run(params, async (session) => {
      const target = { id, where: this.prepare(query, session) }
      const rows = await changeRows(session, target, toChange(session))

      return toResult<Result>(id, rows, query, session)
    })
  }

  /** Translates the conditions, and refuses names that are no columns. */
  private prepare({ where, select }: ParsedQuery, session: Session): Fragment {
    assertSelection(select, session)

    return toExpression(where, session.table)
  }

  /** Runs the statements of a call, in the transaction that it belongs to. */
  private async run<T>(
    params: ServiceParams | undefined,
    work: (session: Session) => Promise<T>
  ): Promise<T> {
    const Model = this.getModel(params)
    const options = this.getOptions(params)
    let session: Session | undefined

    const open = async (db: AnyKysely) => {
      session = await openSession(Model, db, options)

      return await work(session)
    }

    try {
      const transaction = await findTransaction(params, Model)

      if (!transaction) return await open(Model)

      return await transaction.use((connection) => open(withPluginsOf(Model, connection)))
    } catch (error) {
      throw toTableError(error, session?.table)
    }
  }
}

/** An id of a client may be the last number there is. */
function assertNumbered(items: readonly unknown[], { id, table }: Session): void {
  const isChosen = items.some((item) => {
    const given = (item as Record<string, unknown> | null | undefined)?.[id]

    return given !== undefined && given !== null && given !== ''
  })

  if (!isChosen || !toColumn(id, table).isAutoIncrement) return

  throw new BadRequest(`Invalid data: '${id}' is numbered by the database, and cannot be chosen`, {
    errors: { [id]: 'cannot be chosen' }
  })
}

function toResult<Result>(
  id: Id | null,
  rows: readonly StoredRow[],
  { select }: ParsedQuery,
  session: Session
): Result | Result[] {
  const records = (id === null ? sortById(rows, session.table, session.id) : rows).map(
    toRecord<Result>(session, select)
  )

  if (id === null) return records
  if (records.length === 0) throw toNotFound(id)

  return records[0] as Result
}

/** An adapter for a table with the public methods, ready for `app.use`. */
export class KyselyService<
  Result = any,
  Data = Partial<Result>,
  ServiceParams extends AnyKyselyParams = KyselyParams,
  PatchData = Partial<Data>
> extends KyselyAdapter<Result, Data, ServiceParams, PatchData> {
  /**
   * Looks for the table when the application is set up, and warns when it is not there, so that a wrong name is not first
   * seen by a client. It waits for nothing: a database that is away keeps no application from starting.
   */
  async setup(_app?: unknown, path?: string): Promise<void> {
    const Model = this.getModel()

    openSession(Model, Model, this.options).catch((error) => {
      if (!(error instanceof MissingTable)) return

      process.emitWarning(`The service '${path}' cannot be used: ${error.message}`, {
        code: 'ALULA_MISSING_TABLE'
      })
    })
  }
}

/** What `implementService` defines below. */
export interface KyselyService<
  Result = any,
  Data = Partial<Result>,
  ServiceParams extends AnyKyselyParams = KyselyParams,
  PatchData = Partial<Data>
> extends AdapterMethods<Result, Data, PatchData, ServiceParams> {}

implementService(KyselyService)

/**
 * Creates a service for a table. `find` returns a page where the options have a page size.
 *
 * @param options The Kysely instance, the name of the table, id field, pagination, multi, …
 * @throws Error for an option that is not valid
 * @example
 * app.use('messages', kysely({ Model: db, name: 'messages', paginate: { default: 10, max: 50 } }))
 */
export function kysely<
  Result = any,
  Data = Partial<Result>,
  ServiceParams extends AnyKyselyParams = KyselyParams,
  PatchData = Partial<Data>
>(options: Paged<KyselyOptions>): KyselyService<Result, Data, ServiceParams, PatchData>
export function kysely<
  Result = any,
  Data = Partial<Result>,
  ServiceParams extends AnyKyselyParams = KyselyParams,
  PatchData = Partial<Data>
>(
  options: Unpaged<KyselyOptions>
): FindMethod<Result[], ServiceParams> & KyselyService<Result, Data, ServiceParams, PatchData>
export function kysely<
  Result = any,
  Data = Partial<Result>,
  ServiceParams extends AnyKyselyParams = KyselyParams,
  PatchData = Partial<Data>
>(
  options: KyselyOptions
): FindMethod<Paginated<Result> | Result[], ServiceParams> &
  KyselyService<Result, Data, ServiceParams, PatchData>
export function kysely(options: KyselyOptions): KyselyService {
  return new KyselyService(options, [])
}
