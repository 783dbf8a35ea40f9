/**
 * Whether a value is an object that only holds properties: `{}`, one from `JSON.parse`, one without a prototype,
 * one of another realm. Class instances and arrays are not. Its `constructor`, which a client can set, is not asked.
 */
export function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false

  const prototype = Object.getPrototypeOf(value)

  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/**
 * Copies an object to which properties are added, here or later: `{ ...source, name: value }`. V8 11 would give each copy that
 * a spread has made a hidden class of its own as soon as it gets a property that `source` lacks. That takes ten times as long,
 * and slows down whatever reads the copies.
 */
export function copyWith<Source extends object, Properties extends object>(
  source: Source | undefined,
  properties: Properties = {} as Properties
): Source & Properties {
  // `assign` would set the prototype.
  if ((source && Object.hasOwn(source, '__proto__')) || Object.hasOwn(properties, '__proto__'))
    return { ...source, ...properties } as Source & Properties

  return Object.assign({} as Source, source, properties)
}

/** Whether a value is one that clients make of others: a list, a plain object, bytes. None of them is an id. */
export function isComposite(value: unknown): boolean {
  return Array.isArray(value) || isPlainObject(value) || ArrayBuffer.isView(value)
}

/** Whether an object has no enumerable property, inherited ones included. */
export function isEmpty(value: object): boolean {
  for (const _ in value) return false

  return true
}

/**
 * Whether an object can be the data of a record: a plain one, or an instance of a class. A promise
 * that was not awaited is none, nor is a date, nor anything iterable: arrays, maps, forms, bytes.
 */
export function isRecordLike(value: object): boolean {
  if (isPlainObject(value)) return true

  const { then, [Symbol.iterator]: iterator } = value as { then?: unknown; [Symbol.iterator]?: unknown }

  return typeof then !== 'function' && typeof iterator !== 'function' && !(value instanceof Date)
}

/** The name that a path such as `address.city` begins with. */
export function getFirstName(path: string): string {
  return path.split('.', 1)[0] as string
}

/**
 * Reads the value at the end of a path of names. Only own properties count; a step into nothing is `undefined`, and
 * so is a step into an array, whose elements have no names.
 *
 * @param value Where the path begins
 * @param path The names
 */
export function getPath(value: unknown, path: readonly string[]): unknown {
  let current = value

  for (const name of path) {
    if (typeof current !== 'object' || current === null || Array.isArray(current)) return undefined
    if (!Object.hasOwn(current, name)) return undefined

    current = (current as Record<string, unknown>)[name]
  }

  return current
}

/**
 * Sets the value at the end of a path of names in an object, and makes the objects that are missing on the way. A path through
 * `__proto__` changes nothing.
 */
export function setPath(target: object, path: readonly string[], value: unknown): void {
  if (path.includes('__proto__')) return

  let current = target as Record<string, unknown>

  for (const name of path.slice(0, -1)) {
    if (!Object.hasOwn(current, name) || typeof current[name] !== 'object' || current[name] === null) {
      current[name] = {}
    }

    current = current[name] as Record<string, unknown>
  }

  current[path[path.length - 1] as string] = value
}

/**
 * Copies plain objects and arrays with all that is in them; everything else stays what it is. `finish`, for example
 * `Object.freeze`, gets each copy.
 */
export function copyPlain<T>(value: T, finish?: (copy: object) => object): T
export function copyPlain(value: unknown, finish: (copy: object) => object = (copy) => copy): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return finish(value.map((element) => copyPlain(element, finish)))
  if (!isPlainObject(value)) return value

  // First all at once: most of what is copied holds scalars.
  const copy = copyWith(value)

  for (const name of Object.keys(copy)) {
    const nested = copy[name]

    if (typeof nested === 'object' && nested !== null) setOwn(copy, name, copyPlain(nested, finish))
  }

  return finish(copy)
}

/** Sets a property. Assignment alone would set the prototype for `__proto__`. */
export function setOwn(target: object, name: string, value: unknown): void {
  if (name === '__proto__') {
    Object.defineProperty(target, name, { value, configurable: true, enumerable: true, writable: true })
  } else {
    ;(target as Record<string, unknown>)[name] = value
  }
}

/**
 * Finds a value in plain objects and arrays, at any depth. Returns the names on the way to the first one, joined by dots;
 * `undefined` when there is none.
 */
export function findPath(
  value: unknown,
  isWanted: (value: unknown) => boolean,
  parents: readonly unknown[] = []
): string | undefined {
  if (!isContainer(value) || parents.includes(value)) return undefined

  // A hole in an array is `undefined`.
  for (const name of Object.keys(Array.isArray(value) ? [...value] : value)) {
    const nested = (value as Record<string, unknown>)[name]

    if (isWanted(nested)) return name

    const path = findPath(nested, isWanted, [...parents, value])

    if (path !== undefined) return `${name}.${path}`
  }

  return undefined
}

/** Whether two values are the same, or plain objects and arrays that hold the same. */
export function isSamePlain(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (Array.isArray(one) !== Array.isArray(other)) return false
  if (!isContainer(one) || !isContainer(other)) return false

  const names = Object.keys(one)

  if (names.length !== Object.keys(other).length) return false

  for (const name of names) {
    if (!Object.hasOwn(other, name) || !isSamePlain(one[name], other[name])) return false
  }

  return true
}

/**
 * Puts plain objects over one another, the weakest first, nested ones too; those that are missing are left out. Of anything
 * else, and of two values that are not both plain objects, the later one counts; what is `undefined` changes nothing. No source
 * is changed. An object that holds functions works on itself: it is no data, and stays what it is.
 */
export function mergePlain(...sources: readonly (object | null | undefined)[]): { [name: string]: any } {
  const merged = new Map<string, unknown>()

  for (const source of sources) {
    for (const [name, value] of Object.entries(source ?? {})) {
      const current = merged.get(name)

      if (isData(value)) merged.set(name, mergePlain(isData(current) ? current : {}, value))
      else if (value !== undefined) merged.set(name, value)
    }
  }

  // Not by assignment, which for `__proto__` would set the prototype.
  return Object.fromEntries(merged)
}

function isData(value: unknown): value is Record<string, unknown> {
  return isPlainObject(value) && !Object.values(value).some((member) => typeof member === 'function')
}

/** What `toJSON` has returned, without a `toJSON` of its own: JSON calls none for it, and one may be bound to another object. */
export function withoutJson<Value>(value: Value): Value {
  const given = value as { toJSON?: unknown } | null | undefined

  if (typeof given !== 'object' || typeof given?.toJSON !== 'function' || Array.isArray(given)) return value

  const { toJSON: _, ...fields } = given

  return fields as Value
}

/** Options with defaults: one that is undefined counts as left out, as an unset variable of the environment is. */
export function fillDefaults<Defaults extends object>(
  options: { readonly [name: string]: any },
  defaults: Defaults
): Defaults & { [name: string]: any } {
  const filled: { [name: string]: any } = { ...defaults }

  for (const name in options) if (options[name] !== undefined) filled[name] = options[name]

  return filled as Defaults
}

/** JSON that is the same for equal values: the names of each object are in one order, and a bigint is no string. */
export function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member === 'bigint') return { bigint: String(member) }

    return isPlainObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member
  })
}

/** Ends a `switch` over a union: the compiler refuses it as long as a case is missing. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected value: ${JSON.stringify(value)}`)
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return Array.isArray(value) || isPlainObject(value)
}
