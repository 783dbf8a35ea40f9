import { hooks as decorate } from '@feathersjs/hooks'
import { describe, expect, it } from 'vitest'
import {
  AuthenticationService,
  authenticate,
  connection,
  event,
  hashPassword,
  hooks,
  JWTStrategy,
  passwordHash,
  protect
} from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { callService } from '../../src/transport.ts'
import { BCRYPT, createApp, createAppWithUser, LOCAL, LOGIN, SECRET, WREN } from './app.ts'

const EXTERNAL = { provider: 'rest' }

/** A hasher that takes a turn for each password, and keeps which it got and how many at most at the same time. */
function createCountingHasher() {
  const passwords: string[] = []
  let [running, most] = [0, 0]

  return {
    passwords,
    most: () => most,
    hasher: {
      async hash(password: string) {
        passwords.push(password)
        most = Math.max(most, ++running)
        await new Promise((resolve) => setImmediate(resolve))
        running--

        return `hash of ${password}`
      },
      compare: async () => false
    }
  }
}

it('the hooks of both packages of Feathers are in one object', () => {
  expect(hooks).toEqual({ authenticate, connection, event, hashPassword, protect })
})

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
    ).rejects.toThrow('jwt malformed')
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
            seen = args

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
    ).rejects.toThrow('jwt malformed')
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

