// Cursors as clients see them: encrypted places in the order of a query. Web Crypto, because browsers run adapters too.
import { BadRequest } from '../errors.ts'
import type { Condition, Sort } from '../query/ast.ts'
import { assertNever } from '../utils/object.ts'

/** The values of a record in the fields that an order has, as strings of its store; null for none. */
export type Key = readonly (string | null)[]

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Lengths of hidden values are rounded up to it, in characters. */
const PADDING = 64

/** Longer strings are no cursors. The values of 50 fields may be long, and a URL is not. */
const MAX_LENGTH = 16_384

const IV_LENGTH = 12

/** The keys that encrypt cursors, by secret. Their type is not there in all programs that have the types of adapters. */
export type CursorKeys = Map<string, Promise<unknown>>

/** Seals keys into cursors, and opens them. */
export class Cursors {
  private readonly secrets: readonly string[]
  private readonly binding: Uint8Array<ArrayBuffer>
  private readonly keys: CursorKeys

  /**
   * @param secrets The first one seals, and each may open; without any, cursors are not encrypted
   * @param binding What a cursor belongs to: for another one it cannot be opened
   * @param keys The keys that were made before; those that are made are added
   */
  constructor(secrets: readonly string[], binding: string, keys: CursorKeys = new Map()) {
    this.secrets = secrets
    this.keys = keys
    this.binding = encoder.encode(binding)
  }

  /** The cursor for a key. */
  async seal(key: Key): Promise<string> {
    const json = JSON.stringify(key)
    const [secret] = this.secrets

    if (secret === undefined) return toBase64Url(await this.check(encoder.encode(json)))

    const text = encoder.encode(json.padEnd(Math.ceil(json.length / PADDING) * PADDING))
    const iv = crypto.getRandomValues(new Uint8Array(IV_LENGTH))
    const sealed = await crypto.subtle.encrypt(this.toAlgorithm(iv), await this.getKey(secret), text)

    return toBase64Url(concat(iv, new Uint8Array(sealed)))
  }

  /**
   * The key of `length` values that a cursor was made for; `name` is that in the query, for the message. Throws BadRequest for
   * what is no cursor of this query.
   */
  async open(name: string, cursor: string, length: number): Promise<Key> {
    if (cursor.length > MAX_LENGTH) {
      throw new BadRequest(
        `Invalid query: '${name}' has more than ${MAX_LENGTH} characters. Sort by fields whose values are shorter`
      )
    }

    const bytes = fromBase64Url(cursor)
    const json = bytes && (await this.decode(bytes))
    const key = json === undefined ? undefined : parseKey(json)

    if (key?.length === length) return key

    throw toCursorError(`'${name}'`)
  }

  private async decode(bytes: Uint8Array<ArrayBuffer>): Promise<string | undefined> {
    if (this.secrets.length === 0) {
      const text = bytes.slice(CHECKSUM_LENGTH)
      const expected = await this.check(text)

      return expected.every((byte, index) => byte === bytes[index]) ? decoder.decode(text) : undefined
    }

    for (const secret of this.secrets) {
      try {
        const algorithm = this.toAlgorithm(bytes.slice(0, IV_LENGTH))

        return decoder.decode(
          await crypto.subtle.decrypt(algorithm, await this.getKey(secret), bytes.slice(IV_LENGTH))
        )
      } catch {
        // It was sealed with another secret, changed, or belongs to another query.
      }
    }

    return undefined
  }

  private getKey(secret: string): ReturnType<typeof toCryptoKey> {
    const known = this.keys.get(secret) as ReturnType<typeof toCryptoKey> | undefined
    const key = known ?? toCryptoKey(secret)

    this.keys.set(secret, key)

    return key
  }

  private toAlgorithm(iv: Uint8Array<ArrayBuffer>) {
    return { name: 'AES-GCM', iv, additionalData: this.binding } as const
  }

  /** Some text after a sum of it and of what it belongs to. */
  private async check(text: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
    const sum = await crypto.subtle.digest('SHA-256', concat(this.binding, text))

    return concat(new Uint8Array(sum.slice(0, CHECKSUM_LENGTH)), text)
  }
}

/** The error for what is no cursor of a query; `name` is that in the query, in quotes, left out where it is not known. */
export function toCursorError(name = "'$after' or '$before'"): BadRequest {
  return new BadRequest(`Invalid query: ${name} expects a cursor of a page with the same filters and $sort`)
}

const CHECKSUM_LENGTH = 8

/** The key in some JSON, which a client may have written where nothing is encrypted; `undefined` for anything else. */
function parseKey(json: string): Key | undefined {
  try {
    const key: unknown = JSON.parse(json)
    const isKey = Array.isArray(key) && key.every((value) => value === null || typeof value === 'string')

    return isKey ? key : undefined
  } catch {
    return undefined
  }
}

/** The key is no other one that is made of the secret. */
async function toCryptoKey(secret: string) {
  const source = await crypto.subtle.importKey('raw', encoder.encode(secret), 'HKDF', false, ['deriveKey'])

  return await crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info: encoder.encode('alula/cursor') },
    source,
    { name: 'AES-GCM', length: 256 },
    false,
    ['encrypt', 'decrypt']
  )
}

/**
 * What cursors of a query belong to: its order and its conditions, and the path of the service, whose hooks may sort by what
 * those of another one show. Dates and lists of values count without their values, because rules and relations make them anew
 * for each call.
 */
export function toBinding(where: Condition, sort: readonly Sort[], place?: string): string {
  return JSON.stringify([place, sort.map(({ path, direction }) => [path, direction]), toStable(where)])
}

function toStable(condition: Condition): unknown {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return [condition.kind, ...condition.conditions.map(toStable)]
    case 'not':
      return ['not', toStable(condition.condition)]
    case 'compare':
    case 'custom': {
      const { path, operator, value } = condition

      return [
        path,
        operator,
        typeof value === 'object' && value !== null ? '' : [typeof value, String(value)]
      ]
    }
    default:
      return assertNever(condition)
  }
}

function concat(one: Uint8Array, other: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(one.length + other.length)

  bytes.set(one)
  bytes.set(other, one.length)

  return bytes
}

function toBase64Url(bytes: Uint8Array): string {
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')

  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** The bytes of a string; `undefined` for one that is not how they are written. */
function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]+$/.test(text) || text.length % 4 === 1) return undefined

  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0))

  return toBase64Url(bytes) === text ? bytes : undefined
}
