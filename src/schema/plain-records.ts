import { isPlainMethod } from '../core/adapter-method.ts'
import type { HookContext } from '../core/types.ts'
import { getSlots, setSlots } from '../utils/call-state.ts'
import { isFunction } from '../utils/check.ts'
import { copyMark } from '../utils/dispatch.ts'
import { copyWith, isPlainObject, isRecordLike, withoutJson } from '../utils/object.ts'
import { listRecords, pickResult, toPageTest } from './page.ts'

declare module '../utils/call-state.ts' {
  interface ContextSlots {
    /** The result whose records are copies of this call. */
    readonly copied?: unknown
  }
}

type PlainRecord = Record<string, unknown>

/**
 * The records of a result as plain objects, which the context gets. Instances of a class, such as the documents of an ORM,
 * become what JSON makes of them: what is added to an instance would not leave with it.
 */
export function makeRecordsPlain(context: Pick<HookContext, 'result' | 'method'>): readonly PlainRecord[] {
  const records = listRecords(context)

  if (records.every(isPlainObject)) return records

  context.result = pickResult(context.result, toPlain, toPageTest(context.method))

  return listRecords(context).filter(isPlainObject)
}

/**
 * The same as objects of this call alone, which may be changed. A service or a hook may keep what it returns: what is added for
 * one caller would leave with the records of the next.
 */
export function makeRecordsOwn(context: HookContext): readonly PlainRecord[] {
  const { service, result, dispatch, method } = context
  const records = listRecords(context)
  const isOwn = getSlots(context).copied === result || records.length === 0

  // An adapter has made them, and no hook has seen or replaced them.
  if (isOwn || isPlainMethod(service, method)) return makeRecordsPlain(context)

  const isPage = toPageTest(method)
  const copies = new Map(records.map((record) => [record, toOwn(record)]))
  const copyRecords = (value: unknown) => {
    const toCopy = (record: unknown) => copies.get(record) ?? record

    return isPage(value)
      ? copyWith(value, { data: value.data.map(toCopy) })
      : pickResult(value, toCopy, isPage)
  }

  context.result = copyRecords(result)
  // A hook that shows clients these records means what becomes of them, too.
  if (dispatch !== undefined) context.dispatch = copyRecords(dispatch)
  setSlots(context, { copied: context.result })

  return listRecords(context).filter(isPlainObject)
}

function toOwn(record: unknown): unknown {
  if (!isPlainObject(record)) return toPlain(record)

  const copy = copyWith(record)

  copyMark(record, copy)

  return copy
}

function toPlain(record: unknown): unknown {
  if (typeof record !== 'object' || record === null || isPlainObject(record) || !isRecordLike(record)) {
    return record
  }

  const { toJSON } = record as { toJSON?: unknown }
  const made: unknown = isFunction(toJSON) ? toJSON.call(record) : record
  // The instance may keep what it makes, too.
  const plain =
    typeof made === 'object' && made !== null && !Array.isArray(made) ? { ...withoutJson(made) } : made

  // Clients see of it what they saw of the instance, or else of what that returns as JSON.
  if (typeof plain === 'object' && plain !== null) {
    if (plain !== made) copyMark(made as object, plain)
    copyMark(record, plain)
  }

  return plain
}
