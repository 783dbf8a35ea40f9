import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { AuthenticationBase, BcryptHasher, LocalStrategy } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { BCRYPT, createApp, createAppWithUser, LOCAL, LOGIN, WREN } from './app.ts'

const REFUSED = { name: 'NotAuthenticated', code: 401, message: 'Invalid login' }

/** A strategy with this configuration, on a service without an application around. */
function createStrategy(configuration: object, name = 'local') {
  const auth = new AuthenticationBase(alula(), 'authentication', {
    service: 'users',
    entity: 'user',
    [name]: configuration
  })
  const strategy = new LocalStrategy()

  auth.register(name, strategy)

  return strategy
}

function getLocal(app: any): LocalStrategy {
  return app.service('authentication').getStrategy('local')
}

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

describe('the configuration of the local strategy', () => {
  it('inherits the entity from the service and has defaults', () => {
    const { configuration } = createStrategy({ usernameField: 'email', passwordField: 'secret' })

    expect(configuration).toEqual({
      hashSize: 10,
      service: 'users',
      entity: 'user',
      entityId: undefined,
      errorMessage: 'Invalid login',
      usernameField: 'email',
      passwordField: 'secret',
      entityUsernameField: 'email',
      entityPasswordField: 'secret'
    })
  })

  it('takes values of its own', () => {
    const own = {
      usernameField: 'login.name',
      passwordField: 'login.password',
      entityUsernameField: 'email',
      entityPasswordField: 'hash',
      hashSize: 12,
      errorMessage: 'No',
      service: 'people',
      entity: 'person',
      entityId: 'key'
    }

    expect(createStrategy(own).configuration).toEqual(own)
  })

  it.each(['usernameField', 'passwordField'])('needs %s', (option) => {
    for (const value of [undefined, null, 5]) {
      expect(() => createStrategy({ ...LOCAL, [option]: value })).toThrow(
        `'local' authentication strategy requires a '${option}' setting`
      )
    }

    expect(() => createStrategy({ ...LOCAL, [option]: undefined }, 'mine')).toThrow(
      `'mine' authentication strategy`
    )
  })

  it('refuses a cost that bcrypt does not know', () => {
    for (const hashSize of [3, 32, 10.5, '10', null]) {
      expect(() => createStrategy({ ...LOCAL, hashSize })).toThrow(
        "Invalid option 'hashSize' of the 'local' strategy: expected an integer from 4 to 31"
      )
    }
    for (const hashSize of [4, 31]) expect(() => createStrategy({ ...LOCAL, hashSize })).not.toThrow()
  })

  it('refuses a hasher that can not hash or compare', () => {
    for (const hasher of [null, 'bcrypt', {}, { hash: () => '' }, { compare: () => true }]) {
      expect(() => createStrategy({ ...LOCAL, hasher })).toThrow(
        "Invalid option 'hasher' of the 'local' strategy: expected an object with 'hash' and 'compare'"
      )
    }
  })
})

