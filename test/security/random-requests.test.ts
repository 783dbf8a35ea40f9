import fc from 'fast-check'
import { expect, it } from 'vitest'
import { OBJECT_NAMES } from '../support/hostile.ts'
import { scaled } from '../support/scale.ts'
import { describeHttpTransports } from '../support/transports.ts'

// Whatever a client sends, the answer is not the fault of the server.

const NAMES = ['things', ...OBJECT_NAMES, 'hooks', 'setup', '_find', '%', '%zz', '%2f', '%00', '..', '']
const KEYS = ['a', '$or', '$in', '$where', ...OBJECT_NAMES, '', '0', '999']
const JUNK = [
  'null',
  '{',
  '[',
  ']',
  '"',
  '1e999',
  '{"a":',
  '{"__proto__":{"polluted":1}}',
  '\u0000',
  '"\\ud800"'
]

const segment = fc.oneof(
  fc.constantFrom(...NAMES),
  fc.string().map(encodeURIComponentSafely),
  fc.string({ unit: 'binary-ascii' }).map(toPathCharacters)
)
const path = fc.array(segment, { maxLength: 4 }).map((segments) => `/${segments.join('/')}`)

const key = fc
  .array(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 20 })
  .map(([first, ...rest]) => `${first}${rest.map((name) => `[${name}]`).join('')}`)
const pair = fc.tuple(
  fc.oneof(key, fc.string().map(encodeURIComponentSafely)),
  fc.oneof(fc.constantFrom('1', '%', '%ff', '+'), fc.string().map(encodeURIComponentSafely))
)
const query = fc
  .array(pair, { maxLength: 12 })
  .map((pairs) => pairs.map((entry) => entry.join('=')).join('&'))

const body = fc.oneof(
  fc.json({ maxDepth: 5 }),
  fc.constantFrom(...JUNK),
  fc.string(),
  fc.nat(300).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
  fc.constant(`{"a":"${'x'.repeat(110_000)}"}`)
)
const headers = fc.record(
  {
    'Content-Type': fc.constantFrom(
      'application/json',
      'application/json; charset=utf-8',
      'application/json;charset="latin1"',
      'text/plain',
      'multipart/form-data',
      ';',
      'application/json; charset'
    ),
    'X-Service-Method': fc.constantFrom(...NAMES.filter((name) => name !== ''), 'create', 'echo'),
    Accept: fc.constantFrom('text/html', '*/*', ',', 'application/xml')
  },
  { requiredKeys: [] }
)

const requests = fc.record({
  path,
  query,
  method: fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'),
  body,
  headers
})

function encodeURIComponentSafely(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** What a client can put into a path without an escape. */
function toPathCharacters(text: string): string {
  return text.replace(/[^!$&'()*+,\-.:;=@A-Z_a-z~%]/g, '')
}

describeHttpTransports('a random request', (open) => {
  it('is answered below 500, within a second, and changes no prototype', async () => {
    const echo = async (...args: any[]) => ({
      seen: JSON.stringify(args.slice(0, -1)),
      query: args.at(-1).query
    })
    const client = await open((app) => {
      app.use(
        'things',
        { find: echo, get: echo, create: echo, update: echo, patch: echo, remove: echo, echo } as any,
        { methods: ['find', 'get', 'create', 'update', 'patch', 'remove', 'echo'] }
      )
    })

    await fc.assert(
      fc.asyncProperty(requests, async ({ path, query, method, body, headers }) => {
        const hasBody = !['GET', 'HEAD'].includes(method)
        const started = performance.now()
        const response = await client.request(`${path}?${query}`, {
          method,
          headers,
          ...(hasBody && { body })
        })

        await response.text()

        expect(response.status).toBeLessThan(500)
        expect(performance.now() - started).toBeLessThan(15_000)
        expect(Object.keys(Object.prototype)).toEqual([])
        expect(({} as any).polluted).toBeUndefined()
      }),
      { numRuns: scaled(20_000) }
    )
  }, 300_000)
})
