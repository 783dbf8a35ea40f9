import { describe, expect, it } from 'vitest'
import { AuthenticationService, hashPassword, passwordHash } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { BCRYPT, createApp, createAppWithUser, EXTERNAL, LOCAL, LOGIN } from './app.ts'

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

  it('leaves the data of the caller alone, also instances of classes', async () => {
    class User {
      readonly password = 'a'

      get initial(): string {
        return this.password.slice(0, 1)
      }
    }
    const hashing = createHashing(hashPassword('password'))
    const nested = createHashing(hashPassword('user.password'))

    for (const user of [new User(), Object.freeze(new User())]) {
      const created = await hashing.create(user)

      expect(created).toBeInstanceOf(User)
      expect(created).toMatchObject({ password: HASH, initial: '$' })
      expect(await nested.create({ user })).toMatchObject({ user: { password: HASH } })
      expect(user.password).toBe('a')
    }
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
