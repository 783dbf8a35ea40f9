import { isObjectLike } from '../utils/check.ts'
import { getMark, isShownOtherwise, type Mark, showRecord, showRecords } from '../utils/dispatch.ts'
import { getFirstName, isPlainObject, setOwn } from '../utils/object.ts'
import { HiddenFields, toWithin } from './hidden.ts'
import { describesObject, getTypes, isAnything, type JsonSchema } from './json-schema.ts'
import { type ObjectShape, readShape, type Shape } from './shape.ts'

const MAX_REPORTED = 20

/** What leaves of the records of a schema. */
export interface OutputRules {
  readonly schema: JsonSchema
  /** The paths of fields that never leave. */
  readonly hidden: readonly string[]
  /** Fields besides those of the schema. */
  readonly computed: readonly string[]
  /** Whether fields that are not declared leave too. */
  readonly keepsExtra: boolean
  /** Whether all of a value leaves that may be anything. */
  readonly showsAnything: boolean
  /** Called with the path of a field that is dropped although it is not hidden. */
  readonly onDropped: (path: string) => void
}

/** Copies what may leave of a value. */
export type Picker = (value: unknown) => unknown

/** The same for an object whose kind is known. */
type PickObject = (value: object) => unknown

type Fields = Record<string, unknown>

/**
 * Prepares a function that copies the fields of a record that are declared and not hidden, at any depth. A record that
 * another service has returned leaves as that service shows it.
 */
export function compilePicker(rules: OutputRules): Picker {
  const pick = new Pickers(rules).record

  return (value) => (isObjectLike(value) ? pick(value) : value)
}

/** The functions that copy what may leave of a record, and of what is in it. */
class Pickers {
  /** Copies a record. */
  readonly record: PickObject

  private readonly rules: OutputRules
  private readonly hidden: HiddenFields
  /** Those that are made, by what they copy and by what is hidden in it. */
  private readonly made = new Map<Shape, Map<string, PickObject>>()

  constructor(rules: OutputRules) {
    this.rules = rules
    this.hidden = new HiddenFields(rules.hidden, rules.schema)
    this.record = this.build(readShape(rules.schema), '', rules.hidden)
  }

  /** A schema may hold itself, so its parts are prepared when a value reaches them, and once for what is hidden in them. */
  private prepare(shape: Shape, path: string, within: readonly string[]): PickObject {
    const made = this.made.get(shape) ?? new Map<string, PickObject>()
    const key = JSON.stringify(within)
    let pick: PickObject | undefined

    this.made.set(shape, made)

    return (value) => {
      pick ??= made.get(key) ?? this.build(shape, path, within)
      made.set(key, pick)

      return pick(value)
    }
  }

  private build(shape: Shape, path: string, below: readonly string[]): PickObject {
    const isRecord = path === ''
    const within = isRecord ? below : [...new Set([...below, ...this.hidden.listWithin(shape)])]

    if ((!isRecord || this.rules.showsAnything) && shape.alternatives.some(isAnything)) {
      return (value) => showAll(value, within)
    }

    const pickFields = this.buildObject(shape.filter(describesObject), path, within)
    const pickElement = this.buildElement(shape.filter(canBeArray), path, within)

    return (value) => {
      if (value instanceof Date) return value

      const mark = isRecord ? undefined : getMark(value)

      if (mark) return showDispatch(mark.show(value), within)
      if (Array.isArray(value)) {
        return pickElement
          ? value.map((element) => (isObjectLike(element) ? pickElement(element) : element))
          : undefined
      }
      if (isPlainObject(value)) return pickFields ? pickFields(value) : undefined

      return pickInstance(value, pickFields)
    }
  }

  private buildObject(
    { alternatives, object }: Shape,
    path: string,
    within: readonly string[]
  ): PickObject | undefined {
    if (alternatives.length === 0) return undefined

    const { computed, onDropped } = this.rules
    const isRecord = path === ''
    const prefix = isRecord ? '' : `${path}.`
    const hidden = new Set(within)
    const ofAll = toWithin(within, '*')
    const findOther = this.createOther(object, path, ofAll)
    const reportDropped = once((name) => onDropped(prefix + name))
    const fields = new Map<string, PickObject>()

    // A field that a hidden path leads through may be one that the schema does not name.
    for (const name of new Set([...object.names, ...within.map(getFirstName)])) {
      if (hidden.has(name) || (hidden.has('*') && !object.names.has(name))) continue

      const inner = toWithin(within, name)
      const field = object.fields.get(name)
      const pickField = field
        ? this.prepare(field, prefix + name, inner)
        : object.names.has(name)
          ? (value: object) => showAll(value, inner)
          : this.createOther(object, path, [...ofAll, ...inner])(name)

      if (pickField) fields.set(name, pickField)
    }
    if (isRecord) for (const name of computed) if (!hidden.has(name)) fields.set(name, showAll)

    const pickers = { fields, hidden, findOther, reportDropped }

    return (value) => {
      const source = value as Fields

      return copyWhole(source, fields) ?? copySome(source, pickers)
    }
  }

  /** Prepares what leaves of fields that the schema does not name. */
  private createOther(
    object: ObjectShape,
    path: string,
    within: readonly string[]
  ): (name: string) => PickObject | undefined {
    const isOpen = (path === '' && this.rules.keepsExtra) || object.isOpen
    const place = path === '' ? '*' : `${path}.*`
    const pickers = new Map<Shape, PickObject>()

    for (const shape of [
      ...object.patterns.map(([, shape]) => shape),
      ...(object.others ? [object.others] : [])
    ]) {
      pickers.set(shape, this.prepare(shape, place, within))
    }

    return (name) => {
      const shape = object.findOther(name)

      if (shape) return pickers.get(shape)

      return isOpen ? (value) => showAll(value, within) : undefined
    }
  }

