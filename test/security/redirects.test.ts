import { describe, expect, it } from 'vitest'
import type { OAuthStrategy } from '../../src/oauth.ts'
import { HTTPS_ORIGIN, NOWHERE, PAGE, startOAuth } from '../oauth/app.ts'

const OTHER_PAGE = 'https://other.example.org'

const ATTACKER = 'attacker.example'

/** What would lead to another origin, or might in a browser that reads it in another way. */
const HOSTILE_REDIRECTS = [
  // Behind the origin, as text.
  '@attacker.example',
  ':x@attacker.example',
  '.attacker.example',
  '-attacker.example',
  'attacker.example',
  ':80@attacker.example/',
  ':443',
  '%40attacker.example',
  // What the page would take for the answer to the login.
  '/x#access_token=of.the.attacker',
  '#access_token=of.the.attacker&y=',
  '#/nests?access_token=of.the.attacker',
  '/#y&oauth_code=of-the-attacker',
  '?a=1#error=Call%20this%20number',
  '#access%5Ftoken=of.the.attacker',
  '/x#a=%zz&%61ccess_token=of.the.attacker',
  '#/nests?%6fauth_code=of-the-attacker',
  // Other hosts.
  '//attacker.example',
  '///attacker.example',
  '////attacker.example',
  '//attacker.example/%2f..',
  '//app.example.org@attacker.example',
  '//attacker.example:443/',
  '//attacker%E3%80%82example',
  '//2130706433/',
  '//[::1]/',
  '//[::ffff:127.0.0.1]/',
  '/\\attacker.example',
  '/\\/attacker.example',
  '\\attacker.example',
  '\\\\attacker.example',
  '\\/attacker.example',
  '/home\\..\\..\\attacker.example',
  '/x\\@attacker.example',
  // What browsers leave out.
  '/\t/attacker.example',
  '/\n/attacker.example',
  '/\r/attacker.example',
  '\t//attacker.example',
  ' //attacker.example',
  '\n//attacker.example',
  '/\u00a0/attacker.example',
  '/\u2028/attacker.example',
  '/\ufeff/attacker.example',
  '/\0/attacker.example',
  '/home\0',
  '\0/home',
  '/\u0085/attacker.example',
  '/\u007f/attacker.example',
  '/home\r\nLocation: https://attacker.example',
  '/home\r\n\r\n<script>alert(1)</script>',
  '/\u000b/attacker.example',
  '/ /attacker.example',
  '/home /x',
  '?a= b',
  '#a\tb',
  // Other schemes, and whole addresses.
  'https://attacker.example',
  'HTTPS://attacker.example',
  'https:/attacker.example',
  'https:attacker.example',
  'https:\\\\attacker.example',
  'http://app.example.org',
  'https://app.example.org',
  'https://app.example.org@attacker.example',
  'https://app.example.org.attacker.example',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'file:///etc/passwd',
  'blob:https://app.example.org/x',
  'ftp://attacker.example',
  'ws://attacker.example',
  'about:blank',
  'view-source:https://attacker.example',
  'mailto:wren@attacker.example',
  'x:',
  // Of no kind.
  'home',
  './home',
  '../home',
  '..//attacker.example',
  '.',
  '\uff0f\uff0fattacker.example',
  '\u2044\u2044attacker.example',
  '\u3002attacker.example',
  '\uff20attacker.example',
  '\u202e/home',
  '*',
  '&redirect=https://attacker.example',
  ';//attacker.example',
  'null',
  'undefined',
  '[object Object]'
]

/** What looks as if it would lead away, and is a path of the page. */
const TAMED_REDIRECTS = [
  '/.//attacker.example',
  '/..//attacker.example',
  '/../../attacker.example',
  '/%2e%2e//attacker.example',
  '/.%2e/%2e./attacker.example',
  '/%09/attacker.example',
  '/%0a/attacker.example',
  '/%0d%0aLocation:%20https://attacker.example',
  '/%00/attacker.example',
  '/%5cattacker.example',
  '/%5c%5cattacker.example',
  '/%2fattacker.example',
  '/%2f%2fattacker.example',
  '/%252f%252fattacker.example',
  '/@attacker.example',
  '/:@attacker.example',
  '/x//attacker.example',
  '/https://attacker.example',
  '/javascript:alert(1)',
  '/;@attacker.example',
  '/home?next=https://attacker.example',
  '/home#//attacker.example',
  '/home#@attacker.example',
  '#@attacker.example',
  '#//attacker.example',
  '#javascript:alert(1)',
  '?@attacker.example',
  '?//attacker.example',
  '?x=//attacker.example#access_token=forged',
  '/\u3002attacker.example',
  '/\uff0f\uff0fattacker.example',
  '/\uff0e\uff0e/attacker.example',
  '/\uff20attacker.example',
  '/\u202eelpmaxe.rekcatta',
  '/%',
  '/%zz',
  '/"><script>alert(1)</script>',
  "/'onload=alert(1)",
  `/${'x'.repeat(2000)}`,
  `/${'../'.repeat(600)}attacker.example`
]

