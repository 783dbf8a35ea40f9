// Zod tries every check without waiting first, and drops the promise of one that waits; and where one check fails, it drops
// those of the others. What then rejects would end the process. So schemas with functions of the application take the
// asynchronous way at once, by a copy whose functions leave no such promise.
import { disregard, isPromise } from '../utils/promise.ts'
import type { StandardIssue, StandardResult, StandardSchema } from './standard.ts'

/** The definition of a part of a schema: its kind, its parts and its functions. */
type Definition = Record<string, any>

interface Node {
  readonly _zod: {
    readonly def: Definition
    readonly constr: new (definition: Definition) => Node
    readonly innerType?: unknown
    check?: (...args: unknown[]) => unknown
  }
  safeParseAsync?(value: unknown): Promise<{
    readonly success: boolean
    readonly data?: unknown
    readonly error?: { readonly issues: readonly StandardIssue[] }
  }>
}

/** Kinds that run a function, or wait. */
const WAITING: ReadonlySet<unknown> = new Set(['custom', 'transform', 'promise', 'function'])

/** Functions whose result Zod takes as it is. */
const IMMEDIATE: ReadonlySet<string> = new Set(['error', 'getter', 'tx', 'catchValue', 'when'])

/** Each reading of it makes a value. */
const DEFAULT = 'defaultValue'

/** Where Zod keeps the type that the function of `z.lazy` has returned. */
const FOUND = '_cachedInner'

/**
 * Makes a schema of Zod one whose checks may fail in any way: it validates asynchronously. It stays the same where no function
 * of the application could wait, which is faster.
 */
export function toSafeSchema(schema: StandardSchema): StandardSchema {
  const node = schema as unknown as Node

  if (typeof node.safeParseAsync !== 'function' || !mayWait(node, new Set())) return schema

  let copy: Node | undefined

  async function validate(value: unknown): Promise<StandardResult<unknown>> {
    copy ??= new SafeCopy().copy(node)

    const { success, data, error } = await (copy as Required<Node>).safeParseAsync(value)

    return success ? { value: data } : { issues: error?.issues ?? [] }
  }

  return { '~standard': { ...schema['~standard'], validate } }
}

function mayWait(part: unknown, seen: Set<unknown>): boolean {
  if (typeof part !== 'object' || part === null || seen.has(part)) return false

  seen.add(part)

  if (!isNode(part)) return Object.values(part).some((inner) => mayWait(inner, seen))

  const { def, innerType } = part._zod

  // An inner type belongs to `z.lazy`, whose definition has a function.
  if (WAITING.has(def.type) || WAITING.has(def.check) || mayWait(innerType, seen)) return true

  return Object.keys(def).some((name) => {
    if (name === DEFAULT) return false

    return typeof def[name] === 'function' ? !IMMEDIATE.has(name) : mayWait(def[name], seen)
  })
}

/** Copies a schema, each part once: a part may hold itself. */
class SafeCopy {
  private readonly copies = new Map<Node, Node>()

  copy(node: Node): Node {
    const known = this.copies.get(node)

    if (known) return known

    const copy = new node._zod.constr(this.copyDefinition(node))

    if (copy._zod.check) copy._zod.check = toSafe(copy._zod.check)
    this.copies.set(node, copy)

    return copy
  }

  private copyDefinition(node: Node): Definition {
    const { def } = node._zod
    const copy: Definition = Object.defineProperties({}, Object.getOwnPropertyDescriptors(def))

    for (const name of Object.keys(def)) {
      if (name === DEFAULT) continue
      if (name === FOUND) delete copy[name]
      else Object.defineProperty(copy, name, this.toProperty(node, name))
    }

    return copy
  }

  private toProperty(node: Node, name: string): PropertyDescriptor {
    const { def } = node._zod
    const traits = { configurable: true, enumerable: true }

    // Only when it is needed: a field may be of the type that is being copied.
    if (name === 'shape') return { ...traits, get: () => this.copyShape(def.shape) }

    const part: unknown = def[name]
    const value =
      name === 'getter'
        ? () => this.copy(node._zod.innerType as Node)
        : name === 'checks'
          ? (part as Node[] | undefined)?.map((check) => this.copyCheck(check))
          : this.copyPart(part, name)

    return { ...traits, writable: true, value }
  }

  private copyShape(shape: Definition): Definition {
    return Object.fromEntries(Object.entries(shape).map(([name, field]) => [name, this.copy(field)]))
  }

  private copyCheck(check: Node): Node {
    const { _zod: internals } = check

    // A refinement is a schema too.
    if (internals.def.type !== undefined) return this.copy(check)

    const run = toSafe((...args) => internals.check?.(...args))

    return Object.create(check, { _zod: { value: Object.create(internals, { check: { value: run } }) } })
  }

  private copyPart(part: unknown, name: string): unknown {
    if (typeof part === 'function') return IMMEDIATE.has(name) ? part : toSafe(part as () => unknown)
    if (Array.isArray(part)) return part.map((inner) => this.copyPart(inner, name))

    return isNode(part) ? this.copy(part) : part
  }
}

/** What throws rejects, so that Zod waits for the others too, and what rejects has a handler. */
function toSafe(run: (...args: unknown[]) => unknown): (...args: unknown[]) => unknown {
  return (...args) => {
    const returned = attemptAsync(() => run(...args))

    if (!isPromise(returned)) return returned

    // Zod knows no promises of another making, and would take them for a yes.
    const promise = Promise.resolve(returned)

    disregard(promise)

    return promise
  }
}

function attemptAsync(run: () => unknown): unknown {
  try {
    return run()
  } catch (error) {
    return Promise.reject(error)
  }
}

function isNode(part: unknown): part is Node {
  return typeof (part as Partial<Node> | null)?._zod?.def === 'object'
}