describe('the hashPassword hook', () => {
  const HASH = expect.stringMatching(/^\$2b\$04\$.{53}$/)

  function createHashing(hook: any, type = 'before') {
    const app = createApp({ settings: BCRYPT }).use('things', { create: async (data: unknown) => data })

    app.service('things').hooks({ [type]: { create: [hook] } })

    return app.service('things')
  }

  it('needs the name of a field', () => {
    for (const field of ['', undefined, null, 5, ['password'], {}, () => 'password'] as any[]) {
      expect(() => hashPassword(field)).toThrow('The hashPassword hook requires a field name option')
    }
  })

  it('takes one field, and not several', () => {
    for (const option of ['email', 5, true, () => 'email'] as any[]) {
      expect(() => hashPassword('password', option)).toThrow(
        'The hashPassword hook hashes one field: expected options as its second argument'
      )
    }
  })

  it.each(['after', 'error'])('does not belong among the %s hooks, and says so', async (type) => {
    const app = createApp().use('things', {
      create: async (data: any) => {
        if (type === 'error') throw new Error('the reason')

        return data
      }
    })

    app.service('things').hooks({ [type]: { create: [hashPassword('password')] } })

    await expect(app.service('things').create({ password: 'a' })).rejects.toThrow(
      'The hashPassword hook must be used as a before or around hook'
    )
  })

  it('refuses a list for one record as the service does', async () => {
    const { app, user } = await createAppWithUser()
    const list = [{ email: 'a', password: 'a' }]

    app.service('users').hooks({ before: { update: [hashPassword('password')] } })

    for (const method of ['update', 'patch']) {
      const plain: any = memory()

      await plain.create({ id: user.id })

      const error = await plain[method](user.id, list).catch((error: unknown) => error)

      expect(error).toMatchObject({ name: 'BadRequest' })
      await expect(app.service('users')[method](user.id, list)).rejects.toMatchObject({
        name: error.name,
        message: error.message
      })
    }
  })

  it('hashes the field and leaves the data that was passed in', async () => {
    const data = Object.freeze({ email: 'wren', password: 'secret', nested: Object.freeze({ a: 1 }) })
    const result = await createHashing(hashPassword('password')).create(data)

    expect(result).toEqual({ email: 'wren', password: HASH, nested: { a: 1 } })
    expect(data.password).toBe('secret')
  })

  it('hashes the field of each item', async () => {
    const result = await createHashing(hashPassword('password')).create([
      { password: 'a' },
      { other: true },
      { password: 'a' }
    ])

    expect(result).toEqual([{ password: HASH }, { other: true }, { password: HASH }])
    expect(result[0].password).not.toBe(result[2].password)
  })

  it('hashes at the end of a dotted name', async () => {
    const data = { login: { name: 'wren', password: 'secret' } }
    const result = await createHashing(hashPassword('login.password')).create(data)

    expect(result).toEqual({ login: { name: 'wren', password: HASH } })
    expect(data.login.password).toBe('secret')
  })

  it('leaves data alone that has no such field', async () => {
    const things = createHashing(hashPassword('password'))

    for (const data of [{}, { password: undefined }, { other: 1 }, null, undefined]) {
      expect(await things.create(data)).toEqual(data)
    }
  })

  it('refuses a list before it hashes anything when the service will refuse it', async () => {
    const { hasher, passwords } = createCountingHasher()
    const app = createApp({ settings: { local: { ...LOCAL, hasher } } })
    const list = Array.from({ length: 5 }, (_, n) => ({ email: `${n}`, password: `password ${n}` }))

    for (const call of [
      () => app.service('users').create(list),
      () => app.service('users').create(list, EXTERNAL),
      () => app.service('users').patch(null, list)
    ]) {
      await expect(call()).rejects.toMatchObject({ name: 'MethodNotAllowed', code: 405 })
    }

    expect(passwords).toEqual([])
  })

  it('hashes the items of a list one after another, up to the first that is refused', async () => {
    const { hasher, passwords, most } = createCountingHasher()
    const app = createApp({
      settings: { local: { ...LOCAL, hasher } },
      users: memory({ multi: true })
    })
    const users = app.service('users')

    await expect(
      users.create([{ password: 'a' }, { password: 'b' }, { password: '' }, { password: 'c' }])
    ).rejects.toMatchObject({ name: 'BadRequest', code: 400 })
    expect(passwords).toEqual(['a', 'b'])
    expect(await users.find()).toEqual([])

    await users.create([{ password: 'd' }, { other: true }, { password: 'e' }])
    expect(passwords).toEqual(['a', 'b', 'd', 'e'])
    expect(most()).toBe(1)
  })

  it('lets others log in while a list of more than a thousand is hashed', async () => {
    const { app, service } = await createAppWithUser({ users: memory({ multi: true }) })
    const list = Array.from({ length: 1100 }, (_, n) => ({ email: `${n}`, password: `password ${n}` }))
    const done: string[] = []

    const signUp = app
      .service('users')
      .create(list)
      .then(() => done.push('sign-up'))
    const logIn = service.create(LOGIN).then(() => done.push('login'))

    await Promise.all([signUp, logIn])
    expect(done).toEqual(['login', 'sign-up'])
  })

  it('refuses what can not be hashed', async () => {
    const things = createHashing(hashPassword('password'))

    for (const password of ['', null, 5, { $ne: 1 }, 'x'.repeat(73), 'a\0']) {
      await expect(things.create({ password })).rejects.toMatchObject({ name: 'BadRequest', code: 400 })
    }
  })

  it('works as an around hook', async () => {
    expect(await createHashing(hashPassword('password'), 'around').create({ password: 'a' })).toEqual({
      password: HASH
    })
  })

  it('needs a service and a strategy that can hash', async () => {
    const app = alula().use('things', { create: async (data: unknown) => data })

    app.service('things').hooks({ before: { create: [hashPassword('password')] } })

    await expect(app.service('things').create({ password: 'a' })).rejects.toMatchObject({
      name: 'BadRequest',
      message: 'Could not find an authentication service to hash password'
    })
    await expect(
      createHashing(hashPassword('password', { authentication: 'users' })).create({ password: 'a' })
    ).rejects.toMatchObject({
      name: 'BadRequest',
      message: 'Could not find an authentication service to hash password'
    })

    for (const strategy of ['jwt', 'unknown', 'constructor']) {
      await expect(
        createHashing(hashPassword('password', { strategy })).create({ password: 'a' })
      ).rejects.toMatchObject({
        name: 'BadRequest',
        message: `Could not find '${strategy}' strategy to hash password`
      })
    }
  })

  it('uses the service and the strategy that it is told', async () => {
    const app = createApp()
    const other = new AuthenticationService(app, 'other')
    const params = { mine: true }
    const seen: unknown[] = []

    other.register('upper', {
      hashPassword: async (password: string, params: unknown) => {
        seen.push(params)

        return password.toUpperCase()
      }
    } as object)
    app.use('other', other).use('things', { create: async (data: unknown) => data })
    app.service('things').hooks({
      before: { create: [hashPassword('password', { authentication: 'other', strategy: 'upper' })] }
    })

    expect(await app.service('things').create({ password: 'a' }, params)).toEqual({ password: 'A' })
    expect(seen).toEqual([params])
  })
})

