import jsonwebtoken from 'jsonwebtoken'
import { type Case, good, type Options, SECRET, sign, start } from './libraries.ts'

const optionParams: [string, unknown, unknown][] = [
  ['an entity', { user: { id: 7 } }, {}],
  ['an id that is 0', { user: { id: 0 } }, {}],
  ['an id that is an object', { user: { id: { toString: () => 'object' } } }, {}],
  ['an id that is null', { user: { id: null } }, {}],
  ['no id', { user: {} }, {}],
  ['no entity', {}, {}],
  ['an entity that is null', { user: null }, {}],
  ['a subject', { user: { id: 7 } }, { jwtOptions: { subject: '9' } }],
  ['an empty subject', { user: { id: 7 } }, { jwtOptions: { subject: '' } }],
  [
    'options',
    { user: { id: 7 } },
    { jwtOptions: { expiresIn: 5, header: { a: 1 } }, jwt: { header: { b: 2 } } }
  ],
  [
    'a list and a shorter list',
    { user: { id: 7 } },
    { jwtOptions: { audience: ['a', 'b'] }, jwt: { audience: ['c'] } }
  ],
  [
    'undefined over a value',
    { user: { id: 7 } },
    { jwtOptions: { issuer: 'me' }, jwt: { issuer: undefined } }
  ]
]

export const optionCases: readonly Case[] = [
  ...optionParams.map(
    ([name, result, params]): Case => [
      `token options of ${name}`,
      (library) => start(library).auth.getTokenOptions(result, params)
    ]
  ),
  [
    'token options with entityId',
    (library) => start(library, { entityId: 'email' }).auth.getTokenOptions({ user: { email: 'x' } }, {})
  ],
  [
    'token options without an entity',
    (library) => start(library, { entity: null }).auth.getTokenOptions({ user: { id: 7 } }, {})
  ],
  [
    'token options without a service',
    (library) => start(library, { service: undefined }).auth.getTokenOptions({ user: { id: 7 } }, {})
  ],
  ['payload', (library) => start(library).auth.getPayload({}, {})],
  ['payload of the params', (library) => start(library).auth.getPayload({}, { payload: { a: 1 } })],
  ['payload that is null', (library) => start(library).auth.getPayload({}, { payload: null })]
]

const signOptions: [string, unknown, Options?][] = [
  ['nothing', undefined],
  ['a subject', { subject: '7' }],
  ['a subject that is no text', { subject: 7 }],
  ['an unknown option', { unknown: 1 }],
  ['an unknown algorithm', { algorithm: 'XX256' }],
  ['the algorithm none', { algorithm: 'none' }],
  ['an algorithm for another key', { algorithm: 'RS256' }],
  ['HS512', { algorithm: 'HS512' }],
  ['expiresIn that is no duration', { expiresIn: 'soon' }],
  ['expiresIn as a duration', { expiresIn: '2 days' }],
  ['expiresIn that is negative', { expiresIn: -5 }],
  ['notBefore', { notBefore: '1h' }],
  ['an issuer that is no text', { issuer: 5 }],
  ['several audiences', { audience: ['a', 'b'] }],
  ['a header', { header: { kid: 'k' } }],
  ['a type of its own', { header: { typ: 'JWT' } }],
  ['keyid', { keyid: 'k' }],
  ['noTimestamp', { noTimestamp: true }],
  ['jwtid', { jwtid: 'chosen' }],
  ['jwtid that is empty', { jwtid: '' }],
  ['a lifetime alone in the configuration', {}, { jwtOptions: { expiresIn: 60 } }],
  ['a lifetime and an issuer in the configuration', {}, { jwtOptions: { issuer: 'me', expiresIn: 60 } }]
]

export const signCases: readonly Case[] = [
  ...signOptions.map(
    ([name, options, configuration]): Case => [
      `sign with ${name}`,
      (library) => start(library, configuration).auth.createAccessToken({ a: 1 }, options)
    ]
  ),
  [
    'sign with a payload that has the subject too',
    (library) => start(library).auth.createAccessToken({ sub: '1' }, { subject: '7' })
  ],
  ['sign a text', (library) => start(library, { jwtOptions: {} }).auth.createAccessToken('text')],
  ['sign without a secret', (library) => start(library, { secret: undefined }).auth.createAccessToken({})]
]

const now = Math.floor(Date.now() / 1000)
const [goodHeader, goodPayload, goodSignature] = good.split('.') as [string, string, string]
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

