import { once } from 'node:events'
import { hooks as decorate } from '@feathersjs/hooks'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  AuthenticationBase,
  AuthenticationService,
  type AuthenticationStrategy,
  JWTStrategy,
  LocalStrategy
} from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { callService } from '../../src/transport.ts'
import { createApp, createAppWithUser, LOCAL, LOGIN, OTHER_SECRET, SECRET } from './app.ts'

describe('authenticate', () => {
  it('hands the data to the strategy, and marks the params', async () => {
    const auth = new AuthenticationBase(alula())
    const data = { strategy: 'test', my: 'data' }
    const params = { query: { a: 1 } }
    let seen: unknown[] = []

    auth.register('test', {
      authenticate: async (...args) => {
        seen = args

        return { my: 'result' }
      }
    })

    expect(await auth.authenticate(data, params, 'other', 'test')).toEqual({ my: 'result' })
    expect(seen[0]).toBe(data)
    expect(Object.fromEntries(Object.entries(seen[1] as object))).toEqual({
      query: { a: 1 },
      authenticated: true
    })
    expect(params).toEqual({ query: { a: 1 } })
  })

  it('says what is wrong with the strategy', async () => {
    const auth = new AuthenticationBase(alula())

    auth.register('test', { authenticate: async () => ({}) })
    auth.register('silent', {})

    for (const [data, allowed, reason] of [
      [undefined, ['test'], ' (no `strategy` set)'],
      [null, ['test'], ' (no `strategy` set)'],
      [{}, ['test'], ' (no `strategy` set)'],
      [{ strategy: '' }, [''], ' (no `strategy` set)'],
      [{ strategy: 'test' }, [], ' (strategy not allowed in authStrategies)'],
      [{ strategy: ['test'] }, ['test'], ' (strategy not allowed in authStrategies)'],
      [{ strategy: 'constructor' }, ['test'], ' (strategy not allowed in authStrategies)'],
      [{ strategy: 'unknown' }, ['unknown'], ''],
      [{ strategy: 'silent' }, ['silent'], '']
    ] as [any, string[], string][]) {
      await expect(auth.authenticate(data, {}, ...allowed)).rejects.toMatchObject({
        name: 'NotAuthenticated',
        message: `Invalid authentication information${reason}`
      })
    }
  })
})

describe('parse', () => {
  it('returns what the first strategy finds, in the order of the names', async () => {
    const auth = new AuthenticationBase(alula())
    const [request, response] = [{ headers: {} }, {}]
    const seen: unknown[] = []
    const find =
      (found: any) =>
      async (...args: unknown[]) => {
        seen.push(...args)

        return found
      }

    auth.register('silent', {})
    auth.register('nothing', { parse: find(null) })
    auth.register('less', { parse: find(undefined) })
    auth.register('first', { parse: find({ strategy: 'first' }) })
    auth.register('second', { parse: find({ strategy: 'second' }) })

    expect(await auth.parse(request, response, 'silent', 'nothing', 'less', 'second', 'first')).toEqual({
      strategy: 'second'
    })
    expect(seen).toHaveLength(6)
    expect(seen[0]).toBe(request)
    expect(seen[1]).toBe(response)

    expect(await auth.parse(request, response, 'silent', 'nothing', 'unknown')).toBeNull()
    expect(await auth.parse(request, response)).toBeNull()
  })
})

describe('handleConnection', () => {
  it('tells the strategies one after another', async () => {
    const auth = new AuthenticationBase(alula())
    const [connection, result] = [{}, {}]
    const calls: unknown[][] = []
    const listen = (name: string): AuthenticationStrategy => ({
      handleConnection: async (...args) => {
        calls.push([name, ...args])
        await new Promise((resolve) => setImmediate(resolve))
        calls.push([name, 'is done'])
      }
    })

    auth.register('first', listen('first'))
    auth.register('silent', {})
    auth.register('second', listen('second'))
    await auth.handleConnection('login', connection, result)

    expect(calls).toEqual([
      ['first', 'login', connection, result],
      ['first', 'is done'],
      ['second', 'login', connection, result],
      ['second', 'is done']
    ])
    expect(calls[0]?.[2]).toBe(connection)
  })

  it('is called when a connection ends', async () => {
    const connection = {}
    const seen = new Promise((resolve) => {
      const app = createApp({
        strategies: { test: { handleConnection: async (...args: unknown[]) => resolve(args) } },
        settings: { entity: null }
      })

      app.emit('disconnect', connection)
    })

    expect(await seen).toEqual(['disconnect', connection, undefined])
  })

  it('that fails when a connection ends is reported', async () => {
    const error = new Error('Broken')
    const app = createApp({
      strategies: { test: { handleConnection: () => Promise.reject(error) } },
      settings: { entity: null }
    })
    const reported = once(app, 'error')

    app.emit('disconnect', {})

    expect((await reported)[0]).toBe(error)
  })
})

