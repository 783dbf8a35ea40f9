// Which methods of a service are those of its adapter, as the library wrote them.
import { getTraits } from '../hooks/traits.ts'
import { hasHooks } from './gate.ts'

declare module '../hooks/traits.ts' {
  interface Traits {
    /** Of a method: one that the library gives adapters. */
    readonly isOfAdapter?: true
  }
}

/**
 * Whether a method of a registered service is that of an adapter of the library. A class may have another one in its place, or
 * in place of the method with an underscore that it calls: that may call either more than once, and return records that it keeps.
 */
export function isAdapterMethod(service: object, method: string): boolean {
  const { [method]: called, [`_${method}`]: inner } = service as { readonly [name: string]: unknown }
  const adapter = findOwner(service, 'asSet') as { readonly [name: string]: unknown } | undefined

  return (
    typeof called === 'function' &&
    getTraits(called).isOfAdapter === true &&
    inner !== undefined &&
    inner === adapter?.[`_${method}`]
  )
}

/**
 * Whether a call of a method of a registered service does what the library wrote: no class has another one, and no hook may
 * change its query or its result. What the extensions of the service do is not looked at.
 */
export function isPlainMethod(service: object, method: string): boolean {
  return isAdapterMethod(service, method) && !hasHooks(service, method)
}

/** The object in a chain of prototypes that has a member itself. */
function findOwner(object: object, name: string): object | undefined {
  let owner: object | null = object

  while (owner && !Object.hasOwn(owner, name)) owner = Object.getPrototypeOf(owner)

  return owner ?? undefined
}
