import { describe, expect, it } from 'vitest'
import { startOpenidProvider } from '../support/oidc.ts'
import { allow, logIn, readJson, startOAuth, visit } from './app.ts'

const WREN = { wren: { email: 'wren@example.org', email_verified: true, name: 'Wren' } }

describe('a login', () => {
  it('creates a user once, and finds it afterwards', async () => {
    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({ providers: { nest: provider.openid } })

    allow(provider, server, 'nest')

    const first = await readJson(await logIn(server, server.createAgent(), 'nest', 'wren'))
    const second = await readJson(await logIn(server, server.createAgent(), 'nest', 'wren'))
    const other = await readJson(await logIn(server, server.createAgent(), 'nest', 'robin'))

    expect(second.user).toEqual(first.user)
    expect(second.accessToken).not.toBe(first.accessToken)
    expect(other.user.id).not.toBe(first.user.id)
    expect(await server.users.find({ query: {} })).toEqual([
      { id: first.user.id, nestId: 'wren' },
      { id: other.user.id, nestId: 'robin' }
    ])
  })

  it('stores the e-mail address of a new user where the configuration says', async () => {
    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({
      providers: { nest: provider.openid },
      oauth: { email: 'address', emailVerified: 'isVerified' }
    })

    allow(provider, server, 'nest')
    await logIn(server, server.createAgent(), 'nest', 'wren')

    expect(await server.users.find({ query: {} })).toEqual([
      { id: 0, nestId: 'wren', address: 'wren@example.org', isVerified: true }
    ])
  })

  it('makes one user of 60 first logins at once', async () => {
    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({
      providers: { nest: provider.openid },
      configure: (app) => {
        // A store takes its time.
        app.service('users').hooks({
          before: { create: [() => new Promise<void>((resolve) => void setImmediate(resolve))] }
        })
      }
    })

    allow(provider, server, 'nest')

    const agents = Array.from({ length: 60 }, () => server.createAgent())
    const callbacks = await Promise.all(agents.map((agent) => visit(server, agent, 'nest', 'wren')))
    const answers = await Promise.all(
      callbacks.map(async (callback, index) => readJson((await agents[index]?.request(callback)) as Response))
    )

    expect(new Set(answers.map(({ user }) => user.id)).size).toBe(1)
    expect(new Set(answers.map(({ accessToken }) => accessToken)).size).toBe(60)
    expect(await server.users.find({ query: {} })).toHaveLength(1)
  })
})
