// Codes that work once, for what comes by email: a login, a new password, an address that is verified.
import { createHash, createHmac, randomInt, randomUUID, timingSafeEqual } from 'node:crypto'
import { BadRequest, NotAuthenticated } from '../errors.ts'
import { hasCode, isString, isStringList } from '../utils/check.ts'
import { deriveKey } from '../utils/derive-key.ts'
import { createError } from '../utils/developer-error.ts'
import { findOrNothing } from '../utils/find-or-nothing.ts'
import { getPath } from '../utils/object.ts'
import { assertOptions, type OptionChecks } from '../utils/options.ts'
import { type Attempts, isOfClient } from './attempts.ts'
import type { Entities } from './entities.ts'
import { DURATION } from './options.ts'
import { seal, unseal } from './seal.ts'
import { type Secret, toSecrets } from './secret-keys.ts'
import type { AuthService } from './strategies.ts'
import { addTime } from './tokens.ts'
import type { AuthenticationParams } from './types.ts'

/** What a code is issued with. */
export interface CodeOptions {
  /** What the code is for: it cannot be used for another purpose. */
  purpose: string
  /** Whom it is for: the id of an entity; where the service has none, any text. */
  subject: string | number
  /** For how long it is valid: seconds, or a duration like `'1h'`; ten minutes when left out. */
  expiresIn?: string | number | undefined
  /**
   * Fields of the entity that the use of the code changes, such as `['isVerified']`: once one has changed, the code is not valid,
   * in every process. The password is always one of them.
   */
  fields?: string[] | undefined
  /**
   * How many digits a code has that users type, 6 to 12. It is kept in the service that the option `codes` names, one for each
   * purpose and subject. Left out, a code is long, is not kept anywhere, and fits into a URL.
   */
  digits?: number | undefined
}

/** A code that a client sends. */
export interface CodeClaim {
  code: unknown
  /** What it has to be for. */
  purpose: string
  /** Whom it has to be for; needed for codes with digits. */
  subject?: unknown
}

/** What a code stands for: its subject, and the entity under its name, with all fields. */
export interface RedeemedCode {
  readonly subject: string
  readonly [entity: string]: any
}

/** The part of an authentication service that is needed here. */
interface Service extends AuthService {
  readonly entities: Entities
  useOnce(id: string, expiresAt: number): Promise<boolean>
}

/** What is sealed: in a long code itself, of a short one in the store. */
interface Sealed {
  /** Used once. */
  readonly id: string
  readonly subject: string
  /** In milliseconds since 1970. */
  readonly expiresAt: number
  readonly fields: readonly string[]
  /** A hash of what the use of the code changes. */
  readonly binding: string
  /** Of a short code. */
  readonly hash?: string
}

/** What a code stands for; of a short one also the record of the store. */
type Found = Sealed & { readonly kept?: { readonly id: string; readonly code: string } }

const CHECKS: OptionChecks = {
  purpose: [isString, 'a string that is not empty', 'required'],
  subject: [isSubject, 'an id', 'required'],
  expiresIn: [isLifetime, "at least a second: a number of seconds, or a duration with a unit like '10m'"],
  fields: [isStringList, 'an array of names'],
  digits: [
    (value) => Number.isInteger(value) && Number(value) >= 6 && Number(value) <= 12,
    'an integer from 6 to 12'
  ]
}

/** Of at least a second, and not endless. */
function isLifetime(time: unknown): boolean {
  try {
    const end = DURATION[0](time) ? addTime(1, time as string | number) : Number.NaN

    return end >= 2 && Number.isFinite(end)
  } catch {
    return false
  }
}

/** The codes of an authentication service. */
export class Codes {
  private readonly service: Service
  private readonly attempts: Attempts

  constructor(service: Service, attempts: Attempts) {
    this.service = service
    this.attempts = attempts
  }

  async issue(options: CodeOptions): Promise<string> {
    assertOptions('issueCode', options, CHECKS)

    const { purpose, expiresIn = '10m', fields = [], digits } = options
    const subject = String(options.subject)
    const entity = await this.load(options.subject)
    const sealed: Sealed = {
      id: randomUUID(),
      subject,
      expiresAt: addTime(Math.floor(Date.now() / 1000), expiresIn) * 1000,
      fields,
      binding: this.bind(entity, fields)
    }

    if (digits === undefined) return seal(sealed, this.secret, toSealPurpose(purpose))

    const code = Array.from({ length: digits }, () => randomInt(10)).join('')
    const store = this.getStore()
    const keys = this.toKeys(purpose, subject)
    const id = keys[0] as string
    const record = {
      id,
      code: seal({ ...sealed, hash: toHash(sealed.id, code) }, this.secret, toKeptPurpose(purpose)),
      expiresAt: sealed.expiresAt
    }

    // The latest one is valid, though the one before may be under the key of a later secret. Without hooks there is no event, which
    // would carry it.
    for (const key of keys) await findOrNothing(() => store._remove(key))
    await store._create(record).catch((error: unknown) => {
      if (!hasCode(error, 409)) throw error

      // Another call has stored a code meanwhile. If it is missing, a third call has removed it, whose code is then the latest.
      return findOrNothing(() => store._update(id, record))
    })

    return code
  }

