// A record by the values of a key: created where no record has them, else patched. It calls `create` or `patch` of the service
// itself, so that hooks, schema, access, output and events are those of what happens.
import type { UpsertKey } from '../core/service.ts'
import type { HookContext, Params, Query, ServiceExtension } from '../core/types.ts'
import { BadRequest, Conflict, NotFound, Unavailable } from '../errors.ts'
import { addConditions } from '../query/conditions.ts'
import { describeValue } from '../query/operators.ts'
import {
  addServiceSlots,
  getServiceSlots,
  getSlots,
  setSlots,
  withoutServiceSlots
} from '../utils/call-state.ts'
import { hasCode, isFault } from '../utils/check.ts'
import { copyWith, isComposite, isRecordLike } from '../utils/object.ts'
import type { AdapterParams } from './options.ts'

/** The name of the method. */
const METHOD = 'upsert'

/** How often a call begins again because others have created or removed the record meanwhile. */
const ATTEMPTS = 10

/** How many conflicts about a key that no record has fail the call: each attempt runs the hooks of `create`. */
const MISSES = 5

/** What happened in a call of `upsert`. */
interface UpsertOutcome {
  isNew?: boolean
}

/** The record that a patch is for, and the values that it has to have still. */
interface HeldKey {
  readonly id: unknown
  readonly values: Query
}

declare module '../utils/call-state.ts' {
  interface ServiceSlots {
    /** Where `upsert` says what happened. */
    readonly upserted?: UpsertOutcome
    /** What `upsert` holds its patch to. */
    readonly heldKey?: HeldKey
  }
  interface ContextSlots {
    /** What happened in the call. */
    readonly upserted?: UpsertOutcome
  }
}

/** The part of a service that `upsert` calls: with hooks, once the service is registered. */
export interface UpsertingService {
  readonly id: string
  create(data: object, params?: AdapterParams): Promise<any>
  patch(id: any, data: object, params?: AdapterParams): Promise<any>
  get(id: any, params?: AdapterParams): Promise<any>
  _findByKey(values: Query, params: AdapterParams | undefined, isLatest: boolean): Promise<object[]>
}

/** What is known of a service where it is registered. */
interface RegisteredUpsert {
  /** Whether clients have `get`. */
  readonly isOpen: boolean
  /** The fields that the path of the call has set. */
  readonly parents: readonly string[]
}

/**
 * Creates the record of a key, or patches it, with the params of the call. Throws BadRequest for data without a value of the
 * key, Conflict where another key is taken or several records have the values, Unavailable where others keep creating and
 * removing the record; what `create` and `patch` throw.
 */
export async function upsertRecord(
  service: UpsertingService,
  by: readonly string[],
  data: unknown,
  params: AdapterParams | undefined,
  { isOpen, parents }: RegisteredUpsert
): Promise<unknown> {
  const { upserted = {}, upsertKey } = getServiceSlots(params, service)
  const { values, sent, others } = splitKey(data, by, parents, upsertKey)
  const own = withoutServiceSlots(params ?? {})
  let id = await findId(service, values, own, false)
  let misses = 0

  const create = async () => {
    const record = await service.create({ ...sent }, own)

    upserted.isNew = true

    return record
  }
  const patch = async () => {
    const record = await service.patch(
      id,
      { ...others },
      addServiceSlots(own, service, { heldKey: { id, values } })
    )

    upserted.isNew = false

    return record
  }

  for (let attempt = 1; ; attempt++) {
    try {
      return await (id === undefined ? create() : patch())
    } catch (error) {
      const current = mayBeStale(error, id) ? await findId(service, values, own, true) : id
      const isTheSame = String(current) === String(id)

      if (id !== undefined && isTheSame) {
        if (!params?.provider || isFault(error) || (isOpen && (await isVisible(service, id, own)))) {
          // Its id may be hidden, and the caller has not named it.
          throw hasCode(error, 404) ? toUnmatched(by) : error
        }

        // What the caller may not see must not differ from a taken key of `create`.
        return await create()
      }
      // A record that has taken the key may be gone again. Or a hook, or a collation, takes the key for another one.
      if (isTheSame && (!isAbout(error, by) || ++misses === MISSES)) throw error
      if (attempt === ATTEMPTS) throw id === undefined ? error : toCollision()

      id = current
    }
  }
}

