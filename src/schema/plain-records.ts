import type { HookContext } from '../core/types.ts'
import { isFunction } from '../utils/check.ts'
import { copyMark } from '../utils/dispatch.ts'
import { isPlainObject, isRecordLike } from '../utils/object.ts'
import { listRecords, pickResult, toPageTest } from './page.ts'

/**
 * The records of a result as plain objects, to which fields can be added. Instances of a class, such as the documents of an
 * ORM, become what JSON makes of them: what is added to an instance would not leave with it.
 *
 * @param context The context after the call, or what has its result: that gets the plain objects
 */
export function makeRecordsPlain(
  context: Pick<HookContext, 'result' | 'method'>
): readonly Record<string, unknown>[] {
  const records = listRecords(context)

  if (records.every(isPlainObject)) return records

  context.result = pickResult(context.result, toPlain, toPageTest(context.method))

  return listRecords(context).filter(isPlainObject)
}

function toPlain(record: unknown): unknown {
  if (typeof record !== 'object' || record === null || isPlainObject(record) || !isRecordLike(record)) {
    return record
  }

  const { toJSON } = record as { toJSON?: unknown }
  const plain: unknown = isFunction(toJSON) ? toJSON.call(record) : { ...record }

  // Clients see of it what they saw of the instance.
  if (typeof plain === 'object' && plain !== null) copyMark(record, plain)

  return plain
}
