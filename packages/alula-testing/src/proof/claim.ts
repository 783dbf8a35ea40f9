import { getPath, isPlainObject, setOwn } from 'alula/plugin'
import { isSameJson } from '../objects.ts'
import type { Made } from './difference.ts'
import { listOwn } from './leaks.ts'
import type { Operation } from './operation.ts'
import { parseWho } from './verdict.ts'

/** The field that says who owns the records that a method creates; `undefined` where callers may create records of others. */
export function findOwnerField({ service, name, who }: Operation): string | undefined {
  if (name !== 'create' || !['anyone', 'user', 'owner'].includes(parseWho(who).kind)) return undefined

  for (const method of service.methods) {
    const rule = parseWho(method.who)

    if (rule.kind === 'owner') return rule.field
  }

  return undefined
}

/** Data that says who owns the record. */
export function withOwner(data: object, field: string, id: unknown): object {
  const [name = '', ...rest] = field.split('.')
  const copy: { [name: string]: unknown } = { ...data }
  const inner = isPlainObject(copy[name]) ? (copy[name] as object) : {}

  setOwn(copy, name, rest.length === 0 ? id : withOwner(inner, rest.join('.'), id))

  return copy
}

/** Whether a call has made a record of a user. */
export function hasMadeFor(
  { service }: Operation,
  field: string,
  id: unknown,
  { reply, written }: Made
): boolean {
  if (reply.status >= 400) return false

  return [...written, ...listOwn(service, reply.result)].some((record) =>
    isSameJson(getPath(record, field.split('.')), id)
  )
}
