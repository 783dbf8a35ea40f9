import { describe, expect, it } from 'vitest'
import { authenticate } from '../../src/authentication.ts'
import { Conflict } from '../../src/errors.ts'
import { logInAtProvider } from '../support/user-agent.ts'
import { EMAIL, readError, start } from './accounts.ts'
import { createToken, logIn, type OAuthServer, PAGE, readJson, visit } from './app.ts'

const OWN = { Referer: `${PAGE}/profile` }

const FOREIGN = { Referer: 'https://attacker.example/' }

/** The query by which a page connects an account to the first user. */
async function toConnection(server: OAuthServer): Promise<string> {
  return `?feathers_token=${await createToken(server, 0)}`
}

describe('an account is connected to who has logged in', () => {
  it('by a program that posts with a token', async () => {
    const { server, agent, findUsers } = await start()
    const response = await agent.request(`${server.origin}/oauth/nest`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Authorization: `Bearer ${await createToken(server, 0)}`
      },
      body: JSON.stringify({ redirect: '/profile' })
    })
    const { location } = await readJson(response)
    const end = await agent.request(await logInAtProvider(agent, location, 'wren'))

    expect(end.headers.get('location')).toContain(`${PAGE}/profile#access_token=`)
    expect(await findUsers()).toEqual([{ id: 0, name: 'robin', nestId: 'wren' }])
  })

  it('by a page that gives the token', async () => {
    const { server, agent, findUsers } = await start()

    await logIn(server, agent, 'nest', 'wren', await toConnection(server), OWN)

    expect(await findUsers()).toEqual([{ id: 0, name: 'robin', nestId: 'wren' }])
  })

  it('by a page of the server itself', async () => {
    const { server, agent, findUsers } = await start({ oauth: { redirect: '/home' } })

    await logIn(server, agent, 'nest', 'wren', await toConnection(server), {
      Referer: `${server.origin}/home`
    })

    expect(await findUsers()).toEqual([{ id: 0, name: 'robin', nestId: 'wren' }])
  })

  it('by a cookie, on a page of the application', async () => {
    const { server, agent, findUsers } = await start()

    agent.jar(new URL(server.origin).host).set('session', await createToken(server, 0))
    await logIn(server, agent, 'nest', 'wren', '', OWN)

    expect(await findUsers()).toEqual([{ id: 0, name: 'robin', nestId: 'wren' }])
  })

  it('by a cookie, with a request of a page of the application', async () => {
    const { server, agent, findUsers } = await start()

    agent.jar(new URL(server.origin).host).set('session', await createToken(server, 0))

    const response = await agent.request(`${server.origin}/oauth/nest`, {
      method: 'POST',
      headers: { Origin: PAGE }
    })

    await agent.request(await logInAtProvider(agent, (await readJson(response)).location, 'wren'))

    expect(await findUsers()).toEqual([{ id: 0, name: 'robin', nestId: 'wren' }])
  })

  it('one provider after another, and logs in with both', async () => {
    const { server, agent, findUsers } = await start()
    const token = await createToken(server, 0)

    await logIn(server, agent, 'nest', 'wren', `?feathers_token=${token}`, OWN)
    await logIn(server, agent, 'tree', 'of-the-tree', `?feathers_token=${token}`, OWN)

    expect(await findUsers()).toEqual([{ id: 0, name: 'robin', nestId: 'wren', treeId: 'of-the-tree' }])

    await logIn(server, server.createAgent(), 'nest', 'wren')
    await logIn(server, server.createAgent(), 'tree', 'of-the-tree')

    expect(await findUsers()).toHaveLength(1)
  })

  it('again without harm', async () => {
    const { server, agent, findUsers } = await start({}, [{ name: 'robin', nestId: 'wren' }])
    const response = await logIn(server, agent, 'nest', 'wren', await toConnection(server), OWN)

    expect(readError(response)).toBeNull()
    expect(await findUsers()).toHaveLength(1)
  })

  it('whatever the e-mail addresses are', async () => {
    const { server, agent, findUsers } = await start({ oauth: { origins: [PAGE], ...EMAIL } }, [
      { name: 'robin', email: 'robin@example.org', isVerified: false }
    ])

    await logIn(server, agent, 'nest', 'unsure', await toConnection(server), OWN)

    expect(await findUsers()).toEqual([
      { id: 0, name: 'robin', email: 'robin@example.org', isVerified: false, nestId: 'unsure' }
    ])
  })
})

