// Who has sent what: the two hashes that a key is stored with.
import { createHash, randomUUID } from 'node:crypto'
import { getEntity, readEntityId } from '../access/rules.ts'
import type { HookContext } from '../core/types.ts'
import { getSlots } from '../utils/call-state.ts'
import { isObject } from '../utils/check.ts'
import { toCanonicalJson } from '../utils/object.ts'
import { assertSecret } from './key.ts'
import type { Claim } from './types.ts'

/**
 * A hash of what a client has sent, before the hooks of the call. With the key, which is not stored: otherwise a thief of the
 * store could try passwords.
 */
export function hashRequest(
  { method, path, id, data, params: { query, route } }: HookContext,
  key: string
): string {
  return hash([key, method, path, id, data, query, route])
}

/**
 * What a call with a key is stored by, once its access is decided. Callers with one key do not get each other’s responses.
 * `path` is that of its service in the application that has the keys; `credentials` came with the request. Throws BadRequest
 * for a key that others could guess, of a caller who is not known.
 */
export function toClaim(
  context: HookContext,
  path: string,
  { key, hash: requestHash, credentials }: { key: string; hash: string; credentials: unknown }
): Claim {
  const { method } = context
  const caller = identify(context, credentials)

  if (!caller) assertSecret(key)

  return { id: hash([caller ?? null, path, method, key]), hash: requestHash, token: randomUUID() }
}

/** The user, or else the credentials that have proved who calls, such as an API key. */
function identify(context: HookContext, credentials: unknown): readonly unknown[] | undefined {
  const { app, params } = context

  if (params.authenticated !== true) return undefined

  const { verifiedBy = app.defaultAuthentication?.() } = getSlots(context)
  const service: unknown = verifiedBy?.configKey
  const entity = getEntity(context, verifiedBy)

  if (!entity) return credentials ? ['credentials', credentials, service] : undefined

  // Not every user of an existing login has an id.
  const id = readEntityId(app, entity, verifiedBy) ?? entity._id ?? entity
  const { payload } = params.authentication ?? {}

  // A user id alone may be that of a user of another authentication service.
  return ['entity', isObject(id) ? id : String(id), payload?.iss, payload?.aud, service]
}

function hash(values: readonly unknown[]): string {
  return createHash('sha256').update(toCanonicalJson(values)).digest('base64url')
}
