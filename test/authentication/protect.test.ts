import { hooks as decorate } from '@feathersjs/hooks'
import { describe, expect, it } from 'vitest'
import { protect } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { callService } from '../../src/transport.ts'
import { BCRYPT, createAppWithUser, EXTERNAL, LOGIN, WREN } from './app.ts'

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
    const app: any = alula().use('things', { [method]: async () => result }, { methods: [method] })

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
    expect((await call(page, ['password'], { method: 'feed' })).dispatch).toEqual({
      total: 1,
      data: [{ id: 1 }]
    })
    expect(
      (await call({ limit: 1, data: [{ password: 'hash' }] }, ['password'], { method: 'feed' })).dispatch
    ).toEqual({
      limit: 1,
      data: [{}]
    })
  })

  it('takes no record for a page that has a list in `data`', async () => {
    const counted = { id: 1, total: 1, data: [{ password: 'stays' }], password: 'hash' }

    const record = { id: 1, data: [{ password: 'of somebody else' }], password: 'hash' }

    expect((await call(record, ['password'])).dispatch).toEqual({
      id: 1,
      data: [{ password: 'of somebody else' }]
    })
    expect((await call({ total: 1, data: [{ a: 1 }] }, ['data'])).dispatch).toEqual({ total: 1 })
    expect((await call(counted, ['password'])).dispatch).toEqual({
      ...{ id: 1, total: 1 },
      data: [{ password: 'stays' }]
    })
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
