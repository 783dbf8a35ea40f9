import { isStandardMethod } from '../core/methods.ts'
import type { HookContext, NextFunction } from '../core/types.ts'
import { BadRequest } from '../errors.ts'
import { describeHook, GUARD } from '../hooks/traits.ts'
import { createError } from '../utils/developer-error.ts'
import { Omission, omitFromDispatch, showRecord } from '../utils/dispatch.ts'
import { omitPaths } from '../utils/omit.ts'

type Path = readonly string[]

/**
 * An after or around hook that keeps fields from clients: it sets `context.dispatch` to the result without them, and
 * for external calls the result too. A field that is not shown cannot be found out either: a query of an external call
 * that filters or sorts by it, or selects it, is refused on all methods of the service.
 *
 * Register it as it is: inside a function that decides whether it runs, its mark is not seen.
 *
 * @param fields The names of the fields; dots lead into objects. In a query they count in any case and at any depth:
 * with `password`, `author.password` is refused too
 * @throws Error without a name
 */
export function protect(...fields: string[]) {
  if (fields.length === 0 || !fields.every((field) => field && typeof field === 'string')) {
    throw createError('ALULA_INVALID_ARGUMENT', 'The protect hook needs at least one field name')
  }

  const paths = fields.map((field) => field.split('.'))
  const lowerCase = paths.map((path) => path.map((name) => name.toLowerCase()))
  const omission = new Omission((shown) => omitPaths(shown, paths))

  async function protectFields(context: HookContext, next?: NextFunction): Promise<void> {
    if (typeof next === 'function') await next()

    const { method, params, type } = context as Partial<HookContext> & Pick<HookContext, 'method' | 'type'>

    if (type === 'before' || type === 'error') {
      throw createError('ALULA_MISPLACED_HOOK', 'The protect hook must be used as an after or around hook')
    }

    const result: unknown = context.dispatch || context.result

    if (!result) return

    context.dispatch = withoutFields(result, paths, method)
    // An internal call gets the records whole: as parts of other results and of events they leave without the fields.
    if (params?.provider) context.result = context.dispatch
    else for (const record of listRecords(context.result, method)) omitFromDispatch(record, omission)
  }

  function refuseQuery({ params }: HookContext): void {
    if (params.provider && params.query) assertUnprotected(params.query, lowerCase)
  }

  return describeHook(Object.assign(protectFields, { [GUARD]: refuseQuery }), { protects: fields })
}

function withoutFields(result: object, paths: readonly Path[], method: string): unknown {
  if (Array.isArray(result)) return omitFromAll(result, paths)

  const { data } = result as { data?: unknown }

  if (method === 'find' && Array.isArray(data)) return { ...result, data: omitFromAll(data, paths) }

  const shown = omitFromShown(result, paths)

  return mayBePage(shown, method) ? { ...shown, data: omitFromAll(shown.data, paths) } : shown
}

/** The records of a result. What may be a page may be a record as well. */
function listRecords(result: unknown, method: string): readonly unknown[] {
  if (Array.isArray(result)) return result

  const { data } = (result ?? {}) as { data?: unknown }

  if (method === 'find' && Array.isArray(data)) return data

  return mayBePage(result, method) ? [result, ...result.data] : [result]
}

/** Whether a custom method returns what `find` does. A record may have `data` as well. */
function mayBePage(shown: unknown, method: string): shown is { data: unknown[] } {
  const { data, total, limit, skip } = (shown ?? {}) as Record<string, unknown>

  return (
    !isStandardMethod(method) &&
    Array.isArray(data) &&
    [total, limit, skip].some((count) => typeof count === 'number')
  )
}

function omitFromAll(items: readonly unknown[], paths: readonly Path[]): unknown[] {
  return items.map((item) => (Array.isArray(item) ? omitFromAll(item, paths) : omitFromShown(item, paths)))
}

/** A copy of a record would not say any more what another service has hidden of it. */
function omitFromShown(item: unknown, paths: readonly Path[]): unknown {
  const shown = showRecord(item)

  return omitPaths(shown === undefined ? item : shown, paths)
}

/** Assumes nothing of the adapter: it may have other operators, and may ignore case in names: those of the paths are in lower case. */
function assertUnprotected(query: unknown, paths: readonly Path[]): void {
  const longest = Math.max(...paths.map((path) => path.length))

  for (const { field, isSelected } of listFields(query, { name: '', readings: [[], []] }, longest)) {
    const reveals = (path: Path) =>
      field.readings.some((reading) => contains(reading, path) || (!isSelected && leadsTo(reading, path)))

    if (paths.some(reveals)) throw new BadRequest(`Invalid query: '${field.name}' cannot be queried`)
  }
}

interface Field {
  /** Its whole path. */
  readonly name: string
  /**
   * The end of its path in lower case: once with all names, and once without numbers, which may be places in arrays. What is
   * before was judged with the fields around it: for each field below a long name it would be looked at again.
   */
  readonly readings: readonly [Path, Path]
}

interface QueriedField {
  readonly field: Field
  /** A selected object is shown without its protected fields; sorting by it would tell of them. */
  readonly isSelected: boolean
}

/**
 * Every field that a query, or a part of it about `field`, names at any depth. Names that begin with `$` are not fields; what
 * they hold may be. `longest` is how many names the longest protected path has, `clause` the operator that the value belongs
 * to.
 */
function* listFields(
  value: unknown,
  field: Field,
  longest: number,
  clause?: string
): Generator<QueriedField> {
  const isSelected = clause === '$select'

  if (typeof value === 'string' && (isSelected || clause === '$sort')) {
    for (const name of value.split(/[\s,]+/)) {
      yield { field: toInner(field, name.replace(/^[+-]/, ''), longest), isSelected }
    }
  }

  if (typeof value !== 'object' || value === null) return

  for (const [name, nested] of Object.entries(value)) {
    if (Array.isArray(value)) yield* listFields(nested, field, longest, clause)
    else if (name.startsWith('$')) yield* listFields(nested, field, longest, name)
    else {
      const inner = toInner(field, name, longest)

      yield { field: inner, isSelected }
      yield* listFields(nested, inner, longest, clause)
    }
  }
}

function toInner({ name: outer, readings: [all, named] }: Field, name: string, longest: number): Field {
  const names = name.split('.').map((part) => part.toLowerCase())

  return {
    name: outer === '' ? name : `${outer}.${name}`,
    readings: [
      [...all.slice(-longest), ...names],
      [...named.slice(-longest), ...names.filter((part) => !/^\d+$/.test(part))]
    ]
  }
}

/** Whether names stand in a path one after another, anywhere: adapters may put the name of a table in front. */
function contains(path: Path, names: Path): boolean {
  return path.some((_, start) => names.every((name, offset) => path[start + offset] === name))
}

/** Whether a path begins with names, or with the last of them: what is compared with an object is what it holds. */
function leadsTo(names: Path, path: Path): boolean {
  // More names than the path has do not lead to it, and one name of a client may have thousands of parts.
  const ends = names.slice(-path.length)

  return ends.some((_, start) => ends.slice(start).every((name, position) => path[position] === name))
}
