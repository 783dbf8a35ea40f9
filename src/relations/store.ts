// Which services have the same records: what clients may not set by one of them, they may set by another.
import { SERVICE } from '../core/service.ts'
import { getTraits } from '../hooks/traits.ts'

declare module '../hooks/traits.ts' {
  interface Traits {
    /** Of a service: the table that has its records. */
    readonly table?: () => Table
  }
}

/** A table. Two of one source with the same name are one. */
interface Table {
  /** What reads it. */
  readonly source: object
  readonly name: string
}

/** Whether two services, or rows without one, are the same object or have the same table. */
export function haveSameRecords(one: object, other: object): boolean {
  if (toOriginal(one) === toOriginal(other)) return true

  const [first, second] = [one, other].map((service) => getTraits(service).table?.())

  return first !== undefined && first.source === second?.source && first.name === second.name
}

/** The object that the author of a service wrote, from which the registered ones are derived: at two paths it is one store. */
function toOriginal(service: object): object {
  const parent: object | null = Object.hasOwn(service, SERVICE) ? Object.getPrototypeOf(service) : null

  // What was marked by a plugin is derived from nothing but its class.
  return parent === null || Object.hasOwn(parent, 'constructor') ? service : toOriginal(parent)
}
