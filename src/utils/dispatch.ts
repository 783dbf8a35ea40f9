import { createHiddenField, type HiddenField } from './hidden-field.ts'
import { copyPlain, isPlainObject, isRecordLike, setOwn, withoutJson } from './object.ts'

/** Where `@feathersjs/schema` keeps what clients may see of a record. */
export const DISPATCH: unique symbol = Symbol.for('@feathersjs/schema/dispatch') as never

/** On the global object: what keeps marks, for all copies of alula in the process. */
const MARKS: unique symbol = Symbol.for('alula/marks')

/** What a record says of itself, wherever it is: what clients see of it. */
export interface Mark {
  /** Returns what clients see of a record. */
  readonly show: (record: object) => unknown
  /** Whether it is a value that was kept with one record. */
  readonly isFixed?: boolean
  /** What hooks take out of it. */
  readonly omissions?: readonly Omission[]
  /** What that is taken out of. */
  readonly base?: Mark
}

/** Takes fields out of what clients see of a record. */
export class Omission {
  readonly omit: (shown: unknown) => unknown
  /** The marks of records, by those that the fields are taken out of: few for all records. */
  readonly marks: WeakMap<Mark, Mark> = new WeakMap()

  constructor(omit: (shown: unknown) => unknown) {
    this.omit = omit
  }
}

const marks = /* @__PURE__ */ shareMarks()

/** For a record of which only the omitted fields are known. */
const WHOLE: Mark = { show: (record) => record }

/** For a record whose dispatch was set by `@feathersjs/schema`, or by a library that works like it. */
const FOREIGN: Mark = { show: (record) => (record as { [DISPATCH]?: unknown })[DISPATCH], isFixed: true }

const NONE: readonly Omission[] = []

/** What a value says of itself; `undefined` when it is no record, or its service has no say in what clients see. */
export function getMark(value: unknown): Mark | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (!(DISPATCH in value)) return marks.get(value)

  return Object.hasOwn(value, DISPATCH) ? FOREIGN : (marks.get(value) ?? FOREIGN)
}

/** What clients see of a value; the value itself where it says nothing. */
export function showRecord(value: unknown): unknown {
  const mark = getMark(value)

  return mark ? mark.show(value as object) : value
}

/** Whether a service has said what clients may see of a record. Hooks that only take fields out of it do not count. */
export function isShownByService(record: unknown): boolean {
  const mark = getMark(record)

  return mark !== undefined && (mark.base ?? mark) !== WHOLE && showRecord(record) !== undefined
}

/** Keeps with a record what clients see of it. What was taken out of it before stays out. */
export function keepDispatch(record: unknown, shown: unknown): void {
  keepMark(record, toFixed(shown))
}

/**
 * Keeps with a record what the schema of its service shows of it: `own`, the mark that the service gives all its records. One
 * that another service has returned before stays one of that service.
 */
export function keepOwner(record: unknown, own: Mark): void {
  const mark = getMark(record)

  if (mark === own) return

  const base = mark?.base ?? mark

  if (base === undefined || base === WHOLE || base === own || base.isFixed) keepMark(record, own)
}

/** Takes fields out of what clients see of a record, wherever it leaves from now on. The same omission counts once. */
export function omitFromDispatch(record: unknown, omission: Omission): void {
  if (typeof record !== 'object' || record === null) return

  const known = getMark(record)

  if (!(known?.omissions ?? NONE).includes(omission))
    setMark(record, omitFrom(toLasting(record, known) ?? WHOLE, omission))
}

/** Has a copy of a record say what the record says; `change` returns what becomes of a value that was kept with the record. */
export function copyMark(
  record: object,
  copy: object,
  change: (shown: unknown) => unknown = (shown) => shown
): void {
  const mark = getMark(record)

  if (mark) setMark(copy, mark.isFixed ? toFixed(change(mark.show(record))) : mark)
}

/**
 * Whether clients see another part of a record than the schema of a service shows, whose records have the mark `own`: it is a
 * record of another service, or a hook takes fields out.
 */
export function isShownOtherwise(record: unknown, own: Mark): record is object {
  const mark = getMark(record)

  return mark !== undefined && mark !== own && !mark.isFixed
}

/** Shows the records in a value that leaves as their services show them, at any depth. Only what lies around them is copied. */
export function showRecords(value: unknown): unknown {
  return replaceObjects(value, showRecord)
}

/**
 * Converts the instances of classes in a value to what JSON has of them: plain objects, or what their `toJSON` returns. So
 * later changes of an instance are not in it. Dates, bytes, and instances without fields for JSON, stay what they are. Only
 * what lies around instances is copied.
 */
export function showInstances(value: unknown): unknown {
  return replaceObjects(value, toPlain)
}

/**
 * Replaces objects in a value by what `replace` returns, which may be the same object, at any depth, and in their replacements.
 * Only what lies around them is copied. An instance of a class is searched in its JSON form. An object that holds itself (one
 * of `parents`) stays: JSON cannot have it. `isJson`: whether its `toJSON` has returned it, which is not called once more.
 */