describe('the passwordHash resolver', () => {
  it('hashes a value', async () => {
    const app = createApp({ settings: BCRYPT })
    const resolve = passwordHash({ strategy: 'local' })

    expect(await resolve('secret', {}, { app, params: {} } as any)).toMatch(/^\$2b\$04\$/)
  })

  it('leaves undefined as it is, also without a service', async () => {
    const context: any = { app: alula(), params: {} }

    expect(await passwordHash({ strategy: 'local' })(undefined, {}, context)).toBeUndefined()
    await expect(passwordHash({ strategy: 'local' })('secret', {}, context)).rejects.toMatchObject({
      name: 'BadRequest',
      message: 'Could not find an authentication service to hash password'
    })
  })

  it('uses the service and the strategy that it is told', async () => {
    const app = createApp()
    const other = new AuthenticationService(app, 'other')

    other.register('upper', { hashPassword: async (password: string) => password.toUpperCase() } as object)
    app.use('other', other)

    const context: any = { app, params: {} }

    expect(await passwordHash({ service: 'other', strategy: 'upper' })('a', {}, context)).toBe('A')
    await expect(passwordHash({ strategy: 'upper' })('a', {}, context)).rejects.toThrow(
      "Could not find 'upper' strategy to hash password"
    )
  })

  it('refuses what can not be hashed', async () => {
    const context: any = { app: createApp({ settings: BCRYPT }), params: {} }

    for (const value of ['', null, 5, 'x'.repeat(73)] as any[]) {
      await expect(passwordHash({ strategy: 'local' })(value, {}, context)).rejects.toMatchObject({
        code: 400
      })
    }
  })
})

