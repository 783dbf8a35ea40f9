/** Where a service of the library says itself who may call its methods. */
export const OWN_ACCESS: unique symbol = Symbol.for('alula/own-access')

/** Who may call the methods of a service of the library. */
export interface OwnAccess {
  readonly [method: string]: 'anyone' | 'user'
}

/** Who may call the methods of a service, as it says itself; `undefined` for services of applications. */
export function getOwnAccess(service: object): OwnAccess | undefined {
  return (service as { [OWN_ACCESS]?: OwnAccess })[OWN_ACCESS]
}
