import { AdapterBase } from '../adapter/base.ts'
import { isPaginated, toPage } from '../adapter/options.ts'
import type { Id, Paginated, Query } from '../core/types.ts'
import { BadRequest } from '../errors.ts'
import { TRAITS, type Traits } from '../hooks/traits.ts'
import type { ParsedQuery } from '../query/ast.ts'
import { type RecordSet, returnSet } from '../query/related.ts'
import { getInherited, getServiceSlots } from '../utils/call-state.ts'
import { hasCode, isGiven } from '../utils/check.ts'
import { createError } from '../utils/developer-error.ts'
import { copyWith } from '../utils/object.ts'
import type { AnyKysely } from './any-kysely.ts'
import { findDatabase } from './databases.ts'
import type { Fragment, StoredRow, Table } from './dialect.ts'
import { compareWithTable } from './drift.ts'
import { type FailedCall, toFeathersError, toTableError } from './errors.ts'
import { insertRows } from './insert.ts'
import { withPluginsOf, withSchema } from './instance.ts'
import { toKeyedStore } from './keyset.ts'
import { lockRows } from './locked-rows.ts'
import { type AnyKyselyParams, assertOptions, type KyselyOptions, type KyselyParams } from './options.ts'
import { isTotal, orderBy, sortById, toSortParts, toTotalOrder } from './order.ts'
import { watchStatements } from './outside.ts'
import { openPrefetch, type PrefetchReader } from './prefetch/reader.ts'
import { type Origin, PrefetchedRows } from './prefetch/rows.ts'
import {
  assertSelection,
  readPage,
  readRecord,
  readRecords,
  selectRows,
  toNotFound,
  toRecord
} from './read.ts'
import { readWithin } from './read-within.ts'
import { type KyselyPlace, KyselySet, toFirstRows, toNumbers } from './relations.ts'
import { type Row, toNewRow, toRow, toWholeRow } from './row.ts'
import { runWithSettings, setSettings, toSettingsKey, withSettings } from './settings.ts'
import { writeChecked } from './stored-check.ts'
import { type StoredField, type StoredService, toStoredFields } from './stored-fields.ts'
import { assertPlace } from './subquery.ts'
import { isNumbered } from './table.ts'
import { assertTakes, getTable, openTable, read, type TableHandle } from './table-handle.ts'
import { Transaction } from './transaction.ts'
import { findKeyFault } from './unique-key.ts'
import { toExpression } from './where.ts'
import { getOwnTransaction, joinTransaction } from './with-transaction.ts'
import { changeRows, removeRows } from './write.ts'

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
  /** The column by which clients name records, where it is not that of the id. */
  protected identifiedBy: string | undefined
  /** The tables without a service, for each Kysely instance: to check an instance takes time. */
  private readonly _links = new WeakMap<AnyKysely, Map<string, KyselyAdapter>>()

  /** The tables that keep the key of `upsert` unique. */
  private readonly _keyed = new WeakSet<Table>()

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

  /** Whether rules of `access` are checked on the rows that a call has stored. */
  get _checksStored(): true {
    return true
  }

  /** The Kysely instance of a call: that of `params.adapter`, or of the service. */
  getModel(params?: ServiceParams): AnyKysely {
    const { Model, schema, session } = this.getOptions(params)
    const instance = schema === undefined ? Model : withSchema(Model, schema)

    return session ? withSettings(instance, session) : instance
  }

  /**
   * The records that a call of `find` selects, for relations of other services.
   *
   * @param params The params of the call
   */
  asSet(params: ServiceParams): RecordSet {
    const { where } = this.parseQuery(params)
    const origin = this._locate(params)
    const settings = toSettingsKey(params, origin.source)

    return new KyselySet(origin, settings, where, (work) => this._run(params, work))
  }

  /**
   * Where a call reads: queries of the same place take values of its sets.
   *
   * @param params The params of the call
   */
  getPlace(params: ServiceParams | undefined): KyselyPlace {
    const source = this.getModel(params)

    return { source, settings: toSettingsKey(params, source) }
  }

  /**
   * The rows of another table, read where a call of this service reads, for relations through a table without a service.
   *
   * @param table The name of the table
   * @param id A column that the order of rows ends with
   * @param params The params of the call
   */
  asLinks(table: string, id: string, params: ServiceParams): KyselyAdapter {
    const Model = this.getModel(params)
    const known = this._links.get(Model) ?? new Map<string, KyselyAdapter>()
    const key = `${table}\0${id}`
    const rows = known.get(key) ?? new KyselyAdapter({ Model, name: table, id })

    this._links.set(Model, known.set(key, rows))

    return rows
  }

  protected override parseQuery(params?: ServiceParams): ParsedQuery {
    const query = super.parseQuery(params)

    assertPlace(query.where, () => this.getPlace(params))

    return query
  }

  /** Where a call reads. */
  _locate(params: ServiceParams | undefined): Origin {
    const { name, id, session } = this.getOptions(params)
    const transaction = getOwnTransaction(params)

    return { source: this.getModel(params), name, id, transaction, isGuarded: session !== undefined }
  }

  /** What schemas and `table()` ask of the service. */
  override get [TRAITS](): Traits & StoredService[typeof TRAITS] {
    return {
      ...super[TRAITS],
      compare: (comparison) => compareWithTable(this, comparison),
      stored: (params?: AnyKyselyParams) => readStored(this, params),
      table: () => this._locate(undefined),
      transactions: (params: ServiceParams) => {
        const Model = this.getModel(params)

        return { database: findDatabase(Model), run: (work) => Transaction.run(work, Model) }
      }
    }
  }

  override _identifyBy(field: string): void {
    this.identifiedBy = field
  }

  override async _findByKey(
    values: Query,
    params: ServiceParams | undefined,
    isLatest: boolean
  ): Promise<readonly Result[]> {
    const { where } = this.parseQuery({ ...params, query: values } as ServiceParams)

    return await this._run(params, async (handle, { source }) => {
      await this._assertKey(source, handle)

      const condition = toExpression(where, handle.table)
      const rows =
        // In a transaction, InnoDB reads what there was when that began, unless it locks the rows.
        isLatest && handle.db.isTransaction
          ? await lockRows(handle, condition)
          : await read(handle, selectRows(handle).where(condition).limit(2))

      return rows.map(toRecord<Result>(handle, undefined))
    })
  }

  /** Checks once for each table that it keeps the key of `upsert` unique. */
  private async _assertKey(source: AnyKysely, handle: TableHandle): Promise<void> {
    const { table } = handle

    if (this._keyed.has(table)) return

    const fault = await findKeyFault(source, handle, this.options.upsert?.by ?? [])

    if (fault) throw fault

    this._keyed.add(table)
  }

  async _find(params: ServiceParams & { paginate: false }): Promise<Result[]>
  async _find(params?: ServiceParams): Promise<Paginated<Result> | Result[]>
  async _find(params?: ServiceParams): Promise<Paginated<Result> | Result[]> {
    const { sets, relation, relatedSorts } = getServiceSlots(params, this)

    if (params && sets) return returnSet(sets, this.asSet(params))

    const query = this.parseQuery(params)
    const { paginate } = this.getOptions(params)
    const { prefetched } = relation ?? {}
    const known =
      prefetched instanceof PrefetchedRows && !isPaginated(paginate)
        ? prefetched.toRecords<Result>(this._locate(params), query)
        : undefined

    if (known) return known

    return await this._run(params, async (handle, origin) => {
      const matching = this._prepare(query, handle)
      const where = relation?.list ? toFirstRows(handle, relation.field, relation.list, matching) : matching
      const { budget } = getInherited(params)
      const numbers = relatedSorts && (await toNumbers(relatedSorts, handle, this.getPlace(params)))

      const parts = toSortParts(query.sort, handle.table, handle.id, numbers)

      if (query.cursor) {
        assertTotal(handle)

        const ordered = copyWith(query, { sort: toTotalOrder(query.sort, handle.table, handle.id) })

        return await this._prefetch(params, origin, handle, query.limit, (reader) =>
          this.findCursorPage(ordered, params, toKeyedStore(handle, query, where, parts, reader))
        )
      }

      const order = orderBy(parts, handle.table)
      const { limit, skip } = query
      const readUnpaged = (reader?: PrefetchReader) =>
        budget && !reader
          ? readWithin<Result>(handle, query, where, parts, budget)
          : readRecords<Result>(handle, query, where, order, reader)
      const { total, data } = await this._prefetch(params, origin, handle, limit, async (reader) =>
        isPaginated(paginate) && paginate.total !== false
          ? await readPage<Result>(handle, query, where, order, reader)
          : { total: 0, data: await readUnpaged(reader) }
      )

      return toPage(paginate, { total, limit, skip, data })
    })
  }

  async _get(id: Id, params?: ServiceParams): Promise<Result> {
    const query = this.parseQuery(params)

    return await this._run(params, (handle, origin) =>
      this._prefetch(params, origin, handle, 1, (reader) => readRecord<Result>(handle, id, query, reader))
    )
  }

  /** Reads records, and related rows with them where a call asks for these; by itself where JSON cannot hold them. */
  private _prefetch<T>(
    params: ServiceParams | undefined,
    origin: Origin,
    handle: TableHandle,
    limit: number | undefined,
    readAll: (reader?: PrefetchReader) => Promise<T>
  ): Promise<T> {
    const { prefetch } = getServiceSlots(params, this)

    return prefetch
      ? openPrefetch(prefetch, origin, handle, params, limit).then((reader) =>
          readAll(reader).catch((error) => {
            if (!reader || !handle.table.dialect.json?.isRefusal?.(error)) throw error

            return readAll()
          })
        )
      : readAll()
  }

  async _create(data: Data, params?: ServiceParams): Promise<Result>
  async _create(data: Data[], params?: ServiceParams): Promise<Result[]>
  async _create(data: Data | Data[], params?: ServiceParams): Promise<Result | Result[]>
  async _create(data: Data | Data[], params?: ServiceParams): Promise<Result | Result[]> {
    const { select } = this.parseQuery(params)
    const { storedCheck } = getServiceSlots(params, this)

    const work = async (handle: TableHandle) => {
      assertTakes(handle, 'insert')
      assertSelection(select, handle)

      const items = [data].flat() as object[]

      if (this._numbersFor(params)) assertNumbered(items, handle)

      const changes = items.map((item) => ({ data: item, row: toNewRow(item, handle) }))
      const newRows = changes.map(({ row }) => row)
      const rows = await writeChecked(handle, storedCheck, { isNew: true, changes }, (current) =>
        insertRows(current, newRows)
      )
      const records = rows.map(toRecord<Result>(handle, select))

      return Array.isArray(data) ? records : (records[0] as Result)
    }

    return await this._run(params, work, 'create')
  }

  async _update(id: Id, data: Data, params?: ServiceParams): Promise<Result> {
    return (await this._change(id, data as object, params, (handle) =>
      toWholeRow(data as object, handle, this.id)
    )) as Result
  }

  async _patch(id: Id, data: PatchData, params?: ServiceParams): Promise<Result>
  async _patch(id: null, data: PatchData, params?: ServiceParams): Promise<Result[]>
  async _patch(id: Id | null, data: PatchData, params?: ServiceParams): Promise<Result | Result[]>
  async _patch(id: Id | null, data: PatchData, params?: ServiceParams): Promise<Result | Result[]> {
    return await this._change(id, data as object, params, (handle) => toRow(data as object, handle))
  }

  async _remove(id: Id, params?: ServiceParams): Promise<Result>
  async _remove(id: null, params?: ServiceParams): Promise<Result[]>
  async _remove(id: Id | null, params?: ServiceParams): Promise<Result | Result[]>
  async _remove(id: Id | null, params?: ServiceParams): Promise<Result | Result[]> {
    const query = this.parseQuery(params)

    const work = async (handle: TableHandle) => {
      assertTakes(handle, 'delete')

      const rows = await removeRows(handle, { id, where: this._prepare(query, handle) })

      return toResult<Result>(id, rows, query, handle)
    }

    return await this._run(params, work, 'remove')
  }

  private async _change(
    id: Id | null,
    data: object,
    params: ServiceParams | undefined,
    toChange: (handle: TableHandle) => Row
  ): Promise<Result | Result[]> {
    const query = this.parseQuery(params)
    const { storedCheck } = getServiceSlots(params, this)

    return await this._run(params, async (handle) => {
      assertTakes(handle, 'update')

      const target = { id, where: this._prepare(query, handle) }
      const row = toChange(handle)

      if (this._numbersFor(params)) deleteNumbered(row, handle)

      const writing = { isNew: false, changes: [{ data, row }] }
      const rows = await writeChecked(handle, storedCheck, writing, (current) =>
        changeRows(current, target, row)
      )

      return toResult<Result>(id, rows, query, handle)
    })
  }

  /** Whether a call leaves numbers to the database: that of a client does, unless clients may choose ids. */
  private _numbersFor(params: ServiceParams | undefined): boolean {
    return Boolean(params?.provider) && !this.getOptions(params).allowId
  }

  /** Translates the conditions, and refuses names that are no columns. */
  private _prepare({ where, select }: ParsedQuery, handle: TableHandle): Fragment {
    assertSelection(select, handle)

    return toExpression(where, handle.table)
  }

  /** Runs the statements of a call, in the transaction that it belongs to. */
  private async _run<T>(
    params: ServiceParams | undefined,
    work: (handle: TableHandle, origin: Origin) => Promise<T>,
    action?: FailedCall['action']
  ): Promise<T> {
    const origin = this._locate(params)
    const { source, name, id, isGuarded } = origin
    const by = this.getBy(params)
    let handle: TableHandle | undefined

    try {
      return await connect(params, origin, async (db) => {
        const opened = openTable(source, db, { name, id: by === undefined ? id : this.id, by, isGuarded })

        handle = opened instanceof Promise ? await opened : opened

        return await work(handle, origin)
      })
    } catch (error) {
      throw toTableError(error, { table: handle?.table, action, services: findDatabase(source).services })
    }
  }
}

