import { describe, expect, it } from 'vitest'
import { alula, authentication, MemoryStorage, rest } from '../../src/client.ts'
import { NotAuthenticated } from '../../src/errors.ts'
import { defer } from '../support/deferred.ts'
import { OTHER, start, withWindow } from './login.ts'
import { EMAIL, failure, fetchOnce, LOGIN } from './servers.ts'

// A token or a code in the URL is tried again after an error that is no refusal, as a stored token is.

const MISSING = { code: 401, message: 'No accessToken found in storage' }

const PATH = '/authentication'

const UNAVAILABLE = { name: 'Unavailable', code: 503 }

/** A page with a hash, and a server that exchanges the code `abc` once for the token of the first user. */
async function open(toHash: (accessToken: string) => string) {
  const { url, server, createToken } = await start('our server', 'rest')
  const storage = new MemoryStorage()
  const accessToken = await createToken({})
  const location = { hash: toHash(accessToken) }
  const exchanged: string[] = []
  /** What the server does before it returns a token. */
  const exchange = { run: (): unknown => undefined }
  /** The paths of the next requests, which fail. */
  const failing: string[] = []

  server.use('oauth/code', {
    create: async ({ code }: any) => {
      exchanged.push(code)
      if (code !== 'abc' || exchanged.length > 1) throw new NotAuthenticated('Invalid code')

      await exchange.run()

      return { accessToken, refreshToken: 'a.1.b' }
    }
  })
  withWindow({ location })

  async function request(address: string, options: object): Promise<Response> {
    if (failing[0] !== new URL(address).pathname) return fetchOnce(address, options)

    failing.shift()
    throw new TypeError('fetch failed')
  }

  const load = () => alula().configure(rest(url).fetch(request)).configure(authentication({ storage }))

  return {
    accessToken,
    app: load(),
    createToken,
    exchanged,
    failing,
    load,
    location,
    exchange,
    getStored: (key = 'feathers-jwt') => storage.getItem(key),
    store: (token: string) => storage.setItem('feathers-jwt', token)
  }
}

describe('a token in the URL', () => {
  const toHash = (accessToken: string) => `#access_token=${accessToken}`

  it.each(['', 'a.b.c'])('is kept when the network fails, where %j was stored', async (stored) => {
    const { accessToken, app, failing, load, location, store } = await open(toHash)

    await store(stored)
    app.service('authentication').hooks({
      before: {
        create: [async ({ data }: any) => void (data.accessToken === accessToken && failing.push(PATH))]
      }
    })
    expect(await failure(app.reAuthenticate())).toMatchObject(UNAVAILABLE)
    expect(location.hash).toBe('')
    expect(await app.authentication.getAccessToken()).toBe(accessToken)
    expect(await load().reAuthenticate()).toMatchObject({ accessToken, user: { email: EMAIL } })
  })

  it.each(['', 'a.b.c'])('is not kept when the server refuses it, where %j was stored', async (stored) => {
    const { app, createToken, getStored, location, store } = await open(() => '')
    const expired = await createToken({ subject: '2', expiresIn: -1 })

    location.hash = toHash(expired)
    await store(stored)
    expect(await failure(app.reAuthenticate())).toMatchObject({ code: 401, message: 'jwt expired' })
    expect(await getStored()).toBeUndefined()
    expect(await failure(app.reAuthenticate())).toMatchObject(MISSING)
  })
})

describe('a code in the URL', () => {
  const toHash = () => '#oauth_code=abc'

  it.each(['/oauth/code', PATH])('is kept when the network fails at %s', async (path) => {
    const { accessToken, app, exchanged, failing, location } = await open(toHash)

    failing.push(path)
    expect(await failure(app.reAuthenticate())).toMatchObject(UNAVAILABLE)
    expect(location.hash).toBe('')
    expect(await app.reAuthenticate()).toMatchObject({ accessToken, user: { email: EMAIL } })
    expect(exchanged).toEqual(['abc'])
  })

  it('whose token comes after another login leaves the tokens of that', async () => {
    const { app, exchange, getStored } = await open(toHash)
    const [begun, released] = [defer(), defer()]

    exchange.run = () => {
      begun.resolve()

      return released.promise
    }

    const late = app.reAuthenticate()

    await begun.promise

    const { accessToken } = await app.authenticate(OTHER)

    released.resolve()
    await late
    expect(await getStored()).toBe(accessToken)
    expect(await getStored('feathers-jwt-refresh')).toBeUndefined()
  })

  it('is not kept when the server refuses it', async () => {
    const { app, exchanged } = await open(() => '#oauth_code=def')

    expect(await failure(app.reAuthenticate())).toMatchObject({ message: 'Invalid code' })
    expect(await failure(app.reAuthenticate())).toMatchObject(MISSING)
    expect(exchanged).toEqual(['def'])
  })

  it('is not kept when a user logs in', async () => {
    const { app, exchanged, failing, store } = await open(toHash)

    failing.push('/oauth/code')
    await failure(app.reAuthenticate())
    await app.authenticate(OTHER)
    await store('a.b.c')
    expect(await failure(app.reAuthenticate(true))).toMatchObject({ code: 401 })
    expect(exchanged).toEqual([])
  })

  it('is not kept after a logout', async () => {
    const { app, exchanged, failing } = await open(toHash)

    failing.push('/oauth/code')
    await failure(app.reAuthenticate())
    await app.logout()
    expect(await failure(app.reAuthenticate())).toMatchObject(MISSING)
    expect(exchanged).toEqual([])
    expect(await app.authenticate(LOGIN)).toMatchObject({ user: { email: EMAIL } })
  })

  it('is not kept when the next login in the URL has failed', async () => {
    const { app, exchanged, failing, location } = await open(toHash)

    failing.push('/oauth/code')
    await failure(app.reAuthenticate())
    location.hash = '#error=denied'
    expect(await failure(app.reAuthenticate())).toMatchObject({ name: 'OauthError', message: 'denied' })
    expect(location.hash).toBe('')
    expect(exchanged).toEqual([])
  })
})