  private buildElement(
    { alternatives, elements }: Shape,
    path: string,
    within: readonly string[]
  ): PickObject | undefined {
    if (alternatives.length === 0) return undefined

    return elements ? this.prepare(elements, path, within) : (value) => showAll(value, within)
  }
}

/** What becomes of the fields of an object. */
interface FieldPickers {
  readonly fields: ReadonlyMap<string, PickObject>
  readonly hidden: ReadonlySet<string>
  readonly findOther: (name: string) => PickObject | undefined
  readonly reportDropped: (name: string) => void
}

/** A copy of the fields of which something may leave. */
function copySome(source: Fields, { fields, hidden, findOther, reportDropped }: FieldPickers): Fields {
  const copy: Fields = {}

  for (const name of Object.keys(source)) {
    const field = source[name]
    const isHidden = hidden.has(name) || (hidden.has('*') && !fields.has(name))

    // JSON has no functions, and `toJSON` of the source may return what is hidden.
    if (isHidden || typeof field === 'function') continue

    const pick = fields.get(name) ?? findOther(name)

    if (!pick) {
      reportDropped(name)
      continue
    }

    // A function that is called for each field would take longer than the rest.
    const picked = typeof field === 'object' && field !== null ? pick(field) : field

    if (picked === undefined) continue
    if (name === '__proto__') setOwn(copy, name, picked)
    else copy[name] = picked
  }

  return copy
}

/**
 * A copy of a record that has declared fields alone. Most have, and to copy an object as a whole is much faster than
 * field by field.
 */
function copyWhole(source: Fields, fields: ReadonlyMap<string, PickObject>): Fields | undefined {
  let hasObjects = false

  for (const name in source) {
    if (!fields.has(name)) return undefined
    if (isObjectLike(source[name])) hasObjects = true
  }

  const copy = { ...source }

  if (!hasObjects) return copy

  for (const name in source) {
    const field = source[name]

    if (isObjectLike(field)) setOwn(copy, name, fields.get(name)?.(field))
  }

  return copy
}

/** A record, that of another service as this shows it. Another copy of it is needed for what this service adds. */
export function showOther(record: unknown, mark: Mark, added: readonly string[]): unknown {
  if (!isShownOtherwise(record, mark)) return record

  const fields = added.filter((name) => Object.hasOwn(record, name))
  const own = Object.fromEntries(fields.map((name) => [name, (record as Fields)[name]]))
  const shown = showRecord(record)

  return isObjectLike(shown) ? { ...shown, ...own } : shown
}

/**
 * Copies a value of which nothing is declared: records of services in it leave as their services show them. The paths `hidden`
 * do not leave, from this value on; the paths `everywhere` do not, from any object in it on. `isJson`: whether its `toJSON` has
 * returned it, which is not called once more.
 */
export function showAll(
  value: unknown,
  hidden: readonly string[] = [],
  everywhere: readonly string[] = [],
  isJson = false
): unknown {
  if (!isObjectLike(value) || value instanceof Date || ArrayBuffer.isView(value)) return value

  const mark = getMark(value)

  if (mark) return showDispatch(mark.show(value), hidden)
  if (Array.isArray(value)) return value.map((element) => showAll(element, hidden, everywhere))
  if (hasJson(value) && !isJson) return showAll(value.toJSON(), hidden, everywhere, true)

  const copy: Fields = {}

  // Usual. Lists of what is hidden, for each field, would take longer than the copy.
  if (hidden.length + everywhere.length === 0) {
    for (const [name, field] of Object.entries(value)) {
      if (typeof field !== 'function') setOwn(copy, name, isObjectLike(field) ? showAll(field) : field)
    }

    return copy
  }

  const paths = [...hidden, ...everywhere]

  const ofAll = toWithin(paths, '*')

  // Nothing is declared, so that every field is one without a name.
  if (paths.includes('*')) return copy

  for (const [name, field] of Object.entries(value)) {
    if (!paths.includes(name) && typeof field !== 'function')
      setOwn(copy, name, showAll(field, [...ofAll, ...toWithin(paths, name)], everywhere))
  }

  return copy
}

/** What another service shows of its record, without what is hidden in this place. */
function showDispatch(dispatch: unknown, hidden: readonly string[]): unknown {
  return hidden.length > 0 ? showAll(dispatch, hidden) : dispatch
}

/** Instances of classes: ids of a database are values; what has fields is picked like an object. */
function pickInstance(value: object, pickFields: PickObject | undefined): unknown {
  if (pickFields) {
    const json = hasJson(value) ? value.toJSON() : value
    // What it becomes may be a record that a service has returned.
    const plain = json === value ? value : showRecords(json)

    return isObjectLike(plain) ? pickFields(plain) : plain
  }

  // Without it, JSON would have all its fields.
  return hasJson(value) || ArrayBuffer.isView(value) ? value : undefined
}

function hasJson(value: object): value is { toJSON(): unknown } {
  return typeof (value as { toJSON?: unknown }).toJSON === 'function'
}

/** The names come from stored data: only some of them are remembered. */
function once(report: (name: string) => void): (name: string) => void {
  const reported = new Set<string>()

  return (name) => {
    if (reported.has(name) || reported.size === MAX_REPORTED) return

    reported.add(name)
    report(name)
  }
}

function canBeArray(part: JsonSchema): boolean {
  const types = getTypes(part)

  return types.includes('array') || (types.length === 0 && part.items !== undefined)
}
