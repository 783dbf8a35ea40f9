import { describe, expect, it, vi } from 'vitest'
import { JWT_OPTIONS } from '../support/login.ts'
import {
  claims,
  expectRefused,
  good,
  HEADER,
  hmac,
  type Json,
  makeToken,
  open,
  seconds
} from './support/tokens.ts'

// What a client could do with a token: leave out, repeat or disguise what it has to say.

describe('with a secret', () => {
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
})
