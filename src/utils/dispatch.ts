import { setOwn } from './object.ts'

/** Where a record carries what clients may see of it; shared with `@feathersjs/schema`. */
export const DISPATCH: unique symbol = Symbol.for('@feathersjs/schema/dispatch') as never

/** Takes fields out of what clients see of a record. */
export class Omission {
  readonly omit: (shown: unknown) => unknown
  /** The properties of records, by the getter that the fields are taken out of: few functions for all records. */
  readonly properties: WeakMap<object, PropertyDescriptor> = new WeakMap()

  constructor(omit: (shown: unknown) => unknown) {
    this.omit = omit
  }
}

/** The getter of what clients see of a record, with what takes fields out of it. */
interface Show {
  (this: unknown): unknown
  readonly omissions?: readonly Omission[]
  /** The getter that the fields are taken out of. */
  readonly base?: Show
}

/** What a service gives all its records, so that they say what clients see of them. */
export interface DispatchProperty extends PropertyDescriptor {
  /** Makes the records of a service objects of their own hidden class. */
  readonly separate: (record: object) => void
}

/** A constructor that returns what it is given: classes above it add private fields to any object. */
class Given {
  constructor(object: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is what it is for.
    return object
  }
}

/**
 * The property that a service gives all its records. Objects with the same fields share a hidden class, and a second
 * getter in the place of another makes them slow. So the records of a service first get a private name of its own.
 *
 * @param show Returns what clients see of a record
 */