const GOOD_REDIRECTS = [
  ['', `${PAGE}#`],
  ['/', `${PAGE}/#`],
  ['/home', `${PAGE}/home#`],
  ['/home/', `${PAGE}/home/#`],
  ['/home/of/the-wren', `${PAGE}/home/of/the-wren#`],
  ['/home?tab=2', `${PAGE}/home?tab=2#`],
  ['/home?', `${PAGE}/home#`],
  ['?tab=2', `${PAGE}/?tab=2#`],
  ['#/nests', `${PAGE}/#/nests?`],
  ['#nests', `${PAGE}/#nests?`],
  ['/home#nests', `${PAGE}/home#nests?`],
  ['/home?tab=2#nests', `${PAGE}/home?tab=2#nests?`],
  ['/caf%C3%A9', `${PAGE}/caf%C3%A9#`],
  ['/café', `${PAGE}/caf%C3%A9#`],
  ['/a%20b', `${PAGE}/a%20b#`]
] as const

/** What is not the origin of the page. */
const HOSTILE_REFERERS = [
  'https://attacker.example',
  'https://attacker.example/https://app.example.org',
  'https://attacker.example/?https://app.example.org',
  'https://attacker.example/#https://app.example.org',
  'https://app.example.org.attacker.example',
  'https://app.example.org.attacker.example/home',
  'https://app.example.orgattacker.example',
  'https://app.example.org-attacker.example',
  'https://app.example.org@attacker.example',
  'https://app.example.org:443@attacker.example',
  'https://wren@app.example.org',
  'https://wren:secret@app.example.org',
  'https://attacker.example\\@app.example.org',
  'https://attacker.example\\.app.example.org',
  'https://x.app.example.org',
  'https://app.example.or',
  'https://app.example.org.',
  'https://example.org',
  'https://pp.example.org',
  'https://xapp.example.org',
  'http://app.example.org',
  'http://app.example.org:443',
  'https://app.example.org:444',
  'https://app.example.org:80',
  'https://app.example.org:8443',
  'wss://app.example.org',
  'ftp://app.example.org',
  'file://app.example.org/',
  'blob:https://app.example.org/x',
  'javascript://app.example.org/%0aalert(1)',
  'data:text/html,https://app.example.org',
  'about:srcdoc',
  'null',
  'undefined',
  '*',
  '/',
  '//app.example.org',
  'app.example.org',
  'https://',
  'https:///',
  'https://[::1]',
  'https://[::1]:443',
  'https://[::ffff:127.0.0.1]',
  'https://127.0.0.1',
  'http://localhost',
  'http://localhost:3030',
  'https://app%2eexample%2eorg.attacker.example',
  'https://app.example.org%2eattacker.example',
  'https://app.example.org%00.attacker.example',
  'https://app.example.org%40attacker.example',
  'https://app.example.org, https://attacker.example',
  'https://attacker.example, https://app.example.org',
  'https://attacker.example https://app.example.org',
  'https://xn--app-example-org.attacker.example',
  'https://аpp.example.org',
  `https://${'a'.repeat(60)}.attacker.example/${'x'.repeat(4000)}`
]

/** What a browser may send from the page. */
const GOOD_REFERERS = [
  [`${PAGE}`, PAGE],
  [`${PAGE}/`, PAGE],
  [`${PAGE}/home?tab=2`, PAGE],
  [`${PAGE}:443/home`, PAGE],
  ['HTTPS://APP.EXAMPLE.ORG/home', PAGE],
  [`${PAGE}/@attacker.example`, PAGE],
  [`${PAGE}/?https://attacker.example`, PAGE],
  [OTHER_PAGE, OTHER_PAGE],
  [`${OTHER_PAGE}/x`, OTHER_PAGE]
] as const

interface Settings {
  readonly redirect?: string
  readonly origins?: readonly string[]
}

const BOTH: Settings = { origins: [PAGE, OTHER_PAGE] }