/** What the table holds, for `table()` and for schemas that are compared with it. */
async function readStored(
  service: KyselyAdapter<any, any, any, any>,
  params?: AnyKyselyParams
): Promise<readonly StoredField[] | undefined> {
  const origin = service._locate(params)
  const { source, name, id } = origin
  const { allowId } = service.getOptions(params)

  try {
    return await connect(params, origin, async (db) =>
      toStoredFields(await getTable(source, db, name), { id, allowId })
    )
  } catch (error) {
    if (hasCode(error, 'ALULA_MISSING_TABLE')) return undefined

    throw toFeathersError(error)
  }
}

/** Runs something in the transaction that a call belongs to, or by itself. */
function connect<T>(
  params: AnyKyselyParams | undefined,
  { source, transaction }: Origin,
  work: (db: AnyKysely) => Promise<T>
): Promise<T> {
  const joining = joinTransaction(transaction, source)

  if (!joining) return runWithSettings(params, source, work)

  return joining.then((joined) =>
    joined.use(async (connection) => {
      await setSettings(params, source, connection)

      return await work(withPluginsOf(source, connection))
    })
  )
}

/** A page begins after a place in the order, which no two rows may share. Of a view it is not known. */
function assertTotal({ id, table }: TableHandle): void {
  if (isTotal(table, id) || table.isView) return

  throw createError(
    'ALULA_ID_NOT_UNIQUE',
    `Pages with cursors of the table '${table.name}' would leave rows out: it has no primary key or unique index on columns that cannot be null and are ordered by each of their values, such as numbers and text. Add one, or set the option 'id' to a column that has one`
  )
}

/** A number of a client may be the last one there is. */
function assertNumbered(items: readonly unknown[], { id, table }: TableHandle): void {
  const chosen = [...table.columns.values()].find(
    (column) =>
      isNumbered(column, id) &&
      items.some((item) => isGiven((item as StoredRow | null | undefined)?.[column.name]))
  )

  if (!chosen) return

  throw new BadRequest(`Invalid data: '${chosen.name}' is numbered by the database, and cannot be chosen`, {
    errors: { [chosen.name]: 'cannot be chosen' }
  })
}

/** Clients send whole records: another number is not taken over, as another id is not. */
function deleteNumbered(row: Row, { id, table }: TableHandle): void {
  for (const column of table.columns.values()) if (isNumbered(column, id)) row.delete(column.name)
}

function toResult<Result>(
  id: Id | null,
  rows: readonly StoredRow[],
  { select }: ParsedQuery,
  handle: TableHandle
): Result | Result[] {
  const records = (id === null ? sortById(rows, handle.table, handle.id) : rows).map(
    toRecord<Result>(handle, select)
  )

  if (id === null) return records
  if (records.length === 0) throw toNotFound(id)

  return records[0] as Result
}
