import { NOWHERE, PAGE, startOAuth } from '../../oauth/app.ts'

export const OTHER_PAGE = 'https://other.example.org'

export const ATTACKER = 'attacker.example'

interface Settings {
  readonly redirect?: string
  readonly origins?: readonly string[]
}

export const BOTH: Settings = { origins: [PAGE, OTHER_PAGE] }

export async function start(oauth: Settings = BOTH) {
  const server = await startOAuth({ providers: { nest: NOWHERE }, oauth }, 'Fetch')

  /** Begins a login, has the provider refuse it, and returns where the browser ends. */
  async function follow(search: string, headers: { [name: string]: string } = {}) {
    const agent = server.createAgent()
    const response = await agent.request(`${server.origin}/oauth/nest${search}`, { headers })
    const location = response.headers.get('location')

    if (!location) return { response, end: undefined }

    const state = new URL(location).searchParams.get('state')
    const end = await agent.request(
      `${server.origin}/oauth/nest/callback?error=access_denied&state=${encodeURIComponent(String(state))}`
    )

    return { response, end: end.headers.get('location') as string }
  }

  return { ...server, follow }
}

export const DENIED = 'error=Access%20was%20denied'
