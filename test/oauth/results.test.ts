import { describe, expect, it } from 'vitest'
import { OAuthStrategy } from '../../src/oauth.ts'
import { startOpenidProvider } from '../support/oidc.ts'
import { allow, createToken, readJson, startOAuth, visit } from './app.ts'
import { logInWith, WREN } from './strategies.ts'

describe('the answer to a login', () => {
  it('has nothing of what is protected', async () => {
    const { text } = await logInWith(new OAuthStrategy(), {}, [{ nestId: 'wren', password: 'of the wren' }])

    expect(JSON.parse(text).user).toEqual({ id: 0, nestId: 'wren' })
    expect(text).not.toContain('of the wren')
  })

  it('is what a hook of the authentication service says that clients see', async () => {
    for (const oauth of [{}, { delivery: 'cookie' }]) {
      const { text, response } = await logInWith(new OAuthStrategy(), {
        oauth,
        settings: { jwt: { cookie: 'session' } },
        configure: (app) => {
          app.service('authentication').hooks({
            after: {
              create: [
                (context: any) => {
                  context.result.internalNote = 'a secret note'
                  context.dispatch = { shown: true, accessToken: context.result.accessToken }
                }
              ]
            }
          })
        }
      })
      const isCookie = 'delivery' in oauth

      expect(Object.keys(JSON.parse(text))).toEqual(isCookie ? ['shown'] : ['shown', 'accessToken'])
      expect(response.headers.getSetCookie().some((cookie) => cookie.includes('session=ey'))).toBe(isCookie)
    }
  })

  it('has the token in a cookie where a hook leaves its payload out', async () => {
    const { response } = await logInWith(new OAuthStrategy(), {
      oauth: { delivery: 'cookie' },
      settings: { jwt: { cookie: 'session' } },
      configure: (app) => {
        app.service('authentication').hooks({
          after: {
            create: [
              (context: any) => {
                const { accessToken, user } = context.result

                context.result = { accessToken, user }
              }
            ]
          }
        })
      }
    })

    expect(response.headers.getSetCookie()).toContainEqual(
      expect.stringMatching(/^session=ey.*; Max-Age=(86400|86399)/)
    )
  })

  it('has no entity where there is none', async () => {
    const { text, users, response } = await logInWith(new OAuthStrategy(), { settings: { entity: null } })

    expect(response.status).toBe(200)
    expect(Object.keys(JSON.parse(text)).sort()).toEqual(['accessToken', 'authentication'])
    expect(users).toEqual([])
  })

  it('has nothing of what the provider has given', async () => {
    const { text } = await logInWith(new OAuthStrategy())

    expect(Object.keys(JSON.parse(text)).sort()).toEqual(['accessToken', 'authentication', 'user'])
    expect(text).not.toMatch(/access_token|id_token|refresh_token|raw|profile/)
  })

  it('is seen by the hooks of the authentication service, and by those of the users', async () => {
    const seen: any[] = []
    const { server } = await logInWith(new OAuthStrategy(), {
      configure: (app) => {
        app.service('authentication').hooks({
          before: { create: [({ params }: any) => void seen.push(['login', params.provider, params.query])] }
        })
        app.service('users').hooks({
          before: {
            find: [({ params }: any) => void seen.push(['find', params.provider])],
            create: [({ params }: any) => void seen.push(['create', params.provider, params.oauth.provider])],
            get: [({ params }: any) => void seen.push(['get', params.provider])]
          }
        })
      }
    })

    expect(server).toBeDefined()
    expect(seen.slice(0, 4)).toEqual([
      ['login', 'rest', {}],
      ['find', undefined],
      ['create', undefined, 'nest'],
      ['get', 'rest']
    ])
  })

  it('is for the one who has logged in at the provider, whoever sends the callback', async () => {
    const provider = await startOpenidProvider(WREN)
    const seen: unknown[] = []
    const server = await startOAuth({
      providers: { nest: provider.openid },
      configure: (app) => {
        for (const path of ['authentication', 'users']) {
          app.service(path).hooks({
            before: { create: [({ params }: any) => void seen.push(params.authentication)] }
          })
        }
      }
    })
    const robin = await server.users.create({ name: 'robin' })
    const agent = server.createAgent()

    allow(provider, server, 'nest')

    const response = await agent.request(await visit(server, agent, 'nest', 'wren'), {
      headers: { Authorization: `Bearer ${await createToken(server, robin.id)}` }
    })

    expect((await readJson(response)).user).toEqual({ id: 1, nestId: 'wren' })
    expect(seen).toEqual([undefined, undefined, undefined])
  })

  it('works with pages of results, and with an id of another name', async () => {
    const { users, response } = await logInWith(
      new OAuthStrategy(),
      { users: { id: 'key', paginate: { default: 1, max: 1 } } as any },
      [{ nestId: 'robin' }, { nestId: 'wren' }]
    )

    expect(response.status).toBe(200)
    expect((await readJson(response)).user).toEqual({ key: 1, nestId: 'wren' })
    expect(users.total).toBe(2)
  })
})
