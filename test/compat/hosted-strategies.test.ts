import * as official from '@feathersjs/authentication'
import * as officialLocal from '@feathersjs/authentication-local'
import { NotAuthenticated } from '@feathersjs/errors'
import { describe, expect, it, onTestFinished } from 'vitest'
import * as ours from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { describeHttpTransports } from '../support/transports.ts'
import { CREDENTIALS, install, logIn, send, supported, theirs } from './feathers-authentication.ts'

describeHttpTransports('strategies that extend those of Feathers, on our service', (open) => {
  class InvitedStrategy extends officialLocal.LocalStrategy {
    override async getEntityQuery(query: any, params: any) {
      return { ...(await super.getEntityQuery(query, params)), invited: true }
    }
  }

  class TeamStrategy extends official.JWTStrategy {
    override async getEntityId(result: any) {
      return result.authentication.payload.member
    }

    override async getEntity(id: any, params: any) {
      return { ...(await super.getEntity(id, params)), team: 'birds' }
    }
  }

  class KeyStrategy extends official.AuthenticationBaseStrategy {
    override get configuration() {
      return { ...this.authentication?.configuration, ...super.configuration }
    }

    async authenticate({ key }: any) {
      if (key !== this.configuration.value) throw new NotAuthenticated('Invalid key')

      return {
        authentication: { strategy: this.name },
        [this.configuration.entity]: { id: 7, email: 'robot' }
      }
    }

    async parse({ headers }: any) {
      return headers['x-key'] ? { strategy: this.name, key: headers['x-key'] } : null
    }
  }

  it('find and change entities', async () => {
    const client = await open((app) => {
      const authentication = install(app, {
        service: ours,
        hooks: ours,
        strategies: { JWTStrategy: TeamStrategy, LocalStrategy: InvitedStrategy }
      })

      authentication.getPayload = async (result: any) => ({ member: result.user.id })
      app.use('teams', { find: async ({ user }: any) => [user.team] })
      app.service('teams').hooks({ before: { all: [ours.authenticate('jwt')] } })
    })

    expect((await logIn(client)).login).toMatchObject({ status: 401, body: { message: 'Invalid login' } })

    const invited = { ...CREDENTIALS, email: 'tit@example.org' }

    await send(client, 'POST', '/users', { data: { ...invited, invited: true } })

    const { body } = await send(client, 'POST', '/authentication', {
      data: { strategy: 'local', ...invited }
    })

    expect(await send(client, 'GET', '/teams', { token: body.accessToken })).toEqual({
      status: 200,
      body: ['birds']
    })
  })

  it('read headers of their own', async () => {
    const client = await open((app) => {
      const authentication = install(
        app,
        { service: ours },
        { key: { value: 'secret key' }, parseStrategies: ['key', 'jwt'] }
      )

      authentication.register('key', new KeyStrategy())
      app.use('machines', { find: async ({ user }: any) => [user.email] })
      app.service('machines').hooks({ before: { all: [official.authenticate('jwt', 'key') as any] } })
    })
    const response = await client.request('/machines', { headers: { 'X-Key': 'secret key' } })
    const refused = await client.request('/machines', { headers: { 'X-Key': 'another key' } })

    expect(response.status).toBe(200)
    expect(await response.json()).toEqual(['robot'])
    expect(refused.status).toBe(401)
    expect(await refused.json()).toMatchObject({ message: 'Invalid key' })
  })
})

it.each([ours.LocalStrategy, ours.JWTStrategy])(
  'a strategy of ours is refused by the service of Feathers, with a sentence',
  (Strategy: any) => {
    const app: any = alula()

    app.set('authentication', { local: { usernameField: 'email', passwordField: 'password' } })

    const authentication = new theirs.AuthenticationService(app)

    expect(() => authentication.register('mine', new Strategy())).toThrow(
      "The 'mine' strategy needs the AuthenticationService of the package that it comes from"
    )
  }
)

it.each([
  ['Feathers', theirs],
  ['alula', ours]
])(
  'isActive is asked for the strategies of %s, about what clients do not see',
  async (_title, strategies) => {
    const app: any = alula()

    install(
      app,
      { service: ours, strategies, hooks: ours, createUsers: memory },
      { isActive: (user: any) => user.banned !== true }
    )
    app.service('users').hooks({ after: { all: [ours.protect('banned')] } })
    await app.setup()
    onTestFinished(async () => void (await app.teardown()))

    const service = app.service('authentication')
    const user = await app.service('users').create({ ...CREDENTIALS })
    const outside = { provider: 'rest', query: {} }
    const logIn = () => service.create({ strategy: 'local', ...CREDENTIALS }, outside)
    const { accessToken } = await logIn()
    const useToken = () =>
      app.service('notes').find({ ...outside, authentication: { strategy: 'jwt', accessToken } })

    expect(await useToken()).toEqual([{ owner: CREDENTIALS.email }])

    await app.service('users')._patch(user.id, { banned: true })
    for (const call of [logIn, useToken]) {
      await expect(call()).rejects.toMatchObject({ name: 'NotAuthenticated', code: 401 })
    }

    await app.service('users')._patch(user.id, { banned: false })
    for (const call of [logIn, useToken]) await call()
  }
)

describe.each(supported)('$title', ({ parts }) => {
  it('note on a connection who it belongs to, and take it back', async () => {
    const app = alula()

    install(app, parts)
    await app.setup()
    onTestFinished(async () => void (await app.teardown()))
    await app.service('users').create({ ...CREDENTIALS })

    const connection: any = {}
    const seen: unknown[] = []
    const service: any = app.service('authentication')

    app.on('disconnect', ({ user }) => seen.push(user.email))

    const { accessToken } = await service.create(
      { strategy: 'local', ...CREDENTIALS },
      { provider: 'socketio', connection }
    )

    expect(connection).toMatchObject({
      authentication: { strategy: 'jwt', accessToken },
      user: { email: CREDENTIALS.email }
    })

    app.emit('disconnect', connection)
    expect(seen).toEqual([CREDENTIALS.email])
    await expect.poll(() => Object.keys(connection)).toEqual([])
  })
})
