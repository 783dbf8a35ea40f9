import type { HookContext } from '../core/types.ts'
import { describeHook } from '../hooks/traits.ts'
import { isFunction } from '../utils/check.ts'
import { createTypeError } from '../utils/developer-error.ts'
import type { ServerValue, WrittenValue } from './declaration.ts'

/**
 * Marks a value of the server as one that is made with every write, and not only for new records.
 *
 * @param make Makes the value
 * @throws TypeError for anything but a function
 * @example
 * schema(Note, { server: { updatedAt: onWrite(() => new Date()) } })
 */
export function onWrite<Value, Context = HookContext>(
  make: ServerValue<Value, Context>
): WrittenValue<Value, Context> {
  if (!isFunction(make))
    throw createTypeError('ALULA_INVALID_ARGUMENT', 'onWrite() expects a function that makes the value')

  return describeHook((context: Context) => make(context), { onWrite: true }) as WrittenValue<Value, Context>
}
