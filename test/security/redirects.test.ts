import { describe, expect, it } from 'vitest'
import { HTTPS_ORIGIN, PAGE } from '../oauth/app.ts'
import { ATTACKER, BOTH, DENIED, start } from './support/redirects.ts'

// What a page could do with a login: have the token sent to a page of its own.

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

function expectOrigin(location: string, origin: string): void {
  const url = new URL(location)

  expect(url.origin).toBe(origin)
  expect(url.username + url.password).toBe('')
  expect(location).not.toMatch(/[\s\\]/)
  // What stands behind the origin could go on with the host.
  expect(location.slice(origin.length)).toMatch(/^([/?#]|$)/)
}
