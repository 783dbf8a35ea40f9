import {
  createHmac,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  constants as rsa,
  sign as signBytes
} from 'node:crypto'
import { createServer } from 'node:http'
import fc from 'fast-check'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import express, { errorHandler, rest } from '../../src/express.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { CountingHasher, configureLogin, JWT_OPTIONS, SECRET } from '../support/login.ts'
import { scaled } from '../support/scale.ts'
import { serve, toUrl } from '../support/server.ts'

// What a client could do with a token: choose how it is checked, bring its own key, or change what it says.

type Json = unknown
type Signer = (text: string) => Buffer

const RSA = generateKeyPairSync('rsa', { modulusLength: 2048 })
const OTHER_RSA = generateKeyPairSync('rsa', { modulusLength: 2048 })
const EC = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const OTHER_EC = generateKeyPairSync('ec', { namedCurve: 'P-256' })

const toPem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
const publicForms = ({ publicKey }: { publicKey: KeyObject }): (string | Buffer)[] => {
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()

  return [
    pem,
    pem.trim(),
    pem.replaceAll('\n', '\r\n'),
    pem.replace(/-----.*?-----|\s/g, ''),
    publicKey.export({ type: 'spki', format: 'der' }),
    JSON.stringify(publicKey.export({ format: 'jwk' }))
  ]
}

const hmac =
  (hash: number, secret: string | Buffer = SECRET): Signer =>
  (text) =>
    createHmac(`sha${hash}`, secret).update(text).digest()
const pkcs1 =
  (key: KeyObject, hash = 256): Signer =>
  (text) =>
    signBytes(`sha${hash}`, Buffer.from(text), key)
const pss =
  (key: KeyObject): Signer =>
  (text) =>
    signBytes('sha256', Buffer.from(text), { key, padding: rsa.RSA_PKCS1_PSS_PADDING, saltLength: 32 })
const ecdsa =
  (key: KeyObject, dsaEncoding: 'ieee-p1363' | 'der' = 'ieee-p1363'): Signer =>
  (text) =>
    signBytes('sha256', Buffer.from(text), { key, dsaEncoding })

const encode = (value: string | Buffer) => Buffer.from(value).toString('base64url')
const seconds = () => Math.floor(Date.now() / 1000)

const HEADER = { alg: 'HS256', typ: 'access' }
const claims = (changes: object = {}) => ({
  sub: '1',
  iat: seconds(),
  exp: seconds() + 1000,
  aud: JWT_OPTIONS.audience,
  iss: JWT_OPTIONS.issuer,
  jti: 'one',
  ...changes
})

/** A token that says just this. `undefined` leaves a name out; a text is taken for JSON. */
function makeToken(header: Json, payload: Json, sign: Signer): string {
  const [head, body] = [header, payload].map((part) =>
    encode(typeof part === 'string' ? part : JSON.stringify(part))
  )

  return `${head}.${body}.${encode(sign(`${head}.${body}`))}`
}

const configure = (app: any, settings: object = {}) =>
  configureLogin(app, {
    settings: { local: { hasher: new CountingHasher() }, ...settings },
    users: {
      store: { 1: { id: 1, email: 'ann', password: 'hash of x' }, null: { id: 'null', email: 'bob' } }
    }
  })

/** An application on a port. `send` shows a token at each place where one is taken, and returns the one status. */
async function open(settings: object = {}) {
  const app: any = express(alula())

  app.configure(rest())
  const authentication = configure(app, settings)
  app.use(errorHandler({ logger: false }))

  const url = await serve(app)

  async function send(token: unknown): Promise<number> {
    const { status } = await fetch(`${url}/authentication`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Connection: 'close' },
      body: JSON.stringify({ strategy: 'jwt', accessToken: token })
    })

    // Not every text can be a header.
    if (typeof token === 'string' && /^[\x21-\x7e]{1,8000}$/.test(token)) {
      const headers = { Authorization: `Bearer ${token}`, Connection: 'close' }
      const response = await fetch(`${url}/notes`, { headers })

      expect(response.status).toBe(status === 201 ? 200 : status)
    }

    return status
  }

  return { app, authentication, send, url }
}

/**
 * Sends tokens that must be refused, one after another, and then one that must not. And all of them again, because
 * the service remembers now what it has verified.
 */
async function expectRefused(
  settings: object,
  tokens: { [title: string]: unknown } | string[][],
  good: string
): Promise<void> {
  const { send } = await open(settings)

  for (const round of ['new', 'remembered']) {
    for (const [title, token] of Array.isArray(tokens) ? tokens : Object.entries(tokens)) {
      expect(await send(token), `${title} (${round})`).toBe(401)
    }

    expect(await send(good)).toBe(201)
  }
}

