import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scaled } from '../support/scale.ts'
import { NOWHERE, PAGE, startOAuth, transports } from './app.ts'

// Whatever a browser brings, the answer is not the fault of the server, and the browser goes to the page or stays.

const NAMES = [
  ...['state', 'code', 'error', 'iss', 'redirect', 'feathers_token', 'query', 'id_token', 'response', 'user'],
  ...[
    'access_token',
    'token_type',
    'expires_in',
    'scope',
    'oauth',
    'provider',
    '$limit',
    '$select',
    'length'
  ],
  ...['toString', 'valueOf', 'hasOwnProperty', 'then', 'toJSON', '__proto__', 'constructor']
]

const WRAPS = [
  '',
  '',
  '',
  '[]',
  '[a]',
  '[0]',
  '[length]',
  '[a][b]',
  '[$gt]',
  '[toString]',
  '[then]',
  '[toJSON]'
]

const VALUES = [
  ...['', 'x', '/', '//a', '1', '-1', '%00', '%0d%0a', '%C3%A9', '%F0%9F%90%A6', '%', '{}', '[]', 'null'],
  ...['a.b.c', 'eyJhbGciOiJub25lIn0.e30.', 'x'.repeat(900)]
]

const query = fc
  .array(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom(...WRAPS), fc.constantFrom(...VALUES)), {
    maxLength: 5
  })
  .map((parts) => parts.map(([name, wrap, value]) => `${name}${wrap}=${value}`).join('&'))

const step = fc.constantFrom('start', 'callback', 'own callback', 'form')

it.each(Object.keys(transports))(
  'random logins fail in an orderly way, through %s',
  { timeout: 120_000 },
  async (transport) => {
    // Nothing listens at this address.
    const away = { access_url: 'http://127.0.0.1:1/token', profile_url: 'http://127.0.0.1:1/profile' }
    const server = await startOAuth(
      {
        providers: { nest: { ...NOWHERE, ...away, custom_params: { response_mode: 'form_post' } } },
        oauth: { origins: [PAGE] }
      },
      transport
    )
    const base = `${server.origin}/oauth/nest`

    async function send(kind: string, search: string): Promise<Response> {
      const agent = server.createAgent()
      const headers = { Referer: `${PAGE}/home` }

      if (kind === 'start') return agent.request(`${base}?${search}`, { headers })
      if (kind === 'callback') return agent.request(`${base}/callback?${search}`, { headers })
      if (kind === 'form') {
        return agent.request(`${base}/callback`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: search
        })
      }

      const begun = await agent.request(base)
      const state = new URL(begun.headers.get('location') as string).searchParams.get('state')

      return agent.request(`${base}/callback?state=${state}&${search.replace(/(^|&)state=/g, '$1other=')}`)
    }

    await fc.assert(
      fc.asyncProperty(step, query, async (kind, search) => {
        const response = await send(kind, search)
        const location = response.headers.get('location')
        const origins = [PAGE, server.origin, 'https://provider.example.org']

        await response.text()
        expect([303, 400, 401]).toContain(response.status)
        if (location)
          expect(
            origins.some((origin) => location.startsWith(`${origin}/`) || location.startsWith(`${origin}#`))
          ).toBe(true)
        if (location?.startsWith(PAGE)) {
          expect(new URL(location).hash).toMatch(/^#error=/)
          expect(location).not.toMatch(/unexpected|undefined|Cannot%20(?!be%20(reached|used))/i)
        }
      }),
      { numRuns: scaled(4000) }
    )

    expect(await server.users.find({ query: {} })).toEqual([])
  }
)