describe('protect', () => {
  it('works on a context without params, as tests and other code make them', async () => {
    const context: any = { type: 'after', method: 'get', result: { id: 1, password: 'secret' } }

    await protect('password')(context)

    expect(context.dispatch).toEqual({ id: 1 })
    expect(context.result).toEqual({ id: 1, password: 'secret' })
  })

  /** Calls a method that returns the result, with the hook after it. */
  async function call(
    result: unknown,
    fields: string[],
    { method = 'get', params = {}, type = 'after' } = {}
  ) {
    const app: any = alula().use('things', { [method]: async () => result })

    app.service('things').hooks({ [type]: { all: [protect(...fields)] } })

    return callService(app.service('things'), { method, id: 1, data: {}, params })
  }

  it.each(['after', 'around'])('hides fields from clients as an %s hook', async (type) => {
    const record = { id: 1, password: 'hash', secret: 's' }
    const { dispatch, result } = await call(record, ['password', 'secret'], { type })

    expect(dispatch).toEqual({ id: 1 })
    expect(result).toBe(record)
    expect(record).toEqual({ id: 1, password: 'hash', secret: 's' })
  })

  it('hides fields in the result of a call from outside too', async () => {
    const { dispatch, result } = await call({ id: 1, password: 'hash' }, ['password'], { params: EXTERNAL })

    expect(result).toEqual({ id: 1 })
    expect(dispatch).toBe(result)
  })

  it('hides fields at the end of dotted names, in lists on the way too', async () => {
    const record = {
      id: 1,
      login: { name: 'wren', password: 'hash' },
      keys: [{ id: 2, key: 'k' }, { id: 3 }]
    }
    const { dispatch } = await call(record, ['login.password', 'keys.key', 'nowhere.at.all'])

    expect(dispatch).toEqual({ id: 1, login: { name: 'wren' }, keys: [{ id: 2 }, { id: 3 }] })
    expect(record.login.password).toBe('hash')
  })

  it('hides a field whose name has a dot in it', async () => {
    const record = { id: 1, 'login.password': 'hash', 'login.name': 'wren' }

    expect((await call(record, ['login.password'])).dispatch).toEqual({ id: 1, 'login.name': 'wren' })
  })

  it('hides fields of each object in a list, and nothing else', async () => {
    const result = [{ id: 1, password: 'hash' }, 'password', null, 5, ['password']]
    const { dispatch } = await call(result, ['password'], { method: 'find' })

    expect(dispatch).toEqual([{ id: 1 }, 'password', null, 5, ['password']])
  })

  it('hides fields in the data of a page, of find and of methods of one’s own', async () => {
    const page = { total: 1, data: [{ id: 1, password: 'hash' }], password: 'stays' }

    expect((await call(page, ['password'], { method: 'find' })).dispatch).toEqual({
      total: 1,
      data: [{ id: 1 }],
      password: 'stays'
    })
    expect((await call(page, ['password'])).dispatch).toEqual({ total: 1, data: [{ id: 1 }] })
    expect((await call({ limit: 1, data: [{ password: 'hash' }] }, ['password'])).dispatch).toEqual({
      limit: 1,
      data: [{}]
    })
  })

  it('takes no record for a page that has a list in `data`', async () => {
    const record = { id: 1, data: [{ password: 'of somebody else' }], password: 'hash' }

    expect((await call(record, ['password'])).dispatch).toEqual({
      id: 1,
      data: [{ password: 'of somebody else' }]
    })
    expect((await call({ total: 1, data: [{ a: 1 }] }, ['data'])).dispatch).toEqual({ total: 1 })
  })

  it('needs names', () => {
    for (const fields of [[], [''], [undefined], [null], ['password', ''], [['password']], [5]] as any[]) {
      expect(() => protect(...fields), JSON.stringify(fields)).toThrow(
        'The protect hook needs at least one field name'
      )
    }
  })

  it.each(['before', 'error'])('does not belong among the %s hooks, and says so', async (type) => {
    const called: string[] = []
    const app = alula().use('things', {
      get: async () => {
        called.push('get')
        throw new Error('the reason')
      }
    })

    app.service('things').hooks({ [type]: { get: [protect('password')] } })

    await expect(app.service('things').get(1)).rejects.toThrow(
      'The protect hook must be used as an after or around hook'
    )
    expect(called).toEqual(type === 'before' ? [] : ['get'])
  })

  it('goes by what toJSON returns', async () => {
    class Model {
      internal = true

      toJSON() {
        return { id: 1, password: 'hash' }
      }
    }

    expect((await call(new Model(), ['password'])).dispatch).toEqual({ id: 1 })
    expect((await call([new Model()], ['password'], { method: 'find' })).dispatch).toEqual([{ id: 1 }])
  })

  it('goes on from the dispatch that is there', async () => {
    const app: any = alula().use('things', { get: async () => ({ id: 1, password: 'hash', a: 1, b: 2 }) })

    app.service('things').hooks({ after: { get: [protect('a'), protect('password')] } })

    const { dispatch } = await callService(app.service('things'), { method: 'get', id: 1, params: {} })

    expect(dispatch).toEqual({ id: 1, b: 2 })
  })

  it('leaves a call alone that has no result', async () => {
    for (const result of [undefined, null]) {
      const context = await call(result, ['password'], { params: EXTERNAL })

      expect(context.dispatch).toBeUndefined()
      expect(context.result).toBe(result)
    }
  })

  it('hides what is kept in the prototype of a record', async () => {
    class Model {
      id = 1

      get password() {
        return 'hash'
      }
    }

    const { dispatch } = await call(new Model(), ['password'])

    expect(dispatch).not.toHaveProperty('password')
    expect(dispatch).toEqual({ id: 1 })
  })
})

