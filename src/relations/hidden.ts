// Relations by fields that clients never see: alula compares and orders them, and what the relation finds is all that it tells.
import { getIdField, getServiceOptions, isUpsert } from '../core/service.ts'
import type { Application } from '../core/types.ts'
import { toNames } from '../schema/alternatives.ts'
import { getSchemaDefinition } from '../schema/compile.ts'
import { isHidden } from '../schema/fields.ts'
import { isOpenObject } from '../schema/json-schema.ts'
import { getThrough, type Relation } from '../schema/relation.ts'
import { getFirstName } from '../utils/object.ts'
import { listCompared } from './ends.ts'
import { haveSameRecords } from './store.ts'

/** The application, and the service that has a relation. */
interface Place {
  readonly app: Application
  readonly service: object
}

/** A hidden field of a service, and what would tell clients of its values. */
export interface Telling {
  /** The path of the service. */
  readonly of: string
  readonly field: string
  /** Whether that is the order of the records, or whether there are some. */
  readonly by: 'order' | 'value'
  /** The field that clients set, and the path of a service by which they do. */
  readonly set: string
  readonly path: string
}

/**
 * Whether a relation would let clients find out the values of a hidden field. It tells which records have the value of `from`:
 * that is what is declared, as long as the server has set this value. A client that sets it could try values until the relation
 * finds something, or counts it. The order of a list tells where a value stands: a client that sets its own could find out
 * those beside it. An id only names a record, so that a relation may always end at it. Returns the first field that it would
 * tell of; `undefined` where it tells of none.
 */
export function findTelling(place: Place, relation: Relation): Telling | undefined {
  const { app } = place
  const { path, to } = relation
  // An id is no secret.
  const isById = to === undefined && getThrough(relation)?.path === undefined

  for (const [one, { records, path: of, field }] of isById ? [] : listCompared(place, relation)) {
    if (!one.records || !records || of === undefined || !isSecret(records, field)) continue

    const writer = findWriter(app, one.records, one.field)

    if (writer !== undefined) return { of, field, by: 'value', set: one.field, path: writer }
  }

  for (const field of relation.kind === 'many' ? Object.keys(relation.sort ?? {}) : []) {
    const related = app.service(path)
    const writer = isSecret(related, field) ? findWriter(app, related, getFirstName(field)) : undefined

    if (writer !== undefined) return { of: path, field, by: 'order', set: getFirstName(field), path: writer }
  }

  return undefined
}

/** The path of a service by which clients may set a field of records. Others than their own may have them. */
function findWriter({ services }: Application, records: object, field: string): string | undefined {
  return Object.keys(services).find(
    (path) => haveSameRecords(services[path], records) && isWritable(services[path], field)
  )
}

/** Whether clients never see a field that is more than the name of a record. */
function isSecret(service: object, path: string): boolean {
  return path !== getIdField(service) && isHidden(path, getSchemaDefinition(service)?.hidden ?? [])
}

const WRITING = ['create', 'update', 'patch']

/** What a call of `upsert` does. */
const UPSERTING = ['create', 'patch']

/** Whether clients may set a field, where a schema does not say that they may not. */
function isWritable(service: object, field: string): boolean {
  const { methods } = getServiceOptions(service)
  const data = getSchemaDefinition(service)?.data
  const upserting = methods.some((method) => isUpsert(service, method)) ? UPSERTING : []

  return WRITING.filter((method) => methods.includes(method) || upserting.includes(method)).some((method) => {
    const schema = data?.[method]

    return !schema || isOpenObject(schema) || toNames(schema).includes(field)
  })
}
