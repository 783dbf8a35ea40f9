// Encrypts values that a client keeps and sends back: only the server can read, change or create them.
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { deriveKey } from '../utils/derive-key.ts'
import { type Secret, toSecrets } from './secret-keys.ts'

const CIPHER = 'aes-256-gcm'
const IV_LENGTH = 12
const TAG_LENGTH = 16

/**
 * Encrypts and authenticates a value of JSON, with the first one of several secrets. Sealed for one purpose, it cannot be used
 * for another. Returns a string of letters, digits, `-` and `_`.
 */
export function seal(value: object, secret: Secret, purpose: string): string {
  const [first = ''] = toSecrets(secret)
  const iv = randomBytes(IV_LENGTH)
  const cipher = createCipheriv(CIPHER, toKey(first, purpose), iv)
  const encrypted = [cipher.update(JSON.stringify(value), 'utf8'), cipher.final()]

  return Buffer.concat([iv, cipher.getAuthTag(), ...encrypted]).toString('base64url')
}

/**
 * Opens what {@link seal} has closed for this purpose, with this secret or with any of several; `undefined` for anything else.
 */
export function unseal<T extends object>(text: string, secret: Secret, purpose: string): T | undefined {
  const bytes = Buffer.from(text, 'base64url')

  if (bytes.length < IV_LENGTH + TAG_LENGTH) return undefined

  for (const each of toSecrets(secret)) {
    const value = open<T>(bytes, toKey(each, purpose))

    if (value !== undefined) return value
  }

  return undefined
}

function open<T>(bytes: Buffer, key: Buffer): T | undefined {
  const iv = bytes.subarray(0, IV_LENGTH)
  const decipher = createDecipheriv(CIPHER, key, iv, { authTagLength: TAG_LENGTH })

  decipher.setAuthTag(bytes.subarray(IV_LENGTH, IV_LENGTH + TAG_LENGTH))

  try {
    const decrypted = [decipher.update(bytes.subarray(IV_LENGTH + TAG_LENGTH)), decipher.final()]

    return JSON.parse(Buffer.concat(decrypted).toString('utf8'))
  } catch {
    return undefined
  }
}

/** A key of its own for each purpose: the secret itself signs access tokens. */
function toKey(secret: string, purpose: string): Buffer {
  return deriveKey(secret, `alula/${purpose}`)
}
