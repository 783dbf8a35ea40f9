// Who has sent what: the two hashes that a key is stored with.
import { createHash, randomUUID } from 'node:crypto'
import { getEntity, readEntityId } from '../access/rules.ts'
import type { HookContext } from '../core/types.ts'
import { isPlainObject } from '../utils/object.ts'
import { assertSecret } from './key.ts'
import type { Claim } from './types.ts'

/**
 * A hash of what a client has sent.
 *
 * @param context The context of the call, before its hooks
 */
export function hashRequest({ method, path, id, data, params: { query, route } }: HookContext): string {
  return hash([method, path, id, data, query, route])
}

/**
 * What a call with a key is stored by. Callers with one key do not get each other’s responses.
 *
 * @param context The context of the call, after its access
 * @param key The key
 * @param requestHash The hash of what was sent
 * @throws BadRequest for a key that others could guess, of a caller who is not known
 */
export function toClaim(context: HookContext, key: string, requestHash: string): Claim {
  const { path, method } = context
  const caller = identify(context)

  if (!caller) assertSecret(key)

  return { id: hash([caller ?? null, path, method, key]), hash: requestHash, token: randomUUID() }
}

/** The user, or else what proves who calls, such as an API key. */
function identify(context: HookContext): readonly unknown[] | undefined {
  const { app, params } = context

  if (params.authenticated !== true) return undefined

  const id = readEntityId(app, getEntity(context))
  const { strategy, payload, ...credentials } = params.authentication ?? {}

  // A user id alone may be that of a user of another authentication service.
  if (id !== undefined && id !== null) return ['entity', String(id), payload?.iss, payload?.aud]

  return Object.keys(credentials).length > 0 ? ['credentials', strategy, credentials] : undefined
}

function hash(values: readonly unknown[]): string {
  return createHash('sha256').update(toCanonicalJson(values)).digest('base64url')
}

/** JSON with the names of each object in one order. */
function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) => {
    if (typeof member === 'bigint') return String(member)

    return isPlainObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member
  })
}
