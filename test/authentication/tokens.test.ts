import jsonwebtoken from 'jsonwebtoken'
import { describe, expect, it, vi } from 'vitest'
import { SecretKeys } from '../../src/authentication/secret-keys.ts'
import { signToken, toTokenId, verifyToken } from '../../src/authentication/tokens.ts'
import { SECRET } from './app.ts'

const keys = new SecretKeys()

/** A token with anything in its header. */
function forge(header: object, payload: string | object = { sub: '1' }): string {
  return jsonwebtoken.sign(payload, SECRET, { header: { alg: 'HS256', ...header } as any })
}

/** What a token is refused with; `undefined` when it is good. */
function findFault(token: unknown, options: object = {}): { message: string; data: any } | undefined {
  try {
    verifyToken(token, SECRET, options, keys)

    return undefined
  } catch (error: any) {
    expect(error).toMatchObject({ name: 'NotAuthenticated', code: 401 })

    return { message: error.message, data: error.data }
  }
}

const TOKEN = forge({})

/** Its last letter has two bits that are not used. */
const SAME_BYTES = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
  .map((letter) => TOKEN.slice(0, -1) + letter)
  .filter((token) => token !== TOKEN && toSignature(token).equals(toSignature(TOKEN)))

function toSignature(token: string): Buffer {
  return Buffer.from(token.split('.')[2] as string, 'base64url')
}

describe('a token', () => {
  it.each([
    undefined,
    null,
    5,
    {},
    [TOKEN],
    '',
    'a.b',
    `${TOKEN}.${TOKEN.split('.')[2]}`,
    // What it says is no JSON.
    TOKEN.replace(/\..*\./, '.AAAA.'),
    ` ${TOKEN}`,
    `x.${TOKEN}`,
    `${TOKEN}.x`,
    `${TOKEN}=`,
    `${TOKEN}\n`,
    ...SAME_BYTES
  ])('is malformed as %j', (token) => {
    expect(findFault(token)).toEqual({ message: 'Invalid access token', data: undefined })
  })

  it('has four forms that a signature could be decoded from, of which one is taken', () => {
    expect(SAME_BYTES).toHaveLength(3)
    expect(findFault(TOKEN)).toBeUndefined()
  })

  it.each(['kid', 'jku', 'jwk', 'x5u', 'x5c', 'x5t', 'x5t#S256'])(
    'may lead to a key by %s only as it is set',
    (name) => {
      const token = forge({ [name]: 'mine' })

      expect(findFault(token)?.message).toBe(`jwt header invalid: ${name}`)
      expect(findFault(token, { header: { [name]: 'another' } })?.message).toBe(`jwt header invalid: ${name}`)
      expect(findFault(token, { header: { [name]: 'mine' } })).toBeUndefined()
      expect(findFault(TOKEN, { header: { [name]: 'mine' } })).toBeUndefined()
    }
  )

  it('may name a key by the option keyid', () => {
    expect(findFault(forge({ kid: 'mine' }), { keyid: 'mine' })).toBeUndefined()
    expect(findFault(forge({ kid: 'mine' }), { keyid: 'another' })?.message).toBe('jwt header invalid: kid')
  })

  it('has nothing that is critical', () => {
    expect(findFault(forge({ crit: ['exp'] }), { header: { crit: ['exp'] } })?.message).toBe(
      'jwt header invalid: crit'
    )
  })

  it('has the type that is set, or the usual one, which need not be there', () => {
    const [access, untyped] = [forge({ typ: 'access' }), forge({ typ: undefined })]

    expect(findFault(access)?.message).toBe('jwt type invalid. expected: JWT')
    expect(findFault(TOKEN, { header: { typ: 'access' } })?.message).toBe(
      'jwt type invalid. expected: access'
    )
    expect(findFault(access, { header: { typ: 'access' } })).toBeUndefined()
    expect(findFault(untyped)).toBeUndefined()
    expect(findFault(untyped, { header: { typ: 'JWT' } })?.message).toBe('jwt type invalid. expected: JWT')
    expect(findFault(TOKEN, { header: { typ: 'JWT' } })).toBeUndefined()
  })

  it('has claims, and a text as its subject', () => {
    expect(findFault(forge({}, 'text'))).toEqual({ message: 'Invalid access token', data: undefined })
    expect(findFault(forge({}, { sub: 5 }))?.message).toBe('jwt subject invalid. expected: a string')
    expect(findFault(forge({}, {}))).toBeUndefined()
  })

  it('says when it was good, or will be', () => {
    const day = 86_400
    const now = Math.floor(Date.now() / 1000)

    expect(findFault(forge({}, { exp: now - day }))).toEqual({
      message: 'jwt expired',
      data: { name: 'TokenExpiredError', expiredAt: new Date((now - day) * 1000) }
    })
    expect(findFault(forge({}, { nbf: now + day }))).toEqual({
      message: 'jwt not active',
      data: { name: 'NotBeforeError', date: new Date((now + day) * 1000) }
    })
  })

  it('is good until it expires, and for the tolerance', () => {
    const exp = Math.floor(Date.now() / 1000) + 60
    const getEnd = (options: object) => verifyToken(forge({}, { exp }), SECRET, options, keys).expiresAt

    expect(getEnd({})).toBe(exp * 1000)
    expect(getEnd({ clockTolerance: 5 })).toBe((exp + 5) * 1000)
    expect(getEnd({ ignoreExpiration: true })).toBe(Infinity)
    expect(verifyToken(TOKEN, SECRET, {}, keys).expiresAt).toBe(Infinity)
    expect(findFault(forge({}, { exp: exp - 70 }), { ignoreExpiration: true })).toBeUndefined()
    expect(findFault(forge({}, { exp: exp - 70 }), { clockTolerance: 60 })).toBeUndefined()
  })

  it('is signed with HS256 unless an algorithm is set', () => {
    const getHeader = (options: object) =>
      jsonwebtoken.decode(signToken({}, SECRET, options, keys), { complete: true })?.header

    expect(getHeader({})).toEqual({ alg: 'HS256', typ: 'JWT' })
    expect(getHeader({ algorithm: ['HS512', 'HS256'] })).toEqual({ alg: 'HS512', typ: 'JWT' })
    // For verifications alone.
    expect(getHeader({ clockTimestamp: 5, nonce: 'n' })).toEqual({ alg: 'HS256', typ: 'JWT' })
    expect(() => signToken({}, SECRET, { algorithm: 'none' as any }, keys)).toThrow('a token must be signed')
  })

  it('is revoked by its id, or else by what it says', () => {
    const [header, payload, signature] = TOKEN.split('.') as [string, string, string]
    const id = toTokenId(TOKEN, {})

    expect(toTokenId(TOKEN, { jti: 'an id' })).toBe('an id')
    for (const jti of ['', 5, null]) expect(toTokenId(TOKEN, { jti })).toBe(id)
    expect(toTokenId(`${header}.${payload}.${[...signature].reverse().join('')}`, {})).toBe(id)
    expect(toTokenId(`${header}.${payload}x.${signature}`, {})).not.toBe(id)
    expect(id).toMatch(/^[\w-]{43}$/)
  })
})

