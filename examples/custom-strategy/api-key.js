import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { AuthenticationBaseStrategy } from 'alula/authentication'
import { Forbidden, NotAuthenticated } from 'alula/errors'

/** The prefix tells people, and programs that look for secrets in code, what they have found. */
const KEY = /^alula_([0-9a-f]{16})_[\w-]{43}$/

/** Makes a key, which is shown once, and what is stored of it. */
export function createApiKey() {
  const id = randomBytes(8).toString('hex')
  const key = `alula_${id}_${randomBytes(32).toString('base64url')}`

  return { id, key, digest: toDigest(key).toString('hex') }
}

/**
 * Verifies the key of a program. It acts for the user who made the key, with the rights that this user gave it.
 *
 * Options: `header`, where keys are, and `keys`, the path of the service with their records.
 */
export class ApiKeyStrategy extends AuthenticationBaseStrategy {
  verifyConfiguration() {
    for (const option of ['header', 'keys']) {
      if (typeof this.configuration?.[option] !== 'string')
        throw new Error(`'${this.name}' needs '${option}'`)
    }
  }

  async parse({ headers }) {
    const key = headers[this.configuration.header]

    return typeof key === 'string' ? { strategy: this.name, key } : null
  }

  async authenticate({ key }) {
    const record = typeof key === 'string' && (await this.findRecord(key))

    // Digests and not keys, because both have to have the same length.
    if (!record || !timingSafeEqual(Buffer.from(record.digest, 'hex'), toDigest(key))) throw invalid()

    // What is returned becomes params. The key is not among it, so no hook can log it.
    return {
      authentication: { strategy: this.name },
      apiKey: { id: record.id, rights: record.rights },
      [this.authentication.configuration.entity]: await this.getOwner(record)
    }
  }

  /** Looks a key up by the part of it that is no secret. */
  async findRecord(key) {
    const [, id] = KEY.exec(key) ?? []

    if (id === undefined) return undefined

    const query = { id, $limit: 1 }
    const [record] = await this.app.service(this.configuration.keys).find({ query, paginate: false })

    return record
  }

  async getOwner({ owner }) {
    try {
      return await this.app.service(this.authentication.configuration.service).get(owner)
    } catch (error) {
      // The keys of a user end with the user.
      throw error.code === 404 ? invalid() : error
    }
  }
}

/** A hook after `authenticate`: a key needs the right. A user with a token may do everything with their own records. */
export const requireRight = (right) =>
  async function requireRight({ params: { apiKey } }) {
    if (apiKey && !apiKey.rights.includes(right)) throw new Forbidden(`This key has no right '${right}'`)
  }

/** Says the same whatever is wrong with a key. */
function invalid() {
  return new NotAuthenticated('Invalid API key')
}

/** SHA-256 is enough for 32 random bytes. It would not be for passwords, which can be guessed. */
function toDigest(key) {
  return createHash('sha256').update(key).digest()
}
