import { getIdField, getServiceOptions } from '../core/service.ts'
import type { FeathersService } from '../core/types.ts'
import { emitWarning } from '../utils/runtime.ts'
import type { SchemaDefinition } from './compile.ts'
import { readShape } from './shape.ts'

const NEEDS_ID: readonly string[] = ['get', 'update', 'patch', 'remove']

/** Warns at set-up of a record without its id: clients could not name the records that they find or create. */
export function warnOfMissingId(
  service: FeathersService,
  path: string,
  { record, extra }: SchemaDefinition
): void {
  const { methods, by, singleton } = getServiceOptions(service)
  const { names, isOpen } = readShape(record).object
  const id = by ?? getIdField(service)
  const needing = methods.filter((method) => NEEDS_ID.includes(method))

  if (singleton || isOpen || extra === 'keep' || names.size === 0 || names.has(id)) return
  if (needing.length === 0) return

  emitWarning(
    `The schema of service '${path}' has no field '${id}', so clients never see the value that ${needing.join(', ')} need. Add the field, such as ${id}: z.int(), or leave these methods out of 'methods'`,
    { code: 'ALULA_UNDECLARED_FIELD' }
  )
}
