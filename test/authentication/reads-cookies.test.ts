import { expect, it } from 'vitest'
import { AuthenticationService, JWTStrategy } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { isOwnOrigin } from '../../src/transport/origin.ts'
import { SECRET } from './app.ts'

const CROSS_SITE = {
  method: 'POST',
  headers: { cookie: 'token=secret', origin: 'https://other.example' },
  host: 'own.example'
} as any

class CookieStrategy extends JWTStrategy {
  override async parse({ headers }: any) {
    const [, accessToken] = /token=(\w+)/.exec(headers.cookie ?? '') ?? []

    return accessToken ? { strategy: 'jwt', accessToken } : null
  }
}

class CookieService extends AuthenticationService {
  override async parse({ headers }: any) {
    return headers.cookie ? { strategy: 'jwt', accessToken: 'secret' } : null
  }
}

function createApp(strategy: object, settings: object = {}, Service = AuthenticationService) {
  const app: any = alula()
  const auth = new Service(app, 'authentication', {
    secret: SECRET,
    entity: null,
    authStrategies: ['jwt'],
    ...settings
  })

  auth.register('jwt', strategy as any)
  app.use('authentication', auth)

  return { app, auth: app.service('authentication') }
}

const parsing = { parse: async ({ headers }: any) => (headers.cookie ? { strategy: 'jwt' } : null) }

it.each<[string, boolean, () => ReturnType<typeof createApp>]>([
  ['the JWT strategy without a cookie', false, () => createApp(new JWTStrategy())],
  ['the JWT strategy with a cookie', true, () => createApp(new JWTStrategy(), { jwt: { cookie: 'token' } })],
  [
    'the JWT strategy with the header of cookies',
    true,
    () => createApp(new JWTStrategy(), { jwt: { header: 'Cookie' } })
  ],
  ['a class that looks itself', true, () => createApp(new CookieStrategy())],
  ['a service that looks itself', true, () => createApp(new JWTStrategy(), {}, CookieService)],
  ['a strategy that does not say', true, () => createApp(parsing)],
  ['a strategy that says it reads some', true, () => createApp({ ...parsing, readsCookies: true })],
  ['a strategy without parse', false, () => createApp({ authenticate: async () => ({}) })]
])('%s may read cookies: %s', async (_title, reads, create) => {
  const { app, auth } = create()

  expect(auth.mayReadCookies('jwt')).toBe(reads)
  expect(await isOwnOrigin(app, CROSS_SITE, undefined)).toBe(!reads)
})

it('a request with a cookie is not parsed a second time where no strategy reads cookies', async () => {
  let parsed = 0
  const { app } = createApp({
    readsCookies: false,
    parse: async () => {
      parsed++

      return { strategy: 'jwt' }
    }
  })

  expect(await isOwnOrigin(app, CROSS_SITE, undefined)).toBe(true)
  expect(parsed).toBe(0)
})

it('without an authentication service there is nothing to find', async () => {
  expect(await isOwnOrigin(alula() as any, CROSS_SITE, undefined)).toBe(true)
})
