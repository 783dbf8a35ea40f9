import { describe, expect, it, vi } from 'vitest'
import {
  BCRYPT,
  createApp,
  createAppWithUser,
  createLocalStrategy,
  getLocal,
  INVALID_LOGIN,
  LOCAL,
  LOGIN,
  WREN
} from './app.ts'

/** A hasher that hides nothing, and counts. */
function createPlainHasher() {
  const calls: string[] = []

  return {
    calls,
    hasher: {
      hash: async (password: string) => {
        calls.push('hash')

        return `plain:${password}`
      },
      compare: async (password: string, hash: string) => {
        calls.push('compare')

        return hash === `plain:${password}`
      }
    }
  }
}

describe('comparePassword', () => {
  it('returns the entity when the password is its', async () => {
    const { app, user } = await createAppWithUser()

    expect(await getLocal(app).comparePassword(user, WREN.password)).toBe(user)
  })

  it('refuses any other password, and an entity without a hash', async () => {
    const { app, user } = await createAppWithUser({ settings: BCRYPT })

    await expect(getLocal(app).comparePassword(user, 'wrong')).rejects.toMatchObject(INVALID_LOGIN)
    await expect(getLocal(app).comparePassword(user, user.password)).rejects.toMatchObject(INVALID_LOGIN)

    for (const password of [undefined, null, '', 5, WREN.password, '$2b$04$tooshort']) {
      await expect(getLocal(app).comparePassword({ ...user, password }, WREN.password)).rejects.toMatchObject(
        INVALID_LOGIN
      )
    }
  })

  it('knows the hashes of other implementations', async () => {
    const { app, user } = await createAppWithUser({ settings: BCRYPT })

    for (const version of ['2a', '2b', '2y']) {
      const password = user.password.replace(/^\$2b/, `$${version}`)

      expect(await getLocal(app).comparePassword({ password }, WREN.password)).toEqual({ password })
    }
  })
})

describe('hashPassword', () => {
  it('makes a hash of the cost of the configuration, with a salt of its own', async () => {
    const strategy = createLocalStrategy({ ...LOCAL, hashSize: 5 })
    const [first, second] = await Promise.all([strategy.hashPassword('a'), strategy.hashPassword('a')])

    expect(first).toMatch(/^\$2b\$05\$.{53}$/)
    expect(second).toMatch(/^\$2b\$05\$.{53}$/)
    expect(first).not.toBe(second)
    await strategy.teardown()
  })

  it('refuses what is no text, or empty', async () => {
    const strategy = createLocalStrategy(LOCAL)

    for (const password of ['', null, undefined, 5, {}, ['a'], true]) {
      await expect(strategy.hashPassword(password)).rejects.toMatchObject({
        name: 'BadRequest',
        message: "Invalid 'password': expected a string that is not empty"
      })
    }
  })

  it('refuses what bcrypt would cut, counted in bytes', async () => {
    const strategy = createLocalStrategy(LOCAL)

    for (const password of ['x'.repeat(73), 'ä'.repeat(37), '🦜'.repeat(19)]) {
      await expect(strategy.hashPassword(password)).rejects.toMatchObject({
        name: 'BadRequest',
        message: 'Invalid password: expected at most 72 bytes in UTF-8 and no NUL character'
      })
    }
    for (const password of ['x'.repeat(72), 'ä'.repeat(36), '🦜'.repeat(18)]) {
      expect(await strategy.hashPassword(password)).toMatch(/^\$2b\$/)
    }

    await strategy.teardown()
  })

  it('refuses a NUL, whatever the hasher makes of it: a login with one is refused too', async () => {
    const { hasher, calls } = createPlainHasher()
    const strategy = createLocalStrategy({ ...LOCAL, hasher })

    for (const password of ['a\0b', '\0']) {
      await expect(strategy.hashPassword(password)).rejects.toMatchObject({
        name: 'BadRequest',
        message: "Invalid 'password': expected no NUL character"
      })
    }
    expect(calls).toEqual([])
  })

  it('refuses what is too long for any hasher, before it is asked', async () => {
    const { hasher, calls } = createPlainHasher()
    const strategy = createLocalStrategy({ ...LOCAL, hasher })

    await expect(strategy.hashPassword('x'.repeat(4097))).rejects.toMatchObject({
      name: 'BadRequest',
      message: "Invalid 'password': expected at most 4096 characters"
    })
    expect(calls).toEqual([])
    expect(await strategy.hashPassword('x'.repeat(4096))).toMatch(/^plain:/)
  })

  it('never repeats the password in an error', async () => {
    const strategy = createLocalStrategy(LOCAL)

    for (const password of [`${'x'.repeat(70)}hidden`, 'hidden\0', 'hidden'.repeat(1000), ['hidden']]) {
      const error: any = await strategy.hashPassword(password).catch((error) => error)

      expect(JSON.stringify(error.toJSON())).not.toContain('hidden')
    }
  })
})

