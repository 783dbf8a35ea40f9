// Which services have the same records: what clients may not set by one of them, they may set by another.
import { getOriginal } from '../core/service.ts'
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
  if (getOriginal(one) === getOriginal(other)) return true

  const [first, second] = [one, other].map((service) => getTraits(service).table?.())

  return first !== undefined && first.source === second?.source && first.name === second.name
}
