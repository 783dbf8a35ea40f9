import { describe, expect, it, vi } from 'vitest'
import { MemoryStorage } from '../../src/client/storage.ts'
import { alula, authentication, rest } from '../../src/client.ts'
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

describe('an exchange of a code that begins a session', () => {
  /** Users who log in through a provider, whose tokens are in a cookie or in bodies. */
  async function start(refresh: object) {
    const provider = await startOpenidProvider({ wren: {}, robin: {} })
    const server = await startOAuth({
      providers: { nest: provider.openid },
      oauth: { redirect: PAGE, delivery: 'code' },
      settings: { refresh }
    })
    const ended: string[] = []

    allow(provider, server, 'nest')
    server.app.on('session:ended', ({ cause, id }: any) => ended.push(`${cause} ${id}`))

    const getCode = async (login = 'wren') =>
      readHash(await logIn(server, server.createAgent(), 'nest', login)).get('oauth_code') as string
    const exchange = async (body: object, headers: object = {}) => {
      const response = await server.send(`${server.origin}/oauth/code`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Origin: server.origin, ...headers },
        body: JSON.stringify(body)
      })
      const [cookie = ''] = response.headers.getSetCookie()
      const tokens = await readJson(response)
      const { session } = await server.auth.verifyAccessToken(tokens.accessToken)

      return { ...tokens, id: session?.id, cookie: cookie.split(';')[0] }
    }
    const refreshBy = (refreshToken: unknown): Promise<any> =>
      server.app.asClient().service('authentication').create({ strategy: 'refresh', refreshToken })

    return { server, ended, getCode, exchange, refreshBy }
  }

  it.each<[string, object, (former: any) => [body: object, headers?: object]]>([
    ['refresh token', {}, ({ refreshToken }) => [{ refreshToken }]],
    ['access token', {}, ({ accessToken }) => [{}, { Authorization: `Bearer ${accessToken}` }]],
    ['cookie', { cookie: true }, ({ cookie }) => [{}, { Cookie: cookie }]]
  ])('replaces that of its user whose %s it carries', async (_what, refresh, carry) => {
    const { ended, getCode, exchange } = await start(refresh)
    const former = await exchange({ code: await getCode(), refresh: true })
    const other = await exchange({ code: await getCode('robin'), refresh: true })
    const [body, headers] = carry(former)

    await exchange({ code: await getCode(), refresh: true, ...body }, headers)
    expect(ended).toEqual([`replaced ${former.id}`])

    const [otherBody, otherHeaders] = carry(other)

    await exchange({ code: await getCode(), refresh: true, ...otherBody }, otherHeaders)
    expect(ended).toHaveLength(1)
  })

  it('replaces none when it is refused, or begins none', async () => {
    const { ended, getCode, exchange, refreshBy, server } = await start({})
    const { refreshToken } = await exchange({ code: await getCode(), refresh: true })

    await exchange({ code: await getCode(), refreshToken })
    expect(
      await server.app.service('oauth/code').create({ code: 'forged', refreshToken }).catch(toCode)
    ).toBe(401)
    await refreshBy(refreshToken)
    expect(ended).toEqual([])
  })

  it('makes no second token for a client that asks for no session', async () => {
    const { getCode, exchange, server } = await start({})
    const code = await getCode()
    const created = vi.spyOn(server.auth.tokens, 'create')

    await exchange({ code })
    expect(created).not.toHaveBeenCalled()
  })

  it('ends the session of a thief when the owner logs in again with the client', async () => {
    const { server, getCode, refreshBy } = await start({ grace: 0 })
    const client: any = alula()
      .configure(rest(server.origin).fetch(fetch))
      .configure(authentication({ storage: new MemoryStorage() }))
    const logInByCode = async () =>
      client.authentication.setAccessToken(
        await client.authentication.getFromLocation({ hash: `#oauth_code=${await getCode()}` })
      )

    await logInByCode()
    await client.reAuthenticate()

    const thief = await refreshBy(await client.authentication.storage.getItem('feathers-jwt-refresh'))

    await server.app
      .asClient({ authentication: { strategy: 'jwt', accessToken: thief.accessToken } })
      .service('notes')
      .find()

    const accessToken = await client.authentication.getAccessToken()

    await expect(client.authentication.renew(accessToken)).rejects.toMatchObject({
      data: { reason: 'behind' }
    })
    await logInByCode()
    await expect(refreshBy(thief.refreshToken)).rejects.toMatchObject({ data: { reason: 'ended' } })
  })
})

function toCode({ code }: { readonly code: number }): number {
  return code
}
