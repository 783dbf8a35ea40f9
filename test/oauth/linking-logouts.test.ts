import { expect, it } from 'vitest'
import { AUDIENCE, createKey, startIssuer } from '../support/issuer.ts'
import { readError, start } from './accounts.ts'
import { logIn, PAGE, readHash, visit } from './app.ts'

const OWN = { Referer: `${PAGE}/profile` }

/** Remembers nothing. */
const FORGETFUL = { revoke: () => true, isRevoked: () => false }

const REFUSED = 'You are no longer logged in. Log in and start again'

/** An application whose first user has logged in, for a session where `refresh` is on. */
async function startLoggedIn(settings: object, options: object = {}) {
  const { server, agent, findUsers } = await start({ ...options, settings })
  const [user] = await findUsers()
  const { accessToken } = await server.auth.issueToken({ user }, { refresh: 'refresh' in settings })

  return {
    ...{ server, accessToken, findUsers },
    verify: (token: string) => server.auth.verifyAccessToken(token),
    visit: () => visit(server, agent, 'nest', 'wren', `?feathers_token=${accessToken}`, OWN),
    link: () => logIn(server, agent, 'nest', 'wren', `?feathers_token=${accessToken}`, OWN),
    end: async (callback: string) => agent.request(callback)
  }
}

it('a token that has expired connects no account: its revocation is no longer stored', async () => {
  const { server, visit, end, verify, accessToken, findUsers } = await startLoggedIn({
    jwtOptions: { expiresIn: '2s' }
  })
  const callback = await visit()

  await server.auth.remove(null, { authentication: { strategy: 'jwt', accessToken } })
  await expect.poll(() => verify(accessToken).catch(({ message }: Error) => message)).toBe('jwt expired')
  // As if the entry was gone, which is kept as long as the token lives.
  server.app.get('authentication').revocation = FORGETFUL

  expect(readError(await end(callback))).toBe(REFUSED)
  expect(await findUsers()).toEqual([{ id: 0, name: 'robin' }])
})

it('a session that has ended connects no account, however long ago that was', async () => {
  const { server, visit, end, findUsers } = await startLoggedIn({ refresh: {}, revocation: FORGETFUL })
  const callback = await visit()

  await server.auth.endSessions(0)

  expect(readError(await end(callback))).toBe(REFUSED)
  expect(await findUsers()).toEqual([{ id: 0, name: 'robin' }])
})

it.each<[string, (service: any) => void]>([
  ['as it is', () => undefined],
  [
    'with a payload of its own',
    (service) => {
      service.getPayload = async () => ({ own: true })
    }
  ],
  [
    'with a hook that sets the payload',
    (service) => {
      service.hooks({
        before: {
          create: [
            (context: any) => {
              context.params.payload = { own: true }
              context.params.jwtOptions = { expiresIn: '30d' }
            }
          ]
        }
      })
    }
  ]
])(
  'a session connects an account %s when its access token has expired, and the new token belongs to it',
  async (_name, change) => {
    const { server, visit, end, verify, accessToken, findUsers } = await startLoggedIn({
      refresh: { always: true, accessExpiresIn: '2s' }
    })
    const { session, auth_time } = await verify(accessToken)
    const callback = await visit()

    await expect.poll(() => verify(accessToken).catch(({ message }: Error) => message)).toBe('jwt expired')
    server.app.get('authentication').refresh = { always: true, accessExpiresIn: '5m' }
    change(server.auth)

    const linked = readHash(await end(callback)).get('access_token') as string
    const payload = await verify(linked)

    expect(await findUsers()).toEqual([{ id: 0, name: 'robin', nestId: 'wren' }])
    expect(payload).toMatchObject({ session, auth_time })
    expect(payload.exp - payload.iat).toBe(300)
    await server.auth.endSessions(0)
    await expect(verify(linked)).rejects.toThrow('jwt revoked')
  }
)

it('a session that connects an account gets no other one by an exchange of the code', async () => {
  const { server, end, visit, verify, accessToken } = await startLoggedIn(
    { refresh: {} },
    { oauth: { origins: [PAGE], delivery: 'code' } }
  )
  const { session, auth_time } = await verify(accessToken)
  const code = readHash(await end(await visit())).get('oauth_code')
  const tokens = await server.app.service('oauth/code').create({ code, refresh: true })

  expect(Object.keys(tokens)).toEqual(['accessToken'])
  expect(await verify(tokens.accessToken)).toMatchObject({ session, auth_time })
  await server.auth.endSessions(0)
  await expect(verify(tokens.accessToken)).rejects.toThrow('jwt revoked')
})

it('a token of another issuer connects no account after a logout', async () => {
  const issuer = await startIssuer(createKey('one'))
  const found: { users?: any } = {}
  const { server, agent, findUsers } = await start({
    settings: {
      jwt: {
        issuers: [
          {
            ...{ issuer: issuer.issuer, jwks: issuer.jwks, audience: AUDIENCE },
            toUser: () => found.users.get(0)
          }
        ]
      }
    }
  })

  found.users = server.users

  const accessToken = await issuer.getToken()
  const callback = await visit(server, agent, 'nest', 'wren', `?feathers_token=${accessToken}`, OWN)

  await server.auth.remove(null, { authentication: { strategy: 'jwt', accessToken } })

  expect(readError(await agent.request(callback))).toBe(REFUSED)
  expect(await findUsers()).toEqual([{ id: 0, name: 'robin' }])
})