describe('a hasher of the application', () => {
  it('takes the place of bcrypt', async () => {
    const { hasher } = createPlainHasher()
    const { service, user } = await createAppWithUser({ settings: { local: { ...LOCAL, hasher } } })

    expect(user.password).toBe(`plain:${WREN.password}`)
    expect((await service.create(LOGIN)).user).toEqual(user)
    await expect(service.create({ ...LOGIN, password: 'wrong' })).rejects.toMatchObject(INVALID_LOGIN)
  })

  it('takes its part for an unknown user too, with a hash that is made once', async () => {
    const { hasher, calls } = createPlainHasher()
    const { service } = await createAppWithUser({ settings: { local: { ...LOCAL, hasher } } })

    calls.length = 0
    await expect(service.create({ ...LOGIN, email: 'nobody@example.org' })).rejects.toMatchObject(
      INVALID_LOGIN
    )
    expect(calls).toEqual(['hash', 'compare'])

    calls.length = 0
    await expect(service.create({ ...LOGIN, email: 'nobody@example.org' })).rejects.toMatchObject(
      INVALID_LOGIN
    )
    await expect(service.create({ ...LOGIN, password: 'wrong' })).rejects.toMatchObject(INVALID_LOGIN)
    await expect(service.create({ ...LOGIN, password: { $ne: '' } })).rejects.toMatchObject(INVALID_LOGIN)
    expect(calls).toEqual(['compare', 'compare', 'compare'])
  })

  it.each(['hash', 'compare'])(
    'whose %s fails once fails one login and none of the next',
    async (failing) => {
      const plain = createPlainHasher().hasher
      let isBroken = false
      const use =
        (name: 'hash' | 'compare') =>
        async (...args: [string, string]): Promise<any> => {
          if (isBroken && name === failing) throw new Error('Out of memory')

          return plain[name](...args)
        }
      const hasher = { hash: use('hash'), compare: use('compare') }
      const { service } = await createAppWithUser({ settings: { local: { ...LOCAL, hasher } } })
      const logIn = (email: string) => service.create({ ...LOGIN, email, password: 'wrong' })

      isBroken = true
      await expect(logIn('nobody@example.org')).rejects.toThrow('Out of memory')

      isBroken = false
      await expect(logIn('nobody@example.org')).rejects.toMatchObject(INVALID_LOGIN)
      await expect(logIn(WREN.email)).rejects.toMatchObject(INVALID_LOGIN)
      expect(await service.create(LOGIN)).toHaveProperty('accessToken')
    }
  )

  it('compares with a hash of its own when there is no user', async () => {
    const { app, service } = await createAppWithUser()
    const compared: [number, string][] = []
    const createNumbered = (number: number) => ({
      hash: async () => `hash of ${number}`,
      compare: async (_password: string, hash: string) => {
        compared.push([number, hash])

        return false
      }
    })

    for (const number of [1, 2]) {
      app.set('authentication', {
        ...app.get('authentication'),
        local: { ...LOCAL, hasher: createNumbered(number) }
      })
      await expect(service.create({ ...LOGIN, email: 'nobody@example.org' })).rejects.toMatchObject(
        INVALID_LOGIN
      )
    }

    expect(compared).toEqual([
      [1, 'hash of 1'],
      [2, 'hash of 2']
    ])
  })

  it('says yes with true and with nothing else', async () => {
    for (const answer of [1, 'true', {}, [], new Boolean(true), Symbol('x'), 0, '', null, undefined, false]) {
      const hasher: any = { hash: async (password: string) => password, compare: async () => answer }
      const { service } = await createAppWithUser({ settings: { local: { ...LOCAL, hasher } } })

      await expect(service.create(LOGIN), String(answer)).rejects.toMatchObject(INVALID_LOGIN)
    }

    const hasher = { hash: async (password: string) => password, compare: async () => true }
    const { service } = await createAppWithUser({ settings: { local: { ...LOCAL, hasher } } })

    expect(await service.create(LOGIN)).toHaveProperty('accessToken')
  })

  it('that returns no hash stores nothing', async () => {
    for (const hash of [undefined, null, '', 5, {}, true]) {
      const hasher: any = { hash: async () => hash, compare: async () => false }
      const app = createApp({ settings: { local: { ...LOCAL, hasher } } })

      await expect(app.service('users').create(WREN), `${hash}`).rejects.toThrow(
        'The hasher returned no hash'
      )
      await expect(getLocal(app).hashPassword('a password'), `${hash}`).rejects.toThrow(
        'The hasher returned no hash'
      )
      expect(await app.service('users').find()).toEqual([])
    }
  })

  it('is used itself and not a copy of it, also when the setting is set again', async () => {
    const createStateful = () => ({
      hashed: 0,
      async hash(this: any, password: string) {
        this.hashed++

        return `plain:${password}`
      },
      async compare(password: string, hash: string) {
        return hash === `plain:${password}`
      }
    })
    const [first, second] = [createStateful(), createStateful()]
    const { app, user } = await createAppWithUser({ settings: { local: { ...LOCAL, hasher: first } } })

    expect(first.hashed).toBe(1)
    expect(getLocal(app).configuration.hasher).toBe(first)

    app.set('authentication', { ...app.get('authentication'), local: { ...LOCAL, hasher: second } })
    await app.service('users').patch(user.id, { password: 'a new password' })

    expect([first.hashed, second.hashed]).toEqual([1, 1])
    expect(getLocal(app).configuration.hasher).toBe(second)
  })

  it('is closed when the application is torn down', async () => {
    const close = vi.fn(async () => {})
    const { hasher } = createPlainHasher()
    const app = createApp({ settings: { local: { ...LOCAL, hasher: { ...hasher, close } } } })

    await app.setup()
    expect(close).not.toHaveBeenCalled()

    await app.teardown()
    expect(close).toHaveBeenCalledTimes(1)
  })

  it('may renew hashes', async () => {
    const hasher = {
      hash: async (password: string) => `new:${password}`,
      compare: async (password: string, hash: string) => hash.slice(hash.indexOf(':') + 1) === password,
      needsRehash: (hash: string) => !hash.startsWith('new:')
    }
    const { app, user, service } = await createAppWithUser({ settings: { local: { ...LOCAL, hasher } } })

    await app.service('users')._patch(user.id, { password: `old:${WREN.password}` })
    await service.create(LOGIN)

    expect(await app.service('users').get(user.id)).toEqual({ ...user, password: `new:${WREN.password}` })
  })
})
