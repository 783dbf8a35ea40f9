import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { SECRET } from '../support/login.ts'
import { scaled } from '../support/scale.ts'
import {
  claims,
  configure,
  EC,
  ecdsa,
  encode,
  FORMS,
  HEADER,
  hmac,
  type Json,
  KEY_PAIRS,
  makeToken,
  OTHER_EC,
  publicForms,
  RSA,
  type Signer
} from './support/tokens.ts'

// What a client could do with a token: change it in ways that nobody has thought of.

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

const letter = fc.constantFrom(...ALPHABET, '.', '=', '+', '/', ' ', '%')
const position = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

const json = fc.oneof(
  fc.constantFrom<Json>('none', 'HS512', 'RS256', 'JWT', '2', 'admin', null, 0, true, [], {}),
  fc.integer(),
  fc.string({ maxLength: 10 })
)

type Mutation = (token: string, other: string) => string

const at = (text: string, share: number) => Math.floor(share * text.length)

const onPart =
  (index: number, change: (part: any) => unknown): Mutation =>
  (token) => {
    const parts = token.split('.')
    const part = JSON.parse(Buffer.from(parts[index] as string, 'base64url').toString())

    return parts.with(index, encode(JSON.stringify(change(part)))).join('.')
  }

const resign =
  (header: object, sign: Signer): Mutation =>
  (token) =>
    makeToken(
      { ...HEADER, ...header },
      Buffer.from(token.split('.')[1] as string, 'base64url').toString(),
      sign
    )

/** Small changes of the text, changes of what it says, parts of another token, and signatures of strangers. */
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.tuple(position, letter).map(
    ([share, letter]): Mutation =>
      (token) =>
        token.slice(0, at(token, share)) + letter + token.slice(at(token, share) + 1)
  ),
  fc.tuple(position, letter).map(
    ([share, letter]): Mutation =>
      (token) =>
        token.slice(0, at(token, share)) + letter + token.slice(at(token, share))
  ),
  fc.tuple(position, fc.integer({ min: 1, max: 50 })).map(
    ([share, count]): Mutation =>
      (token) =>
        token.slice(0, at(token, share)) + token.slice(at(token, share) + count)
  ),
  fc.tuple(position, position).map(
    ([a, b]): Mutation =>
      (token) => {
        const letters = [...token]
        const [i, j] = [at(token, a), at(token, b)]

        return letters
          .with(i, letters[j] as string)
          .with(j, letters[i] as string)
          .join('')
      }
  ),
  fc.tuple(position, fc.nat(5)).map(
    ([share, bit]): Mutation =>
      (token) => {
        const index = at(token, share)
        const value = ALPHABET.indexOf(token[index] as string)

        return value < 0 ? '' : token.slice(0, index) + ALPHABET[value ^ (1 << bit)] + token.slice(index + 1)
      }
  ),
  fc
    .tuple(fc.constantFrom('alg', 'typ', 'kid', 'crit', 'jwk'), json)
    .map(([name, value]) => onPart(0, (header) => ({ ...header, [name]: value }))),
  fc
    .tuple(fc.constantFrom('sub', 'exp', 'nbf', 'iat', 'aud', 'iss', 'jti', 'fingerprint', 'role'), json)
    .map(([name, value]) => onPart(1, (claims) => ({ ...claims, [name]: value }))),
  fc
    .constantFrom('sub', 'exp', 'aud', 'iss', 'jti')
    .map((name) => onPart(1, ({ [name]: _, ...claims }) => claims)),
  fc.subarray([0, 1, 2], { minLength: 1, maxLength: 2 }).map(
    (indexes): Mutation =>
      (token, other) => {
        const parts = other.split('.')

        return token
          .split('.')
          .map((part, index) => (indexes.includes(index) ? (parts[index] as string) : part))
          .join('.')
      }
  ),
  fc.shuffledSubarray([0, 1, 2], { minLength: 1 }).map(
    (order): Mutation =>
      (token) =>
        order.map((index) => token.split('.')[index]).join('.')
  ),
  fc
    .string({ maxLength: 60 })
    .filter((secret) => secret !== SECRET)
    .map((secret) => resign({}, hmac(256, secret))),
  fc.constantFrom(...publicForms(RSA), ...publicForms(EC)).map((secret) => resign({}, hmac(256, secret))),
  fc.constantFrom(384, 512).map((hash) => resign({ alg: `HS${hash}` }, hmac(hash))),
  fc.constantFrom('none', 'None', 'NONE').map((alg) => resign({ alg }, () => Buffer.alloc(0))),
  fc.constant(resign({ alg: 'ES256' }, ecdsa(OTHER_EC.privateKey)))
)

it.each([
  ['HS256', 80_000],
  ['ES256', 10_000],
  ['RS256', 10_000]
])(
  'of many mutated tokens of %s none is accepted',
  async (alg, count) => {
    const { settings, token: create } = FORMS[alg] as { settings: object; token: () => string }
    const app = alula()

    configure(app, settings)

    const handle = createHandler(app, { logger: false })
    const send = async (token: string) => {
      const headers = { Authorization: `Bearer ${encodeURI(token)}` }
      const { status } = await handle(new Request('http://localhost/notes', { headers }))

      return status
    }
    const header = { ...HEADER, alg }
    const sign: Signer = alg === 'HS256' ? hmac(256) : KEY_PAIRS[alg as 'ES256' | 'RS256'].sign
    const token = create()
    // Of the same user, so that only the signature tells that parts were exchanged.
    const other = makeToken(header, claims({ jti: 'two', role: 'other' }), sign)
    let changed = 0

    await fc.assert(
      fc.asyncProperty(mutation, async (mutate) => {
        const mutated = mutate(token, other)

        if (mutated === token || mutated === other) return

        // With the signature and with the payload of the other, only the header comes from here: it is the same.
        changed++
        // From here on the service remembers the good ones.
        if (changed === Math.floor(scaled(count) / 3)) {
          expect([await send(token), await send(other)]).toEqual([200, 200])
        }
        expect(await send(mutated), mutated).toBe(401)
      }),
      { numRuns: scaled(count) }
    )

    expect(changed).toBeGreaterThan(scaled(count) * 0.8)
    expect(await send(token)).toBe(200)
    expect(await send(other)).toBe(200)
  },
  300_000
)
