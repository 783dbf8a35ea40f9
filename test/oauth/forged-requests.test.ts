import { describe, expect, it } from 'vitest'
import { socketio } from '../../src/socketio.ts'
import { serve } from '../support/server.ts'
import { ask, connectSocket } from '../support/sockets.ts'
import { NOWHERE, readJson, startOAuth } from './app.ts'
import { create } from './strategies.ts'

describe('what a request says of itself', () => {
  const FORGED = { strategy: 'nest', profile: { sub: 'wren', id: 'wren' }, access_token: 'x' }

  it.each([
    ['the profile', FORGED],
    [
      'what a callback sets',
      { ...FORGED, oauth: { provider: 'nest' }, params: { oauth: { provider: 'nest' } } }
    ],
    ['an authenticated profile', { ...FORGED, authenticated: true, provider: undefined }],
    ['nothing', { strategy: 'nest' }]
  ])('logs nobody in, whatever the allowed strategies: %s', async (_name, data) => {
    const server = await startOAuth({
      providers: { nest: NOWHERE },
      settings: { authStrategies: ['jwt', 'nest'] }
    })

    await server.users.create({ nestId: 'wren' })

    for (const search of ['', '?oauth[provider]=nest', '?provider=nest']) {
      const response = await server.send(`${server.origin}/authentication${search}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(data)
      })

      expect(response.status).toBe(401)
      expect((await readJson(response)).message).toBe("Login with 'nest' begins at /oauth/nest")
    }
  })

  it('logs nobody in over a socket', async () => {
    const { app, users } = await startOAuth({
      providers: { nest: NOWHERE },
      settings: { authStrategies: ['jwt', 'nest'] },
      configure: (app) => app.configure(socketio({ logger: false }))
    })
    const url = await serve(app)
    const socket = await connectSocket(url)

    await users.create({ nestId: 'wren' })

    const [error, result] = await ask(socket, 'create', 'authentication', FORGED, {
      oauth: { provider: 'nest' }
    })

    expect(error).toMatchObject({ code: 401 })
    expect(result).toBeUndefined()

    const greeted = await connectSocket(url, { auth: FORGED })

    expect((await ask(greeted, 'find', 'notes', {}))[0]).toMatchObject({ code: 401 })
  })

  it('is refused without a word of it where the strategy is not allowed', async () => {
    const server = await startOAuth({ providers: { nest: NOWHERE } })
    const response = await server.send(`${server.origin}/authentication`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(FORGED)
    })

    expect(await readJson(response)).toMatchObject({
      code: 401,
      message: 'Invalid authentication information (strategy not allowed in authStrategies)'
    })
  })

  it('is believed when it is the server that says it', async () => {
    const { auth, users } = await create()
    const first = await auth.create(FORGED)
    const second = await auth.create(FORGED, {})

    expect(first).toMatchObject({
      accessToken: expect.any(String),
      authentication: { strategy: 'nest' },
      user: { id: 0, nestId: 'wren' }
    })
    expect(second.user).toEqual(first.user)
    expect(await users.find()).toHaveLength(1)
  })

  it('connects the account of who is logged in when the server says so', async () => {
    const { auth, users } = await create()
    const robin = await users.create({ name: 'robin' })
    const accessToken = await auth.createAccessToken({}, { subject: String(robin.id) })

    await auth.create(FORGED, { authentication: { strategy: 'jwt', accessToken } })

    expect(await users.find()).toEqual([{ id: 0, name: 'robin', nestId: 'wren' }])
  })

  it('is refused when it is for a provider other than the one that was asked', async () => {
    const { auth } = await create()

    await expect(
      auth.create(FORGED, { provider: 'rest', oauth: { provider: 'tree' } } as any)
    ).rejects.toMatchObject({ code: 401 })
  })
})
