import { describe, expect, it } from 'vitest'
import { type OAuthProfile, OAuthStrategy } from '../../src/oauth.ts'
import { EMAIL, readError, start } from './accounts.ts'
import { logIn, PAGE } from './app.ts'

const TAKEN =
  "There is an account with this e-mail address already. Log in to it, and connect 'nest' from there"

describe('an account with the same e-mail address', () => {
  const oauth = { origins: [PAGE], ...EMAIL }

  it('is connected when both sides have verified it', async () => {
    const { server, agent, findUsers } = await start({ oauth }, [
      { email: 'wren@example.org', isVerified: true }
    ])

    expect(readError(await logIn(server, agent, 'nest', 'wren'))).toBeNull()
    expect(await findUsers()).toEqual([
      { id: 0, email: 'wren@example.org', isVerified: true, nestId: 'wren' }
    ])
  })

  it('is the same in capitals', async () => {
    const { server, agent, findUsers } = await start({ oauth }, [
      { email: 'wren@example.org', isVerified: true }
    ])

    expect(readError(await logIn(server, agent, 'nest', 'loud'))).toBeNull()
    expect(await findUsers()).toEqual([
      { id: 0, email: 'wren@example.org', isVerified: true, nestId: 'loud' }
    ])
  })

  it('is the same where the first provider writes it in capitals', async () => {
    const { server, findUsers } = await start({ oauth }, [])
    const [first, second] = [server.createAgent(), server.createAgent()]

    await logIn(server, first, 'nest', 'loud')

    expect(readError(await logIn(server, second, 'tree', 'of-the-tree'))).toBeNull()
    expect(await findUsers()).toEqual([
      { id: 0, nestId: 'loud', email: 'wren@example.org', isVerified: true, treeId: 'of-the-tree' }
    ])
  })

  it('is another one with a letter that only becomes the same in lower case', async () => {
    const { server, findUsers } = await start({ oauth }, [{ email: 'kestrel@example.org', isVerified: true }])
    // The sign of the unit Kelvin.
    const profile = { sub: 'x', email: '\u212aestrel@example.org', email_verified: true }

    await server.auth
      .create({ strategy: 'nest', profile }, { authStrategies: ['nest'] })
      .catch(() => undefined)

    expect((await findUsers())[0]).toEqual({ id: 0, email: 'kestrel@example.org', isVerified: true })
  })

  it.each([
    'wren',
    'wren@a@b',
    'wren@example.org\nBcc: robin@example.org',
    'a@b.c,d@e.f',
    'wren@example.org\0',
    `${'x'.repeat(250)}@b.org`
  ])('is not made under %j, which is no address', async (email) => {
    const { server } = await start({ oauth }, [])
    const profile = { sub: 'x', email, email_verified: true }

    await server.auth.create({ strategy: 'nest', profile }, { authStrategies: ['nest'] })

    expect(await server.users.find({ query: {} })).toEqual([{ id: 0, nestId: 'x' }])
  })

  it('is not made under an address that nobody has verified', async () => {
    const { server, agent, findUsers } = await start({ oauth }, [])

    await logIn(server, agent, 'nest', 'unsure')

    expect(await findUsers()).toEqual([{ id: 0, nestId: 'unsure' }])
  })

  it('is not touched when it is connected to another account of the provider', async () => {
    const user = { email: 'wren@example.org', isVerified: true, nestId: 'who had the address before' }
    const { server, agent, findUsers } = await start({ oauth }, [user])

    expect(readError(await logIn(server, agent, 'nest', 'wren'))).toBe(TAKEN)
    expect(await findUsers()).toEqual([{ id: 0, ...user }])
  })

  it.each([
    ['the provider has not verified it', 'unsure', { isVerified: true }],
    ['the provider does not say whether it was verified', 'silent', { isVerified: true }],
    ['it was not verified here', 'wren', { isVerified: false }],
    ['nothing says whether it was verified here', 'wren', {}],
    ['what says that it was verified here is a text', 'wren', { isVerified: 'false' }],
    ['what says that it was verified here is a number', 'wren', { isVerified: 1 }],
    ['nobody has verified it', 'unsure', { isVerified: false }],
    ['it was not verified here, in capitals', 'loud', { isVerified: false }]
  ])('is not touched when %s', async (_name, login, user) => {
    const { server, agent, findUsers } = await start({ oauth }, [{ email: 'wren@example.org', ...user }])
    const response = await logIn(server, agent, 'nest', login)

    expect(readError(response)).toBe(TAKEN)
    expect(response.headers.get('location')).not.toContain('access_token')
    expect(await findUsers()).toEqual([{ id: 0, email: 'wren@example.org', ...user }])
  })

  it('is connected to one provider after another', async () => {
    const { server, findUsers } = await start({ oauth }, [])
    const [first, second] = [server.createAgent(), server.createAgent()]

    await logIn(server, first, 'nest', 'wren')
    await logIn(server, second, 'tree', 'of-the-tree')

    expect(await findUsers()).toEqual([
      { id: 0, nestId: 'wren', email: 'wren@example.org', isVerified: true, treeId: 'of-the-tree' }
    ])
  })

  it('is not touched when the configuration does not say where it is verified', async () => {
    const { server, agent, findUsers } = await start({ oauth: { origins: [PAGE], email: 'email' } }, [
      { email: 'wren@example.org', isVerified: true, undefined: true }
    ])

    expect(readError(await logIn(server, agent, 'nest', 'wren'))).toBe(TAKEN)
    expect((await findUsers())[0]).not.toHaveProperty('nestId')
  })

  it.each([
    ['is no whole number', 1.5],
    ['is larger than numbers are exact', 2 ** 53],
    ['is an object', { $ne: null }],
    ['is a list', ['wren']],
    ['is empty', ''],
    ['is longer than ids are', 'x'.repeat(256)],
    ['is missing', undefined]
  ])('is not looked for when the id of a profile %s', async (_name, id) => {
    const { server } = await start({}, [{ nestId: 2 ** 53 }])

    await expect(
      server.auth.create({ strategy: 'nest', profile: { id } }, { authStrategies: ['nest'] })
    ).rejects.toThrow('The profile has no id')
  })

  it('is another one when the configuration does not speak of addresses', async () => {
    const { server, agent, findUsers } = await start({}, [{ email: 'wren@example.org', isVerified: true }])

    await logIn(server, agent, 'nest', 'wren')

    expect(await findUsers()).toEqual([
      { id: 0, email: 'wren@example.org', isVerified: true },
      { id: 1, nestId: 'wren' }
    ])
  })

  it.each([
    [
      'a query for the address',
      { getEntityQuery: async (profile: OAuthProfile) => ({ email: profile.email }) }
    ],
    [
      'a query for the id or the address',
      {
        getEntityQuery: async (profile: OAuthProfile) => ({
          $or: [{ nestId: profile.sub }, { email: profile.email }]
        })
      }
    ],
    [
      'a search for the address',
      {
        async findEntity(this: OAuthStrategy, profile: OAuthProfile) {
          const [found = null] = await this.entityService.find({ query: { email: profile.email } })

          return found
        }
      }
    ]
  ])('cannot be bypassed by %s', async (_name, overrides) => {
    for (const settings of [{ origins: [PAGE] }, oauth]) {
      const strategy = Object.assign(new OAuthStrategy(), overrides)
      const { server, agent, findUsers } = await start({ oauth: settings, strategies: { nest: strategy } }, [
        { email: 'wren@example.org', isVerified: false }
      ])
      const response = await logIn(server, agent, 'nest', 'wren')

      expect(readError(response)).toBe(TAKEN)
      expect(await findUsers()).toEqual([{ id: 0, email: 'wren@example.org', isVerified: false }])
    }
  })

  it('is not found by a profile without one', async () => {
    const { server, agent, findUsers } = await start({ oauth }, [
      { isVerified: true },
      { email: '', isVerified: true }
    ])

    await logIn(server, agent, 'nest', 'robin')

    expect(await findUsers()).toHaveLength(3)
  })
})