  async redeem({ code, purpose, subject }: CodeClaim, params: AuthenticationParams): Promise<RedeemedCode> {
    // The account that failures count against is made of it.
    if (subject !== undefined && !isSubject(subject)) {
      throw new BadRequest("Invalid 'subject': expected a string that is not empty or a number")
    }

    const isShort = subject !== undefined && typeof code === 'string' && /^\d{6,12}$/.test(code.trim())
    const account = subject === undefined ? undefined : `${purpose} ${subject}`

    return this.attempts.count('code', account, params, isOfClient(params), async () => {
      const found: Found | undefined = isShort
        ? await this.findShort(code.trim(), purpose, subject)
        : unseal<Sealed>(typeof code === 'string' ? code : '', this.secret, toSealPurpose(purpose))

      if (!found || found.expiresAt <= Date.now()) throw createInvalid()
      if (subject !== undefined && found.subject !== String(subject)) throw createInvalid()

      const entity = await findOrNothing(() => this.load(found.subject))

      if (!(await this.isBound(found, entity, params))) throw createInvalid()
      if (!(await this.service.useOnce(`code:${found.id}`, found.expiresAt))) throw createInvalid()

      const { kept } = found
      const { entity: name } = this.service.configuration

      // A newer code may be under its key by now.
      if (kept) await findOrNothing(() => this.getStore()._remove(kept.id, { query: { code: kept.code } }))

      return { subject: found.subject, ...(name && { [name]: entity }) }
    })
  }

  private async findShort(code: string, purpose: string, subject: unknown): Promise<Found | undefined> {
    const store = this.getStore()

    for (const key of this.toKeys(purpose, String(subject))) {
      const record = await findOrNothing<any>(() => store._get(key))
      const sealed = record && unseal<Sealed>(record.code, this.secret, toKeptPurpose(purpose))

      if (sealed?.hash && isSameHash(sealed.hash, toHash(sealed.id, code))) {
        return { ...sealed, kept: { id: key, code: record.code } }
      }
    }

    return undefined
  }

  /** Whether nothing has changed that the use of a code changes, and the entity may log in. */
  private async isBound(
    { binding, fields }: Sealed,
    entity: any,
    params: AuthenticationParams
  ): Promise<boolean> {
    if (this.service.configuration.entity === null) return true
    if (!entity || !(await this.service.entities.isActive(entity, params))) return false

    return toSecrets(this.secret).some((secret) => this.bind(entity, fields, secret) === binding)
  }

  private bind(entity: any, fields: readonly string[], secret?: string): string {
    if (entity === undefined) return ''

    const values = fields.map((field) => getPath(entity, field.split('.')) ?? null)
    const fingerprints = this.service.entities.toFingerprints(entity, {}, secret) ?? null

    return createHash('sha256')
      .update(JSON.stringify([fingerprints, values]))
      .digest('base64url')
  }

  /** The entity as the server sees it; `undefined` where the service has none. */
  private async load(id: unknown): Promise<any> {
    const { entities, configuration, app } = this.service
    const { entity, service } = configuration

    return entity && service ? entities.load({ service: app.service(service) as any, id }, {}, {}) : undefined
  }

  private getStore(): any {
    const { codes } = this.service.configuration
    const store: any = codes && this.service.app.service(codes)

    if (typeof store?._create !== 'function') {
      throw createError(
        'ALULA_MISSING_OPTION',
        "Codes with digits are kept: the option 'codes' of the authentication configuration has to name a service of an adapter"
      )
    }

    return store
  }

  /** The keys of a purpose and a subject, with each secret, the one that signs first: HMACs, from which neither can be read. */
  private toKeys(purpose: string, subject: string): string[] {
    return toSecrets(this.secret).map((secret) =>
      createHmac('sha256', deriveKey(secret, 'alula/codes'))
        .update(JSON.stringify([purpose, subject]))
        .digest('base64url')
    )
  }

  private get secret(): Secret {
    return this.service.configuration.secret as Secret
  }
}

function toSealPurpose(purpose: string): string {
  return `code ${purpose}`
}

/** Another purpose than that of a sealed code, so that the stored record of a code with digits is not accepted as a code. */
function toKeptPurpose(purpose: string): string {
  return `kept code ${purpose}`
}

function toHash(id: string, code: string): string {
  return createHash('sha256').update(`${id} ${code}`).digest('base64url')
}

function isSameHash(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}

function createInvalid(): NotAuthenticated {
  return new NotAuthenticated('Invalid code: it is not one of ours, has been used, or is too old')
}

function isSubject(value: unknown): value is string | number {
  return isString(value) || Number.isFinite(value)
}