describe('an account is not connected', () => {
  it.each([
    ['another page', FOREIGN],
    ['no page', {}],
    ['a page that looks alike', { Referer: `${PAGE}.attacker.example/` }]
  ])('when the token comes from %s', async (_name, headers) => {
    // Without origins a login may begin anywhere.
    const { server, agent, findUsers } = await start({ oauth: { redirect: `${PAGE}/home` } })
    const response = await agent.request(`${server.origin}/oauth/nest${await toConnection(server)}`, {
      headers: headers as Record<string, string>
    })

    expect(response.status).toBe(401)
    expect((await readJson(response)).message).toBe(
      'An account can be connected from a page of the application only'
    )
    expect(response.headers.getSetCookie()).toEqual([])
    expect(await findUsers()).toEqual([{ id: 0, name: 'robin' }])
  })

  it.each([
    ['another page', FOREIGN],
    ['no page', {}]
  ])('by a cookie on %s: it is a login like any other', async (_name, headers) => {
    const { server, agent, findUsers } = await start({
      oauth: { redirect: `${PAGE}/home` },
      settings: { jwt: { cookie: 'session' } }
    })

    agent.jar(new URL(server.origin).host).set('session', await createToken(server, 0))
    await logIn(server, agent, 'nest', 'wren', '', headers as Record<string, string>)

    expect(await findUsers()).toEqual([
      { id: 0, name: 'robin' },
      { id: 1, nestId: 'wren' }
    ])
  })

  it.each([
    ['another host of the site', { Origin: 'https://blog.example.org' }],
    ['another page', { ...FOREIGN, Origin: undefined }],
    ['a page without an origin', { Origin: 'null' }],
    ['nowhere', { Origin: undefined }]
  ])('by a cookie in a request that %s has sent', async (_name, headers) => {
    const { server, agent, findUsers } = await start()

    agent.jar(new URL(server.origin).host).set('session', await createToken(server, 0))

    const response = await agent.request(`${server.origin}/oauth/nest`, { method: 'POST', headers })

    expect(response.status).toBe(403)
    expect(response.headers.getSetCookie()).toEqual([])
    expect(await findUsers()).toEqual([{ id: 0, name: 'robin' }])
  })

  it('by an old login, where hooks ask for a fresh one', async () => {
    const loginOnly = async ({ params }: any) => {
      const { feathers_token: _, ...query } = params.query

      Object.assign(params, { query, authentication: undefined })
    }
    const { server, agent, findUsers } = await start()
    const createOld = () =>
      server.auth.createAccessToken({ iat: Math.floor(Date.now() / 1000) - 3600 }, { subject: '0' })
    const post = async (token: string, browser = agent) =>
      browser.request(`${server.origin}/oauth/nest`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        body: '{}'
      })

    server.app.service('oauth/:provider').hooks({
      before: {
        find: [loginOnly],
        create: [authenticate({ strategies: ['jwt'], optional: true, fresh: '10m' })]
      }
    })

    expect(await readJson(await post(await createOld()))).toMatchObject({ data: { reason: 'stale' } })
    await logIn(server, agent, 'nest', 'wren', `?feathers_token=${await createOld()}`, OWN)
    expect(await findUsers()).toMatchObject([{ name: 'robin' }, { nestId: 'wren' }])

    const other = server.createAgent()
    const { location } = await readJson(await post(await createToken(server, 0), other))

    await other.request(await logInAtProvider(other, location, 'loud'))
    expect(await findUsers()).toMatchObject([{ name: 'robin', nestId: 'loud' }, { nestId: 'wren' }])
  })

  it('by a session that has ended: it is a login like any other', async () => {
    const { server, agent, findUsers } = await start()
    const accessToken = await createToken(server, 0)

    await server.auth.remove(null, { authentication: { strategy: 'jwt', accessToken } })
    agent.jar(new URL(server.origin).host).set('session', accessToken)
    await logIn(server, agent, 'nest', 'wren', '', OWN)

    expect(await findUsers()).toEqual([
      { id: 0, name: 'robin' },
      { id: 1, nestId: 'wren' }
    ])
  })

  it.each([
    ['a token that was made up', async () => 'a.b.c'],
    ['a token of nobody', (server: any) => createToken(server, 99)],
    [
      'a token that has expired',
      (server: any) => server.auth.createAccessToken({}, { subject: '0', expiresIn: -10 })
    ]
  ])('by %s', async (_name, makeToken) => {
    const { server, agent } = await start()
    const token = await makeToken(server)
    const response = await agent.request(`${server.origin}/oauth/nest?feathers_token=${token}`, {
      headers: OWN
    })
    const posted = await agent.request(`${server.origin}/oauth/nest`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: '{}'
    })

    expect(response.status).toBe(401)
    expect(posted.status).toBe(401)
  })

  it('when it belongs to somebody else', async () => {
    const { server, agent, findUsers } = await start({}, [
      { name: 'robin' },
      { name: 'wren', nestId: 'wren' }
    ])
    const response = await logIn(server, agent, 'nest', 'wren', await toConnection(server), OWN)

    expect(readError(response)).toBe("This account of 'nest' belongs to another user")
    expect(response.headers.get('location')).not.toContain('access_token')
    expect(await findUsers()).toEqual([
      { id: 0, name: 'robin' },
      { id: 1, name: 'wren', nestId: 'wren' }
    ])
  })

  it('to a user who was deleted meanwhile', async () => {
    const { server, agent, findUsers } = await start()
    const callback = await visit(server, agent, 'nest', 'wren', await toConnection(server), OWN)

    await server.users.remove(0)

    expect(readError(await agent.request(callback))).toBe('The account to connect no longer exists')
    expect(await findUsers()).toEqual([])
  })

  it('to a user who has logged out meanwhile', async () => {
    const { server, agent, findUsers } = await start()
    const accessToken = await createToken(server, 0)
    const callback = await visit(server, agent, 'nest', 'wren', `?feathers_token=${accessToken}`, OWN)

    await server.auth.remove(null, { authentication: { strategy: 'jwt', accessToken } })

    expect(readError(await agent.request(callback))).toBe(
      'You are no longer logged in. Log in and start again'
    )
    expect(await findUsers()).toEqual([{ id: 0, name: 'robin' }])
  })

  it('to a user whose password was changed meanwhile', async () => {
    const { server, agent, findUsers } = await start({
      configure: (app) =>
        app.service('authentication').register('badge', { getCredential: ({ badge }: any) => badge })
    })
    const { accessToken } = await server.auth.issueToken({
      authentication: { strategy: 'badge' },
      user: await server.users.patch(0, { badge: 'old' })
    })
    const callback = await visit(server, agent, 'nest', 'wren', `?feathers_token=${accessToken}`, OWN)

    await server.users.patch(0, { badge: 'new' })

    expect(readError(await agent.request(callback))).toBe(
      'You are no longer logged in. Log in and start again'
    )
    expect(await findUsers()).toEqual([{ id: 0, name: 'robin', badge: 'new' }])
  })

  it('to a user who is not active any more', async () => {
    const { server, agent, findUsers } = await start({
      settings: { isActive: ({ isLocked }: any) => !isLocked }
    })
    const callback = await visit(server, agent, 'nest', 'wren', await toConnection(server), OWN)

    await server.users.patch(0, { isLocked: true })

    expect(readError(await agent.request(callback))).not.toBeNull()
    expect(await findUsers()).toEqual([{ id: 0, name: 'robin', isLocked: true }])
  })

  it('by what the callback says of who is logged in', async () => {
    const { server, agent, findUsers } = await start()
    const callback = await visit(server, agent, 'nest', 'wren')
    const token = await createToken(server, 0)

    await agent.request(`${callback}&feathers_token=${token}&entityId=0&oauth[entityId]=0`, {
      headers: { ...OWN, Authorization: `Bearer ${token}` }
    })

    expect(await findUsers()).toEqual([
      { id: 0, name: 'robin' },
      { id: 1, nestId: 'wren' }
    ])
  })

  it('by what the query of the start says of who is logged in', async () => {
    const { server, agent, findUsers } = await start()

    await logIn(server, agent, 'nest', 'wren', '?entityId=0&query[entityId]=0&provider=tree')

    expect(await findUsers()).toEqual([
      { id: 0, name: 'robin' },
      { id: 1, nestId: 'wren' }
    ])
  })
})

