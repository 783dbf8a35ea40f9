import { isObject } from '../utils/check.ts'
import { emitWarning, helpsDevelopers } from '../utils/runtime.ts'

/** The names of operators at the top of a query, without their sign. */
const NAMES = ['limit', 'skip', 'sort', 'select']

/**
 * Warns, in development, of a query that found no record because an operator lacks its `$`. A schema and a SQL table refuse
 * such a name; without them it is a field that no record has. Returns whether it has warned.
 */
export function warnOfMissingSign(query: unknown, records: Iterable<object>): boolean {
  const name = isObject(query) ? NAMES.find((one) => Object.hasOwn(query, one)) : undefined

  // Reading the environment costs more than looking for the names.
  if (name === undefined || !helpsDevelopers()) return false
  if ([...records].some((record) => name in record)) return false

  emitWarning(
    `A query of a memory service found nothing, because no record has the field '${name}'. Did you mean '$${name}'?`,
    { code: 'ALULA_UNKNOWN_OPERATOR' }
  )

  return true
}
