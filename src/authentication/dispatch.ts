import { DISPATCH, showRecord } from '../utils/dispatch.ts'

/** The result of a login as a client may see it: the records in it as their services show them. */
export function toDispatch(result: object): { [name: string]: unknown } {
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, showValue(value)]))
}

/** Stores on a result what clients may see of it, for `getDispatch` of `@feathersjs/schema`. */
export function setDispatch(result: unknown, dispatch: unknown): void {
  if (typeof result !== 'object' || result === null) return

  Reflect.defineProperty(result, DISPATCH, { value: dispatch, configurable: true })
}

function showValue(value: unknown): unknown {
  return Array.isArray(value) ? value.map(showValue) : (showRecord(value) ?? value)
}