describe('a protected field', () => {
  async function createUsers(...fields: string[]) {
    const app: any = alula().use('users', memory({ operators: ['$not', '$nor'], multi: true }))

    await app
      .service('users')
      .create({ email: 'wren', password: 'hash', login: { name: 'wren', password: 'hash' } })
    app.service('users').hooks({ after: { all: [protect(...fields)] } })

    return app.service('users')
  }

  it.each([
    [{ password: 'hash' }],
    [{ password: { $gt: 'a' } }],
    [{ password: null }],
    [{ PassWord: 'hash' }],
    [{ $or: [{ email: 'a' }, { password: 'hash' }] }],
    [{ $and: [{ $or: [{ password: 'hash' }] }] }],
    [{ $not: { password: 'hash' } }],
    [{ $nor: [{ password: 'hash' }] }],
    [{ $sort: { password: 1 } }],
    [{ $sort: 'password' }],
    [{ $sort: '-password' }],
    [{ $select: ['password'] }],
    [{ $select: 'email,password' }],
    [{ 'password.length': 4 }],
    [{ 'users.password': 'hash' }],
    [{ 'list.0.password': 'hash' }]
  ])('cannot be queried from outside with %j', async (query) => {
    const users = await createUsers('password')
    const [message] = [/^Invalid query: '.*' cannot be queried$/]

    await expect(users.find({ ...EXTERNAL, query })).rejects.toMatchObject({
      name: 'BadRequest',
      message: expect.stringMatching(message)
    })
  })

  it.each([
    [{ 'login.password': 'hash' }],
    [{ login: { password: 'hash' } }],
    [{ login: { name: 'wren', password: 'hash' } }],
    [{ login: { $ne: null } }],
    [{ $sort: { 'login.password': 1 } }],
    [{ $sort: { login: 1 } }],
    [{ $select: ['login.password'] }],
    [{ 'login.0.password': 'hash' }],
    [{ login: { 0: { password: 'hash' } } }],
    [{ 'users.login': { $ne: null } }],
    [{ $sort: { 'users.login': 1 } }]
  ])('that lies deeper cannot be queried from outside with %j', async (query) => {
    const users = await createUsers('login.password')

    await expect(users.find({ ...EXTERNAL, query })).rejects.toMatchObject({ name: 'BadRequest' })
  })

  it.each([
    ['2024', { 2024: 'x' }],
    ['2024', { $sort: { 2024: 1 } }],
    ['2024', { $select: ['2024'] }],
    ['2024', { 'users.2024': 'x' }],
    ['2024', { $or: [{ 2024: { $gt: 1 } }] }],
    ['pins.0', { 'pins.0': 'x' }],
    ['pins.0', { pins: { 0: 'x' } }],
    ['pins.0', { pins: { $ne: null } }],
    ['pins.0', { 'pins.1.0': 'x' }],
    ['0.pin', { '0.pin': 'x' }],
    ['0.pin', { 0: { $ne: null } }]
  ])('whose name is a number, %s, cannot be queried from outside with %j', async (field, query) => {
    const users = await createUsers(field)

    await expect(users.find({ ...EXTERNAL, query })).rejects.toMatchObject({ name: 'BadRequest', code: 400 })
  })

  it('whose name is a number does not stand in the way of other numbers', async () => {
    const users = await createUsers('2024')

    for (const query of [{ 2025: null }, { 'years.2025': null }, { 'list.0': null }]) {
      expect(await users.find({ ...EXTERNAL, query })).toHaveLength(1)
    }
  })

  it('does not stand in the way of the others', async () => {
    const users = await createUsers('login.password')

    for (const query of [
      {},
      { email: 'wren' },
      { password: 'hash' },
      { 'login.name': 'wren' },
      { $or: [{ email: 'wren' }, { password: 'hash' }] },
      { $sort: { 'login.name': 1, password: 1 } }
    ]) {
      expect(await users.find({ ...EXTERNAL, query }), JSON.stringify(query)).toEqual([
        { id: 0, email: 'wren', password: 'hash', login: { name: 'wren' } }
      ])
    }

    expect(await users.find({ ...EXTERNAL, query: { $select: ['login'] } })).toEqual([
      { id: 0, login: { name: 'wren' } }
    ])
  })

  it('can be queried from inside', async () => {
    const users = await createUsers('password')

    expect(await users.find({ query: { password: 'hash', $sort: { password: 1 } } })).toHaveLength(1)
  })

  it('cannot be queried with any method', async () => {
    const users = await createUsers('password')
    const params = { ...EXTERNAL, query: { password: { $gt: 'a' } } }

    for (const call of [
      () => users.find(params),
      () => users.get(0, params),
      () => users.create({}, params),
      () => users.update(0, {}, params),
      () => users.patch(0, {}, params),
      () => users.patch(null, {}, params),
      () => users.remove(0, params),
      () => users.remove(null, params)
    ]) {
      await expect(call()).rejects.toMatchObject({ name: 'BadRequest' })
    }

    expect(await users.find()).toHaveLength(1)
  })

  it('is refused before hooks and before the method, whichever method it is protected on', async () => {
    const trace: string[] = []
    const app: any = alula().use('things', { find: async () => trace.push('method'), get: async () => ({}) })

    app.service('things').hooks({
      before: { find: [() => void trace.push('before')] },
      after: { get: [protect('password')] }
    })

    await expect(app.service('things').find({ ...EXTERNAL, query: { password: 1 } })).rejects.toMatchObject({
      name: 'BadRequest'
    })
    expect(trace).toEqual([])
  })

  it.each<[string, (Users: any) => object]>([
    [
      'a class',
      (Users) => {
        decorate(Users.prototype, { find: [protect('password')] } as any)

        return new Users()
      }
    ],
    ['a method', (Users) => decorate(new Users(), { find: [protect('password')] } as any)],
    ['an object', (Users) => decorate(new Users(), [protect('password')] as any)]
  ])('can be protected by hooks that %s brings along', async (_title, create) => {
    class Users {
      async find() {
        return [{ id: 0, password: 'hash' }]
      }

      async get() {
        return { id: 0 }
      }
    }

    const app: any = alula().use('users', create(Users))
    const params = { ...EXTERNAL, query: { password: { $gt: 'a' } } }

    expect(await app.service('users').find(EXTERNAL)).toEqual([{ id: 0 }])
    await expect(app.service('users').find(params)).rejects.toMatchObject({ name: 'BadRequest', code: 400 })
    await expect(app.service('users').get(0, params)).rejects.toMatchObject({ name: 'BadRequest', code: 400 })
  })

  it('can be protected for all services of an application', async () => {
    const app: any = alula().use('users', memory())

    app.hooks({ after: { all: [protect('password')] } })
    await app.service('users').create({ password: 'hash' })

    expect(await app.service('users').find(EXTERNAL)).toEqual([{ id: 0 }])
    await expect(
      app.service('users').find({ ...EXTERNAL, query: { password: 'hash' } })
    ).rejects.toMatchObject({
      name: 'BadRequest'
    })
  })

  it('is not told by a login from outside', async () => {
    const { app, service } = await createAppWithUser({ settings: BCRYPT })

    app.service('users').hooks({ after: { all: [protect('password')] } })

    const { result, dispatch } = await callService(service, {
      method: 'create',
      data: LOGIN,
      params: EXTERNAL
    })

    expect(result.user).toEqual({ id: 0, email: WREN.email })
    expect(JSON.stringify(dispatch)).not.toContain('$2b$')
    expect((await service.create(LOGIN)).user.password).toMatch(/^\$2b\$/)
  })
})

