import { createTestClient } from 'alula-testing'
import { expect, it } from 'vitest'
import { AuthenticationBaseStrategy, createStrategy, protect } from '../../src/authentication.ts'
import { createAppWithUser } from '../authentication/app.ts'

// What a strategy of one’s own could give away: it returns the user as the server sees it, and a login answered with
// all of that, the hash of the password among it.

class Link extends AuthenticationBaseStrategy {
  async authenticate({ id }: any) {
    return { authentication: { strategy: this.name }, user: await this.entityService.get(id) }
  }
}

const link = () =>
  createStrategy(({ app, name }) => ({
    authenticate: async ({ id }) => ({
      authentication: { strategy: name },
      user: await app.service('users').get(id)
    })
  }))

const strategies: [string, () => any, object][] = [
  ['a class', () => new Link(), {}],
  ['a function', link, {}],
  ['a class, where isActive is asked', () => new Link(), { isActive: () => true }]
]

it.each(strategies)(
  'a login with a strategy of one’s own shows no protected field: %s',
  async (_title, create, settings) => {
    const { app, user } = await createAppWithUser({
      settings: { authStrategies: ['jwt', 'link'], ...settings }
    })
    const { fetch } = createTestClient(app)

    app.service('authentication').register('link', create())
    app.service('users').hooks({ after: { all: [protect('password')] } })
    await app.setup()

    const login = (query = '') =>
      fetch(`/authentication${query}`, { json: { strategy: 'link', id: user.id } })
    const answer: any = await (await login()).json()

    expect(answer.user).toEqual({ id: user.id, email: user.email })
    expect(await (await login('?$select=id')).json()).toMatchObject({ user: { id: user.id } })
    expect(await (await login('?$select=id')).text()).not.toContain('email')
    expect((await login('?password=x')).status).toBe(400)

    const logout = await fetch('/authentication', {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${answer.accessToken}` }
    })

    expect(((await logout.json()) as any).user).toEqual({ id: user.id, email: user.email })
  }
)

it('a call from inside gets the user as the strategy returns it', async () => {
  const { app, user } = await createAppWithUser({ settings: { authStrategies: ['jwt', 'link'] } })

  app.service('authentication').register('link', link())

  const { user: own } = await app.service('authentication').create({ strategy: 'link', id: user.id })

  expect(own).toEqual(user)
})

it('a user without an id, who is in no service, is shown as the strategy returns it', async () => {
  const { app } = await createAppWithUser({ settings: { authStrategies: ['jwt', 'guest'] } })

  app.service('authentication').register(
    'guest',
    createStrategy(({ name }) => ({
      authenticate: async () => ({ authentication: { strategy: name }, user: { name: 'Guest' } })
    }))
  )
  app.service('authentication').hooks({
    before: {
      create: [({ params }: any) => void Object.assign(params, { jwtOptions: { subject: 'guest' } })]
    }
  })
  await app.setup()

  const response = await createTestClient(app).fetch('/authentication', { json: { strategy: 'guest' } })

  expect(response.status).toBe(201)
  expect(await response.json()).toMatchObject({ user: { name: 'Guest' } })
})
