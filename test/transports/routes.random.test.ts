import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scaled } from '../support/scale.ts'
import { describeRemoteTransports } from '../support/transports.ts'
import { show } from './support/routes.ts'

type Route = readonly [verb: string, ...segments: string[]]

const verbs = fc.constantFrom('GET', 'POST', 'PUT', 'PATCH', 'DELETE')

const tables = fc
  .array(
    fc.tuple(
      verbs,
      fc.array(fc.constantFrom('a', 'b', 'feed', 'it-s', 'x@y', '%C3%A9', ':'), {
        minLength: 1,
        maxLength: 4
      })
    ),
    { minLength: 1, maxLength: 12 }
  )
  .map((routes) => {
    const known = new Map<string, Route>()

    for (const [verb, segments] of routes) {
      if (segments.length === 1 && segments[0] === ':' && verb !== 'POST') continue

      known.set(`${verb} ${segments.join('/')}`, [
        verb,
        ...segments.map((one, index) => (one === ':' ? `:p${index}` : one))
      ])
    }

    return [...known.values()]
  })
  .filter((table) => table.length > 0)

const placeholders = fc.constantFrom(
  '1',
  'a',
  'feed',
  'é',
  'a/b',
  '100%',
  ' ',
  '?#',
  '...',
  '__proto__',
  ':p0'
)

/** What a request is to reach: static segments win, from the left to the right. */
function toExpected(table: readonly Route[], [verb, ...segments]: Route): Route | undefined {
  const matching = table.filter(
    ([own, ...parts]) =>
      own === verb &&
      parts.length === segments.length &&
      parts.every((part, index) => part.startsWith(':') || part === segments[index])
  )
  const toRank = ([, ...parts]: Route) => parts.map((part) => (part.startsWith(':') ? '1' : '0')).join('')

  return matching.toSorted((a, b) => (toRank(a) < toRank(b) ? -1 : 1))[0]
}

describeRemoteTransports('random tables of routes', (open) => {
  it('lead each call to its method, with its placeholders', { timeout: 600_000 }, async () => {
    const count = scaled(200)

    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(tables, fc.array(placeholders, { minLength: 20, maxLength: 20 })), {
          minLength: count,
          maxLength: count
        }),
        async (cases) => {
          const client = await open((app) => {
            for (const [index, [table]] of cases.entries()) {
              const methods = table.map((_, position) => `m${position}`)

              app.use(
                `s${index}`,
                Object.fromEntries(
                  methods.map((method) => [
                    method,
                    async (data: any, params: any) => show(method, data, params)
                  ])
                ) as any,
                {
                  methods,
                  routes: Object.fromEntries(
                    table.map(([verb, ...segments], position) => [
                      `${verb} /${segments.join('/')}`,
                      `m${position}`
                    ])
                  )
                }
              )
            }
          })

          for (const [index, [table, values]] of cases.entries()) {
            for (const [position, [verb, ...parts]] of table.entries()) {
              const filled = parts.map((part, depth) =>
                part.startsWith(':') ? (values[(position + depth) % 20] as string) : part
              )
              const path = filled.map((one, depth) =>
                parts[depth]?.startsWith(':') ? encodeURIComponent(one) : one
              )
              const data = Object.fromEntries(
                parts.flatMap((part, depth) => (part.startsWith(':') ? [[part.slice(1), filled[depth]]] : []))
              )

              if (client.provider === 'rest') {
                const expected = toExpected(table, [verb, ...path]) as Route
                const response = await client.request(`/s${index}/${path.join('/')}?q=1`, { method: verb })

                expect(await response.json()).toEqual({
                  method: `m${table.indexOf(expected)}`,
                  data: verb === 'GET' || verb === 'DELETE' ? 'none' : {},
                  route: toRoute(expected, filled),
                  query: { q: '1' }
                })
              }

              // By its name: over a socket, and with the header.
              expect(await client.call(`m${position}`, `s${index}`, { data, query: { q: '1' } })).toEqual({
                method: `m${position}`,
                data: verb === 'GET' || verb === 'DELETE' ? 'none' : {},
                route: toRoute([verb, ...parts], filled),
                query: { q: '1' }
              })
            }
          }
        }
      ),
      { numRuns: 1, endOnFailure: true }
    )
  })
})

function toRoute([, ...parts]: Route, filled: readonly string[]): object {
  return Object.fromEntries(
    parts.flatMap((part, depth) => (part.startsWith(':') ? [[part.slice(1), filled[depth]]] : []))
  )
}
