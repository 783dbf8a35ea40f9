import { expect, it } from 'vitest'
import { startOpenidProvider } from '../support/oidc.ts'
import { allow, logIn, PAGE, readHash, readJson, startOAuth } from './app.ts'

it('an exchange of a code sets the refresh token in a cookie, for own pages alone', async () => {
  const provider = await startOpenidProvider({ wren: {} })
  const server = await startOAuth({
    providers: { nest: provider.openid },
    oauth: { redirect: PAGE, delivery: 'code' },
    settings: { refresh: { cookie: true } }
  })

  allow(provider, server, 'nest')

  const code = readHash(await logIn(server, server.createAgent(), 'nest', 'wren')).get('oauth_code')
  const post = (path: string, body: object, headers: object): Promise<Response> =>
    server.send(`${server.origin}/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body)
    })
  const exchange = (Origin: string) => post('oauth/code', { code, refresh: true }, { Origin })

  expect((await exchange('https://evil.example')).status).toBe(403)

  const response = await exchange(server.origin)
  const [cookie = ''] = response.headers.getSetCookie()

  expect(Object.keys(await readJson(response))).toEqual(['accessToken'])
  expect(cookie).toMatch(/^__Host-authentication-refresh=/)

  const Cookie = cookie.split(';')[0] as string
  const refreshed = await post('authentication', { strategy: 'refresh' }, { Origin: server.origin, Cookie })

  expect(await readJson(refreshed)).toMatchObject({ user: { id: 0 } })
})

it('a URL holds no refresh token, though every login lasts, and its access token is one without a session', async () => {
  const provider = await startOpenidProvider({ wren: {} })
  const server = await startOAuth({
    providers: { nest: provider.openid },
    oauth: { redirect: PAGE, delivery: 'hash' },
    settings: { refresh: { always: true } }
  })

  allow(provider, server, 'nest')

  const hash = readHash(await logIn(server, server.createAgent(), 'nest', 'wren'))
  const payload = await server.auth.verifyAccessToken(hash.get('access_token') as string)

  expect([...hash.keys()]).toEqual(['access_token'])
  expect(payload.session).toBeUndefined()
  expect(payload.exp - payload.iat).toBe(86_400)
})
