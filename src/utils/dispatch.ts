import { setOwn } from './object.ts'

/** Where a record carries what clients may see of it; shared with `@feathersjs/schema`. */
export const DISPATCH: unique symbol = Symbol.for('@feathersjs/schema/dispatch') as never

/** Whether a value says itself what clients may see of it. */
export function hasDispatch(value: any): boolean {
  return value?.[DISPATCH] !== undefined
}

/**
 * Keeps with a record what clients may see of it. One that cannot be extended keeps nothing.
 *
 * @param record The record
 * @param descriptor Its value, or the function that makes it
 */
export function keepDispatch(record: unknown, descriptor: PropertyDescriptor): void {
  if (typeof record !== 'object' || record === null || !Object.isExtensible(record)) return

  if (Reflect.defineProperty(record, DISPATCH, descriptor)) return

  // `resolveExternal` of Feathers fixes what clients see, but not the fields of that.
  const dispatch = (record as { [DISPATCH]: Record<string, unknown> })[DISPATCH]

  replaceFields(dispatch, descriptor.get ? descriptor.get.call(dispatch) : descriptor.value)
}

function replaceFields(target: Record<string, unknown>, fields: Record<string, unknown>): void {
  for (const name of Object.keys(target)) delete target[name]
  for (const [name, value] of Object.entries(fields)) setOwn(target, name, value)
}
