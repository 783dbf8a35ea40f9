import { describe, expect, it } from 'vitest'
import { type OAuthParams, type OAuthProfile, OAuthStrategy } from '../../src/oauth.ts'
import { startOpenidProvider } from '../support/oidc.ts'
import { allow, logIn, PAGE, startOAuth } from './app.ts'
import { logInWith, WREN } from './strategies.ts'

function notePatch(_entity: any, profile: OAuthProfile): object {
  return { name: profile.name }
}

describe('a strategy of one’s own decides', () => {
  it('what the profile is', async () => {
    class Strategy extends OAuthStrategy {
      override async getProfile(data: any, _params: OAuthParams) {
        expect(data).toMatchObject({
          strategy: 'nest',
          access_token: expect.any(String),
          id_token: expect.any(String)
        })
        expect(data.raw).toMatchObject({ token_type: 'bearer' })

        return { sub: `of ${data.profile.sub}`, name: data.profile.name }
      }
    }

    expect((await logInWith(new Strategy())).users).toEqual([{ id: 0, nestId: 'of wren' }])
  })

  it('by which query an entity is found', async () => {
    class Strategy extends OAuthStrategy {
      override async getEntityQuery(profile: OAuthProfile, params: OAuthParams) {
        expect(params.oauth).toMatchObject({ provider: 'nest' })

        return { ...(await super.getEntityQuery(profile, params)), isGone: { $ne: true } }
      }
    }

    const { users } = await logInWith(new Strategy(), {}, [{ nestId: 'wren', isGone: true }])

    expect(users).toEqual([
      { id: 0, nestId: 'wren', isGone: true },
      { id: 1, nestId: 'wren' }
    ])
  })

  it('what is stored of a new entity, and of one that there is', async () => {
    class Strategy extends OAuthStrategy {
      override async getEntityData(profile: OAuthProfile, existing: any, params: OAuthParams) {
        return {
          ...(await super.getEntityData(profile, existing, params)),
          name: profile.name,
          ...(existing ? { seen: (existing.seen ?? 0) + 1 } : { isNew: true })
        }
      }
    }

    expect((await logInWith(new Strategy())).users).toEqual([
      { id: 0, nestId: 'wren', name: 'Wren', isNew: true }
    ])
    expect((await logInWith(new Strategy(), {}, [{ nestId: 'wren', seen: 2 }])).users).toEqual([
      { id: 0, nestId: 'wren', name: 'Wren', seen: 3 }
    ])
  })

  it('which entity it is', async () => {
    class Strategy extends OAuthStrategy {
      override async findEntity() {
        return this.entityService.get(1)
      }

      override async isLinked() {
        return true
      }
    }

    const { text, users } = await logInWith(new Strategy(), {}, [{ name: 'robin' }, { name: 'wren' }])

    expect(JSON.parse(text).user).toEqual({ id: 1, name: 'wren', nestId: 'wren' })
    expect(users[0]).toEqual({ id: 0, name: 'robin' })
  })

  it('whether an entity that was found belongs to the profile', async () => {
    class Strategy extends OAuthStrategy {
      override async getEntityQuery(profile: OAuthProfile) {
        return { account: `nest ${profile.sub}` }
      }

      override async getEntityData(profile: OAuthProfile) {
        return { account: `nest ${profile.sub}` }
      }

      override async isLinked(entity: any, profile: OAuthProfile) {
        return entity.account === `nest ${profile.sub}`
      }
    }

    const { users, response } = await logInWith(new Strategy(), {}, [{ account: 'nest wren' }])

    expect(response.status).toBe(200)
    expect(users).toHaveLength(1)
  })

  it('how an entity is created', async () => {
    class Strategy extends OAuthStrategy {
      override async createEntity(profile: OAuthProfile, params: OAuthParams) {
        expect(params.provider).toBeUndefined()

        return this.entityService.create({ nestId: profile.sub, invitedBy: 'robin' })
      }
    }

    expect((await logInWith(new Strategy())).users).toEqual([{ id: 0, nestId: 'wren', invitedBy: 'robin' }])
  })

  it('that nobody is created', async () => {
    class Strategy extends OAuthStrategy {
      override async createEntity(): Promise<never> {
        const { NotAuthenticated } = await import('../../src/errors.ts')

        throw new NotAuthenticated('Ask for an invitation')
      }
    }

    const { response, text, users } = await logInWith(new Strategy())

    expect(response.status).toBe(401)
    expect(JSON.parse(text).message).toBe('Ask for an invitation')
    expect(users).toEqual([])
  })

  it('how an entity is updated', async () => {
    class Strategy extends OAuthStrategy {
      override async updateEntity(entity: any, profile: OAuthProfile, params: OAuthParams) {
        expect(params.provider).toBeUndefined()

        return this.entityService.patch(entity.id, notePatch(entity, profile))
      }
    }

    expect((await logInWith(new Strategy(), {}, [{ nestId: 'wren' }])).users).toEqual([
      { id: 0, nestId: 'wren', name: 'Wren' }
    ])
  })

  it('who is logged in', async () => {
    class Strategy extends OAuthStrategy {
      override async getCurrentEntity() {
        return this.entityService.get(0)
      }
    }

    expect((await logInWith(new Strategy(), {}, [{ name: 'robin' }])).users).toEqual([
      { id: 0, name: 'robin', nestId: 'wren' }
    ])
  })

  it('what of an entity the caller sees', async () => {
    class Strategy extends OAuthStrategy {
      override async getEntity(result: any, params: OAuthParams) {
        expect(params.provider).toBe('rest')

        return { id: result.id, of: 'wren' }
      }
    }

    expect(JSON.parse((await logInWith(new Strategy())).text).user).toEqual({ id: 0, of: 'wren' })
  })

  it('where the browser goes', async () => {
    class Strategy extends OAuthStrategy {
      override async getRedirect(data: any, params: OAuthParams) {
        return data.accessToken ? `${PAGE}/in?id=${data.user.id}&for=${params.query?.for}` : `${PAGE}/out`
      }
    }

    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({
      providers: { nest: provider.openid },
      strategies: { nest: new Strategy() }
    })
    const agent = server.createAgent()

    allow(provider, server, 'nest')

    const response = await logIn(server, agent, 'nest', 'wren', '?for=tea')
    const refused = await agent.request(`${server.origin}/oauth/nest/callback`)

    expect(response.headers.get('location')).toBe(`${PAGE}/in?id=0&for=tea`)
    expect(refused.headers.get('location')).toBe(`${PAGE}/out`)
  })

  it('which page is allowed', async () => {
    class Strategy extends OAuthStrategy {
      override async getAllowedOrigin(params: OAuthParams = {}) {
        return params.query?.mobile ? 'https://m.example.org' : PAGE
      }
    }

    const provider = await startOpenidProvider(WREN)
    const server = await startOAuth({
      providers: { nest: provider.openid },
      strategies: { nest: new Strategy() }
    })

    allow(provider, server, 'nest')

    const usual = await logIn(server, server.createAgent(), 'nest', 'wren', '?redirect=/x')
    const mobile = await logIn(server, server.createAgent(), 'nest', 'wren', '?mobile=1&redirect=/x')

    expect(usual.headers.get('location')).toContain(`${PAGE}/x#access_token=`)
    expect(mobile.headers.get('location')).toContain('https://m.example.org/x#access_token=')
  })

  it('what a login results in', async () => {
    class Strategy extends OAuthStrategy {
      override async authenticate(data: any, params: OAuthParams) {
        const result = await super.authenticate(data, params)

        return { ...result, authentication: { ...result.authentication, scope: data.raw.scope } }
      }
    }

    expect(JSON.parse((await logInWith(new Strategy())).text).authentication).toMatchObject({
      strategy: 'nest',
      scope: 'openid email profile'
    })
  })
})
