/** Where a record carries what clients may see of it; shared with `@feathersjs/schema`. */
const DISPATCH = Symbol.for('@feathersjs/schema/dispatch')

/** The result of a login as a client may see it: the records in it as their services show them. */
export function toDispatch(result: object): { [name: string]: unknown } {
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, toShown(value)]))
}

/** Stores on a result what clients may see of it, for `getDispatch` of `@feathersjs/schema`. */
export function setDispatch(result: unknown, dispatch: unknown): void {
  if (typeof result !== 'object' || result === null || !Object.isExtensible(result)) return

  Object.defineProperty(result, DISPATCH, { value: dispatch, configurable: true })
}

/** Whether a record says itself what clients may see of it. */
export function hasDispatch(record: any): boolean {
  return record[DISPATCH] !== undefined
}

function toShown(value: any): unknown {
  return Array.isArray(value) ? value.map(toShown) : (value?.[DISPATCH] ?? value)
}
