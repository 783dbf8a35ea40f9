import { getTraits, TRAITS } from '../hooks/traits.ts'
import type { Home } from './extensions.ts'
import { getProtected } from './gate.ts'
import type { FeathersService } from './types.ts'

/** What an adapter knows of where it is registered. */
export interface RegisteredPlace {
  readonly path: string
  /** Reads a setting of the application that the service comes from, or else of the next one that it is part of. */
  readSetting(name: string): unknown
  /** The paths of fields that hooks keep from clients that call `find`. */
  listProtected(): readonly string[]
}

/** A service that knows where it is registered, as adapters do. */
interface Placed {
  _place?(place: RegisteredPlace): void
}

/**
 * Keeps where a service is registered first, and tells an adapter where it is registered. Where an application
 * becomes part of another one, its settings come first.
 */
export function addPlace(this: Home['app'], service: FeathersService, path: string): void {
  const known = getTraits(service).home
  const isKnown = known?.app.services[known.path] === service
  const first = isKnown ? known : { app: this, path, apps: [] }
  const home = { ...first, apps: [...first.apps, this] }

  // Defined: the object of the application, which has those of the library, may be frozen.
  Object.defineProperty(service, TRAITS, { value: { ...getTraits(service), home }, configurable: true })
  ;(service as Placed)._place?.({
    path,
    readSetting: (name) => home.apps.map((app) => app.get?.(name)).find((setting) => setting !== undefined),
    listProtected: () => getProtected(service, 'find')
  })
}
