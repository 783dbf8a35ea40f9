import type { Application } from 'alula'
import { defaultServiceMethods } from 'alula'
import type { ManifestMethod, ManifestService } from 'alula/plugin'
import { getEntityPath } from '../callers.ts'
import type { ProofOptions } from '../exposure.ts'

/** A method, and its service. */
export interface Operation extends ManifestMethod {
  readonly service: ManifestService
}

/** What it is called in messages. */
export function toName({ service, name }: Operation): string {
  return `${service.path}.${name}`
}

export function isStandard({ name }: Operation): boolean {
  return defaultServiceMethods.includes(name)
}

/** The callers that a proof says a method lets pass, in place of the table. */
export function getNamed(
  { service, name }: Operation,
  { callers }: ProofOptions
): readonly string[] | undefined {
  return callers?.[service.path]?.[name]
}

/** The fields that never leave, by their paths. */
export function listHidden({ service, protects }: Operation): readonly string[] {
  return [...new Set([...(service.definition?.hidden ?? []), ...protects])]
}

/** A path as the key of an object in code. */
export function toKey(path: string): string {
  return /^[a-z_$][\w$]*$/i.test(path) ? path : `'${path}'`
}

/**
 * The methods of services, in the order in which a proof calls them. Logins are left out: they say 401 by themselves, and a
 * logout would end that of the caller.
 */
export function listOperations(app: Application, services: readonly ManifestService[]): readonly Operation[] {
  const entities = getEntityPath(app)

  return services
    .filter(({ hasOwnAccess }) => !hasOwnAccess)
    .flatMap((service) => service.methods.map((method) => ({ ...method, service })))
    .toSorted((one, other) => toRank(one, entities) - toRank(other, entities))
}

/**
 * What reads comes first and what removes last, records in the path of others before these. Services of users, and those of
 * one record for each caller, come after all others: a call that changes or removes a user changes what that user may do.
 */
function toRank({ service, name }: Operation, entities: string | undefined): number {
  const ofService = service.path === entities || service.isSingleton ? 4 : 0

  if (name === 'find' || name === 'get') return ofService
  if (name !== 'remove') return ofService + 1

  return ofService + 2 + 1 / service.path.split('/').length
}
