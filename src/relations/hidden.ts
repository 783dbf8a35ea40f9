// Relations by fields that clients never see: alula compares them, and what the relation finds is all that it tells.
import { getIdField, getServiceOptions } from '../core/service.ts'
import type { Application } from '../core/types.ts'
import { toNames } from '../schema/alternatives.ts'
import { getSchemaDefinition } from '../schema/compile.ts'
import { isHidden } from '../schema/fields.ts'
import { isOpenObject } from '../schema/json-schema.ts'
import { getThrough, type Relation } from '../schema/relation.ts'
import { getEnds } from './ends.ts'

/**
 * Whether a relation would let clients find out the values of a hidden field. It tells which records have the value of `from`:
 * that is what is declared, as long as the server has set this value. A client that sets it could try values until the
 * relation finds something, or counts it. An id only names a record, so that a relation may always end at it.
 *
 * @param place The application, and the service that has the relation
 * @param relation The relation
 */
export function tellsOfHidden(
  { app, service }: { readonly app: Application; readonly service: object },
  relation: Relation
): boolean {
  const { path, to } = relation
  const related = app.service(path)

  if (to === undefined || to === getIdField(related)) return false
  if (!isHidden(to, getSchemaDefinition(related)?.hidden ?? [])) return false

  const through = getThrough(relation)

  if (!through) return isWritable(service, getEnds({ app, service }, relation).from)

  // Clients write a table by services alone, and this one has none.
  return through.path !== undefined && isWritable(app.service(through.path), through.to)
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
