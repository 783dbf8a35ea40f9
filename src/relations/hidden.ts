// Relations by fields that clients never see: alula compares and orders them, and what the relation finds is all that it tells.

import { getIdField, getServiceOptions } from '../core/service.ts'
import type { Application } from '../core/types.ts'
import { hasLinks } from '../query/related.ts'
import { toNames } from '../schema/alternatives.ts'
import { getSchemaDefinition } from '../schema/compile.ts'
import { isHidden } from '../schema/fields.ts'
import { isOpenObject } from '../schema/json-schema.ts'
import { getThrough, type Relation } from '../schema/relation.ts'
import { getFirstName } from '../utils/object.ts'
import { getEnds } from './ends.ts'
import { haveSameRecords } from './store.ts'

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
  /** The field that clients set, and the path of a service by which they do. */
  readonly set: string
  readonly path: string
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
  const { app } = place
  const { path, to } = relation
  const related = app.service(path)

  if (to !== undefined && isSecret(related, to)) {
    const [records, set] = getCompared(place, relation)
    const writer = records && findWriter(app, records, set)

    if (writer !== undefined) return { field: to, by: 'value', set, path: writer }
  }

  for (const field of relation.kind === 'many' ? Object.keys(relation.sort ?? {}) : []) {
    const writer = isSecret(related, field) ? findWriter(app, related, getFirstName(field)) : undefined

    if (writer !== undefined) return { field, by: 'order', set: getFirstName(field), path: writer }
  }

  return undefined
}

/** What has the values that a relation compares with those of the related records, and their field. */
function getCompared(
  { app, service }: Place,
  relation: Relation
): [records: object | undefined, field: string] {
  const through = getThrough(relation)

  if (!through) return [service, getEnds({ app, service }, relation).from]
  if (through.path !== undefined) return [app.service(through.path), through.to]

  return [hasLinks(service) ? service.asLinks(through.table, through.from, {}) : undefined, through.to]
}

/** The path of a service by which clients may set a field of records. Others than their own may have them. */
function findWriter({ services }: Application, records: object, field: string): string | undefined {
  return Object.keys(services).find(
    (path) => isWritable(services[path], field) && haveSameRecords(services[path], records)
  )
}

/** Whether clients never see a field that is more than the name of a record. */
function isSecret(service: object, path: string): boolean {
  return path !== getIdField(service) && isHidden(path, getSchemaDefinition(service as never)?.hidden ?? [])
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
