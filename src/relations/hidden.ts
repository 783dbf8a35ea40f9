// Relations by fields that clients never see: alula compares and orders them, and what the relation finds is all that it tells.
import { getIdField, getServiceOptions } from '../core/service.ts'
import type { Application } from '../core/types.ts'
import { toNames } from '../schema/alternatives.ts'
import { getSchemaDefinition } from '../schema/compile.ts'
import { isHidden } from '../schema/fields.ts'
import { isOpenObject } from '../schema/json-schema.ts'
import { getThrough, type Relation } from '../schema/relation.ts'
import { getEnds } from './ends.ts'

/** The application, and the service that has a relation. */
interface Place {
  readonly app: Application
  readonly service: object
}

/** A hidden field of the related service, and what would tell clients of its values. */
export interface Telling {
  readonly field: string
  /** Whether that is the order of the records, or whether there are some. */
  readonly by: 'order' | 'value'
  /** The field that clients set. */
  readonly set: string
}

/**
 * Whether a relation would let clients find out the values of a hidden field. It tells which records have the value of `from`:
 * that is what is declared, as long as the server has set this value. A client that sets it could try values until the
 * relation finds something, or counts it. The order of a list tells where a value stands: a client that sets its own could
 * find out those beside it. An id only names a record, so that a relation may always end at it.
 *
 * @param place The application, and the service that has the relation
 * @param relation The relation
 * @returns The first field that it would tell of; `undefined` where it tells of none
 */
export function findTelling(place: Place, relation: Relation): Telling | undefined {
  const set = findValue(place, relation)

  if (set !== undefined) return { field: relation.to as string, by: 'value', set }

  const related = place.app.service(relation.path)
  const sort = relation.kind === 'many' ? Object.keys(relation.sort ?? {}) : []
  const field = sort.find((path) => isSecret(related, path) && isWritable(related, toFirst(path)))

  return field === undefined ? undefined : { field, by: 'order', set: field }
}

/** The field whose values clients choose, and which a relation compares with a hidden one. */
function findValue({ app, service }: Place, relation: Relation): string | undefined {
  const { path, to } = relation

  if (to === undefined || !isSecret(app.service(path), to)) return undefined

  const through = getThrough(relation)

  if (!through) {
    const { from } = getEnds({ app, service }, relation)

    return isWritable(service, from) ? from : undefined
  }

  // Clients write a table by services alone, and this one has none.
  return through.path !== undefined && isWritable(app.service(through.path), through.to)
    ? through.to
    : undefined
}

/** Whether clients never see a field that is more than the name of a record. */
function isSecret(service: object, path: string): boolean {
  return path !== getIdField(service) && isHidden(path, getSchemaDefinition(service as never)?.hidden ?? [])
}

/** The field that a path begins with. */
export function toFirst(path: string): string {
  return path.split('.')[0] as string
}

const WRITING = ['create', 'update', 'patch']

/** Whether clients may set a field, where a schema does not say that they may not. */
function isWritable(service: object, field: string): boolean {
  const { methods } = getServiceOptions(service)
  const data = getSchemaDefinition(service as never)?.data

  return WRITING.filter((method) => methods.includes(method)).some((method) => {
    const schema = data?.[method]

    return !schema || isOpenObject(schema) || toNames(schema).includes(field)
  })
}
