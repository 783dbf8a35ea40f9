import { describe, expect, it } from 'vitest'
import type { OAuthStrategy } from '../../src/oauth.ts'
import { PAGE } from '../oauth/app.ts'
import { ATTACKER, DENIED, OTHER_PAGE, start } from './support/redirects.ts'

// What a page could do with a login: begin one elsewhere, and have its token sent to itself.

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