describe('a login', () => {
  it('returns the entity and the name of the strategy', async () => {
    const app = createApp({ strategies: { password: new LocalStrategy() }, settings: { password: LOCAL } })
    const [strategy] = app.service('authentication').getStrategies('password')
    const { email, password } = WREN
    const stored = await app
      .service('users')
      ._create({ email, password: await strategy.hashPassword(password) })

    expect(await strategy.authenticate({ strategy: 'password', email, password }, {})).toEqual({
      authentication: { strategy: 'password' },
      user: stored
    })
  })

  it('with anything wrong is refused with the same words', async () => {
    const { app, service } = await createAppWithUser({ settings: BCRYPT })

    await app.service('users')._create({ email: 'no-password@example.org' })
    await app.service('users')._create({ email: 'null@example.org', password: null })
    await app.service('users')._create({ email: 'empty@example.org', password: '' })
    await app.service('users')._create({ email: 'number@example.org', password: 5 })
    await app.service('users')._create({ email: 'plain@example.org', password: WREN.password })

    for (const change of [
      { password: 'wrong' },
      { password: `${WREN.password} ` },
      { password: '' },
      { password: undefined },
      { email: 'nobody@example.org' },
      { email: '' },
      { email: undefined },
      { email: 'no-password@example.org' },
      { email: 'null@example.org' },
      { email: 'empty@example.org' },
      { email: 'number@example.org', password: '5' },
      { email: 'plain@example.org' }
    ]) {
      for (const params of [{}, { provider: 'rest' }]) {
        await expect(
          service.create({ ...LOGIN, ...change }, params),
          JSON.stringify(change)
        ).rejects.toMatchObject(REFUSED)
      }
    }
  })

  it('with a username or password that is no text is refused before any query', async () => {
    const { app, service } = await createAppWithUser()
    const queries: unknown[] = []

    app.service('users').hooks({ before: { find: [({ params }: any) => void queries.push(params.query)] } })

    for (const value of [
      { $ne: null },
      { $gt: '' },
      ['wren@example.org'],
      5,
      true,
      null,
      'x'.repeat(5000),
      'a\0b'
    ]) {
      await expect(service.create({ ...LOGIN, email: value })).rejects.toMatchObject(REFUSED)
      await expect(service.create({ ...LOGIN, password: value })).rejects.toMatchObject(REFUSED)
    }

    expect(queries).toEqual([])
  })

  it('with a password that begins like a longer one is refused', async () => {
    const { app, service } = await createAppWithUser()
    const password = 'x'.repeat(72)

    await app.service('users').create({ email: 'long@example.org', password })

    const login = { strategy: 'local', email: 'long@example.org' }

    expect(await service.create({ ...login, password })).toHaveProperty('accessToken')
    await expect(service.create({ ...login, password: `${password}x` })).rejects.toMatchObject(REFUSED)
    await expect(service.create({ ...login, password: `${password}\0` })).rejects.toMatchObject(REFUSED)
  })

  it('that fails is answered with the message of the configuration', async () => {
    const { service } = await createAppWithUser({
      settings: { local: { ...LOCAL, errorMessage: 'Try again' } }
    })

    for (const change of [{ password: 'wrong' }, { email: 'nobody@example.org' }, { email: 5 }]) {
      await expect(service.create({ ...LOGIN, ...change })).rejects.toThrow(/^Try again$/)
    }
  })

  it('finds its fields by dotted names, in the request, the query and the entity', async () => {
    const { app } = await createAppWithUser({
      settings: {
        local: {
          usernameField: 'login.name',
          passwordField: 'login.password',
          entityUsernameField: 'contact.email',
          entityPasswordField: 'credentials.hash',
          hashSize: 4
        }
      }
    })
    const users = app.service('users')
    const hash = await getLocal(app).hashPassword('a password')
    const jay = await users._create({ contact: { email: 'jay@example.org' }, credentials: { hash } })
    const service = app.service('authentication')
    const login = (name: string, password: string) =>
      service.create({ strategy: 'local', login: { name, password } })

    expect((await login('jay@example.org', 'a password')).user).toEqual(jay)
    await expect(login('jay@example.org', 'wrong')).rejects.toMatchObject(REFUSED)
    await expect(
      service.create({ strategy: 'local', 'login.name': 'jay@example.org', 'login.password': 'a password' })
    ).rejects.toMatchObject(REFUSED)
  })

  it('takes other fields of the entity than of the request', async () => {
    const { app } = await createAppWithUser({
      settings: { local: { ...LOCAL, entityUsernameField: 'name', entityPasswordField: 'hash' } }
    })
    const hash = await getLocal(app).hashPassword('a password')
    const jay = await app.service('users')._create({ name: 'jay', hash })
    const result = await app
      .service('authentication')
      .create({ strategy: 'local', email: 'jay', password: 'a password' })

    expect(result.user).toEqual(jay)
  })

  it('can not be without an entity service', async () => {
    const app = createApp({ settings: { service: undefined } })

    await expect(app.service('authentication').create(LOGIN)).rejects.toMatchObject({
      name: 'NotAuthenticated',
      message: 'Could not find entity service'
    })
  })

  it('of an entity that the option isActive does not let in is refused like any other', async () => {
    const seen: unknown[] = []
    const isActive = async (user: any) => {
      seen.push(user.email)

      return !user.banned
    }
    const { app, user, service } = await createAppWithUser({ settings: { isActive } })

    expect(await service.create(LOGIN)).toHaveProperty('accessToken')
    await app.service('users')._patch(user.id, { banned: true })
    await expect(service.create(LOGIN)).rejects.toMatchObject(REFUSED)

    // A wrong password does not tell whether somebody is active.
    seen.length = 0
    await expect(service.create({ ...LOGIN, password: 'wrong' })).rejects.toMatchObject(REFUSED)
    expect(seen).toEqual([])
  })
})

