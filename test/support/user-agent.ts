import { parseCookies } from '../../src/utils/cookie.ts'

/** Answers a request, as `fetch` does. */
export type Send = (url: string | URL, init?: RequestInit) => Promise<Response>

/** A form that a page asks the browser to send at once, to another site. */
export interface SentForm {
  readonly action: string
  readonly fields: { readonly [name: string]: string }
}

/** A request of a page. */
interface AgentRequest extends Omit<RequestInit, 'headers'> {
  readonly headers?: { readonly [name: string]: string | undefined }
}

/** What a browser does with redirects and cookies, without a page. */
export class UserAgent {
  /** By host and name. */
  readonly cookies = new Map<string, Map<string, string>>()
  private readonly send: Send

  /** @param send What requests go through */
  constructor(send: Send = fetch) {
    this.send = send
  }

  /**
   * Requests a URL, and follows no redirect. What is no read comes from a page of the same origin, unless the headers
   * have another `Origin`; with `undefined` it comes from nowhere.
   */
  async request(url: string | URL, init: AgentRequest = {}): Promise<Response> {
    const { host, origin } = new URL(url)
    const own = init.method && !['GET', 'HEAD'].includes(init.method) ? { Origin: origin } : {}
    const headers = Object.entries({ ...own, ...init.headers }).filter(([, value]) => value !== undefined)
    const cookies = [...this.jar(host)].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await this.send(url, {
      ...init,
      redirect: 'manual',
      headers: { ...(cookies && { cookie: cookies }), ...Object.fromEntries(headers) }
    })

    for (const header of response.headers.getSetCookie()) this.keep(host, header)

    return response
  }

  /** The cookies of a host. */
  jar(host: string): Map<string, string> {
    if (!this.cookies.has(host)) this.cookies.set(host, new Map())

    return this.cookies.get(host) as Map<string, string>
  }

  private keep(host: string, header: string): void {
    const [[name, value] = ['', '']] = parseCookies(header)

    if (/max-age=0\b|expires=Thu, 01 Jan 1970/i.test(header)) this.jar(host).delete(name)
    else this.jar(host).set(name, value)
  }
}

/**
 * Logs in at a provider, and agrees to what it asks.
 *
 * @param agent The browser
 * @param location Where it was sent to
 * @param login The account
 * @returns Where it is sent back to
 */
export async function logInAtProvider(agent: UserAgent, location: string, login: string): Promise<string> {
  const end = await walk(agent, location, (url, page) => answerForm(agent, url, page, login))

  if (typeof end !== 'string') throw new Error(`The provider answers with a form: ${end.action}`)

  return end
}

/** The same, for a provider that was told to answer with a form. Returns what the browser has to post. */
export async function logInAtFormProvider(
  agent: UserAgent,
  location: string,
  login: string
): Promise<SentForm> {
  const end = await walk(agent, location, (url, page) => answerForm(agent, url, page, login))

  if (typeof end === 'string') throw new Error(`The provider answers without a form: ${end}`)

  return end
}

/** Refuses at a provider what it asks. Returns where the browser is sent back to. */
export async function denyAtProvider(agent: UserAgent, location: string): Promise<string> {
  const end = await walk(agent, location, async (url, page) => {
    const abort = /href="([^"]+\/abort)"/.exec(page)?.[1]

    if (!abort) throw new Error(`The provider does not take no for an answer: ${page.slice(0, 2000)}`)

    return new URL(abort, url).href
  })

  return end as string
}

/** Follows redirects, and has pages answered, until the browser leaves the site. */
async function walk(
  agent: UserAgent,
  location: string,
  answer: (url: string, page: string) => Promise<string>
): Promise<string | SentForm> {
  const { origin } = new URL(location)
  let url = location

  for (let step = 0; step < 20; step++) {
    const response = await agent.request(url)
    const next = response.headers.get('location')
    const page = await response.text()
    const action = /action="([^"]+)"/.exec(page)?.[1]

    if (next) url = new URL(next, url).href
    else if (action && new URL(action, url).origin !== origin) return { action, fields: readFields(page) }
    else url = await answer(url, page)

    if (new URL(url).origin !== origin) return url
  }

  throw new Error(`The provider does not come to an end: ${url}`)
}

async function answerForm(agent: UserAgent, url: string, page: string, login: string): Promise<string> {
  const action = /action="([^"]+)"/.exec(page)?.[1]
  const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1]

  if (!action || !prompt) throw new Error(`The provider shows no form: ${page.slice(0, 2000)}`)

  const response = await agent.request(new URL(action, url), {
    method: 'POST',
    body: new URLSearchParams({ prompt, ...(prompt === 'login' && { login, password: 'any' }) })
  })

  await response.text()

  return new URL(response.headers.get('location') as string, url).href
}

function readFields(page: string): { [name: string]: string } {
  return Object.fromEntries(
    [...page.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value])
  )
}
