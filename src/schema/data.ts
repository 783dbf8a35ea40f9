import { getServiceOptions } from '../core/service.ts'
import type { HookContext } from '../core/types.ts'
import { keepValidated } from '../query/validated.ts'
import { findOrNothing } from '../utils/find-or-nothing.ts'
import { copyWith, isEmpty, isPlainObject } from '../utils/object.ts'
import { andThen, mapAll } from '../utils/promise.ts'
import { compileDates } from './dates.ts'
import { isWritten, type SchemaSettings, type ServerValue } from './declaration.ts'
import { type Fault, MAX_FAULTS, SET_BY_SERVER, toBadRequest } from './faults.ts'
import { compileForm, explainDate } from './form.ts'
import { compileOwnId, type OwnIdSettings } from './own-id.ts'
import { compileUnknown } from './unknown.ts'
import type { ValidationOutcome, Validator } from './validator.ts'

type Data = Record<string, unknown>

/** How the data of one method is checked. */
export interface DataSettings extends OwnIdSettings, Pick<SchemaSettings, 'server'> {
  readonly validator: Validator
  /** The fields of `server` that the path of the service sets: a call has their values, and no others. */
  readonly parents?: readonly string[]
}

/** Where data came from. */
export interface DataSource {
  /** Whether a client sent it. */
  readonly isOutside: boolean
  /** Whether it is an HTML form, which has nothing but strings. */
  readonly isForm: boolean
  /** The field of the request that it was in: faults are named with it. */
  readonly within?: string | undefined
}

/** Data that was checked: the values of the schema, and what an internal call gave for fields of the server. */
interface Checked {
  readonly value: unknown
  readonly given: Data
}

/** Checks data. It stays as it is; what comes out is new. */
export type DataCheck = (data: unknown, source: DataSource, context: HookContext) => unknown

const NONE: Data = Object.freeze({})

const NO_DATE = 'expects a date in ISO 8601 with a time and a zone, such as 2026-11-22T10:00:00Z'

/** Only new records come several at once. */
const NO_LIST: Fault = { path: '', message: 'expected an object, got an array' }

/**
 * Prepares the check of the data of a method: one record, or several. It resolves to what is to be stored, and throws
 * BadRequest with all faults of all records.
 */
export function compileData(settings: DataSettings): DataCheck {
  const checkOne = compileRecord(settings)
  const finish = compileServer(settings)
  const takeOwnId = compileOwnId(settings)

  return (data, source, context) => {
    const within = toPrefix(source)

    if (!Array.isArray(data)) {
      const sent = takeOwnId(data, context, source.isOutside, within)

      return andThen<Result, unknown>(checkOne(sent, source, within), (checked) =>
        finish(assertValid(checked), context)
      )
    }
    if (settings.writes !== 'create') throw toBadRequest('data', [under(within, NO_LIST)])

    return checkAll(data, (item, prefix) => checkOne(item, source, within + prefix)).then((checked) =>
      mapAll(checked, (one) => finish(one, context))
    )
  }
}

/** Prepares the check of a value that is no record: the data of a custom method, or a query. */
export function compileValue(
  validator: Validator,
  unknown: SchemaSettings['unknown'],
  what: 'data' | 'query'
): (value: unknown, source: DataSource) => unknown {
  const checkOne = compileRecord({ validator, unknown }, what)

  return (value, source) =>
    andThen(checkOne(value, source, toPrefix(source)), (checked) => assertValid(checked, what).value)
}

type Result = Checked | { readonly faults: readonly Fault[] }

function compileRecord(
  settings: DataSettings,
  what: 'data' | 'query' = 'data'
): (data: unknown, source: DataSource, prefix: string) => Result | Promise<Result> {
  const { validator, server = {}, parents = [], id, unknown, writes } = settings
  const convertForm = compileForm(validator.input, what)
  const convertDates = compileDates(validator.input)
  const split = compileUnknown(validator.input)
  const reserved = new Set([...Object.keys(server), ...(id === undefined ? [] : [id])])

  return (data, source, prefix) => {
    const sent = source.isForm ? convertForm(data) : data
    const { rest, given: taken } = takeReserved(sent, reserved)
    // What a client gives for fields of the server is dropped: the path of the service has set the rest.
    const isDropped = source.isOutside && unknown === 'drop'
    const given = isDropped ? pickFields(taken, (name) => parents.includes(name)) : taken
    const names: string[] = []
    const unfit = source.isOutside ? new Set<string>() : undefined
    const known = split(rest, '', names)
    const value = unfit ? convertDates(known, '', unfit) : known
    const refused = source.isOutside ? Object.keys(given).filter((name) => !parents.includes(name)) : []
    const isUnknown = unknown !== 'drop' && names.length > 0

    const explain = (fault: Fault) => {
      if (source.isForm) return explainDate(fault, value, validator.input)

      return unfit?.has(fault.path) ? { path: fault.path, message: NO_DATE } : fault
    }

    const finish = (outcome: ValidationOutcome): Result => {
      if (!outcome.faults && refused.length === 0 && !isUnknown) {
        return { value: writes === 'patch' ? pickSent(outcome.value, value) : outcome.value, given }
      }

      const faults = [
        ...toFaults(refused, SET_BY_SERVER),
        ...(isUnknown ? toFaults(names, 'is not a known field') : []),
        ...(outcome.faults ?? []).map(explain)
      ]

      return { faults: faults.slice(0, MAX_FAULTS).map((fault) => under(prefix, fault)) }
    }

    return andThen(validator.validate(value), finish)
  }
}

