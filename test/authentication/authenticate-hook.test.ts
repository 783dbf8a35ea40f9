import { describe, expect, it } from 'vitest'
import { AuthenticationService, authenticate, JWTStrategy } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { createApp, createAppWithUser, EXTERNAL, LOGIN, SECRET } from './app.ts'

describe('the authenticate hook', () => {
  const things = { get: async (id: unknown, params: unknown) => ({ id, params }), find: async () => [] }

  /** An application with a service that returns its params, behind the hook. */
  async function createProtected(hook: any = authenticate('jwt')) {
    const { app, user, service } = await createAppWithUser()
    const { accessToken, authentication } = await service.create(LOGIN)

    app.use('things', things)
    app.service('things').hooks({ before: { all: [hook] } })

    return {
      app,
      user,
      service,
      authentication: { strategy: 'jwt', accessToken },
      payload: authentication.payload
    }
  }

  it('needs a strategy', () => {
    for (const args of [
      [],
      [''],
      [undefined],
      [{}],
      [{ strategies: [] }],
      [{ strategies: [''] }],
      [{ strategies: 'jwt' }],
      [{ strategies: { length: 1, some: () => false } }],
      ['jwt', '']
    ]) {
      expect(() => (authenticate as any)(...args), JSON.stringify(args)).toThrow(
        'The authenticate hook needs at least one allowed strategy'
      )
    }
  })

  it('refuses a call from outside without credentials', async () => {
    const { app } = await createProtected()

    await expect(app.service('things').get(1, EXTERNAL)).rejects.toMatchObject({
      name: 'NotAuthenticated',
      code: 401,
      message: 'Not authenticated'
    })
  })

  it('that is optional lets a call without credentials through, and none with credentials that are not valid', async () => {
    const { app, user, authentication } = await createProtected(
      authenticate({ strategies: ['jwt'], optional: true })
    )
    const find = (params: object) => app.service('things').get(1, { ...EXTERNAL, ...params })

    expect(await find({})).toEqual({ id: 1, params: EXTERNAL })
    expect((await find({ authentication })).params).toMatchObject({ user, authenticated: true })

    for (const wrong of [
      { strategy: 'jwt', accessToken: 'nonsense' },
      { strategy: 'local', email: user.email, password: 'correct horse' },
      { strategy: 'jwt' },
      {}
    ]) {
      await expect(find({ authentication: wrong })).rejects.toMatchObject({ code: 401 })
    }
  })

  it('is optional or not', () => {
    expect(() => authenticate({ strategies: ['jwt'], optional: 'yes' as any })).toThrow(
      "Invalid option 'optional' of the authenticate hook: expected true or false"
    )
  })

  it('lets a call from inside through as it is', async () => {
    const { app } = await createProtected()

    expect(await app.service('things').get(1, { mine: true })).toEqual({ id: 1, params: { mine: true } })
  })

  it('puts the result of the strategy on the params, without the token', async () => {
    const { app, user, authentication, payload } = await createProtected()
    const { params } = await app
      .service('things')
      .get(1, { ...EXTERNAL, authentication, query: {}, mine: true })

    expect(params).toEqual({
      provider: 'rest',
      query: {},
      mine: true,
      user,
      authentication: { ...authentication, payload },
      authenticated: true
    })
  })

  it('does the same for a call from inside that brings credentials', async () => {
    const { app, user, authentication } = await createProtected()

    expect((await app.service('things').get(1, { authentication })).params).toMatchObject({
      user,
      authenticated: true
    })
    await expect(
      app.service('things').get(1, { authentication: { strategy: 'jwt', accessToken: 'nonsense' } })
    ).rejects.toThrow('Invalid access token')
  })

  it('does not change the params that were passed in, and keeps what they refer to', async () => {
    const { app, authentication } = await createProtected()
    const connection = {}
    const given = Object.freeze({ ...EXTERNAL, authentication, connection })
    const { params } = await app.service('things').get(1, given)

    expect(params).not.toBe(given)
    expect(params.connection).toBe(connection)
  })

  it('hands the strategy neither the provider nor the credentials as params', async () => {
    let seen: unknown
    const app = createApp({
      strategies: {
        test: {
          authenticate: async (...args: unknown[]) => {
            seen = args.map((arg: any) => Object.fromEntries(Object.entries(arg)))

            return {}
          }
        }
      }
    })

    app.use('things', things)
    app.service('things').hooks({ before: { all: [authenticate('test')] } })

    const authentication = { strategy: 'test', my: 'data' }

    await app.service('things').get(1, { ...EXTERNAL, authentication, query: { a: 1 }, mine: true })

    expect(seen).toEqual([authentication, { query: { a: 1 }, mine: true, authenticated: true }])
  })

  it('lets a call through that is authenticated already', async () => {
    const { app } = await createProtected()
    const params = { ...EXTERNAL, authenticated: true, authentication: { strategy: 'nonsense' } }

    expect((await app.service('things').get(1, params)).params).toEqual(params)
  })

  it('takes nothing but true for authenticated', async () => {
    const { app } = await createProtected()

    for (const authenticated of ['true', 1, {}, false]) {
      await expect(app.service('things').get(1, { ...EXTERNAL, authenticated })).rejects.toThrow(
        'Not authenticated'
      )
    }
  })

  it('is content with an entity on the params of a call from inside', async () => {
    const { app, user, authentication } = await createProtected()
    const params = { user, authentication: { ...authentication, accessToken: 'nonsense' } }

    expect((await app.service('things').get(1, params)).params).toEqual(params)
  })

  it('is not content with an entity on the params of a call from outside', async () => {
    const { app, user, authentication } = await createProtected()

    await expect(app.service('things').get(1, { ...EXTERNAL, user })).rejects.toThrow('Not authenticated')
    await expect(
      app.service('things').get(1, {
        ...EXTERNAL,
        user,
        authentication: { ...authentication, accessToken: 'nonsense' }
      })
    ).rejects.toThrow('Invalid access token')
  })

  it('allows its strategies only', async () => {
    const { app, authentication } = await createProtected(authenticate('local', 'other'))
    const reason = 'Invalid authentication information (strategy not allowed in authStrategies)'

    await expect(app.service('things').get(1, { ...EXTERNAL, authentication })).rejects.toThrow(reason)
    expect((await app.service('things').get(1, { ...EXTERNAL, authentication: LOGIN })).params).toMatchObject(
      {
        authenticated: true,
        authentication: { strategy: 'local' }
      }
    )
  })

  it('uses the service that it is told', async () => {
    const { app, authentication } = await createProtected(
      authenticate({ service: 'admin-authentication', strategies: ['jwt'] })
    )
    const admins = new AuthenticationService(app, 'admins', { secret: `${SECRET} of admins`, entity: null })

    admins.register('jwt', new JWTStrategy())
    app.use('admin-authentication', admins)

    const accessToken = await admins.createAccessToken({ admin: true })
    const call = (credentials: unknown) =>
      app.service('things').get(1, { ...EXTERNAL, authentication: credentials })

    await expect(call(authentication)).rejects.toThrow('invalid signature')
    expect((await call({ strategy: 'jwt', accessToken })).params.authentication.payload.admin).toBe(true)
  })

  it('needs an authentication service', async () => {
    const app: any = alula().use('things', things)

    app.service('things').hooks({ before: { all: [authenticate('jwt')] } })

    const refusal = { name: 'NotAuthenticated', message: 'Could not find a valid authentication service' }

    await expect(app.service('things').get(1)).rejects.toMatchObject(refusal)

    // There is the function now, and no service that it could return.
    new AuthenticationService(app)
    await expect(app.service('things').get(1)).rejects.toMatchObject(refusal)
  })

  it('needs a service that can authenticate', async () => {
    const { app } = await createProtected(authenticate({ service: 'users', strategies: ['jwt'] }))

    await expect(app.service('things').get(1)).rejects.toThrow(
      'Could not find a valid authentication service'
    )
  })

  it('does not belong on the authentication service', async () => {
    const { app, service } = await createAppWithUser()

    app.service('authentication').hooks({ before: { create: [authenticate('jwt')] } })

    await expect(service.create(LOGIN)).rejects.toMatchObject({
      name: 'NotAuthenticated',
      message: 'The authenticate hook does not need to be used on the authentication service'
    })
  })

  it.each(['after', 'error'])('does not belong among the %s hooks', async (type) => {
    const { app } = await createAppWithUser()

    app.use('things', {
      get: async () => {
        if (type === 'error') throw new Error('Broken')
      }
    })
    app.service('things').hooks({ [type]: { all: [authenticate('jwt')] } })

    await expect(app.service('things').get(1)).rejects.toMatchObject({
      name: 'NotAuthenticated',
      message: 'The authenticate hook must be used as a before hook'
    })
  })

  it('works as an around hook, and calls the next one once', async () => {
    const { app, user, authentication } = await createProtected(() => undefined)
    const trace: string[] = []

    app.service('things').hooks({
      around: {
        get: [
          authenticate('jwt'),
          async (_context: unknown, next: any) => {
            trace.push('in')
            await next()
            trace.push('out')
          }
        ]
      }
    })

    await expect(app.service('things').get(1, EXTERNAL)).rejects.toThrow('Not authenticated')
    expect(trace).toEqual([])

    expect((await app.service('things').get(1, { ...EXTERNAL, authentication })).params.user).toEqual(user)
    expect(await app.service('things').get(1)).toEqual({ id: 1, params: {} })
    expect(trace).toEqual(['in', 'out', 'in', 'out'])
  })

  it('works on a context that has no more than application and params', async () => {
    const { app, user, authentication } = await createProtected()
    const context: any = { app, params: { ...EXTERNAL, authentication } }

    expect(await authenticate('jwt')(context)).toBe(context)
    expect(context.params.user).toEqual(user)
  })

  it('refuses the token of somebody who is gone', async () => {
    const { app, user, authentication } = await createProtected()

    await app.service('users').remove(user.id)

    await expect(app.service('things').get(1, { ...EXTERNAL, authentication })).rejects.toMatchObject({
      name: 'NotAuthenticated'
    })
  })
})
