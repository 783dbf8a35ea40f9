import { describe, expect, it } from 'vitest'
import { startOpenidProvider } from '../support/oidc.ts'
import { allow, logIn, PAGE, startOAuth } from './app.ts'
import { create, WREN } from './strategies.ts'

describe('getRedirect', () => {
  it.each([
    ['/home', undefined, '/home#access_token=testing'],
    ['/home', '/hi-there', '/home/hi-there#access_token=testing'],
    ['/home/', '/hi-there', '/home/hi-there#access_token=testing'],
    ['/home?', undefined, '/home?access_token=testing'],
    ['/#dashboard', undefined, '/#dashboard?access_token=testing'],
    ['/?a=1', undefined, '/?a=1#access_token=testing'],
    ['/', '/home', '/home#access_token=testing'],
    [PAGE, undefined, `${PAGE}#access_token=testing`],
    [PAGE, '/home', `${PAGE}/home#access_token=testing`],
    [`${PAGE}/a`, '/b/', `${PAGE}/a/b/#access_token=testing`],
    [`${PAGE}/?`, '/home', `${PAGE}/home?access_token=testing`],
    [PAGE, '#dashboard', `${PAGE}/#dashboard?access_token=testing`],
    [PAGE, '?tab=2', `${PAGE}/?tab=2#access_token=testing`]
  ])('of the page %s with %s is %s', async (page, redirect, expected) => {
    const { strategy } = await create({ oauth: { redirect: page } })

    expect(
      await strategy.getRedirect({ accessToken: 'testing' }, redirect === undefined ? {} : { redirect })
    ).toBe(expected)
  })

  it('says what went wrong', async () => {
    const { strategy } = await create({ oauth: { redirect: '/home' } })

    expect(await strategy.getRedirect(new Error('something went wrong'), { redirect: '/hi-there' })).toBe(
      '/home/hi-there#error=something%20went%20wrong'
    )
    expect(await strategy.getRedirect(new Error())).toBe(
      '/home#error=OAuth%20Authentication%20not%20successful'
    )
    expect(await strategy.getRedirect(new Error('a&access_token=b#c'))).toBe(
      '/home#error=a%26access_token%3Db%23c'
    )
  })

  it('says what went wrong, also where that is no text of Unicode', async () => {
    const { strategy } = await create({ oauth: { redirect: '/home' } })

    expect(await strategy.getRedirect(new Error('no \ud800'))).toBe('/home#error=no%20%EF%BF%BD')
  })

  it('is null without a page', async () => {
    const { strategy } = await create()

    expect(await strategy.getRedirect({ accessToken: 'testing' })).toBeNull()
    expect(await strategy.getRedirect(new Error(), { redirect: '/home' })).toBeNull()
  })

  it('escapes what stands in a token', async () => {
    const { strategy } = await create({ oauth: { redirect: PAGE } })

    expect(await strategy.getRedirect({ accessToken: 'a&b=c#d e' })).toBe(
      `${PAGE}#access_token=a%26b%3Dc%23d%20e`
    )
  })

  it.each([
    '@attacker.example',
    '.attacker.example',
    '//attacker.example',
    'https://attacker.example',
    ':80'
  ])('refuses %s', async (redirect) => {
    const { strategy } = await create({ oauth: { redirect: PAGE } })

    await expect(strategy.getRedirect({ accessToken: 'testing' }, { redirect })).rejects.toMatchObject({
      name: 'NotAuthenticated',
      message: 'Invalid redirect path.'
    })
  })
})

describe('getAllowedOrigin', () => {
  const origins = ['https://feathersjs.com', 'https://feathers.cloud']

  it.each([
    [undefined, 'https://feathersjs.com'],
    ['https://feathersjs.com/somewhere', 'https://feathersjs.com'],
    ['HTTPS://feathers.CLOUD/x?y#z', 'https://feathers.cloud']
  ])('of the referer %s is %s', async (referer, expected) => {
    const { strategy } = await create({ oauth: { origins } })

    expect(await strategy.getAllowedOrigin({ headers: { referer } } as any)).toBe(expected)
  })

  it.each([
    'https://example.com',
    'https://feathersjs.com.attacker.example',
    'http://feathersjs.com',
    'x',
    '*'
  ])('refuses the referer %s', async (referer) => {
    const { strategy } = await create({ oauth: { origins } })

    await expect(strategy.getAllowedOrigin({ headers: { referer } })).rejects.toMatchObject({ code: 401 })
  })

  it('goes by the setting of the application too', async () => {
    const { strategy } = await create({ origins })

    expect(await strategy.getAllowedOrigin({})).toBe('https://feathersjs.com')
    expect(await strategy.getAllowedOrigin({ headers: { referer: 'https://feathers.cloud/' } })).toBe(
      'https://feathers.cloud'
    )
  })

  it('goes by those of the configuration first', async () => {
    const { strategy } = await create({ origins, oauth: { origins: [PAGE] } })

    expect(await strategy.getAllowedOrigin({})).toBe(PAGE)
    await expect(
      strategy.getAllowedOrigin({ headers: { referer: 'https://feathers.cloud/' } })
    ).rejects.toMatchObject({ code: 401 })
  })

  it('is the page when there are no origins, wherever a login was started', async () => {
    const { strategy } = await create({ oauth: { redirect: '/home' } })

    expect(await strategy.getAllowedOrigin({})).toBe('/home')
    expect(await strategy.getAllowedOrigin({ headers: { referer: 'https://attacker.example' } })).toBe(
      '/home'
    )
    expect(await (await create()).strategy.getAllowedOrigin({})).toBeNull()
  })

  it('of an empty list is the page, at the beginning and at the end of a login', async () => {
    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({
      providers: { nest: provider.openid },
      oauth: { origins: [], redirect: PAGE }
    })

    allow(provider, server, 'nest')

    const response = await logIn(server, server.createAgent(), 'nest', 'wren')

    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toContain(`${PAGE}#access_token=`)
  })
})
