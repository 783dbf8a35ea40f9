import { getTraits } from '../hooks/traits.ts'

declare module '../hooks/traits.ts' {
  interface Traits {
    /** Of a service of the library: who may call its methods. */
    readonly access?: OwnAccess
  }
}

/** Who may call the methods of a service of the library. */
export interface OwnAccess {
  readonly [method: string]: 'anyone' | 'user'
}

/** Who may call the methods of a service, as it says itself; `undefined` for services of applications. */
export function getOwnAccess(service: object): OwnAccess | undefined {
  return getTraits(service).access
}