export function createDispatchProperty(show: (record: unknown) => unknown): DispatchProperty {
  class Own extends Given {
    #isOwn = true

    static add(record: object): void {
      if (!(#isOwn in record)) new Own(record)
    }
  }

  return {
    configurable: true,
    separate: Own.add,
    get(this: unknown) {
      return show(this)
    }
  }
}

/** Whether a value says itself what clients may see of it. */
export function hasDispatch(value: any): boolean {
  return value?.[DISPATCH] !== undefined
}

/** Whether a service has said what clients may see of a record. Hooks that only take fields out of it do not count. */
export function isShownByService(record: unknown): boolean {
  const get = getShow(record)

  return hasDispatch(record) && (get?.base ?? get) !== WHOLE.get
}

/**
 * Keeps with a record what clients may see of it. What was taken out of it before stays out. One that cannot be extended
 * keeps nothing.
 *
 * @param record The record
 * @param descriptor Its value, or the function that makes it
 */
export function keepDispatch(record: unknown, descriptor: PropertyDescriptor): void {
  if (!canHaveProperties(record)) return

  const omissions =
    DISPATCH in record ? listOmissions(Object.getOwnPropertyDescriptor(record, DISPATCH)) : NONE

  define(record, omissions.length > 0 ? omissions.reduce(omitFrom, descriptor) : descriptor)
}

/**
 * Keeps with a record what the schema of its service shows of it. One that another service has returned before stays one
 * of that service.
 *
 * @param record The record
 * @param own The property that the service gives all its records
 */
export function keepOwner(record: unknown, own: DispatchProperty): void {
  const get = getShow(record)
  const base = get?.base ?? get

  if (base === undefined && canHaveProperties(record)) own.separate(record)
  if (base === undefined || base === WHOLE.get || base === own.get) keepDispatch(record, own)
}

/**
 * Takes fields out of what clients see of a record, wherever it leaves from now on.
 *
 * @param record The record
 * @param omission Takes the fields out. The same one counts once
 */
export function omitFromDispatch(record: unknown, omission: Omission): void {
  if (!canHaveProperties(record)) return

  const known = Object.getOwnPropertyDescriptor(record, DISPATCH)

  if (!listOmissions(known).includes(omission)) define(record, omitFrom(known ?? WHOLE, omission))
}

/**
 * Whether clients see another part of a record than the schema of a service shows: it is a record of another service, or a
 * hook takes fields out.
 *
 * @param record The record
 * @param own The property that the service gives all its records
 */
export function isShownOtherwise(
  record: unknown,
  own: PropertyDescriptor
): record is { readonly [DISPATCH]: unknown } {
  const get = getShow(record)

  return get !== undefined && get !== own.get
}

/**
 * Shows the records in a value as their services show them, at any depth. Only what lies around them is copied.
 *
 * @param value What leaves: a result, an event, or any part of one
 */
export function showRecords(value: unknown): unknown {
  return replaceObjects(value, (object) => (DISPATCH in object ? object[DISPATCH] : object))
}

/**
 * Replaces objects in a value, at any depth, and in what they are replaced by. Only what lies around them is copied. Of an
 * instance of a class it is looked at what JSON has of it. An object that holds itself stays: no JSON has it.
 *
 * @param value The value
 * @param replace Returns what stands in the place of an object; the same object where it stays
 * @param parents The objects that hold the value
 */
export function replaceObjects(
  value: unknown,
  replace: (object: object & { [DISPATCH]?: unknown }) => unknown,
  parents: object[] = []
): unknown {
  if (typeof value !== 'object' || value === null || parents.includes(value)) return value

  parents.push(value)

  const shown = replaceObject(value, replace, parents)

  parents.pop()

  return shown
}

function replaceObject(value: object, replace: (object: object) => unknown, parents: object[]): unknown {
  const replaced = replace(value)

  if (replaced !== value) return replaceObjects(replaced, replace, parents)
  if (Array.isArray(value)) return replaceItems(value, replace, parents)
  if (value instanceof Date || ArrayBuffer.isView(value)) return value

  const { toJSON } = value as { toJSON?: unknown }

  if (typeof toJSON === 'function') {
    const json: unknown = toJSON.call(value)
    const shown = replaceObjects(json, replace, parents)

    return shown === json ? value : shown
  }

  return replaceFields(value as Record<string, unknown>, replace, parents)
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
  let copy: Record<string, unknown> | undefined

  for (const name of Object.keys(record)) {
    const field = record[name]
    const shown = typeof field === 'object' ? replaceObjects(field, replace, parents) : field

    if (shown !== field) {
      copy ??= copyMarked(record)
      setOwn(copy, name, shown)
    }
  }

  return copy ?? record
}

/** A copy does not say by itself what clients may see of it. */
function copyMarked(record: Record<string, unknown>): Record<string, unknown> {
  const mark = Object.getOwnPropertyDescriptor(record, DISPATCH)

  return mark ? Object.defineProperty({ ...record }, DISPATCH, mark) : { ...record }
}

function canHaveProperties(record: unknown): record is object {
  return typeof record === 'object' && record !== null && Object.isExtensible(record)
}

const NONE: readonly Omission[] = []

/** Of a record of which nothing is known but what is taken out. */
const WHOLE: PropertyDescriptor = {
  configurable: true,
  get(this: unknown) {
    return this
  }
}

function getShow(record: unknown): Show | undefined {
  if (typeof record !== 'object' || record === null || !(DISPATCH in record)) return undefined

  return Object.getOwnPropertyDescriptor(record, DISPATCH)?.get
}

function listOmissions(descriptor: PropertyDescriptor | undefined): readonly Omission[] {
  return (descriptor?.get as Show | undefined)?.omissions ?? NONE
}

function omitFrom(descriptor: PropertyDescriptor, omission: Omission): PropertyDescriptor {
  const { get, value } = descriptor
  const { omit, properties } = omission
  const known = get && properties.get(get)

  if (known) return known

  const show = get
    ? function (this: unknown): unknown {
        return omit(get.call(this))
      }
    : () => omit(value)
  const omissions = [...listOmissions(descriptor), omission]
  const base = (get as Show | undefined)?.base ?? get
  const property = { configurable: true, get: Object.assign(show, { omissions, base }) }

  if (get) properties.set(get, property)

  return property
}

function define(record: object, descriptor: PropertyDescriptor): void {
  if (Reflect.defineProperty(record, DISPATCH, descriptor)) return

  // `resolveExternal` of Feathers fixes what clients see, but not the fields of that.
  const dispatch = (record as { [DISPATCH]: Record<string, unknown> })[DISPATCH]

  assignFields(dispatch, descriptor.get ? descriptor.get.call(dispatch) : descriptor.value)
}

function assignFields(target: Record<string, unknown>, fields: Record<string, unknown>): void {
  for (const name of Object.keys(target)) delete target[name]
  for (const [name, value] of Object.entries(fields)) setOwn(target, name, value)
}