const tokens: [string, unknown, unknown?][] = [
  ['a good one', good],
  ['one that has expired', sign({ sub: '7' }, { expiresIn: -10 })],
  [
    'one that has expired, within the tolerance',
    sign({ sub: '7' }, { expiresIn: -10 }),
    { clockTolerance: 60 }
  ],
  [
    'one that has expired, whose end is ignored',
    sign({ sub: '7' }, { expiresIn: -10 }),
    { ignoreExpiration: true }
  ],
  ['one that expires this second', sign({ sub: '7', exp: now - 1, iat: now - 5 })],
  ['one that is not active', sign({ sub: '7' }, { notBefore: 60 })],
  ['one of another secret', sign({ sub: '7' }, {}, 'another secret of the tests, just as long')],
  ['one with another algorithm', sign({ sub: '7' }, { algorithm: 'HS512' })],
  [
    'one with another algorithm that is allowed',
    sign({ sub: '7' }, { algorithm: 'HS512' }),
    { algorithm: ['HS256', 'HS512'] }
  ],
  [
    'one with another algorithm that is allowed by the other name',
    sign({ sub: '7' }, { algorithm: 'HS512' }),
    { algorithms: ['HS512'] }
  ],
  ['one without an algorithm', `${encode({ alg: 'none', typ: 'access' })}.${goodPayload}.`],
  [
    'one without an algorithm that is allowed',
    `${encode({ alg: 'none', typ: 'access' })}.${goodPayload}.`,
    { algorithms: ['none'] }
  ],
  ['one of another issuer', sign({ sub: '7' }, { issuer: 'me' })],
  ['one for another audience', sign({ sub: '7' }, { audience: 'me' })],
  ['one of another issuer that is asked for', sign({ sub: '7' }, { issuer: 'me' }), { issuer: 'me' }],
  ['one of another subject', good, { subject: '9' }],
  ['one with another id', good, { jwtid: 'x' }],
  ['one that is too old', sign({ sub: '7', iat: now - 600 }), { maxAge: '1m' }],
  ['one of another type', sign({ sub: '7' }, { header: { typ: 'JWT' } as any })],
  ['one of no type', sign({ sub: '7' }, { header: { typ: undefined } as any })],
  ['one with kid', sign({ sub: '7' }, { keyid: 'k' })],
  ['one with jku', sign({ sub: '7' }, { header: { jku: 'https://example.org' } as any })],
  ['one with crit', sign({ sub: '7' }, { header: { crit: ['exp'] } as any })],
  [
    'one with a subject that is a number',
    jsonwebtoken.sign({ sub: 7 as any, iss: 'feathers', aud: 'https://yourdomain.com' }, SECRET, {
      header: { typ: 'access' } as any,
      noTimestamp: true
    })
  ],
  [
    'one that never expires',
    jsonwebtoken.sign({ sub: '7', iss: 'feathers', aud: 'https://yourdomain.com' }, SECRET, {
      header: { typ: 'access' } as any
    })
  ],
  ['one whose payload is a text', jsonwebtoken.sign('text', SECRET, { header: { typ: 'access' } as any })],
  ['one with a broken payload', `${goodHeader}.${encode('x').slice(1)}.${goodSignature}`],
  ['one with a changed payload', `${goodHeader}.${encode({ sub: '1' })}.${goodSignature}`],
  ['one with a broken header', `abc.${goodPayload}.${goodSignature}`],
  ['one without a signature', `${goodHeader}.${goodPayload}.`],
  ['two parts', `${goodHeader}.${goodPayload}`],
  ['four parts', `${good}.x`],
  ['padding', `${good}=`],
  ['a space in front', ` ${good}`],
  ['text', 'abc'],
  ['an empty text', ''],
  ['nothing', undefined],
  ['null', null],
  ['a number', 5],
  ['an object', {}],
  ['a list', [good]]
]

export const verifyCases: readonly Case[] = [
  ...tokens.map(
    ([name, token, options]): Case => [
      `verify ${name}`,
      (library) => start(library).auth.verifyAccessToken(token, options)
    ]
  ),
  [
    'verify without a secret',
    (library) => start(library, { secret: undefined }).auth.verifyAccessToken(good)
  ],
  ['verify without options', (library) => start(library, { jwtOptions: {} }).auth.verifyAccessToken(good)],
  ...['7', 7, '', null, undefined, {}].map(
    (sub): Case => [
      `authenticate a token whose subject is ${JSON.stringify(sub)}`,
      (library) =>
        start(library).service.create({
          strategy: 'jwt',
          accessToken: jsonwebtoken.sign(
            { ...(sub !== undefined && { sub }), iss: 'feathers', aud: 'https://yourdomain.com' } as any,
            SECRET,
            { header: { typ: 'access' } as any, ...(typeof sub === 'object' && { noTimestamp: true }) }
          )
        })
    ]
  )
]
