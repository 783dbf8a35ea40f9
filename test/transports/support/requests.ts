import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { REPLIES } from './replies.ts'

export const HOST = 'api.example.org'

const LIMIT = 100 * 1024

export interface Sent {
  readonly method: string
  readonly target: string
  readonly headers: { readonly [name: string]: string }
  readonly body: Uint8Array | undefined
}

const NAMES = ['things', 'echoes', 'forms', 'few', 'private', 'replies', 'authentication', 'docs']

const ODD = [
  '',
  '%',
  '%zz',
  '%2F',
  '%2f',
  '%00',
  '%ff',
  'ä',
  '~',
  ';a=1',
  '..',
  '.',
  '%2e%2e',
  '__proto__',
  '0',
  '1',
  'x',
  'echo',
  'create',
  'find',
  'echoes',
  '%65cho',
  'a+b',
  '"',
  '{}',
  '\\',
  ':id'
]

const KEYS = [
  'a',
  'a[b]',
  '$limit',
  '$sort[name]',
  '$select[]',
  '$where',
  '$or[0][id]',
  '__proto__',
  'id',
  '',
  'a[]',
  'a[b',
  '%',
  '+'
]

const VALUES = ['1', '0', 'x', '%', '%ff', '%E2%82%AC', '+', '', '-1', '#', '"', '?', '&&', '[', 'a=b']

const path = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...NAMES).map((name) => `/${name}`) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(fc.constantFrom(...NAMES), fc.array(fc.constantFrom(...ODD), { maxLength: 3 }))
      .map(([name, rest]) => `/${[name, ...rest].join('/')}`)
  },
  {
    weight: 1,
    arbitrary: fc.array(fc.constantFrom(...ODD), { maxLength: 3 }).map((parts) => `/${parts.join('/')}`)
  }
)

const search = fc.oneof(
  { weight: 3, arbitrary: fc.constant('') },
  {
    weight: 3,
    arbitrary: fc
      .array(fc.tuple(fc.constantFrom(...KEYS), fc.constantFrom(...VALUES)), { maxLength: 3 })
      .map((pairs) => `?${pairs.map((pair) => pair.join('=')).join('&')}`)
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(`?a${'[b]'.repeat(17)}=1`, `?${'a=1&'.repeat(1001)}`, '?', '??', '?a[501]=1')
  }
)

const reply = fc
  .tuple(fc.constantFrom('/replies', '/replies/1'), fc.constantFrom(...Object.keys(REPLIES)))
  .map(([name, chosen]) => `${name}?reply=${encodeURIComponent(chosen)}`)

const target = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(path, search).map((parts) => parts.join('')) },
  { weight: 2, arbitrary: reply }
)

const TEXTS = [
  '{}',
  '{"a":1}',
  '{"name":"ä€"}',
  '[{"a":1},{"b":2}]',
  '[1]',
  '[]',
  'null',
  '1',
  '"a"',
  '{',
  '\ufeff{"a":1}',
  '{"__proto__":{"a":1}}',
  '{"_placeholder":true}',
  `{"a":"${'x'.repeat(LIMIT)}"}`,
  `{"a":"${'x'.repeat(LIMIT - 8)}"}`,
  `${'['.repeat(200)}${']'.repeat(200)}`,
  'a=1&b[c]=%C3%A9',
  'a=%zz',
  'text',
  ' ',
  '{"accessToken":"x","strategy":"jwt"}'
]

const body = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...TEXTS).map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.constantFrom(Buffer.from([0xff, 0xfe]), Buffer.from('{"a":"\xe9"}', 'latin1')) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(gzipSync, deflateSync, brotliCompressSync), fc.constantFrom(...TEXTS))
      .map(([compress, text]) => compress(text))
  }
)

const TOKENS = ['Bearer x', 'Basic YTpi', 'x', '', 'Bearer']

const headers = fc.record(
  {
    'Content-Type': fc.constantFrom(
      'application/json',
      'application/json; charset=utf-8',
      'Application/JSON ; CHARSET="UTF-8"',
      'application/json; charset=utf-7',
      'application/json;charset=utf-16le',
      'application/x-www-form-urlencoded',
      'application/x-www-form-urlencoded; charset=latin1',
      'text/plain',
      'multipart/form-data',
      'application/merge-patch+json',
      ';'
    ),
    'Content-Encoding': fc.constantFrom('gzip', 'deflate', 'br', 'identity', 'GZIP', 'x-gzip', 'secret'),
    'X-Service-Method': fc.constantFrom('echo', 'create', 'find', 'unknown', '__proto__', '', 'ECHO'),
    'If-None-Match': fc.constantFrom('*', '"own"', 'W/"own"', '"x", "own"', 'x', ''),
    'If-Match': fc.constantFrom('*', '"own"', 'W/"x"', 'x', ''),
    'Cache-Control': fc.constantFrom('no-cache', 'max-age=0'),
    Accept: fc.constantFrom('application/json', '*/*'),
    Authorization: fc.constantFrom(...TOKENS),
    Cookie: fc.constantFrom('token=x', 'a=1', 'token=', 'token=x; token=y', ';;'),
    Origin: fc.constantFrom(`http://${HOST}`, `https://${HOST}`, 'https://evil.example', 'null'),
    'Sec-Fetch-Site': fc.constantFrom('same-origin', 'same-site', 'cross-site', 'none'),
    'Sec-Fetch-Mode': fc.constantFrom('cors', 'navigate', 'no-cors'),
    'Access-Control-Request-Method': fc.constantFrom('PUT')
  },
  { requiredKeys: [] }
)

const method = fc.constantFrom(
  'GET',
  'GET',
  'GET',
  'HEAD',
  'POST',
  'POST',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'PROPFIND',
  'TRACE',
  'M-SEARCH'
)

export const requests: fc.Arbitrary<Sent> = fc
  .record({ method, target, headers, body: fc.option(body, { nil: undefined, freq: 2 }) })
  // Without one, headers about a body would describe an empty one.
  .map((sent) => ({ ...sent, target: Buffer.from(sent.target).toString('latin1') }))
