import type { ErrorKind } from './dialect.ts'

/** States of SQL, their classes last. https://www.postgresql.org/docs/current/errcodes-appendix.html */
const STATES: readonly (readonly [state: string, kind: ErrorKind])[] = [
  ['23505', 'conflict'],
  ['23P01', 'conflict'],
  ['23502', 'missing'],
  ['23503', 'reference'],
  ['23001', 'referenced'],
  ['23514', 'check'],
  // What the condition of a view excludes.
  ['44000', 'check'],
  ['40001', 'deadlock'],
  ['40P01', 'deadlock'],
  // What a trigger raises: `raise exception` on PostgreSQL, `signal` on MySQL.
  ['P0001', 'check'],
  ['45000', 'check'],
  // A value for a column that the database numbers itself.
  ['428C9', 'invalid'],
  ['54', 'size'],
  // Statement and lock timeouts, an administrator who shuts down, too many connections.
  ['57014', 'unavailable'],
  ['55P03', 'unavailable'],
  ['57P', 'unavailable'],
  ['53', 'unavailable'],
  ['08', 'unavailable'],
  ['22', 'invalid']
]

/** What a state of SQL means, as PostgreSQL and MySQL have them. */
export function fromSqlState(state: unknown): ErrorKind | undefined {
  return typeof state === 'string' ? STATES.find(([prefix]) => state.startsWith(prefix))?.[1] : undefined
}