describe('findEntity', () => {
  it('asks for one entity, with the params but without a provider', async () => {
    const { app, user } = await createAppWithUser()
    const seen: any[] = []

    app.service('users').hooks({ before: { find: [({ params }: any) => void seen.push(params)] } })

    const params = { provider: 'rest', query: { name: 'not for users' }, mine: true }

    expect(await getLocal(app).findEntity(WREN.email, params)).toEqual(user)
    expect(seen).toEqual([{ query: { $limit: 1, email: WREN.email }, mine: true }])
  })

  it.each([
    ['a list', (users: unknown[]) => users],
    ['a page', (users: unknown[]) => ({ total: users.length, limit: 1, skip: 0, data: users })]
  ])('reads %s', async (_title, toResult) => {
    const jay = { id: 1, email: 'jay@example.org' }
    const users = {
      id: 'id',
      find: async ({ query }: any) => toResult(query.email === jay.email ? [jay, { id: 2 }] : []),
      create: async () => ({})
    }
    const strategy = getLocal(createApp({ users }))

    expect(await strategy.findEntity('jay@example.org', {})).toBe(jay)
    await expect(strategy.findEntity('nobody@example.org', {})).rejects.toMatchObject(REFUSED)
  })

  it('does not ask without a username', async () => {
    const { app } = await createAppWithUser()

    for (const username of ['', undefined, null] as any[]) {
      await expect(getLocal(app).findEntity(username, {})).rejects.toMatchObject(REFUSED)
    }
  })

  it('asks what a subclass says', async () => {
    class Custom extends LocalStrategy {
      override async getEntityQuery(query: any, params: any) {
        return { ...(await super.getEntityQuery(query, params)), tenant: params.tenant }
      }
    }

    const { app, service } = await createAppWithUser({ strategies: { local: new Custom() } })
    const password = await getLocal(app).hashPassword('a password')
    const other = await app.service('users')._create({ ...WREN, password, tenant: 'b' })

    expect((await service.create({ ...LOGIN, password: 'a password' }, { tenant: 'b' })).user).toEqual(other)
    await expect(service.create(LOGIN, { tenant: 'b' })).rejects.toMatchObject(REFUSED)
  })
})

describe('getEntity', () => {
  it('returns the entity to a call from inside', async () => {
    const { app, user } = await createAppWithUser()

    expect(await getLocal(app).getEntity(user, { query: { name: 'not for users' } })).toBe(user)
  })

  it('loads it for a call from outside as the caller, with its query', async () => {
    const { app, user } = await createAppWithUser()
    const seen: any[] = []

    app.service('users').hooks({
      before: { get: [({ id, params }: any) => void seen.push({ id, params })] },
      after: { get: [({ params, result }: any) => void (params.provider && delete result.password)] }
    })

    const params = { provider: 'rest', query: { $select: ['email', 'password'] } }

    expect(await getLocal(app).getEntity(user, params)).toEqual({ id: user.id, email: user.email })
    expect(seen).toMatchObject([{ id: user.id, params: { ...params, user } }])
  })

  it('needs the id that the configuration names', async () => {
    const { app } = await createAppWithUser({ settings: { entityId: 'key' } })
    const message = { name: 'NotAuthenticated', message: 'Could not get local entity' }

    for (const params of [{}, { provider: 'rest' }]) {
      await expect(getLocal(app).getEntity({ id: 1 }, params)).rejects.toMatchObject(message)
    }
    expect(await getLocal(app).getEntity({ key: 1 }, {})).toEqual({ key: 1 })
  })

  it('needs the id of the service', async () => {
    const { app } = await createAppWithUser({ users: memory({ id: 'key' }) })

    await expect(getLocal(app).getEntity({ id: 1 }, {})).rejects.toThrow('Could not get local entity')
    expect(await getLocal(app).getEntity({ key: 0 }, {})).toEqual({ key: 0 })
  })
})

