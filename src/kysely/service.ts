import { type AdapterMethods, type FindMethod, implementService } from '../adapter/methods.ts'
import type { Cursored, Paged, Unpaged } from '../adapter/options.ts'
import type { CursorPage, Paginated } from '../core/types.ts'
import { TRAITS, type Traits } from '../hooks/traits.ts'
import { hasCode } from '../utils/check.ts'
import { KyselyAdapter } from './adapter.ts'
import { findDatabase } from './databases.ts'
import { toFeathersError } from './errors.ts'
import type { AnyKyselyParams, KyselyOptions, KyselyParams } from './options.ts'
import { assertRowSecurity, followCalls } from './settings.ts'
import type { StoredService } from './stored-fields.ts'
import type { Changes } from './table.ts'
import { findPlace, openTable } from './table-handle.ts'
import { warnOfIds, warnOfIndexes, warnOfUnusable } from './table-warnings.ts'
import { findKeyFault } from './unique-key.ts'

/** An adapter for a table with the public methods, ready for `app.use`. */
export class KyselyService<
  Result = any,
  Data = Partial<Result>,
  ServiceParams extends AnyKyselyParams = KyselyParams,
  PatchData = Partial<Data>
> extends KyselyAdapter<Result, Data, ServiceParams, PatchData> {
  /** What documents ask of it, too. */
  override get [TRAITS](): Traits & StoredService[typeof TRAITS] {
    return { ...super[TRAITS], takes: (method) => takes(this, method) }
  }

  /**
   * Looks for the table and its columns for ids when the application is set up, and warns when they are not there, have no
   * unique index, or cannot be read by the driver, and of indexes that serve no query, so that this is not first seen by a
   * client. It waits for nothing: a database that is away keeps no application from starting, except for the check that row
   * level security holds for the option `session`.
   *
   * @throws Error where it does not hold
   */
  async setup(app?: unknown, path?: string): Promise<void> {
    const Model = this.getModel()
    const { name, id, session, upsert } = this.options
    const database = findDatabase(Model)
    const { services } = database

    if (path !== undefined && !services.has(name)) services.set(name, path)

    if (session) {
      followCalls(app, database)
      await assertRowSecurity(Model, findPlace(Model, name), path).catch((error) => {
        throw hasCode(error, 'ALULA_ROW_SECURITY') ? error : toFeathersError(error)
      })
    }

    const check = async () => {
      const handle = await openTable(Model, Model, { name, id, by: this.identifiedBy })

      warnOfIds(handle, path)
      warnOfIndexes(handle, path)

      const fault = upsert && (await findKeyFault(Model, handle, upsert.by))

      if (fault) throw fault
    }

    check().catch((error) => warnOfUnusable(error, path))
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
>(
  options: Cursored<KyselyOptions>
): FindMethod<CursorPage<Result>, ServiceParams> & KyselyService<Result, Data, ServiceParams, PatchData>
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

/** What methods call that classes may override. */
const PARTS = ['getModel', 'getOptions', 'parseQuery', 'sanitizeQuery']

/** Whether no class or object has overridden what a method does. */
function isAsIs(service: object, method: string): boolean {
  const { original } = Reflect.get(service, method) ?? {}

  return (
    original === Reflect.get(KyselyService.prototype, method) &&
    [`_${method}`, ...PARTS].every(
      (name) => Reflect.get(service, name) === Reflect.get(KyselyService.prototype, name)
    )
  )
}

/** What methods do to a table. */
const CHANGES: { readonly [method: string]: keyof Changes } = {
  create: 'insert',
  update: 'update',
  patch: 'update',
  remove: 'delete'
}

/** Whether the table takes a method, once it was read. What a class has overridden may do something else. */
function takes(service: KyselyService<any, any, any, any>, method: string): boolean {
  const change = CHANGES[method]

  if (change === undefined || !isAsIs(service, method)) return true

  const Model = service.getModel()
  const table = findDatabase(Model).getInstance(Model).tables.get(service.options.name)

  return !table || table instanceof Promise || (table.takes?.[change] ?? true)
}
