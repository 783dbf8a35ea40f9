import { type Case, start } from './libraries.ts'

const headers: unknown[] = [
  undefined,
  null,
  5,
  {},
  ['Bearer abc'],
  '',
  ' ',
  '   ',
  'abc',
  ' abc',
  'abc ',
  'abc.def.ghi',
  'Bearer abc',
  'bearer abc',
  'BEARER abc',
  'Bearer  abc',
  '  Bearer abc  ',
  'Bearer\tabc',
  'Bearer: abc',
  'Bearer:abc',
  'Bearer=abc',
  'Bearer,abc',
  'JWT abc',
  'jwt abc',
  'XJWT abc',
  'BearerX abc',
  'Bear abc',
  'Bearer',
  'Bearer ',
  ' bearer ',
  'Basic abc',
  'Basic',
  'Basic dXNlcjpwYXNz',
  'Digest username="x", realm="y"',
  'Bearer abc def',
  'Bearer abc, Bearer def',
  'Bearer "abc"',
  '"Bearer abc"',
  'Bearer Bearer abc',
  'JWT Bearer abc',
  'Bearer Basic abc',
  'Basic Bearer abc',
  'abc Bearer',
  'null',
  'undefined',
  'Bearer null',
  'Bearer\u00a0abc',
  'Bearer\nabc',
  'Bearer abc\n',
  'Token abc',
  'Negotiate',
  'Bearerabc',
  `Bearer ${'a'.repeat(100)}`
]

export const parseCases: readonly Case[] = [
  ...headers.map(
    (value): Case => [
      `parse ${JSON.stringify(value)}`,
      (library) =>
        start(library).auth.parse({ headers: { authorization: value } }, {}, 'local', 'unknown', 'jwt')
    ]
  ),
  ['parse no headers', (library) => start(library).auth.parse({}, {}, 'jwt')],
  [
    'parse with no names',
    (library) => start(library).auth.parse({ headers: { authorization: 'Bearer abc' } }, {})
  ],
  [
    'parse another header',
    (library) =>
      start(library, { jwt: { header: 'X-Token' } }).auth.parse({ headers: { 'x-token': 'abc' } }, {}, 'jwt')
  ],
  [
    'parse the usual header, when another is set',
    (library) =>
      start(library, { jwt: { header: 'X-Token' } }).auth.parse(
        { headers: { authorization: 'Bearer abc' } },
        {},
        'jwt'
      )
  ],
  [
    'parse another scheme',
    (library) =>
      start(library, { jwt: { schemes: ['Token'] } }).auth.parse(
        { headers: { authorization: 'Token abc' } },
        {},
        'jwt'
      )
  ],
  [
    'parse without schemes',
    (library) =>
      start(library, { jwt: { schemes: [] } }).auth.parse(
        { headers: { authorization: 'Bearer abc' } },
        {},
        'jwt'
      )
  ],
  [
    'parse without schemes, a bare token',
    (library) =>
      start(library, { jwt: { schemes: [] } }).auth.parse({ headers: { authorization: 'abc' } }, {}, 'jwt')
  ],
  [
    'parse a scheme with the characters of an expression',
    (library) =>
      start(library, { jwt: { schemes: ['B.arer'] } }).auth.parse(
        { headers: { authorization: 'Bearer abc' } },
        {},
        'jwt'
      )
  ],
  [
    'parse by the first strategy that finds something',
    (library) => {
      const { auth } = start(library)

      auth.register('first', { parse: async () => null })
      auth.register('second', { parse: async (request: any, response: any) => ({ request, response }) })

      return auth.parse({ headers: { authorization: 'Bearer abc' } }, { x: 1 }, 'first', 'second', 'jwt')
    }
  ],
  [
    'parse by a strategy that finds undefined',
    (library) => {
      const { auth } = start(library)

      auth.register('first', { parse: async () => undefined })

      return auth.parse({ headers: { authorization: 'Bearer abc' } }, {}, 'first', 'jwt')
    }
  ]
]