/**
 * The params of a patch by `upsert`, once its hooks have seen them, with the condition that the record still has the values of
 * the key; those of other patches as they are.
 */
export function holdToKey(
  service: object,
  id: unknown,
  params: AdapterParams | undefined
): AdapterParams | undefined {
  const { heldKey } = getServiceSlots(params, service)

  if (!heldKey || String(heldKey.id) !== String(id)) return params

  return copyWith(params, { query: addConditions(params?.query ?? {}, [heldKey.values]) }) as AdapterParams
}

/** Takes part in the calls of `upsert`: a response says by its status whether the record is new. */
export const upsertExtension: ServiceExtension = {
  innermost: (method) => (method === METHOD ? observeOutcome : undefined),
  output: (method) => (method === METHOD ? setStatus : undefined)
}

async function observeOutcome(context: HookContext, next: () => Promise<unknown>): Promise<void> {
  const upserted: UpsertOutcome = {}

  context.params = addServiceSlots(context.params as Params, context.service, { upserted })
  await next()
  setSlots(context, { upserted })
}

/** What a hook or a schema has chosen stays. */
function setStatus(context: HookContext): void {
  const { upserted } = getSlots(context)

  if (context.http && upserted?.isNew) context.http.status ??= 201
}

/**
 * The values of the key, and the data for `create` and for `patch`: those calls have the same path, which sets its fields
 * again. A client cannot choose the key, and a record without it has no other way to be found.
 */
function splitKey(
  data: unknown,
  by: readonly string[],
  parents: readonly string[],
  key: UpsertKey | undefined
): { readonly values: Query; readonly sent: object; readonly others: object } {
  if (typeof data !== 'object' || data === null || !isRecordLike(data)) {
    throw new BadRequest(`Invalid data: upsert expects an object, got ${describeValue(data)}`)
  }

  const record = data as Readonly<Record<string, unknown>>
  const toValue = (name: string) => {
    const value = Object.hasOwn(record, name) ? record[name] : undefined

    // What the schema has seen, or has filled in, is as the schema makes it.
    return key && value === key.data[name] ? key.values[name] : value
  }
  const values = Object.fromEntries(by.map((name) => [name, toValue(name)]))
  const missing = by.filter((name) => !isValue(values[name]))

  if (missing.length > 0) {
    throw new BadRequest(
      `Invalid data: upsert finds the record by ${toQuoted(by)}, and ${toQuoted(missing)} has no value`,
      { errors: Object.fromEntries(missing.map((name) => [name, 'is required'])) }
    )
  }

  const sent: Query = { ...record }

  for (const name of parents) delete sent[name]

  return {
    values,
    sent,
    others: Object.fromEntries(Object.entries(sent).filter(([name]) => !by.includes(name)))
  }
}

/** As for the ids in paths an empty string is no value, and an object would be operators of a query. */
function isValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '' && !isComposite(value) && !Number.isNaN(value)
}

/** The id of the record of a key; `undefined` where there is none. */
async function findId(
  service: UpsertingService,
  values: Query,
  params: AdapterParams,
  isLatest: boolean
): Promise<any> {
  const [record, another] = await service._findByKey(values, params, isLatest)

  if (another) throw new Conflict(`Several records have these values of ${toQuoted(Object.keys(values))}`)

  return (record as Query | undefined)?.[service.id]
}

/** Whether others may have changed what the call has found: a taken key, or a record that has gone. */
function mayBeStale(error: unknown, id: unknown): boolean {
  return hasCode(error, id === undefined ? 409 : 404)
}

/** Whether a conflict names fields of the key, and no others. */
function isAbout(error: unknown, by: readonly string[]): boolean {
  const { errors } = error as { readonly errors?: object }
  const fields = Object.keys(errors ?? {})

  return hasCode(error, 409) && fields.length > 0 && fields.every((field) => by.includes(field))
}

function toUnmatched(by: readonly string[]): NotFound {
  return new NotFound(`The record with the same ${toQuoted(by)} does not match the query`)
}

function toQuoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(' and ')
}

function toCollision(): Unavailable {
  return new Unavailable('Other requests keep creating and removing this record. Try again')
}

/** Whether the caller could get the record: only then may it be said what of it was refused. */
async function isVisible(service: UpsertingService, id: unknown, params: AdapterParams): Promise<boolean> {
  return await service.get(id, copyWith(params, { query: {} }) as AdapterParams).then(
    () => true,
    () => false
  )
}
