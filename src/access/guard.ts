import { isRefused, visitHooks } from '../core/gate.ts'
import { getOwnAccess } from '../core/own-access.ts'
import { getServiceOptions } from '../core/service.ts'
import type { HookContext } from '../core/types.ts'
import { type Authenticates, getTraits } from '../hooks/traits.ts'
import type { Layer } from '../hooks/types.ts'

/**
 * Who may make external calls of a method, as far as its pipeline says: by the `access` of the service, or by a hook
 * `authenticate` in its own right. A hook inside another one is not seen.
 *
 * @param service A registered service
 * @param method The name of the method
 * @param layers The layers of its hooks
 * @returns `undefined` where nothing guards it
 */
export function findGuard(
  service: object,
  method: string,
  layers: readonly Layer<HookContext>[]
): string | undefined {
  if (isRefused(layers)) return 'nobody'

  const own = getOwnAccess(service)

  if (own && Object.hasOwn(own, method)) return own[method]

  const who = getServiceOptions(service).access?.who?.(method)
  const hook = findHook(layers)

  return who === undefined || (who === 'anyone' && hook !== undefined) ? hook : who
}

/** The first hook that lets no call pass without a login. */
function findHook(layers: readonly Layer<HookContext>[]): string | undefined {
  let strict: Authenticates | undefined

  visitHooks(layers, 'before', (hook) => {
    const { authenticates } = getTraits(hook)

    if (authenticates && !authenticates.optional) strict ??= authenticates
  })

  return strict && `hook authenticate(${strict.strategies.map((name) => `'${name}'`).join(', ')})`
}
