import { createHmac, createPrivateKey, createPublicKey, createSecretKey, type KeyObject } from 'node:crypto'
import { BoundedMap } from '../utils/bounded-map.ts'

/** What tokens are signed or verified with: a string, or what `node:crypto` takes. */
export type TokenSecret = string | Buffer | KeyObject | { key: string | Buffer; passphrase: string }

/** The secret of a configuration, or several: the first one signs, and what was made with a later one stays valid. */
export type Secret = string | readonly string[]

/** The secrets of a configuration. */
export function toSecrets(secret: Secret | undefined): readonly string[] {
  if (secret === undefined) return []

  return typeof secret === 'string' ? [secret] : secret
}

/** How many keys are kept. More than one or two are those of secrets given for a single call. */
const MAX_KEYS = 100

/** How many fingerprints are kept of each secret: a request may need those of its user with all secrets. */
const MAX_FINGERPRINTS = 5000

/** How many secrets may have such fingerprints: a configuration has two while a secret is replaced. */
const MAX_FINGERPRINT_SECRETS = 10

/** What an authentication service makes of its secrets. Kept, because to read a key takes longer than to verify a token. */
export class SecretKeys {
  /** `null` for what is no key: to find that out takes long, too. */
  private readonly keys = new BoundedMap<string, KeyObject | null>(MAX_KEYS)
  /** By secret, then by strategy and credential. */
  private readonly fingerprints = new BoundedMap<string, BoundedMap<string, string>>(MAX_FINGERPRINT_SECRETS)
  private signer = { secret: '', algorithm: '', canSign: false }

  /** The key for a secret; the secret itself where it is no string, or no key. */
  toKey(secret: TokenSecret, algorithm: string, use: 'sign' | 'verify'): KeyObject | any {
    const isShared = algorithm.startsWith('HS')

    // `jsonwebtoken` says what is wrong with the name of an algorithm that is none.
    if (typeof secret !== 'string' || !/^(HS|RS|PS|ES)/.test(algorithm)) return secret

    const name = `${isShared ? 'shared' : use} ${secret}`
    const known = this.keys.get(name)

    if (known !== undefined) return known ?? secret

    const key = isShared ? createSecretKey(Buffer.from(secret)) : readKey(secret, use)

    this.keys.set(name, key)

    return key ?? secret
  }

  /**
   * Whether a secret can sign. With the public half of a key a service can only verify what another one has signed. The last answer
   * is kept: each request with a token asks, and to look up a long key takes 3 µs.
   */
  canSign(secret: string, [algorithm = 'HS256']: readonly string[]): boolean {
    if (this.signer.secret !== secret || this.signer.algorithm !== algorithm) {
      this.signer = { secret, algorithm, canSign: typeof this.toKey(secret, algorithm, 'sign') !== 'string' }
    }

    return this.signer.canSign
  }

  /**
   * A short value that changes when a credential (for example a password hash) does, and tells nothing about it. `secret` is
   * that of the tokens that will carry it.
   */
  createFingerprint(secret: string, name: string, credential: unknown): string {
    // What is inside of an object may change.
    if (typeof credential !== 'string') return toFingerprint(secret, name, credential)

    const made = this.fingerprints.get(secret) ?? new BoundedMap<string, string>(MAX_FINGERPRINTS)
    const key = `${name}\0${credential}`
    const fingerprint = made.get(key) ?? toFingerprint(secret, name, credential)

    this.fingerprints.set(secret, made)
    made.set(key, fingerprint)

    return fingerprint
  }
}

function toFingerprint(secret: string, name: string, credential: unknown): string {
  return createHmac('sha256', secret)
    .update(`alula fingerprint ${JSON.stringify([name, credential])}`)
    .digest('base64url')
    .slice(0, 22)
}

/** `null` for what is no key: `jsonwebtoken` says so better. */
function readKey(secret: string, use: 'sign' | 'verify'): KeyObject | null {
  try {
    return use === 'sign' ? createPrivateKey(secret) : createPublicKey(secret)
  } catch {
    return null
  }
}
