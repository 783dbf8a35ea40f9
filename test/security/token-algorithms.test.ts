import { createPublicKey } from 'node:crypto'
import { createServer } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import { JWT_OPTIONS, SECRET } from '../support/login.ts'
import { toUrl } from '../support/server.ts'
import {
  claims,
  ecdsa,
  encode,
  expectRefused,
  good,
  HEADER,
  hmac,
  type Json,
  KEY_PAIRS,
  makeToken,
  OTHER_EC,
  OTHER_RSA,
  pkcs1,
  pss,
  publicForms,
  RSA,
  type Signer,
  toPem,
  withKey
} from './support/tokens.ts'

// What a client could do with a token: choose how it is checked, bring its own key, or change what it says.

describe('with a secret', () => {
  it('no spelling of an algorithm but ours is accepted, whatever the signature', async () => {
    const names: Json[] = [
      ...[
        'none',
        'None',
        'NONE',
        'nOnE',
        'none ',
        ' none',
        'non\u0000e',
        '',
        'hs256',
        'HS256 ',
        'Hs256',
        'HS 256'
      ],
      ...['HS1', 'HS255', 'HMAC', 'sha256', 'constructor', '__proto__', 'toString', null, undefined, 0, true],
      ...[['HS256'], ['none'], { toString: 'HS256' }, {}, []]
    ]
    const signers: Signer[] = [() => Buffer.alloc(0), () => Buffer.from('x'), hmac(256)]
    const tokens = names.flatMap((alg) =>
      signers.map((sign): [string, string] => [
        `alg ${JSON.stringify(alg)}`,
        makeToken({ ...HEADER, alg }, claims(), sign)
      ])
    )

    await expectRefused({}, tokens, good())
  })

  it('no other algorithm is accepted, though its signature is right', async () => {
    await expectRefused(
      {},
      {
        HS384: makeToken({ ...HEADER, alg: 'HS384' }, claims(), hmac(384)),
        HS512: makeToken({ ...HEADER, alg: 'HS512' }, claims(), hmac(512)),
        'HS256 over the text of HS512': makeToken(HEADER, claims(), hmac(512)),
        'RS256 over the secret': makeToken({ ...HEADER, alg: 'RS256' }, claims(), hmac(256)),
        'ES256 over the secret': makeToken({ ...HEADER, alg: 'ES256' }, claims(), hmac(256)),
        'EdDSA over the secret': makeToken({ ...HEADER, alg: 'EdDSA' }, claims(), hmac(256)),
        RS256: makeToken({ ...HEADER, alg: 'RS256' }, claims(), pkcs1(OTHER_RSA.privateKey)),
        PS256: makeToken({ ...HEADER, alg: 'PS256' }, claims(), pss(OTHER_RSA.privateKey)),
        ES256: makeToken({ ...HEADER, alg: 'ES256' }, claims(), ecdsa(OTHER_EC.privateKey)),
        'an empty secret': makeToken(HEADER, claims(), hmac(256, '')),
        'a NUL as a secret': makeToken(HEADER, claims(), hmac(256, '\0')),
        'the secret in base64': makeToken(HEADER, claims(), hmac(256, Buffer.from(SECRET, 'base64'))),
        'the secret in another case': makeToken(HEADER, claims(), hmac(256, SECRET.toUpperCase())),
        'the beginning of the secret': makeToken(HEADER, claims(), hmac(256, SECRET.slice(0, -1))),
        undefined: makeToken(HEADER, claims(), hmac(256, 'undefined')),
        HS256: makeToken(HEADER, claims(), hmac(256, 'secret'))
      },
      good()
    )
  })
})

describe('a token that names a key', () => {
  it('is refused, and nobody asks for the key', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      response.end(
        JSON.stringify({ keys: [{ ...OTHER_RSA.publicKey.export({ format: 'jwk' }), kid: 'theirs' }] })
      )
    })

    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))

    const url = toUrl(server)
    const jwk = OTHER_RSA.publicKey.export({ format: 'jwk' })
    const x5c = [encode(OTHER_RSA.publicKey.export({ type: 'spki', format: 'der' }))]
    const keys = {
      jku: `${url}/jku`,
      x5u: `${url}/x5u`,
      jwk,
      x5c,
      kid: 'theirs',
      x5t: 'theirs',
      'x5t#S256': 'theirs'
    }
    const kids = [
      `${url}/kid`,
      '/dev/null',
      '../../../../etc/passwd',
      "' or 1=1 --",
      '__proto__',
      '',
      null,
      0,
      [],
      {}
    ]
    const headers: object[] = [
      ...Object.entries(keys).map(([name, value]) => ({ [name]: value })),
      ...kids.map((kid) => ({ kid })),
      { jku: `${url}/jku`, kid: 'theirs' },
      { jwk: { kty: 'oct', k: encode(SECRET) } },
      keys
    ]
    const tokens = headers.flatMap((header): [string, string][] => [
      ['RS256', makeToken({ ...HEADER, alg: 'RS256', ...header }, claims(), pkcs1(OTHER_RSA.privateKey))],
      // Even with our signature: we never put that there.
      ['HS256', makeToken({ ...HEADER, ...header }, claims(), hmac(256))]
    ])
    const settings = { secret: toPem(RSA.privateKey), jwtOptions: { ...JWT_OPTIONS, algorithm: 'RS256' } }

    await expectRefused({}, tokens, good())
    await expectRefused(
      settings,
      tokens,
      makeToken({ ...HEADER, alg: 'RS256' }, claims(), pkcs1(RSA.privateKey))
    )
    expect(asked).toEqual([])

    // It would have heard of it.
    await (await fetch(`${url}/heard`)).text()
    expect(asked).toEqual(['/heard'])
  })
})

describe.each(Object.keys(KEY_PAIRS) as (keyof typeof KEY_PAIRS)[])('with a key for %s', (alg) => {
  const { pair, sign, others } = KEY_PAIRS[alg]
  const header = { ...HEADER, alg }

  it('the public key, which everybody knows, is no secret', async () => {
    const secrets = [...publicForms(pair), ...publicForms({ publicKey: createPublicKey(pair.privateKey) })]
    const tokens = secrets.flatMap((secret) =>
      [256, 384, 512].flatMap((hash): [string, string][] => [
        [`HS${hash}`, makeToken({ ...header, alg: `HS${hash}` }, claims(), hmac(hash, secret))],
        [`${alg} over HMAC`, makeToken(header, claims(), hmac(hash, secret))]
      ])
    )

    await expectRefused(withKey(alg), tokens, makeToken(header, claims(), sign))
  })

  it('nothing but a signature of this key in this form is accepted', async () => {
    const tokens: [string, string][] = [
      ...others.map((other, index): [string, string] => [`${index}`, makeToken(header, claims(), other)]),
      ...['none', 'HS256', 'RS512', 'ES384', 'PS512', undefined].map((name): [string, string] => [
        `alg ${name}`,
        makeToken({ ...header, alg: name }, claims(), sign)
      ]),
      ['no signature', makeToken({ ...header, alg: 'none' }, claims(), () => Buffer.alloc(0))],
      ['a byte more', makeToken(header, claims(), (text) => Buffer.concat([sign(text), Buffer.alloc(1)]))],
      ['a byte less', makeToken(header, claims(), (text) => sign(text).subarray(0, -1))],
      ['zeros', makeToken(header, claims(), (text) => Buffer.alloc(sign(text).length))],
      ['ones', makeToken(header, claims(), (text) => Buffer.alloc(sign(text).length, 255))]
    ]

    await expectRefused(withKey(alg), tokens, makeToken(header, claims(), sign))
  })
})
