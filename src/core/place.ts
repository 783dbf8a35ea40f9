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

/** Tells an adapter where it is registered. */
export function addPlace(
  this: { get?(name: string): unknown },
  service: FeathersService,
  path: string
): void {
  ;(service as Placed)._place?.({
    path,
    readSetting: (name) => this.get?.(name),
    listProtected: () => getProtected(this, service, 'find')
  })
}
