import { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { BcryptHasher, LocalStrategy } from '../../src/authentication.ts'
import { NotFound } from '../../src/errors.ts'
import { memory } from '../../src/memory.ts'
import { BCRYPT, createAppWithUser, getLocal, INVALID_LOGIN, LOCAL, LOGIN, WREN } from './app.ts'

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
      await expect(service.create({ ...LOGIN, email, password: 'wrong' })).rejects.toMatchObject(
        INVALID_LOGIN
      )

      return post.mock.calls
        .map(([{ by }]: any) => 2 ** Number(by.split('$')[2]))
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
    await expect(service.create({ ...LOGIN, password: 'wrong' })).rejects.toMatchObject(INVALID_LOGIN)
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

  it('compares with a hash that was stored meanwhile by the settings of its call', async () => {
    const compared: unknown[] = []
    const hasher = {
      hash: async (password: string) => `new:${password}`,
      compare: async (password: string, hash: string, isAborted?: () => boolean) => {
        compared.push([hash, isAborted?.()])

        return hash.endsWith(`:${password}`)
      },
      needsRehash: (hash: string) => hash.startsWith('old:')
    }
    const users = memory()
    const { app, user, service } = await createAppWithUser({
      users,
      settings: { local: { ...LOCAL, hasher } }
    })

    await users._patch(user.id, { password: `old:${WREN.password}` })
    users._patch = (async () => {
      await users._update(user.id, { ...WREN, password: 'newer:another password' })
      app.set('authentication', {
        ...app.get('authentication'),
        local: { ...LOCAL, hasher, errorMessage: 'Not today' }
      })
      throw new NotFound()
    }) as any

    await expect(service.create(LOGIN)).rejects.toMatchObject(INVALID_LOGIN)
    expect(compared).toEqual([
      [`old:${WREN.password}`, false],
      ['newer:another password', false]
    ])
    await expect(service.create(LOGIN)).rejects.toMatchObject({ ...INVALID_LOGIN, message: 'Not today' })
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
