import { describe, expect, it } from 'vitest'
import {
  AuthenticationClient,
  alula,
  authentication,
  defaultStorage,
  defaults,
  hooks,
  MemoryStorage,
  rest
} from '../../src/client.ts'
import { FeathersError } from '../../src/errors.ts'
import { start, withWindow } from './login.ts'
import { failure, fetchOnce } from './servers.ts'

describe('authentication()', () => {
  const create = (options: any = {}) =>
    alula()
      .configure(rest('http://127.0.0.1:59998').fetch(fetch))
      .configure(authentication({ storage: new MemoryStorage(), ...options }))

  it('has the defaults of Feathers v5, and those for codes and sessions', () => {
    expect(defaults).toEqual({
      header: 'Authorization',
      scheme: 'Bearer',
      storageKey: 'feathers-jwt',
      locationKey: 'access_token',
      locationErrorKey: 'error',
      locationCodeKey: 'oauth_code',
      oauthPath: 'oauth',
      jwtStrategy: 'jwt',
      refresh: true,
      path: '/authentication',
      Authentication: AuthenticationClient,
      storage: defaultStorage
    })
    expect(Object.keys(hooks)).toEqual(['authentication', 'populateHeader'])
  })

  it('takes undefined for what was left out', async () => {
    const options = Object.fromEntries(Object.keys(defaults).map((name) => [name, undefined]))
    const app = alula().configure(rest('').fetch(fetch)).configure(authentication(options))

    expect(app.authentication.options).toEqual(defaults)
  })

  it('resolves to what the server returns, also to nothing', async () => {
    const app: any = alula()
      .configure(rest('http://127.0.0.1:59998').fetch(async () => Response.json(null, { status: 201 })))
      .configure(authentication({ storage: new MemoryStorage() }))

    expect(await app.authenticate({ strategy: 'jwt', accessToken: 'a.b.c' })).toBeNull()
    expect(await app.authenticate({ strategy: 'local' })).toBeNull()
  })

  it('sends the token that a call brings along, and leaves its params as they are', async () => {
    const seen: any[] = []
    const app = alula()
      .configure(
        rest('http://127.0.0.1:59998').fetch(async (_url: string, { headers }: any) => {
          seen.push(headers.Authorization)

          return Response.json([])
        })
      )
      .configure(authentication({ storage: new MemoryStorage() }))

    await app.service('messages').find(Object.freeze({ accessToken: 'given' }) as object)
    expect(seen).toEqual(['Bearer given'])
  })

  it.each([
    ['null', null],
    ['an object Headers', new Headers({ 'X-Trace': 'call' })],
    ['pairs', [['x-trace', 'call']]]
  ])('sends the token when the headers of a call are %s', async (_what, headers: any) => {
    const seen: any[] = []
    const app = alula()
      .configure(
        rest('http://127.0.0.1:59998').fetch(async (_url: string, init: any) => {
          const { authorization, 'x-trace': trace } = Object.fromEntries(new Headers(init.headers))

          seen.push([authorization, trace])

          return Response.json([])
        })
      )
      .configure(authentication({ storage: new MemoryStorage() }))

    await app.service('messages').find({ accessToken: 'given', headers } as object)
    expect(seen).toEqual([['Bearer given', headers ? 'call' : undefined]])
  })

  it('takes a class in place of its own, and a storage from the settings', async () => {
    class Own extends AuthenticationClient {
      override async getAccessToken() {
        return 'mine'
      }
    }

    const storage = new MemoryStorage()
    const app = alula().set('storage', storage).configure(rest('').fetch(fetch))

    app.configure(authentication({ Authentication: Own, storageKey: 'own' }))
    await app.authentication.setAccessToken('kept')

    expect(app.authentication).toBeInstanceOf(Own)
    expect(await app.authentication.getAccessToken()).toBe('mine')
    expect(await storage.getItem('own')).toBe('kept')
  })

  it('logs in again by the method of that class', async () => {
    const seen: unknown[] = []

    class Own extends AuthenticationClient {
      override authenticate(...args: Parameters<AuthenticationClient['authenticate']>) {
        seen.push(args[0])

        return super.authenticate(...args)
      }
    }

    const app = create({ Authentication: Own })

    await app.authentication.setAccessToken('token')
    await failure(app.reAuthenticate())
    expect(seen).toEqual([{ strategy: 'jwt', accessToken: 'token' }])
  })

  it('keeps everything when the server cannot be reached', async () => {
    const app = create()

    await app.authentication.setAccessToken('token')

    expect((await failure(app.reAuthenticate())).name).toBe('Unavailable')
    expect((await failure(app.logout())).name).toBe('Unavailable')
    expect(await app.authentication.getAccessToken()).toBe('token')
  })

  it.each([
    ['#access_token=abc', 'abc', ''],
    ['access_token=abc', 'abc', ''],
    ['#a=b&access_token=abc&c=d', 'abc', '#a=b&c=d'],
    ['#access_token=abc&c=d', 'abc', '#c=d'],
    ['#a=b&access_token=abc', 'abc', '#a=b'],
    ['#/login?access_token=abc', 'abc', '#/login'],
    ['#/login?access_token=abc&next=%2F', 'abc', '#/login?next=%2F'],
    ['#/login?next=%2F&access_token=abc', 'abc', '#/login?next=%2F'],
    ['#my_access_token=abc', null, '#my_access_token=abc'],
    ['#access-token=abc', null, '#access-token=abc'],
    ['#access_token', null, '#access_token'],
    ['', null, '']
  ])('takes a token out of %j', async (hash, token, left) => {
    const location = { hash }

    expect(await create().authentication.getFromLocation(location)).toBe(token)
    expect(location.hash).toBe(left)
  })

  it('takes an error out of the location', async () => {
    const location = { hash: '#error=No%20entry' }
    const error = await failure(create().authentication.getFromLocation(location))

    expect(error).toBeInstanceOf(FeathersError)
    expect(error).toMatchObject({
      name: 'OauthError',
      code: 401,
      className: 'oauth-error',
      message: 'No entry'
    })
    expect(location.hash).toBe('')
    expect((await failure(create().authentication.getFromLocation({ hash: '#error=100%' }))).message).toBe(
      '100%'
    )
  })

  it('leaves no token in the history of the browser', async () => {
    const replaced: unknown[] = []
    const location = { hash: '#/page?access_token=abc', pathname: '/app', search: '?a=b' }

    withWindow({
      location,
      history: { state: 'kept', replaceState: (...given: unknown[]) => replaced.push(given) }
    })

    expect(await create().authentication.getAccessToken()).toBe('abc')
    expect(replaced).toEqual([['kept', '', '/app?a=b#/page']])

    const other = { hash: '#access_token=def' }

    expect(await create().authentication.getFromLocation(other)).toBe('def')
    expect(other.hash).toBe('')
    expect(replaced).toHaveLength(1)
  })

  it('prefers the token of the storage to that of the location', async () => {
    const location = { hash: '#access_token=abc' }
    const app = create()

    withWindow({ location })
    await app.authentication.setAccessToken('stored')

    expect(await app.authentication.getAccessToken()).toBe('stored')
    expect(location.hash).toBe('#access_token=abc')
  })

  it('an error in the location fails the login, and not the calls after it', async () => {
    const { url } = await start('our server', 'rest')
    const app = alula()
      .configure(rest(url).fetch(fetchOnce))
      .configure(authentication({ storage: new MemoryStorage() }))

    withWindow({ location: { hash: '#error=No%20entry' } })

    expect((await failure(app.reAuthenticate())).name).toBe('OauthError')
    expect(await app.service('public').find()).toEqual({ user: null })
  })
})
