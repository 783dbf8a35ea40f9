import type { Application } from 'alula'
import type { ManifestService } from 'alula/plugin'
import type { ProofOptions } from '../exposure.ts'
import { toKey } from './operation.ts'

/**
 * Finds methods of one service that is registered under two paths, whose access differs: what one path closes is open under the
 * other. Those that `callers` names are meant to be.
 */
export function findTwins(
  app: Application,
  services: readonly ManifestService[],
  { callers = {} }: ProofOptions
): readonly string[] {
  return services.flatMap((first, index) =>
    services
      .slice(index + 1)
      .filter((second) => isSame(app, first, second))
      .flatMap((second) =>
        first.methods.flatMap(({ name, who }) => {
          const other = second.methods.find((method) => method.name === name)
          const isMeant = callers[first.path]?.[name] || callers[second.path]?.[name]

          if (!other || other.who === who || isMeant) return []

          return [
            `${first.path}.${name} and ${second.path}.${name} are the same method: the table says ${who} and ${other.who}. Give 'callers: { ${toKey(second.path)}: { ${toKey(name)}: […] } }' if both are meant`
          ]
        })
      )
  )
}

/** A service that is registered is derived from the object of its author. */
function isSame(app: Application, first: ManifestService, second: ManifestService): boolean {
  const [one, other] = [first, second].map(({ path }) => Object.getPrototypeOf(app.services[path]) as object)

  return one === other
}