const good = () => makeToken(HEADER, claims(), hmac(256))

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

  it('a token of another type is refused', async () => {
    const types = [
      'JWT',
      'jwt',
      'Access',
      'access ',
      'at+jwt',
      'refresh',
      '',
      null,
      undefined,
      ['access'],
      {},
      1,
      true
    ]

    await expectRefused(
      {},
      types.map((typ) => [`typ ${JSON.stringify(typ)}`, makeToken({ ...HEADER, typ }, claims(), hmac(256))]),
      good()
    )
  })

  it('a token that asks for something we do not know is refused', async () => {
    const lists = [['exp'], ['b64'], ['unknown'], [], null, '', 'exp', {}, 0, false, true]

    await expectRefused(
      {},
      lists.map((crit) => [
        `crit ${JSON.stringify(crit)}`,
        makeToken({ ...HEADER, crit, b64: true }, claims(), hmac(256))
      ]),
      good()
    )
  })

  it('a header that is no object, or that is no JSON, is refused', async () => {
    const headers = [
      'null',
      '[]',
      '"HS256"',
      '5',
      'true',
      '',
      '{',
      '{"alg":"HS256","typ":"access"',
      '\u0000',
      '{}'
    ]

    await expectRefused(
      {},
      headers.map((header) => [header, makeToken(header, claims(), hmac(256))]),
      good()
    )
  })

  it('of a name that a header has twice, the one that counts is ours', async () => {
    await expectRefused(
      {},
      {
        'none at the end': makeToken('{"alg":"HS256","typ":"access","alg":"none"}', claims(), () =>
          Buffer.alloc(0)
        ),
        'none at the beginning': makeToken('{"alg":"none","typ":"access","alg":"HS256"}', claims(), () =>
          Buffer.alloc(0)
        ),
        'another type at the end': makeToken(
          '{"alg":"HS256","typ":"access","typ":"JWT"}',
          claims(),
          hmac(256)
        ),
        'a prototype': makeToken('{"__proto__":{"alg":"HS256","typ":"access"}}', claims(), hmac(256)),
        'a type in a prototype': makeToken(
          '{"alg":"HS256","__proto__":{"typ":"access"}}',
          claims(),
          hmac(256)
        )
      },
      good()
    )
  })

  it('the payload has to be an object', async () => {
    const payloads = [
      'null',
      '[]',
      '[{"sub":"1"}]',
      '"text"',
      'text',
      '5',
      'true',
      '',
      '{',
      '\u0000',
      '{"sub":"1"'
    ]

    await expectRefused(
      {},
      payloads.map((payload) => [payload, makeToken(HEADER, payload, hmac(256))]),
      good()
    )
  })

  it('the subject has to be a string, and that of somebody', async () => {
    const subjects: Json[] = [
      1,
      0,
      null,
      true,
      false,
      undefined,
      '',
      [],
      ['1'],
      {},
      { $ne: null },
      { toString: '1' },
      [[1]]
    ]
    const nobody = [
      '2',
      '01',
      '1 ',
      ' 1',
      '1.0',
      '1e0',
      '__proto__',
      'constructor',
      'toString',
      '1/2',
      '../1',
      '\0'
    ]

    await expectRefused(
      {},
      [...subjects, ...nobody].map((sub) => [
        `sub ${JSON.stringify(sub)}`,
        makeToken(HEADER, claims({ sub }), hmac(256))
      ]),
      good()
    )
  })

  it('the times have to be numbers, and now has to lie between them', async () => {
    const noTimes = [
      null,
      '',
      'soon',
      `${seconds() + 1000}`,
      '1e99',
      'NaN',
      'Infinity',
      true,
      [],
      {},
      [seconds() + 1000]
    ]
    const past = [0, -1, 1, seconds() - 1, seconds() - 1e9, -1e308, 1.5]
    const tokens: [string, string][] = [
      ...[...noTimes, ...past].map((exp): [string, string] => [
        `exp ${JSON.stringify(exp)}`,
        makeToken(HEADER, claims({ exp }), hmac(256))
      ]),
      ...[...noTimes, seconds() + 1000, 1e308].map((nbf): [string, string] => [
        `nbf ${JSON.stringify(nbf)}`,
        makeToken(HEADER, claims({ nbf }), hmac(256))
      ])
    ]

    // JSON has numbers that are none in JavaScript.
    tokens.push([
      'exp -1e999',
      makeToken(HEADER, JSON.stringify(claims({ exp: 0 })).replace('"exp":0', '"exp":-1e999'), hmac(256))
    ])
    tokens.push([
      'nbf 1e999',
      makeToken(HEADER, JSON.stringify(claims({ nbf: 7 })).replace('"nbf":7', '"nbf":1e999'), hmac(256))
    ])
    tokens.push([
      'exp NaN',
      makeToken(HEADER, JSON.stringify(claims({ exp: 0 })).replace('"exp":0', '"exp":NaN'), hmac(256))
    ])

    await expectRefused({}, tokens, makeToken(HEADER, claims({ nbf: seconds() - 1 }), hmac(256)))
  })

  describe('at the second', () => {
    afterEach(() => void vi.useRealTimers())

    it('a token is good from nbf on, and no longer when exp is reached', async () => {
      const { send } = await open()
      const now = 1_900_000_000
      const token = makeToken(HEADER, claims({ iat: now, nbf: now, exp: now + 2 }), hmac(256))

      for (const [time, status] of [
        [now - 1, 401],
        [now, 201],
        [now + 1, 201],
        [now + 1.999, 201],
        [now + 2, 401],
        [now + 3, 401]
      ] as [number, number][]) {
        vi.useFakeTimers({ toFake: ['Date'], now: time * 1000 })
        expect(await send(token), `${time - now}`).toBe(status)
      }
    })
  })

  it('the issuer has to be ours', async () => {
    const issuers = [
      undefined,
      null,
      '',
      'other',
      'FEATHERS',
      'feathers ',
      ['feathers'],
      ['other'],
      {},
      true,
      0
    ]

    await expectRefused(
      {},
      issuers.map((iss) => [`iss ${JSON.stringify(iss)}`, makeToken(HEADER, claims({ iss }), hmac(256))]),
      good()
    )
  })

  it('we have to be in the audience', async () => {
    const { audience } = JWT_OPTIONS
    const others = [
      undefined,
      null,
      '',
      'other',
      `${audience}/`,
      `${audience}.other`,
      audience.toUpperCase(),
      'https://'
    ]
    const lists = [[], ['other'], [[audience]], { 0: audience }, { [audience]: true }, true, 0]

    await expectRefused(
      {},
      [...others, ...lists].map((aud) => [
        `aud ${JSON.stringify(aud)}`,
        makeToken(HEADER, claims({ aud }), hmac(256))
      ]),
      makeToken(HEADER, claims({ aud: ['other', audience] }), hmac(256))
    )
  })

  it('a claim that stands in a prototype is none', async () => {
    const { sub, ...others } = claims()

    await expectRefused(
      {},
      {
        sub: makeToken(
          HEADER,
          JSON.stringify(others).replace('{', `{"__proto__":{"sub":"${sub}"},`),
          hmac(256)
        )
      },
      good()
    )
  })

  it('a fingerprint that is not that of the user is refused, whatever its type', async () => {
    const values = [
      ...['', 'x', null, 0, true, [], {}, 'undefined', '__proto__', 'x'.repeat(22)],
      ...['', 'x', 'x'.repeat(22), null, 0, true, [], {}, ['x']].map((local) => ({ local })),
      { other: 'x', local: 'x' },
      { local: { local: 'x' } },
      ['local'],
      [{ local: 'x' }]
    ]

    await expectRefused(
      {},
      values.map((fingerprint) => [
        `fingerprint ${JSON.stringify(fingerprint)}`,
        makeToken(HEADER, claims({ fingerprint }), hmac(256))
      ]),
      good()
    )
  })

  it('what is no text in three parts is no token', async () => {
    const token = good()
    const [head, body, signature] = token.split('.') as [string, string, string]

    await expectRefused(
      {},
      {
        nothing: '',
        null: null,
        'a number': 5,
        true: true,
        'an array': [token],
        'an array of parts': [head, body, signature],
        'an object': { toString: token },
        'JSON serialization': { protected: head, payload: body, signature },
        'JSON serialization as a text': JSON.stringify({ protected: head, payload: body, signature }),
        'one part': head,
        'two parts': `${head}.${body}`,
        'no signature': `${head}.${body}.`,
        'no header': `.${body}.${signature}`,
        'no payload': `${head}..${signature}`,
        'four parts': `${token}.${signature}`,
        'five parts, as encrypted tokens have': `${head}.${body}.${signature}.${body}.${signature}`,
        'a dot behind': `${token}.`,
        'a dot in front': `.${token}`,
        'the header twice': `${head}.${head}.${body}.${signature}`,
        'parts that were exchanged': `${body}.${head}.${signature}`,
        'the token twice': `${token}${token}`,
        'the token twice in a list': `${token},${token}`,
        'a space in front': ` ${token}`,
        'a space behind': `${token} `,
        'a line break behind': `${token}\n`,
        'a line break between': `${head}.\n${body}.${signature}`,
        'a NUL behind': `${token}\0`,
        'a byte order mark': `\ufeff${token}`,
        'quotation marks': `"${token}"`,
        'a scheme': `Bearer ${token}`,
        '90,000 letters': `${head}.${'a'.repeat(90_000)}.${signature}`
      },
      token
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

const KEY_PAIRS = {
  RS256: {
    pair: RSA,
    sign: pkcs1(RSA.privateKey),
    others: [pkcs1(OTHER_RSA.privateKey), pss(RSA.privateKey)]
  },
  PS256: { pair: RSA, sign: pss(RSA.privateKey), others: [pss(OTHER_RSA.privateKey), pkcs1(RSA.privateKey)] },
  ES256: {
    pair: EC,
    sign: ecdsa(EC.privateKey),
    others: [ecdsa(OTHER_EC.privateKey), ecdsa(EC.privateKey, 'der'), () => Buffer.alloc(64)]
  }
} satisfies {
  [alg: string]: { pair: { publicKey: KeyObject; privateKey: KeyObject }; sign: Signer; others: Signer[] }
}

const withKey = (alg: keyof typeof KEY_PAIRS) => ({
  secret: toPem(KEY_PAIRS[alg].pair.privateKey),
  jwtOptions: { ...JWT_OPTIONS, algorithm: alg }
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

const FORMS: { [alg: string]: { settings: object; token: () => string } } = {
  HS256: { settings: {}, token: good },
  ...Object.fromEntries(
    (Object.keys(KEY_PAIRS) as (keyof typeof KEY_PAIRS)[]).map((alg) => [
      alg,
      { settings: withKey(alg), token: () => makeToken({ ...HEADER, alg }, claims(), KEY_PAIRS[alg].sign) }
    ])
  )
}

describe.each(Object.entries(FORMS))('a token of %s', (_alg, { settings, token: create }) => {
  it('cannot be written in another way', async () => {
    const token = create()
    const [head, body, signature] = token.split('.') as [string, string, string]
    const bytes = Buffer.from(signature, 'base64url')
    const twins = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
      .map((letter) => signature.slice(0, -1) + letter)
      .filter((twin) => twin !== signature && Buffer.from(twin, 'base64url').equals(bytes))
    const tokens: [string, string][] = [
      ...twins.map((twin): [string, string] => ['other bits behind the last', `${head}.${body}.${twin}`]),
      ...['=', '==', '===', 'A', '.', '!', '%3D'].map((end): [string, string] => [end, token + end]),
      ['padding inside', `${head}=.${body}.${signature}`],
      ['a space inside', `${head}.${body}.${signature.slice(0, 9)} ${signature.slice(9)}`],
      ['a line break inside', `${head}.${body}.${signature.slice(0, 9)}\n${signature.slice(9)}`],
      ['an empty end', `${head}.${body}.${signature}`.replace(/\.(?=[^.]*$)/, '..')]
    ]
    const standard = `${head}.${body}.${bytes.toString('base64')}`

    if (standard !== token) tokens.push(['the usual base64', standard])

    // 32, 64 and 256 bytes leave bits over.
    expect(twins.length).toBeGreaterThan(0)
    await expectRefused(settings, tokens, token)
  })

  it('with a single bit flipped is refused', async () => {
    const token = create()
    const [head, body, signature] = token.split('.') as [string, string, string]
    const { authentication } = await open(settings)
    const accepted: string[] = []

    // Remembered from here on.
    expect(await authentication.verifyAccessToken(token)).toMatchObject({ sub: '1' })

    for (const [index, part] of [head, body, signature].entries()) {
      const bytes = Buffer.from(part, 'base64url')

      for (let bit = 0; bit < bytes.length * 8; bit++) {
        const flipped = Buffer.from(bytes)

        flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7))

        const parts = [head, body, signature].with(index, encode(flipped))
        const verified = await authentication.verifyAccessToken(parts.join('.')).then(
          () => parts.join('.'),
          (error: any) => error.code
        )

        if (verified !== 401) accepted.push(`${verified}`)
      }
    }

    expect(accepted).toEqual([])
    expect(await authentication.verifyAccessToken(token)).toMatchObject({ sub: '1' })
  })
})

it.each([
  ['an id', {}],
  ['no id', { jti: undefined }]
])(
  'of a token with %s, the twin that its elliptic signature has is revoked with it',
  async (_title, changes) => {
    const { send, url } = await open(withKey('ES256'))
    const token = makeToken({ ...HEADER, alg: 'ES256' }, claims(changes), ecdsa(EC.privateKey))
    const [head, body, signature] = token.split('.') as [string, string, string]
    const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
    const bytes = Buffer.from(signature, 'base64url')
    const other = order - BigInt(`0x${bytes.subarray(32).toString('hex')}`)
    const twin = `${head}.${body}.${encode(
      Buffer.concat([bytes.subarray(0, 32), Buffer.from(other.toString(16).padStart(64, '0'), 'hex')])
    )}`

    expect(await send(token)).toBe(201)
    expect(await send(twin)).toBe(201)

    const response = await fetch(`${url}/authentication`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${token}`, Connection: 'close' }
    })

    expect(response.status).toBe(200)
    expect(await send(token)).toBe(401)
    expect(await send(twin)).toBe(401)
  }
)

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
