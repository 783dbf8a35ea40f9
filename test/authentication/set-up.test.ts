import { generateKeyPairSync } from 'node:crypto'
import jsonwebtoken from 'jsonwebtoken'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createApp, createAppWithUser, LOGIN } from './app.ts'

describe('setup', () => {
  it.each([
    [{ secret: undefined }, "A 'secret' must be provided in your authentication configuration"],
    [{ service: undefined }, "The 'service' option is not set in the authentication configuration"],
    [{ service: 'nowhere' }, "Can not find service 'nowhere'"],
    [
      { entity: undefined },
      "The 'entity' option is not set in the authentication configuration (set to 'null' if it is not required)"
    ],
    [
      { jwtOptions: { algorithm: 'ES256' } },
      "The 'secret' of the authentication configuration must be a key in PEM for ES256"
    ],
    [
      { service: 'things' },
      "The 'things' service does not have an 'id' property and no 'entityId' option is set."
    ]
  ])('refuses %j', async (settings, message) => {
    const app = createApp({ settings }).use('things', { get: async () => ({}) })

    await expect(app.setup()).rejects.toThrow(message)
    expect(app.service('authentication').isReady).toBe(false)
  })

  it.each<[string, object, string?]>([
    ['a time that is none', { expiresIn: 'abc' }, '"expiresIn" should be a number of seconds'],
    ['no time at all', { expiresIn: 0 }, 'jwt expired'],
    ['a time that is over', { expiresIn: -1 }, 'jwt expired'],
    ['an audience that is none', { audience: 5 }, '"audience" must be a string or array'],
    ['a header that is none', { header: 'x' }, '"header" must be an object'],
    ['a type that is none', { header: { typ: ['access'] } }],
    ['an option that nobody knows', { expiresin: '1d' }, '"expiresin" is not allowed']
  ])('refuses %s in jwtOptions, which would make no valid token', async (_title, jwtOptions, reason = '') => {
    const app = createApp({ settings: { jwtOptions } })

    await expect(app.setup()).rejects.toThrow(
      `The 'jwtOptions' of the authentication configuration make no valid token: ${reason}`
    )
    expect(app.service('authentication').isReady).toBe(false)
  })

  it('refuses such jwtOptions when they are set later, and keeps the old ones', async () => {
    const { app, service } = await createAppWithUser()

    await app.setup()

    const before = app.get('authentication')

    expect(() => app.set('authentication', { ...before, jwtOptions: { expiresIn: 'abc' } })).toThrow(
      "The 'jwtOptions' of the authentication configuration make no valid token: "
    )
    expect(app.get('authentication')).toBe(before)
    expect(await service.create(LOGIN)).toHaveProperty('accessToken')
  })

  it('refuses a key that is not one for the algorithm', async () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const toPem = (key: typeof ec.privateKey) => key.export({ type: 'pkcs8', format: 'pem' }).toString()

    for (const [key, algorithm] of [
      [ec.privateKey, 'ES384'],
      [ec.privateKey, 'ES512'],
      [ec.privateKey, 'RS256'],
      [rsa.privateKey, 'ES256']
    ] as const) {
      const app = createApp({ settings: { secret: toPem(key), jwtOptions: { algorithm } } })

      await expect(app.setup(), algorithm).rejects.toThrow(
        "The 'jwtOptions' of the authentication configuration make no valid token: "
      )
    }

    for (const [key, algorithm] of [
      [ec.privateKey, 'ES256'],
      [rsa.privateKey, 'PS384']
    ] as const) {
      await createApp({ settings: { secret: toPem(key), jwtOptions: { algorithm } } }).setup()
    }
  })

  it('takes a public key alone, with which tokens of others are verified', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const secret = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const { app, user, service } = await createAppWithUser({
      settings: { secret, jwtOptions: { algorithm: 'ES256' } }
    })
    const token = jsonwebtoken.sign({}, privateKey, { algorithm: 'ES256', subject: `${user.id}` })

    await app.setup()

    expect((await service.create({ strategy: 'jwt', accessToken: token })).user.id).toBe(user.id)
    await expect(service.create(LOGIN)).rejects.toThrow()
  })

  it('takes options for tokens that are not valid yet', async () => {
    const app = createApp({ settings: { jwtOptions: { notBefore: '1d' } } })

    await app.setup()
    expect(app.service('authentication').isReady).toBe(true)
  })

  it.each([
    ['a service with an id', {}],
    ['a service without one, when it is named', { service: 'things', entityId: 'key' }],
    ['no service, when there is no entity', { service: undefined, entity: null }]
  ])('takes %s', async (_title, settings) => {
    const app = createApp({ settings }).use('things', { get: async () => ({}) })

    await app.setup()
    expect(app.service('authentication').isReady).toBe(true)
  })

  it('publishes nothing, whatever the application publishes', async () => {
    const app = createApp()
    const published: string[] = []

    app.use('things', { create: async () => ({}) })
    app.channel('all').join({})
    app.publish(() => app.channel('all'))
    app.on('publish', (event: string, _channel: unknown, { path }: any) => published.push(`${path} ${event}`))
    await app.setup()

    app.service('authentication').emit('created', { accessToken: 'secret' })
    app.service('things').emit('created', {})

    // The context of an event that a service sends itself has its path.
    expect(published).toEqual(['things created'])
  })

  /** The warnings with a code that some work leads to. */
  async function collectWarnings(code: string, work: () => Promise<unknown>): Promise<any[]> {
    const warned: any[] = []
    const listen = (warning: any) => warned.push(warning)

    process.on('warning', listen)
    onTestFinished(() => void process.off('warning', listen))

    await work()
    // Warnings are emitted in the next tick.
    await new Promise((resolve) => setImmediate(resolve))

    return warned.filter((warning) => warning.code === code)
  }

  it('warns of strategies that are not registered, and names each once', async () => {
    const ours = await collectWarnings('ALULA_UNKNOWN_STRATEGY', async () => {
      await createApp({
        settings: { authStrategies: ['jwt', 'lokal'], parseStrategies: ['jwt', 'apiKey', 'lokal'] }
      }).setup()
      await createApp({ settings: { parseStrategies: ['jwt'] } }).setup()
    })

    expect(ours).toHaveLength(1)
    expect(ours[0].message).toBe(
      'The authentication configuration names strategies that are not registered: lokal, apiKey'
    )
  })

  it('warns of a secret that is short', async () => {
    const ours = await collectWarnings('ALULA_SHORT_SECRET', async () => {
      await createApp({ settings: { secret: 'x'.repeat(31) } }).setup()
      await createApp({ settings: { secret: 'x'.repeat(32) } }).setup()
    })

    expect(ours).toHaveLength(1)
    expect(ours[0].message).toContain('The authentication secret has 31 bytes')
    expect(ours[0].message).not.toContain('xxx')
  })
})