async function start(oauth: Settings = BOTH) {
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

const DENIED = 'error=Access%20was%20denied'

describe('after a login the browser does not go', () => {
  it.each(HOSTILE_REDIRECTS.map((redirect) => [JSON.stringify(redirect), redirect]))(
    'to %s',
    async (_name, redirect) => {
      const { follow } = await start()
      const { response, end } = await follow(`?redirect=${encodeURIComponent(redirect)}`)
      const text = await response.text()

      expect(end).toBeUndefined()
      expect(response.status).toBe(401)
      expect(JSON.parse(text)).toMatchObject({ name: 'NotAuthenticated', message: 'Invalid redirect path.' })
      expect(text).not.toContain(ATTACKER)
      expect(response.headers.getSetCookie()).toEqual([])
    }
  )

  it.each([
    ['a page of another site', 'cross-site'],
    ['a link that somebody has sent', 'none']
  ])('where %s says, though it hides what it is', async (_name, site) => {
    const { origin, send } = await start()
    const open = (search: string) =>
      send(`${origin}/oauth/nest${search}`, { headers: { 'Sec-Fetch-Site': site }, redirect: 'manual' })

    expect((await open('?redirect=/home')).status).toBe(401)
    // To log in is another matter.
    expect((await open('')).status).toBe(303)
  })

  it.each([
    ['a page of the server, without a referrer', { 'Sec-Fetch-Site': 'same-origin' }],
    ['a page of the site, without a referrer', { 'Sec-Fetch-Site': 'same-site' }],
    ['a page of the application on another site', { 'Sec-Fetch-Site': 'cross-site', Referer: `${PAGE}/` }]
  ])('anywhere else than %s says', async (_name, headers) => {
    const { origin, send } = await start()
    const init = { headers: headers as Record<string, string>, redirect: 'manual' as const }

    expect((await send(`${origin}/oauth/nest?redirect=/home`, init)).status).toBe(303)
  })

  it.each([
    ['a list', '?redirect[]=/home'],
    ['a list of two', '?redirect=/home&redirect=//attacker.example'],
    ['a list that begins with nothing', '?redirect=&redirect=//attacker.example'],
    ['an object', '?redirect[a]=/home'],
    ['an object that has a length', '?redirect[length]=5&redirect[0]=/'],
    ['an object that says that it is a text', '?redirect[toString]=/home'],
    ['a list of lists', '?redirect[][]=/home']
  ])('where %s says', async (_name, search) => {
    const { follow } = await start()
    const { response, end } = await follow(search)

    expect(end).toBeUndefined()
    expect(response.status).toBe(401)
  })

  it.each([
    ['__proto__', '?redirect[__proto__]=/home'],
    ['constructor', '?redirect[constructor]=/home']
  ])('where an object with %s says', async (_name, search) => {
    const { follow } = await start()

    expect((await follow(search)).response.status).toBe(400)
  })

  it.each<[unknown]>([[undefined], [1], [true], [{}], [[]], [['/home']], [null], [{ toString: '/home' }]])(
    'where the data %j of a program say',
    async (redirect) => {
      const { origin, send } = await start()
      const response = await send(`${origin}/oauth/nest`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ redirect })
      })

      expect(response.status).toBe(redirect === undefined ? 201 : 401)
    }
  )

  it.each(HOSTILE_REDIRECTS.map((redirect) => [JSON.stringify(redirect), redirect]))(
    'to %s when the page is a path of the server',
    async (_name, redirect) => {
      const { follow } = await start({ redirect: '/' })

      expect((await follow(`?redirect=${encodeURIComponent(redirect)}`)).response.status).toBe(401)
    }
  )
})

describe('after a login the browser stays on the page', () => {
  it.each(TAMED_REDIRECTS.map((redirect) => [JSON.stringify(redirect).slice(0, 60), redirect]))(
    'for %s',
    async (_name, redirect) => {
      for (const oauth of [
        BOTH,
        { redirect: PAGE },
        { redirect: `${PAGE}/home` },
        { redirect: `${PAGE}/?` }
      ]) {
        const { follow } = await start(oauth)
        const { response, end } = await follow(`?redirect=${encodeURIComponent(redirect)}`)

        if (end === undefined) expect([400, 401], String(oauth.redirect)).toContain(response.status)
        else expectOrigin(end, PAGE)
      }
    }
  )

  it.each(TAMED_REDIRECTS.map((redirect) => [JSON.stringify(redirect).slice(0, 60), redirect]))(
    'for %s, when that is on the server itself',
    async (_name, redirect) => {
      for (const page of ['/', '/home', '/home/', '/?', '/#', '/#home']) {
        const { follow } = await start({ redirect: page })
        const { response, end } = await follow(`?redirect=${encodeURIComponent(redirect)}`)

        if (end === undefined) {
          expect([400, 401], page).toContain(response.status)
        } else {
          expect(end, page).toMatch(/^\/(?![/\\])/)
          expectOrigin(new URL(end, HTTPS_ORIGIN).href, HTTPS_ORIGIN)
        }
      }
    }
  )

  it.each(GOOD_REDIRECTS)('and goes to %j', async (redirect, expected) => {
    const { follow } = await start()
    const { end } = await follow(`?redirect=${encodeURIComponent(redirect)}`)

    expect(end).toBe(`${expected}${DENIED}`)
    expectOrigin(String(end), PAGE)
  })

  it('whatever the callback asks for', async () => {
    const { createAgent, origin } = await start()
    const agent = createAgent()
    const begun = await agent.request(`${origin}/oauth/nest?redirect=/home`)
    const state = new URL(begun.headers.get('location') as string).searchParams.get('state')
    const response = await agent.request(
      `${origin}/oauth/nest/callback?error=access_denied&state=${state}&redirect=//attacker.example`,
      { headers: { Referer: 'https://attacker.example/', Origin: 'https://attacker.example' } }
    )

    expect(response.headers.get('location')).toBe(`${PAGE}/home#${DENIED}`)
  })

  it('when a callback belongs to no login', async () => {
    const { send, origin } = await start()

    for (const search of ['', '?redirect=//attacker.example', '?state=x&redirect=@attacker.example']) {
      const response = await send(`${origin}/oauth/nest/callback${search}`, {
        headers: { Referer: 'https://attacker.example/' }
      })

      expectOrigin(response.headers.get('location') as string, PAGE)
    }
  })
})

