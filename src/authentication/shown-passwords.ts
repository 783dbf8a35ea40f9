import { getLayers } from '../core/gate.ts'
import type { FeathersService } from '../core/types.ts'
import { getTraits } from '../hooks/traits.ts'
import type { Layer } from '../hooks/types.ts'
import { getSchemaDefinition } from '../schema/compile.ts'
import { isFunction } from '../utils/check.ts'

/**
 * Warns of an entity service that shows clients the hash of a password: a login returns the entity as `get` does. Where hooks,
 * a schema or a service of one's own may take it out, nothing is known.
 */
export function warnOfShownPassword(service: FeathersService, path: string, field: string): void {
  const layers =
    isFunction((service as { _get?: unknown })._get) &&
    !getSchemaDefinition(service) &&
    getLayers(service, 'get')

  if (!layers || layers.some(mayHide)) return

  process.emitWarning(
    `Clients get '${field}' of the service '${path}', also with a login: add the hook protect('${field}') after all its methods`,
    { code: 'ALULA_SHOWN_PASSWORD' }
  )
}

/** A hook `authenticate` changes no record and selects no fields. */
function mayHide({ around, phases }: Layer<any>): boolean {
  const before = phases.flatMap((phase) => phase.before ?? [])
  const others = phases.flatMap((phase) => phase.after ?? [])

  return others.length > 0 || [...around, ...before].some((hook) => !getTraits(hook).authenticates)
}