describe('comparePassword', () => {
  it('returns the entity when the password is its', async () => {
    const { app, user } = await createAppWithUser()

    expect(await getLocal(app).comparePassword(user, WREN.password)).toBe(user)
  })

  it('refuses any other password, and an entity without a hash', async () => {
    const { app, user } = await createAppWithUser({ settings: BCRYPT })

    await expect(getLocal(app).comparePassword(user, 'wrong')).rejects.toMatchObject(REFUSED)
    await expect(getLocal(app).comparePassword(user, user.password)).rejects.toMatchObject(REFUSED)

    for (const password of [undefined, null, '', 5, WREN.password, '$2b$04$tooshort']) {
      await expect(getLocal(app).comparePassword({ ...user, password }, WREN.password)).rejects.toMatchObject(
        REFUSED
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
    const strategy = createStrategy({ ...LOCAL, hashSize: 5 })
    const [first, second] = await Promise.all([strategy.hashPassword('a'), strategy.hashPassword('a')])

    expect(first).toMatch(/^\$2b\$05\$.{53}$/)
    expect(second).toMatch(/^\$2b\$05\$.{53}$/)
    expect(first).not.toBe(second)
    await strategy.teardown()
  })

  it('refuses what is no text, or empty', async () => {
    const strategy = createStrategy(LOCAL)

    for (const password of ['', null, undefined, 5, {}, ['a'], true]) {
      await expect(strategy.hashPassword(password)).rejects.toMatchObject({
        name: 'BadRequest',
        message: "Invalid 'password': expected a string that is not empty"
      })
    }
  })

  it('refuses what bcrypt would cut, counted in bytes', async () => {
    const strategy = createStrategy(LOCAL)

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
    const strategy = createStrategy({ ...LOCAL, hasher })

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
    const strategy = createStrategy({ ...LOCAL, hasher })

    await expect(strategy.hashPassword('x'.repeat(4097))).rejects.toMatchObject({
      name: 'BadRequest',
      message: "Invalid 'password': expected at most 4096 characters"
    })
    expect(calls).toEqual([])
    expect(await strategy.hashPassword('x'.repeat(4096))).toMatch(/^plain:/)
  })

  it('never repeats the password in an error', async () => {
    const strategy = createStrategy(LOCAL)

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
    await expect(service.create({ ...LOGIN, password: 'wrong' })).rejects.toMatchObject(REFUSED)
  })

  it('takes its part for an unknown user too, with a hash that is made once', async () => {
    const { hasher, calls } = createPlainHasher()
    const { service } = await createAppWithUser({ settings: { local: { ...LOCAL, hasher } } })

    calls.length = 0
    await expect(service.create({ ...LOGIN, email: 'nobody@example.org' })).rejects.toMatchObject(REFUSED)
    expect(calls).toEqual(['hash', 'compare'])

    calls.length = 0
    await expect(service.create({ ...LOGIN, email: 'nobody@example.org' })).rejects.toMatchObject(REFUSED)
    await expect(service.create({ ...LOGIN, password: 'wrong' })).rejects.toMatchObject(REFUSED)
    await expect(service.create({ ...LOGIN, password: { $ne: '' } })).rejects.toMatchObject(REFUSED)
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
      await expect(logIn('nobody@example.org')).rejects.toMatchObject(REFUSED)
      await expect(logIn(WREN.email)).rejects.toMatchObject(REFUSED)
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
      await expect(service.create({ ...LOGIN, email: 'nobody@example.org' })).rejects.toMatchObject(REFUSED)
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

      await expect(service.create(LOGIN), String(answer)).rejects.toMatchObject(REFUSED)
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

describe('a login after the cost was raised', () => {
  function raise(app: any, local: object = {}): void {
    app.set('authentication', { ...app.get('authentication'), local: { ...LOCAL, hashSize: 5, ...local } })
  }

  it('stores a new hash, which the token is good with', async () => {
    const { app, user, service } = await createAppWithUser({ settings: BCRYPT })

    raise(app)

    const { accessToken } = await service.create(LOGIN)
    const { password, ...others } = await app.service('users').get(user.id)

    expect(password).toMatch(/^\$2b\$05\$/)
    expect(others).toEqual({ id: user.id, email: user.email })
    expect(await service.create({ strategy: 'jwt', accessToken })).toHaveProperty('user')
    expect(await service.create(LOGIN)).toHaveProperty('accessToken')
  })

  it('returns the user as it is found, with what hooks add to it', async () => {
    const { app, service } = await createAppWithUser({ settings: BCRYPT })

    app.service('users').hooks({
      after: {
        find: [
          ({ result }: any) => {
            for (const user of result) user.roles = ['reader']
          }
        ]
      }
    })
    raise(app)

    for (const login of [await service.create(LOGIN), await service.create(LOGIN)]) {
      expect(login.user.password).toMatch(/^\$2b\$05\$/)
      expect(login.user.roles).toEqual(['reader'])
    }
  })

  it('compares as much for a wrong password as for a user who does not exist', async () => {
    const { app, service } = await createAppWithUser({ settings: BCRYPT })
    const post = vi.spyOn(Worker.prototype, 'postMessage')

    onTestFinished(() => post.mockRestore())

    /** How many rounds of bcrypt a login takes that is refused. */
    async function countRounds(email: string): Promise<number> {
      post.mockClear()
      await expect(service.create({ ...LOGIN, email, password: 'wrong' })).rejects.toMatchObject(REFUSED)

      return post.mock.calls
        .map(([{ args }]: any) => 2 ** Number(args[1].split('$')[2]))
        .reduce((sum, rounds) => sum + rounds, 0)
    }

    for (const hashSize of [4, 5, 7]) {
      raise(app, { hashSize })
      expect(await countRounds('nobody@example.org')).toBe(2 ** hashSize)
      expect(await countRounds(WREN.email)).toBe(2 ** hashSize)
    }
  })

  it('stores it once', async () => {
    const { app, user, service } = await createAppWithUser({ settings: BCRYPT })

    raise(app)
    await service.create(LOGIN)

    const { password } = await app.service('users').get(user.id)

    await service.create(LOGIN)
    expect((await app.service('users').get(user.id)).password).toBe(password)
  })

  it('stores it past the hooks, one of which would hash it again', async () => {
    const { app, user, service } = await createAppWithUser({ settings: BCRYPT })
    let patches = 0

    app.service('users').hooks({ before: { patch: [() => void patches++] } })
    raise(app)
    await service.create(LOGIN)

    expect(patches).toBe(0)
    expect(
      await new BcryptHasher(5).compare(WREN.password, (await app.service('users').get(user.id)).password)
    ).toBe(true)
  })

  it('does not store it where hooks can not be passed by', async () => {
    const stored = { id: 1, email: WREN.email, password: '' }
    let patches = 0
    const { app, service } = await createAppWithUser({
      settings: BCRYPT,
      users: {
        id: 'id',
        find: async () => [stored],
        get: async () => stored,
        create: async ({ password }: any) => Object.assign(stored, { password }),
        patch: async () => ++patches
      }
    })

    raise(app)

    expect(await service.create(LOGIN)).toHaveProperty('accessToken')
    expect(stored.password).toMatch(/^\$2b\$04\$/)
    expect(patches).toBe(0)
  })

  it('is not stored at the end of a dotted name, where it would be written over what is beside it', async () => {
    const local = { ...LOCAL, entityPasswordField: 'credentials.hash' }
    const { app, service } = await createAppWithUser({ settings: { local } })
    const hash = await getLocal(app).hashPassword('a password')
    const { id } = await app.service('users')._create({ email: 'jay', credentials: { hash, since: 2020 } })

    raise(app, { entityPasswordField: 'credentials.hash' })
    await service.create({ strategy: 'local', email: 'jay', password: 'a password' })

    expect((await app.service('users').get(id)).credentials).toEqual({ hash, since: 2020 })
  })

  it('does nothing when the password is wrong, or the cost was lowered', async () => {
    const { app, user, service } = await createAppWithUser({ settings: { local: { ...LOCAL, hashSize: 5 } } })

    app.set('authentication', { ...app.get('authentication'), local: LOCAL })
    await service.create(LOGIN)
    expect((await app.service('users').get(user.id)).password).toBe(user.password)

    raise(app, { hashSize: 6 })
    await expect(service.create({ ...LOGIN, password: 'wrong' })).rejects.toMatchObject(REFUSED)
    expect((await app.service('users').get(user.id)).password).toBe(user.password)
  })

  it('does not put back a password that was changed meanwhile', async () => {
    let change: (() => Promise<unknown>) | undefined
    const users = memory()
    const store = users._patch.bind(users)

    // Right before the new hash is stored.
    users._patch = (async (...args: Parameters<typeof store>) => {
      const before = change

      change = undefined
      await before?.()

      return store(...args)
    }) as any

    const { app, user, service } = await createAppWithUser({ users, settings: BCRYPT })
    const changed = await getLocal(app).hashPassword('a new password')
    const reported: unknown[] = []

    app.on('error', (error: unknown) => reported.push(error))
    raise(app)
    change = () => store(user.id, { password: changed })

    await expect(service.create(LOGIN)).rejects.toMatchObject({
      name: 'NotAuthenticated',
      message: 'Invalid login'
    })
    expect((await app.service('users').get(user.id)).password).toBe(changed)
    expect(reported).toEqual([])
  })

  it('looks the entity up from inside each time, also for a subclass that passes the params on', async () => {
    const { app } = await createAppWithUser({ settings: BCRYPT })
    const providers: unknown[] = []

    class Own extends LocalStrategy {
      override async findEntity(username: string, params: any) {
        providers.push(params.provider)

        return super.findEntity(username, params)
      }
    }

    app.service('authentication').register('local', new Own())
    raise(app)
    await app.service('authentication').create(LOGIN, { provider: 'rest' })

    expect(providers).toEqual([undefined, undefined])
  })

  it('succeeds for all of several at once, which store one new hash', async () => {
    const { app, user, service } = await createAppWithUser({ settings: BCRYPT })

    raise(app)

    const logins = await Promise.all(Array.from({ length: 4 }, () => service.create(LOGIN)))
    const { password } = await app.service('users').get(user.id)

    for (const { user, accessToken } of logins) {
      expect(user.password).toBe(password)
      expect(await service.verifyAccessToken(accessToken)).toMatchObject({ sub: String(user.id) })
      expect(await service.authenticate({ strategy: 'jwt', accessToken }, {}, 'jwt')).toMatchObject({
        user: { id: user.id }
      })
    }
  })

  it('succeeds when the new hash can not be stored, which is reported', async () => {
    const users = memory()
    const error = new Error('The disk is full')
    const { app, user, service } = await createAppWithUser({ users, settings: BCRYPT })
    const reported: unknown[] = []

    users._patch = (() => Promise.reject(error)) as any
    app.on('error', (error: unknown) => reported.push(error))
    raise(app)

    expect((await service.create(LOGIN)).user).toEqual(user)
    expect(reported).toEqual([error])
  })
})