describe('defaultAuthentication', () => {
  it('returns the service whose configuration the setting names', () => {
    const app: any = alula()

    new AuthenticationService(app)
    expect(app.defaultAuthentication()).toBeNull()

    app.use('sessions', new AuthenticationService(app))
    app.use('things', { get: async () => ({}) })
    expect(app.defaultAuthentication()).toBe(app.service('sessions'))
  })

  it('returns the service of a path', () => {
    const app = createApp().use('things', { get: async () => ({}) })

    expect(app.defaultAuthentication('things')).toBe(app.service('things'))
    expect(() => app.defaultAuthentication('nowhere')).toThrow("Can not find service 'nowhere'")
  })

  it('chooses among several services by the setting', () => {
    const app: any = alula()

    app.use('first', new AuthenticationService(app, 'one'))
    app.use('second', new AuthenticationService(app, 'two'))
    expect(app.defaultAuthentication()).toBe(app.service('first'))

    app.set('defaultAuthentication', 'two')
    expect(app.defaultAuthentication()).toBe(app.service('second'))
  })

  it('of the application stays when there is one', () => {
    const app: any = alula()
    const mine = () => null

    app.defaultAuthentication = mine
    new AuthenticationService(app)

    expect(app.defaultAuthentication).toBe(mine)
  })
})

describe('a service that was decorated with @feathersjs/hooks', () => {
  it.each<[string, (app: any, hooks: any) => AuthenticationService]>([
    [
      'the prototype of a subclass',
      (app, hooks) => {
        class Custom extends AuthenticationService {}

        decorate(Custom.prototype, hooks)

        return new Custom(app)
      }
    ],
    [
      'a subclass',
      (app, hooks) => {
        class Custom extends AuthenticationService {}

        decorate(Custom, hooks)

        return new Custom(app)
      }
    ],
    ['the service itself', (app, hooks) => decorate(new AuthenticationService(app), hooks)]
  ])('runs the hooks of %s once, with the context of the service', async (_title, create) => {
    const app: any = alula()
    const seen: any[] = []
    const look = async (context: any, next: any) => {
      await next()
      seen.push({
        app: context.app,
        path: context.path,
        method: context.method,
        data: context.data,
        id: context.id,
        provider: context.params.provider,
        token: context.result.accessToken
      })
      context.result = { ...context.result, looked: true }
    }
    const events: unknown[] = []

    app.set('authentication', {
      secret: SECRET,
      service: 'users',
      entity: 'user',
      authStrategies: ['jwt', 'local'],
      local: LOCAL
    })

    const auth = create(app, { create: [look], remove: [look] })

    auth.register('jwt', new JWTStrategy())
    auth.register('local', new LocalStrategy())
    app.use('users', memory()).use('authentication', auth)
    app.on('login', (result: any) => events.push(['login', result.looked]))
    app.on('logout', (result: any) => events.push(['logout', result.looked]))
    onTestFinished(async () => void (await app.teardown()))

    const service = app.service('authentication')
    const password = await (auth.getStrategy('local') as any).hashPassword(LOGIN.password)

    await app.service('users').create({ email: LOGIN.email, password })

    const params = { provider: 'rest', query: {} }
    const { result: login } = await callService(service, { method: 'create', data: LOGIN, params })
    const { accessToken: token } = login
    const { result: logout } = await callService(service, {
      method: 'remove',
      id: null,
      params: { ...params, authentication: { strategy: 'jwt', accessToken: token } }
    })

    const common = { app, path: 'authentication', provider: 'rest', token }

    expect(login).toMatchObject({ user: { email: LOGIN.email }, looked: true })
    expect(logout).toMatchObject({ user: { email: LOGIN.email }, looked: true })
    expect(seen).toEqual([
      { ...common, method: 'create', data: LOGIN, id: undefined },
      { ...common, method: 'remove', data: undefined, id: null }
    ])
    expect(events).toEqual([
      ['login', true],
      ['logout', true]
    ])
  })
})

describe('several services in one application', () => {
  it('have secrets, entities and strategies of their own', async () => {
    const { app, service } = await createAppWithUser()
    const admins = new AuthenticationService(app, 'adminAuthentication', {
      secret: OTHER_SECRET,
      service: 'admins',
      entity: 'admin',
      authStrategies: ['token', 'password'],
      password: LOCAL
    })

    admins.register('token', new JWTStrategy())
    admins.register('password', new LocalStrategy())
    app.use('admins', memory({ id: 'key' })).use('admin-authentication', admins)

    const hash = await (admins.getStrategy('password') as LocalStrategy).hashPassword('a password')

    await app.service('admins').create({ key: 'a1', email: 'root@example.org', password: hash })
    await app.setup()

    const other = app.service('admin-authentication')
    const login = await other.create({
      strategy: 'password',
      email: 'root@example.org',
      password: 'a password'
    })

    expect(login.admin.key).toBe('a1')
    expect(login.authentication.payload.sub).toBe('a1')
    expect((await other.create({ strategy: 'token', accessToken: login.accessToken })).admin.key).toBe('a1')

    await expect(service.create({ strategy: 'jwt', accessToken: login.accessToken })).rejects.toThrow(
      'invalid signature'
    )
    await expect(other.create({ ...LOGIN, strategy: 'password' })).rejects.toThrow('Invalid login')
    expect(app.defaultAuthentication()).toBe(service)
  })
})