describe('an account that another process creates at the same moment', () => {
  /** Has a rival be faster, once. */
  function letRivalWin(rival: object) {
    return (app: any) => {
      let isBeaten = false

      async function beBeaten(): Promise<void> {
        if (isBeaten) return
        isBeaten = true
        await app.service('users').create(rival)
        throw new Conflict('There is one already')
      }

      app.service('users').hooks({ before: { create: [beBeaten] } })
    }
  }

  it('is logged in to', async () => {
    const { server, agent, findUsers } = await start(
      { configure: letRivalWin({ name: 'of the rival', nestId: 'wren' }) },
      []
    )

    expect(readError(await logIn(server, agent, 'nest', 'wren'))).toBeNull()
    expect(await findUsers()).toEqual([{ id: 0, name: 'of the rival', nestId: 'wren' }])
  })

  it('is an error where nobody knows whose it is', async () => {
    let attempts = 0
    const { server, agent, findUsers } = await start(
      {
        configure: (app) => {
          function refuse(): void {
            attempts++
            throw new Conflict('There is one already')
          }

          app.service('users').hooks({ before: { create: [refuse] } })
        }
      },
      []
    )

    expect(readError(await logIn(server, agent, 'nest', 'wren'))).toBe('There is one already')
    expect(attempts).toBeLessThan(3)
    expect(await findUsers()).toEqual([])
  })

  it('is connected by its e-mail address', async () => {
    const { server, agent, findUsers } = await start(
      {
        oauth: { origins: [PAGE], ...EMAIL },
        configure: letRivalWin({ email: 'wren@example.org', isVerified: true, treeId: 'of-the-tree' })
      },
      []
    )

    expect(readError(await logIn(server, agent, 'nest', 'wren'))).toBeNull()
    expect(await findUsers()).toEqual([
      { id: 0, email: 'wren@example.org', isVerified: true, treeId: 'of-the-tree', nestId: 'wren' }
    ])
  })
})
