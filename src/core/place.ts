import { getTraits, TRAITS } from '../hooks/traits.ts'
import type { Home } from './extensions.ts'
import { getProtected } from './gate.ts'
import type { FeathersService } from './types.ts'

/** What an adapter knows of where it is registered. */
export interface RegisteredPlace {
  readonly path: string
  /** Reads a setting of the application. */
  readSetting(name: string): unknown
  /** The paths of fields that hooks keep from clients that call `find`. */
  listProtected(): readonly string[]
}

/** A service that knows where it is registered, as adapters do. */
interface Placed {
  _place?(place: RegisteredPlace): void
}

/** Keeps where a service is registered first, and tells an adapter where it is registered. */
export function addPlace(
  this: Home['app'] & { get?(name: string): unknown },
  service: FeathersService,
  path: string
): void {
  const { home } = getTraits(service)

  if (home?.app.services[home.path] !== service) {
    const value = { ...getTraits(service), home: { app: this, path } }

    // Defined: the object of the application, which has those of the library, may be frozen.
    Object.defineProperty(service, TRAITS, { value, configurable: true })
  }

  ;(service as Placed)._place?.({
    path,
    readSetting: (name) => this.get?.(name),
    listProtected: () => getProtected(service, 'find')
  })
}
