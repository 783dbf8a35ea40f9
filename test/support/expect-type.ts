/** Whether two types are the same; `any` is the same as `any` only. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/**
 * Says of which type a value is. A value of another type does not compile, not even when it is assignable.
 *
 * @example
 * expectType<Message>().of(await app.service('messages').get(1))
 */
export function expectType<Expected>() {
  return {
    of<const Actual>(_value: Actual & (Equal<Actual, Expected> extends true ? unknown : never)): void {}
  }
}