describe('the event hook', () => {
  it('emits on the application for a call from outside that has a result', async () => {
    const app: any = alula().use('things', { get: async (id: number) => (id === 1 ? { id } : undefined) })
    const seen: unknown[] = []

    app.service('things').hooks({ around: { get: [event('login')] } })
    app.on('login', (...args: unknown[]) => seen.push(args))

    await app.service('things').get(1)
    await app.service('things').get(2, EXTERNAL)
    expect(seen).toEqual([])

    const context = app.service('things').get.createContext()

    await app.service('things').get(1, EXTERNAL, context)
    expect(seen).toEqual([[{ id: 1 }, EXTERNAL, context]])
  })
})

describe('the connection hook', () => {
  it('hands the result to the service when the call came over a connection', async () => {
    const seen: unknown[][] = []
    const app: any = alula().use('things', {
      get: async (id: number) => ({ id }),
      handleConnection: async (...args: unknown[]) => void seen.push(args)
    } as any)
    const socket = {}

    app.service('things').hooks({ around: { get: [connection('logout')] } })

    await app.service('things').get(1, EXTERNAL)
    expect(seen).toEqual([])

    await app.service('things').get(1, { connection: socket })
    expect(seen).toEqual([['logout', socket, { id: 1 }]])
    expect(seen[0]?.[1]).toBe(socket)
  })
})
