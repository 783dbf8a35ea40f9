import { findLoginHook, isRefused } from '../core/gate.ts'
import { getServiceOptions } from '../core/service.ts'
import type { HookContext } from '../core/types.ts'
import { getTraits } from '../hooks/traits.ts'
import type { Layer } from '../hooks/types.ts'

/**
 * Who may make external calls of a method, as far as its pipeline says: by the `access` of the service, or by a hook
 * `authenticate` in its own right; `undefined` where nothing guards it. A hook inside another one is not seen.
 */
export function findGuard(
  service: object,
  method: string,
  layers: readonly Layer<HookContext>[]
): string | undefined {
  if (isRefused(layers)) return 'nobody'

  const own = getTraits(service).access

  if (own && Object.hasOwn(own, method)) return own[method]

  const who = getServiceOptions(service).access?.who?.(method)
  const strategies = findLoginHook(layers)?.strategies.map((name) => `'${name}'`)
  const hook = strategies && `hook authenticate(${strategies.join(', ')})`

  return who === undefined || (who === 'anyone' && hook !== undefined) ? hook : who
}
