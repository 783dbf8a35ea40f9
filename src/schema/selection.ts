// Fields that are made for each result: what they are made from is read, and taken out again.
import type { HookContext, Query } from '../core/types.ts'
import { toSelection } from '../query/select.ts'
import { copyQuery } from '../query/validated.ts'
import { getSlots, setSlots } from '../utils/call-state.ts'
import { isPlainObject } from '../utils/object.ts'
import { listRecords } from './page.ts'
import { makeRecordsOwn } from './plain-records.ts'

declare module '../utils/call-state.ts' {
  interface ContextSlots {
    /** The fields that the call has selected, where others are read for them; left out for all. */
    readonly selected?: ReadonlySet<string>
  }
}

/**
 * Has a query select what fields are made from, in place of them, the id, and `further` fields. `toSources` returns the fields
 * that a field is made from; `undefined` for one that is stored.
 */
export function selectSources(
  context: HookContext,
  query: Query,
  id: string,
  toSources: (name: string) => readonly string[] | undefined,
  further: readonly string[] = []
): Query {
  const names = query.$select === undefined ? undefined : [query.$select].flat()

  // Its shape is for the adapter.
  if (!names?.every((name) => typeof name === 'string')) return query

  const { selected = new Set([...names, id]) } = getSlots(context)
  const stored = names.flatMap((name) => toSources(name) ?? name)

  setSlots(context, { selected })

  return copyQuery(query, { $select: [...new Set([...stored, ...further])] })
}

/**
 * Takes fields out of a result that were read only to make others of them. Of an object of which the call has selected a part,
 * that part stays.
 */
export function dropSources(
  context: HookContext,
  sources: readonly string[],
  selected = getSlots(context).selected
): void {
  if (!selected) return

  const dropped = sources.filter((name) => !selected.has(name))
  const hasDropped = (record: unknown) =>
    isPlainObject(record) && dropped.some((name) => Object.hasOwn(record, name))

  if (!listRecords(context).some(hasDropped)) return

  const parts = dropped.map((name) => [name, toPart(name, selected)] as const)

  for (const record of makeRecordsOwn(context)) {
    for (const [name, pick] of parts) {
      const part = pick?.(record)

      if (part === undefined) delete record[name]
      else record[name] = part
    }
  }
}

/** What picks the part of a field that was selected; `undefined` where none was. */
function toPart(name: string, selected: ReadonlySet<string>): ((record: object) => unknown) | undefined {
  const paths = [...selected].filter((path) => path.startsWith(`${name}.`))
  const select = toSelection(paths)

  return paths.length > 0 ? (record) => select(record)[name] : undefined
}
