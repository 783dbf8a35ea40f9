import { KEY_HEADER, KEY_NAME } from '../core/repeatable.ts'
import type { HookContext } from '../core/types.ts'
import { BadRequest } from '../errors.ts'
import { isString } from '../utils/check.ts'
import { copyWith } from '../utils/object.ts'

/** Where messages of sockets have the key: in their query. */
const KEY_FIELD = '$idempotencyKey'

const MAX_LENGTH = 255

/** How many characters 128 bits take in base64url. A UUID has 36. */
const MIN_ANONYMOUS_LENGTH = 22

/** A string of structured fields without escapes (RFC 9651 §3.3.3), and what is often sent in place of it. */
const KEY = new RegExp(
  `^(?:"([\\x21\\x23-\\x5b\\x5d-\\x7e]{1,${MAX_LENGTH}})"|([\\x21\\x23-\\x2b\\x2d-\\x7e]{1,${MAX_LENGTH}}))$`
)

/**
 * Takes the key out of a call that a transport has made, before its hooks; `undefined` for a call without a key. Throws
 * BadRequest for a key that is not in the form of one.
 */
export function takeKey(context: HookContext): string | undefined {
  const { params } = context
  const { provider, headers, query, mcp } = params as typeof params & {
    mcp?: { readonly idempotencyKey?: unknown }
  }

  if (provider === 'rest') return parseKey(headers?.[KEY_NAME], `header '${KEY_HEADER}'`)
  if (mcp) return parseKey(mcp.idempotencyKey, "'_meta.idempotencyKey'")
  if (!query || !Object.hasOwn(query, KEY_FIELD)) return undefined

  const { [KEY_FIELD]: key, ...others } = query

  context.params = copyWith(params, { query: others })

  return parseKey(key, `query parameter '${KEY_FIELD}'`)
}

/**
 * Refuses a key that another caller could guess: callers without a login have nothing else to tell them apart. Throws
 * BadRequest for a key that is too short.
 */
export function assertSecret(key: string): void {
  if (key.length >= MIN_ANONYMOUS_LENGTH) return

  throw new BadRequest(
    `Invalid idempotency key: without a login expected one of 128 random bits, ${MIN_ANONYMOUS_LENGTH} characters or more, such as a UUID`
  )
}

function parseKey(value: unknown, place: string): string | undefined {
  if (value === undefined) return undefined

  const [, quoted, bare] = (isString(value) && KEY.exec(value)) || []
  const key = quoted ?? bare

  if (key !== undefined) return key

  throw new BadRequest(
    `Invalid ${place}: expected 1 to ${MAX_LENGTH} visible ASCII characters, in double quotes or without`
  )
}