describe('the fingerprint of a credential', () => {
  it('is one for one secret, strategy and credential', () => {
    const values = [
      keys.createFingerprint(SECRET, 'local', 'a hash'),
      keys.createFingerprint(`${SECRET}.`, 'local', 'a hash'),
      keys.createFingerprint(SECRET, 'other', 'a hash'),
      keys.createFingerprint(SECRET, 'local', 'another hash')
    ]

    expect(new Set(values).size).toBe(4)
    expect(keys.createFingerprint(SECRET, 'local', 'a hash')).toBe(values[0])
    for (const value of values) expect(value).toMatch(/^[\w-]{22}$/)
  })

  it('is that of what an object holds now', () => {
    const credential = { version: 1 }
    const before = keys.createFingerprint(SECRET, 'key', credential)

    credential.version = 2

    expect(keys.createFingerprint(SECRET, 'key', credential)).not.toBe(before)
    expect(keys.createFingerprint(SECRET, 'key', { version: 1 })).toBe(before)
  })

  it('of a string is made once for each secret and strategy', () => {
    const stringify = vi.spyOn(JSON, 'stringify')
    const create = () =>
      [SECRET, `${SECRET}.`].flatMap((secret) =>
        ['local', 'other'].map((name) => keys.createFingerprint(secret, name, 'a hash of no other test'))
      )
    const made = create()
    const { length } = stringify.mock.calls

    expect(create()).toEqual(made)
    expect(new Set(made).size).toBe(4)
    expect(stringify.mock.calls).toHaveLength(length)
    stringify.mockRestore()
  })
})