export function replaceObjects(
  value: unknown,
  replace: (object: object) => unknown,
  parents: object[] = [],
  isJson = false
): unknown {
  if (typeof value !== 'object' || value === null || parents.includes(value)) return value

  parents.push(value)

  const shown = replaceObject(value, replace, parents, isJson)

  parents.pop()

  return shown
}

function replaceObject(
  value: object,
  replace: (object: object) => unknown,
  parents: object[],
  isJson: boolean
): unknown {
  const replaced = replace(value)

  if (replaced !== value) return replaceObjects(replaced, replace, parents)
  if (Array.isArray(value)) return replaceItems(value, replace, parents)
  if (value instanceof Date || ArrayBuffer.isView(value)) return value

  const { toJSON } = value as { toJSON?: unknown }

  if (typeof toJSON === 'function' && !isJson) {
    const json: unknown = toJSON.call(value)

    if (json !== value) {
      const shown = replaceObjects(json, replace, parents, true)

      return shown === json ? value : shown
    }
  }

  return replaceFields(value as Record<string, unknown>, replace, parents)
}

function toPlain(object: object): unknown {
  if (object instanceof Date || ArrayBuffer.isView(object)) return object

  const { toJSON } = object as { toJSON?: unknown }
  const json: unknown = typeof toJSON === 'function' ? toJSON.call(object) : object

  if (json !== object) return copyPlain(withoutJson(json))
  if (isPlainObject(object) || !isRecordLike(object) || Object.keys(object).length === 0) return object

  return copyPlain({ ...object })
}

function replaceItems(
  items: readonly unknown[],
  replace: (object: object) => unknown,
  parents: object[]
): readonly unknown[] {
  let copy: unknown[] | undefined

  for (let index = 0; index < items.length; index++) {
    const item = items[index]
    const shown = typeof item === 'object' ? replaceObjects(item, replace, parents) : item

    if (shown !== item) {
      copy ??= items.slice()
      copy[index] = shown
    }
  }

  return copy ?? items
}

function replaceFields(
  record: Record<string, unknown>,
  replace: (object: object) => unknown,
  parents: object[]
): Record<string, unknown> {
  const isPlain = isPlainObject(record)
  let copy: Record<string, unknown> | undefined

  // A list of the names would take longer than to look at the fields.
  for (const name in record) {
    if (!isPlain && !Object.hasOwn(record, name)) continue

    const field = record[name]

    if (typeof field !== 'object' || field === null) continue

    const shown = replaceObjects(field, replace, parents)

    if (shown !== field) {
      copy ??= copyMarked(record)
      setOwn(copy, name, shown)
    }
  }

  return copy ?? record
}

/** A copy does not say by itself what clients may see of it, and a `toJSON` of its own may return the fields of the record. */
function copyMarked(record: Record<string, unknown>): Record<string, unknown> {
  const copy = { ...withoutJson(record) }

  copyMark(record, copy)

  return copy
}

/** Records that one copy of alula has marked leave through another one. */
function shareMarks(): HiddenField<Mark> {
  const shared = globalThis as { [MARKS]?: HiddenField<Mark> }

  shared[MARKS] ??= createHiddenField<Mark>()

  return shared[MARKS]
}

function keepMark(record: unknown, mark: Mark): void {
  if (typeof record !== 'object' || record === null) return

  const omissions = marks.get(record)?.omissions

  setMark(record, omissions ? omissions.reduce(omitFrom, mark) : mark)
}

function setMark(record: object, mark: Mark): void {
  if (!Object.hasOwn(record, DISPATCH) || Reflect.deleteProperty(record, DISPATCH)) {
    marks.keep(record, mark)
  } else {
    // `resolveExternal` of Feathers fixes what clients see, but not the fields of that.
    const dispatch = (record as { [DISPATCH]: Record<string, unknown> })[DISPATCH]

    assignFields(dispatch, mark.show(dispatch) as Record<string, unknown>)
  }
}

/** A mark of a value that was kept with one record. */
function toFixed(shown: unknown): Mark {
  return { show: () => shown, isFixed: true }
}

/** What stays when a mark of our own takes the place of a foreign one. */
function toLasting(record: object, mark: Mark | undefined): Mark | undefined {
  return mark === FOREIGN ? toFixed(mark.show(record)) : mark
}

function omitFrom(mark: Mark, omission: Omission): Mark {
  const { omit, marks: known } = omission
  const made = known.get(mark)

  if (made) return made

  const omitted: Mark = {
    show: (record) => omit(mark.show(record)),
    omissions: [...(mark.omissions ?? NONE), omission],
    // A value of one record is none that others have.
    ...(!mark.isFixed && { base: mark.base ?? mark })
  }

  known.set(mark, omitted)

  return omitted
}

function assignFields(target: Record<string, unknown>, fields: Record<string, unknown>): void {
  for (const name of Object.keys(target)) delete target[name]
  for (const [name, value] of Object.entries(fields)) setOwn(target, name, value)
}
