// Which calls clients can repeat with an idempotency key: transports and documents go by it too.
import { getTraits } from '../hooks/traits.ts'
import { getDefinition, isStandardMethod } from './methods.ts'
import { getMethodRoutes } from './service.ts'

/** The header of requests (draft-ietf-httpapi-idempotency-key-header). */
export const KEY_HEADER = 'Idempotency-Key'

/** As transports have it. */
export const KEY_NAME: string = KEY_HEADER.toLowerCase()

const VERBS: readonly string[] = ['POST', 'PATCH']

/**
 * Whether calls of a method may have a key: of `create`, `patch`, and custom methods with these verbs in all of their routes.
 * Other methods can be repeated anyway, and what reads must not be repeated from a store.
 */
export function takesKey(service: object, method: string): boolean {
  const routes = isStandardMethod(method) ? [] : getMethodRoutes(service, method)
  const verbs = routes.length > 0 ? routes.map(({ verb }) => verb) : [getDefinition(method).verb]

  return verbs.every((verb) => VERBS.includes(verb))
}

/** Whether a request has a key that its service takes. */
export function mayBeRepeated(
  headers: { readonly [name: string]: unknown },
  service: object,
  method: string
): boolean {
  return (
    headers[KEY_NAME] !== undefined && getTraits(service).repeats !== undefined && takesKey(service, method)
  )
}
