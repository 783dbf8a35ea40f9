import { describe, expect, it } from 'vitest'
import { AuthenticationService, JWTStrategy } from '../../src/authentication.ts'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import { cors } from '../../src/koa.ts'
import { memory } from '../../src/memory.ts'
import { socketio } from '../../src/socketio.ts'

// A setting from an environment variable that is not set is `undefined`.

const DAY = 24 * 60 * 60

async function createToken(jwtOptions: object | undefined, payload: object = {}): Promise<any> {
  const app = alula()
  const secret = 'a secret for the tests of unset variables, long enough'

  app.set('authentication', { secret, entity: null, authStrategies: ['jwt'], jwtOptions })

  const authentication = new AuthenticationService(app)

  authentication.register('jwt', new JWTStrategy())
  app.use('authentication', authentication)
  await app.setup()

  const token = await authentication.createAccessToken(payload)

  return JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
}

describe('the lifetime of a token', () => {
  it.each([
    ['without jwtOptions', undefined],
    ['of jwtOptions without expiresIn', { audience: 'notes' }],
    ['of an expiresIn that is undefined', { audience: 'notes', expiresIn: undefined }]
  ])('%s is a day', async (_name, jwtOptions) => {
    const { iat, exp } = await createToken(jwtOptions)

    expect(exp - iat).toBe(DAY)
  })

  it("has no end with expiresIn: 'never' alone", async () => {
    expect(await createToken({ expiresIn: 'never' })).not.toHaveProperty('exp')
  })

  it('is that of the claims when they have one', async () => {
    const exp = Math.floor(Date.now() / 1000) + 60

    expect((await createToken({ audience: 'notes' }, { exp })).exp).toBe(exp)
  })
})

describe('a protection that is undefined fails at the start', () => {
  it.each(['audience', 'issuer', 'maxAge'])('jwtOptions.%s', async (name) => {
    await expect(createToken({ [name]: undefined })).rejects.toThrow(
      `Invalid option '${name}' of authentication.jwtOptions: expected `
    )
  })

  it('the largest page', () => {
    expect(() => memory({ paginate: { default: 10, max: undefined as never } })).toThrow(
      "Invalid option 'paginate.max' of MemoryService: expected a number of records, got undefined"
    )
    expect(() => memory({ paginate: { default: 10 } })).not.toThrow()
  })

  it('the origins of pages that may call', () => {
    const options = { origin: undefined as never }

    expect(() => createHandler(alula(), { cors: options })).toThrow(
      "Invalid option 'cors.origin' of createHandler: expected origins"
    )
    expect(() => socketio({ cors: options })).toThrow(
      "Invalid option 'cors.origin' of socketio: expected origins"
    )
    expect(() => cors(options)).toThrow("Invalid option 'origin' of cors: expected origins")
    expect(() => createHandler(alula(), { cors: {} })).not.toThrow()
  })
})
