import { hkdfSync } from 'node:crypto'

/**
 * Derives a key of 32 bytes from a secret (RFC 5869), so that what has one key says nothing of the secret or of another. `salt`
 * is what else the key is for alone, such as an id.
 */
export function deriveKey(secret: string, purpose: string, salt = ''): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, salt, purpose, 32))
}