describe('a login does not begin', () => {
  it.each(HOSTILE_REFERERS.map((referer) => [referer.slice(0, 80), referer]))(
    'on the page %s',
    async (_name, referer) => {
      const { app, follow } = await start()
      const strategy = app.service('authentication').getStrategy('nest') as OAuthStrategy

      await expect(strategy.getAllowedOrigin({ headers: { referer } })).rejects.toMatchObject({
        name: 'NotAuthenticated',
        code: 401
      })

      // What a header can hold.
      if (!/^[\x20-\x7e]+$/.test(referer)) return

      const { response, end } = await follow('?redirect=/home', { Referer: referer })

      expect(end).toBeUndefined()
      expect(response.status).toBe(401)
      expect(await response.text()).not.toContain(ATTACKER)
    }
  )

  it.each<[string, unknown]>([
    ['a tab', 'https://app.example.org\t.attacker.example'],
    ['a line break', 'https://app.example.org\n.attacker.example'],
    ['NUL', 'https://app.example.org\0.attacker.example'],
    ['a list', ['https://app.example.org', 'https://attacker.example']],
    ['a list of one that is not allowed', ['https://attacker.example']],
    ['an object', { toString: () => 'https://attacker.example' }]
  ])('on a page whose address has %s', async (_name, referer) => {
    const { app } = await start()
    const strategy = app.service('authentication').getStrategy('nest') as OAuthStrategy

    await expect(strategy.getAllowedOrigin({ headers: { referer } } as any)).rejects.toMatchObject({
      code: 401
    })
  })
})

describe('a login leads back', () => {
  it.each(GOOD_REFERERS)('to the page %s', async (referer, origin) => {
    const { follow } = await start()
    const { end } = await follow('?redirect=/home', { Referer: referer })

    expect(end).toBe(`${origin}/home#${DENIED}`)
  })

  it('to the first page that is allowed when it comes from none', async () => {
    const { follow } = await start()

    expect((await follow('')).end).toBe(`${PAGE}#${DENIED}`)
  })

  it.each(['http://localhost', 'http://localhost:5173', 'http://localhost:1/home', 'http://LOCALHOST:65535'])(
    'to any port of this machine: %s',
    async (referer) => {
      const { follow } = await start({ origins: [PAGE, 'http://localhost:3030'] })
      const { end } = await follow('', { Referer: referer })

      expect(end).toBe(`${new URL(referer).origin}#${DENIED}`)
    }
  )

  it.each([
    'https://localhost:3030',
    'http://127.0.0.1:3030',
    'http://[::1]:3030',
    'http://localhost.attacker.example:3030',
    'http://localhost@attacker.example',
    'http://attacker.example:3030',
    'http://xlocalhost:3030',
    'http://localhost.:3030',
    'http://0.0.0.0:3030'
  ])('to this machine only as it is written: not %s', async (referer) => {
    const { follow } = await start({ origins: [PAGE, 'http://localhost:3030'] })

    expect((await follow('', { Referer: referer })).response.status).toBe(401)
  })

  it('to the one page there is, wherever it was begun', async () => {
    const { follow } = await start({ redirect: `${PAGE}/home` })

    for (const referer of HOSTILE_REFERERS.filter((text) => /^[\x20-\x7e]+$/.test(text))) {
      expect((await follow('', { Referer: referer })).end).toBe(`${PAGE}/home#${DENIED}`)
    }
  })
})

function expectOrigin(location: string, origin: string): void {
  const url = new URL(location)

  expect(url.origin).toBe(origin)
  expect(url.username + url.password).toBe('')
  expect(location).not.toMatch(/[\s\\]/)
  // What stands behind the origin could go on with the host.
  expect(location.slice(origin.length)).toMatch(/^([/?#]|$)/)
}
