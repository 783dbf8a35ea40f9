import { expect } from 'vitest'
import { startOpenidProvider } from '../support/oidc.ts'
import type { UserAgent } from '../support/user-agent.ts'
import { allow, type OAuthServer, PAGE, startOAuth } from './app.ts'

export const WREN = { wren: { email: 'wren@example.org', email_verified: true } }

const REFUSED = 'This login was not started in this browser, has been used, or took too long. Start again'

export const FAILED = 'OAuth Authentication not successful'

export const OAUTH = { redirect: PAGE }

/** An application with a provider `nest`, and one with a page. */
export async function start(options: any = {}, names: readonly string[] = ['nest']) {
  const provider = await startOpenidProvider(WREN)
  const providers = Object.fromEntries(names.map((name) => [name, provider.openid]))
  const server = await startOAuth({ providers, ...options })

  allow(provider, server, ...names)

  return { provider, server, agent: server.createAgent() }
}

export async function expectRefusal(response: Response, message = REFUSED): Promise<void> {
  const text = await response.text()

  expect(response.status).toBe(401)
  expect(JSON.parse(text)).toEqual({
    name: 'NotAuthenticated',
    message,
    code: 401,
    className: 'not-authenticated'
  })
  expect(response.headers.get('location')).toBeNull()
  expect(text).not.toMatch(/accessToken|at Logins|node_modules/)
}

export function expectShown(response: Response, message = REFUSED): void {
  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toBe(`${PAGE}#error=${encodeURIComponent(message)}`)
}

/** What a browser has for a server, for requests that it does not make itself. */
export function toCookieHeader(agent: UserAgent, { origin }: OAuthServer): string {
  return [...agent.jar(new URL(origin).host)].map((pair) => pair.join('=')).join('; ')
}