/** Takes the fields out that the schema of the data does not have because the server sets them. */
function takeReserved(data: unknown, reserved: ReadonlySet<string>): { rest: unknown; given: Data } {
  if (!isPlainObject(data)) return { rest: data, given: NONE }

  if (!Object.keys(data).some((name) => reserved.has(name))) return { rest: data, given: NONE }

  return {
    rest: pickFields(data, (name) => !reserved.has(name)),
    given: pickFields(data, (name) => reserved.has(name))
  }
}

/** A change has the fields that were sent and no other: libraries put defaults in. */
function pickSent(valid: unknown, sent: unknown): unknown {
  if (!isPlainObject(valid) || !isPlainObject(sent)) return valid

  return pickFields(valid, (name) => Object.hasOwn(sent, name))
}

function pickFields(data: Data, isPicked: (name: string) => boolean): Data {
  return Object.fromEntries(Object.entries(data).filter(([name]) => isPicked(name)))
}

function toFaults(paths: readonly string[], message: string): readonly Fault[] {
  return paths.map((path) => ({ path, message }))
}

/** What the paths of faults begin with. */
function toPrefix({ within }: DataSource): string {
  return within === undefined ? '' : `${within}.`
}

function under(prefix: string, { path, message }: Fault): Fault {
  return { path: path === '' ? prefix.slice(0, -1) : prefix + path, message }
}

function assertValid(result: Result, what: 'data' | 'query' = 'data'): Checked {
  if ('faults' in result) throw toBadRequest(what, result.faults)

  return result
}

/** Checks several records, until there are as many faults as an error reports. */
async function checkAll(
  data: readonly unknown[],
  check: (item: unknown, prefix: string) => Result | Promise<Result>
): Promise<readonly Checked[]> {
  const results: Result[] = []
  const faults: Fault[] = []

  // Some at a time: checks may ask a database.
  for (let begin = 0; begin < data.length && faults.length < MAX_FAULTS; begin += MAX_FAULTS) {
    const part = data.slice(begin, begin + MAX_FAULTS)
    const checked = await mapAll(part, (item, index) => check(item, `${begin + index}.`))

    results.push(...checked)
    faults.push(...checked.flatMap((result) => ('faults' in result ? result.faults : [])))
  }

  if (faults.length > 0) throw toBadRequest('data', faults)

  return results as readonly Checked[]
}

/** The context as functions of the server get it: with the checked data of one record. */
function withData(context: HookContext, { value, given }: Checked): HookContext {
  const data = copyWith(value as Data, given)

  return Object.create(context, { data: { value: data, enumerable: true, writable: true } })
}

/** Adds the values that the server sets, except those that an internal call has given. */
function compileServer(settings: DataSettings): (checked: Checked, context: HookContext) => unknown {
  const { server = {}, parents = [], writes } = settings
  const all = Object.entries(server).flatMap(([name, make]) => (make ? [{ name, make }] : []))
  const makers = writes === 'create' ? all : all.filter(({ make }) => isWritten(make))
  const own = all.flatMap(({ name, make }) => (isWritten(make) ? [] : [name]))
  const kept = writes === 'update' ? [...own, ...parents] : []

  return (checked, context) => {
    const { value, given } = checked
    const missing = kept.filter((name) => !Object.hasOwn(given, name))
    const seen = makers.length > 0 ? withData(context, checked) : context

    if (missing.length === 0) return setFields(makers, value, given, seen)

    return loadFields(missing, context).then((stored) =>
      setFields(makers, value, { ...stored, ...given }, seen)
    )
  }
}

/** What a record that is replaced keeps. A service without `get` keeps nothing. */
async function loadFields(names: readonly string[], { service, id, params }: HookContext): Promise<Data> {
  const load = service._get ?? service.get

  // The method refuses to replace several records.
  if (typeof load !== 'function' || id === null) return NONE

  const { $select: _, ...query } = params.query ?? {}
  const { provider: __, ...internal } = params
  const internalParams = copyWith(internal, { query: keepValidated(params.query ?? {}, query) })
  const find = async (): Promise<Data | undefined> => await load.call(service, id, internalParams)
  // A missing record is left to the method, which then takes as long as for a record that the caller must not see.
  const stored = await (getServiceOptions(service).access ? findOrNothing(find) : find())

  return Object.fromEntries(
    names.flatMap((name) => (stored?.[name] === undefined ? [] : [[name, stored[name]]]))
  )
}

interface Maker {
  readonly name: string
  readonly make: ServerValue
}

function setFields(makers: readonly Maker[], value: unknown, given: Data, context: HookContext): unknown {
  if (makers.length === 0 && isEmpty(given)) return value

  const record: Data = copyWith(value as Data, given)
  const missing = makers.filter(({ name }) => !Object.hasOwn(given, name))

  return andThen(
    mapAll(missing, ({ make }) => make(context)),
    (values) => {
      for (const [index, { name }] of missing.entries()) {
        if (values[index] !== undefined) record[name] = values[index]
      }

      return record
    }
  )
}
