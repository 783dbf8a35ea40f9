import { describe, expect, it, onTestFinished } from 'vitest'
import { AuthenticationService, JWTStrategy } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { OAuthStrategy, oauth } from '../../src/oauth.ts'
import { createTypeError } from '../../src/utils/developer-error.ts'
import { SECRET } from '../support/login.ts'
import { CLIENT } from '../support/oidc.ts'
import { NOWHERE, PAGE } from './app.ts'

const ORIGIN = { defaults: { origin: 'https://api.example.org' } }

function create(settings: unknown, names: readonly string[] = ['nest'], strategies = names) {
  const app: any = alula()

  app.set('authentication', {
    secret: SECRET,
    entity: 'user',
    service: 'users',
    authStrategies: ['jwt'],
    ...(settings !== undefined && { oauth: settings })
  })

  const auth = new AuthenticationService(app)

  auth.register('jwt', new JWTStrategy())
  for (const name of strategies) auth.register(name, new OAuthStrategy())
  app.use('authentication', auth)
  app.use('users', memory())
  app.configure(oauth())
  onTestFinished(async () => void (await app.teardown()))

  return app
}

function message(option: string, expected: string): string {
  return `Invalid option '${option}' of authentication.oauth: expected ${expected}`
}

function toInvalidName(name: string): string {
  return `Invalid name '${name}' of a provider in authentication.oauth: expected letters and digits, and not 'code'`
}

const URL_OF_PAGE = 'a URL, or a path that begins with one slash'
const LIST = "an array of origins like 'https://example.org'"
const SAFE = 'a URL with https, or with http on this machine'
const KEY = 'the id of the client, as the provider has given it'
const CLIENT_SECRET =
  "the secret of the client, or 'token_endpoint_auth_method' to be 'none' for a client without one"
const NO_OBJECT = 'Invalid options of authentication.oauth: expected an object'
const METHODS = 'one of client_secret_basic, client_secret_post, none'

describe('a configuration is refused with a sentence', () => {
  it.each<[string, unknown, string]>([
    ['a text', 'github', NO_OBJECT],
    ['a list', [], NO_OBJECT],
    ['null', null, NO_OBJECT],
    ['a redirect that is no text', { redirect: 1 }, message('redirect', URL_OF_PAGE)],
    ['an empty redirect', { redirect: '' }, message('redirect', URL_OF_PAGE)],
    ['a redirect without a slash', { redirect: 'home' }, message('redirect', URL_OF_PAGE)],
    ['a redirect to a host', { redirect: '//app.example.org' }, message('redirect', URL_OF_PAGE)],
    ['a redirect to a script', { redirect: 'javascript:alert(1)' }, message('redirect', URL_OF_PAGE)],
    [
      'a redirect with a password',
      { redirect: 'https://a:b@app.example.org' },
      message('redirect', URL_OF_PAGE)
    ],
    ['origins that are a text', { origins: PAGE }, message('origins', LIST)],
    ['an origin that is no text', { origins: [1] }, message('origins', LIST)],
    ['any origin', { origins: ['*'] }, message('origins', LIST)],
    ['an origin with a path', { origins: [`${PAGE}/home`] }, message('origins', LIST)],
    ['an origin with a query', { origins: [`${PAGE}/?`, `${PAGE}?a`] }, message('origins', LIST)],
    ['an origin without a scheme', { origins: ['app.example.org'] }, message('origins', LIST)],
    ['an origin that is null', { origins: ['null'] }, message('origins', LIST)],
    ['an expression', { origins: [/example/] }, message('origins', LIST)],
    ['a prefix that is no text', { prefix: 1 }, message('prefix', 'a path with a name')],
    ['a prefix of slashes', { prefix: '/' }, message('prefix', 'a path with a name')],
    [
      'the URL of the server with a query string',
      { defaults: { origin: 'https://api.example.org/?a=1' } },
      message('defaults.origin', 'a URL without a query string and a hash')
    ],
    [
      'the URL of the server with a hash',
      { defaults: { origin: 'https://api.example.org/#' } },
      message('defaults.origin', 'a URL without a query string and a hash')
    ],
    ['defaults that are a list', { defaults: [] }, message('defaults', 'an object')],
    [
      'an origin of the server without a scheme',
      { defaults: { origin: 'api.example.org' } },
      message('defaults.origin', 'a URL without a query string and a hash')
    ],
    [
      'an origin of the server that is no URL',
      { defaults: { origin: 1 } },
      message('defaults.origin', 'a URL without a query string and a hash')
    ],
    ['an unknown delivery', { delivery: 'post' }, message('delivery', 'one of hash, code, cookie')],
    ['a field that is no name', { email: true }, message('email', 'the name of a field')],
    [
      'another field that is no name',
      { email: 'email', emailVerified: true },
      message('emailVerified', 'the name of a field')
    ],
    [
      'a field for the verification of nothing',
      { emailVerified: 'isVerified' },
      message('email', "the name of a field, beside 'emailVerified'")
    ],
    [
      'the document of an issuer in its place',
      {
        nest: {
          key: 'key',
          secret: 'secret',
          issuer: 'https://id.example.org/.well-known/openid-configuration'
        }
      },
      message('nest.issuer', "the issuer, without '/.well-known/' and what follows")
    ],
    [
      'a parameter that is no text',
      { nest: { ...NOWHERE, custom_params: { claims: {} } } },
      message('nest.custom_params.claims', 'a string')
    ],
    [
      'a scope that is a number',
      { nest: { ...NOWHERE, scope: 3 } },
      message('nest.scope', 'a string or an array of strings')
    ],
    [
      'a parameter that is different each time',
      { nest: { ...NOWHERE, custom_params: { state: 'x' } } },
      message('nest.custom_params.state', 'nothing, because every login has its own')
    ],
    [
      'the name of a preset in capitals',
      { GitHub: { key: 'key', secret: 'secret' } },
      "Unknown provider 'GitHub' of authentication.oauth. Did you mean 'github'?"
    ],
    ['a provider that is a text', { nest: 'x' }, message('nest', 'an object')],
    ['a provider that is null', { nest: null }, message('nest', 'an object')],
    ['a provider without a key', { nest: { ...NOWHERE, key: undefined } }, message('nest.key', KEY)],
    ['a key that is a number', { nest: { ...NOWHERE, key: 1 } }, message('nest.key', KEY)],
    [
      'a provider without a secret',
      { nest: { ...NOWHERE, secret: undefined } },
      message('nest.secret', CLIENT_SECRET)
    ],
    ['an empty secret', { nest: { ...NOWHERE, secret: '' } }, message('nest.secret', CLIENT_SECRET)],
    [
      'a provider without a preset, an issuer and endpoints',
      { auth0: { ...CLIENT, subdomain: 'wren' } },
      "Unknown provider 'auth0' of authentication.oauth: there is no preset of this name. Set 'auth0.issuer' for OpenID Connect, as in 'https://id.example.org', or else 'authorize_url', 'access_url', 'profile_url'"
    ],
    [
      'a provider without the endpoint of its page',
      { nest: { ...NOWHERE, authorize_url: undefined } },
      message('nest.authorize_url', SAFE)
    ],
    [
      'a provider without an endpoint of tokens',
      { nest: { ...NOWHERE, access_url: undefined } },
      message('nest.access_url', SAFE)
    ],
    [
      'a provider without a profile',
      { nest: { ...NOWHERE, profile_url: undefined } },
      message('nest.profile_url', SAFE)
    ],
    [
      'an endpoint without TLS',
      { nest: { ...NOWHERE, access_url: 'http://provider.example.org/token' } },
      message('nest.access_url', SAFE)
    ],
    [
      'an issuer without TLS',
      { nest: { ...CLIENT, issuer: 'http://provider.example.org' } },
      message('nest.issuer', SAFE)
    ],
    [
      'an issuer that only looks like this machine',
      { nest: { ...CLIENT, issuer: 'http://localhost.example.org' } },
      message('nest.issuer', SAFE)
    ],
    [
      'an issuer with a user',
      { nest: { ...CLIENT, issuer: 'http://localhost@provider.example.org' } },
      message('nest.issuer', SAFE)
    ],
    [
      'an issuer of the network',
      { nest: { ...CLIENT, issuer: 'http://192.168.0.1' } },
      message('nest.issuer', SAFE)
    ],
    ['an issuer that is null', { nest: { ...CLIENT, issuer: null } }, message('nest.issuer', SAFE)],
    [
      'an unknown way to prove who the client is',
      { nest: { ...NOWHERE, token_endpoint_auth_method: 'password' } },
      message('nest.token_endpoint_auth_method', METHODS)
    ],
    [
      'a callback that is no URL',
      { nest: { ...NOWHERE, redirect_uri: '/callback' } },
      message('nest.redirect_uri', 'a URL')
    ],
    [
      'settings from requests',
      { nest: { ...NOWHERE, dynamic: true } },
      message('nest.dynamic', 'false, because requests must not change settings')
    ],
    [
      'settings from requests for all',
      { nest: NOWHERE, defaults: { dynamic: ['scope'] } },
      message('nest.dynamic', 'false, because requests must not change settings')
    ],
    ['a provider of the name of our path', { code: NOWHERE }, toInvalidName('code')],
    ['a name with a slash', { 'a/b': NOWHERE }, toInvalidName('a/b')],
    ['a name that is empty', { '': NOWHERE }, toInvalidName('')],
    ['a name of a placeholder', { ':id': NOWHERE }, toInvalidName(':id')]
  ])('%s', (_name, settings, expected) => {
    expect(() => create(settings, [])).toThrow(expected)
  })

  it.each([
    ['at registration of a strategy', { delivery: 'post', ...ORIGIN }, ['nest']],
    ['without a strategy', { delivery: 'post', ...ORIGIN }, []]
  ])('%s', (_name, settings, names) => {
    expect(() => create({ nest: NOWHERE, ...settings }, names)).toThrow(
      "Invalid option 'delivery' of authentication.oauth"
    )
  })

  it('when it is set later', () => {
    const app = create({ ...ORIGIN, nest: NOWHERE })

    expect(() =>
      app.set('authentication', { ...app.get('authentication'), oauth: { nest: { ...NOWHERE, key: '' } } })
    ).toThrow(message('nest.key', KEY))
    expect(app.get('authentication').oauth.nest.key).toBe(NOWHERE.key)
  })
})

describe('a configuration is accepted', () => {
  it.each<[string, object]>([
    ['a page', { redirect: `${PAGE}/home?tab=2` }],
    ['a path', { redirect: '/home' }],
    ['a path and a hash', { redirect: '/#home' }],
    ['origins', { origins: [PAGE, 'http://localhost:3030', 'https://other.example.org/'] }],
    ['a prefix', { prefix: '/login' }],
    ['an issuer on this machine', { nest: { ...CLIENT, issuer: 'http://localhost:1234' } }],
    ['an issuer on this machine by its address', { nest: { ...CLIENT, issuer: 'http://[::1]:1234' } }],
    ['an issuer with a path', { nest: { ...CLIENT, issuer: 'https://provider.example.org/realms/nest' } }],
    [
      'a client without a secret',
      { nest: { ...NOWHERE, secret: undefined, token_endpoint_auth_method: 'none' } }
    ],
    ['a callback of its own', { nest: { ...NOWHERE, redirect_uri: 'https://api.example.org/x' } }],
    ['settings for all', { defaults: { ...ORIGIN.defaults, scope: ['openid'], secret: 'x' } }],
    ['options of one’s own', { nest: { ...NOWHERE, color: 'green' } }]
  ])('with %s', async (_name, settings) => {
    const app = create({ ...ORIGIN, nest: NOWHERE, ...settings })

    await app.setup()

    expect(Object.keys(app.services)).toHaveLength(5)
  })
})

describe('oauth()', () => {
  it.each(['expressSession', 'koaSession', 'service', 'prefix'])('refuses the option %s', (name) => {
    expect(() => oauth({ [name]: true } as any)).toThrow(
      createTypeError(
        'ALULA_UNKNOWN_OPTION',
        `Unknown option '${name}' of oauth: expected one of authService, linkStrategy`
      )
    )
  })

  it('needs an authentication service', () => {
    expect(() => alula().configure(oauth() as any)).toThrow(
      "An authentication service must exist before 'alula/oauth' is configured"
    )
  })

  it('does nothing without a configuration', () => {
    expect(Object.keys(create(undefined, []).services).sort()).toEqual(['authentication', 'users'])
  })

  it('finds an authentication service of another path', async () => {
    const app: any = alula()

    app.set('authentication', {
      secret: SECRET,
      entity: null,
      authStrategies: ['jwt'],
      oauth: { ...ORIGIN, nest: NOWHERE }
    })

    const auth = new AuthenticationService(app)

    auth.register('jwt', new JWTStrategy())
    auth.register('nest', new OAuthStrategy())
    app.use('v1/auth', auth)
    app.configure(oauth({ authService: 'v1/auth' }))
    await app.setup()

    expect(app.service('oauth/:provider')).toBeDefined()
  })

  it.each([
    [
      'a provider without a strategy',
      { nest: NOWHERE, tree: NOWHERE },
      ['nest'],
      'The configuration has OAuth providers without a strategy: tree. ' +
        "Register one: authentication.register('tree', new OAuthStrategy())"
    ],
    [
      'a strategy without a provider',
      { nest: NOWHERE },
      ['nest', 'tree'],
      "There are OAuth strategies without a provider: set 'authentication.oauth.tree'"
    ]
  ])('warns of %s', async (_name, settings, strategies, expected) => {
    const warnings: string[] = []

    const note = ({ code, message }: any) => {
      if (/^ALULA_UNKNOWN_(PROVIDER|STRATEGY)$/.test(code)) warnings.push(message)
    }

    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))

    await create({ ...ORIGIN, ...settings }, strategies).setup()
    await new Promise((resolve) => setImmediate(resolve))

    expect(warnings).toEqual([expected])
  })

  it('needs to know the URL of the server', async () => {
    await expect(create({ nest: NOWHERE }).setup()).rejects.toThrow(
      "The URL of the server is not known: set 'authentication.oauth.defaults.origin'"
    )
  })

  it.each([[['*']], [[PAGE, 'x']], [[`${PAGE}/home`]]])(
    'refuses the origins %j of the application',
    async (origins) => {
      const app = create({ ...ORIGIN, nest: NOWHERE })

      app.set('origins', origins)

      await expect(app.setup()).rejects.toThrow(
        "Invalid option 'origins' of the application: expected an array of origins"
      )
    }
  )

  it('goes by host and port', async () => {
    const app = create({ nest: NOWHERE })

    app.set('host', 'localhost')
    app.set('port', 3030)
    await app.setup()

    const { createHandler } = await import('../../src/fetch.ts')
    const response = await createHandler(app)(new Request('http://localhost/oauth/nest'))
    const { searchParams } = new URL(response.headers.get('location') as string)

    expect(searchParams.get('redirect_uri')).toBe('http://localhost:3030/oauth/nest/callback')
  })
})

describe('OAuthStrategy', () => {
  it('is registered under one name', () => {
    const app: any = alula()
    const strategy = new OAuthStrategy()
    const auth = new AuthenticationService(app)

    auth.register('nest', strategy)

    expect(() => auth.register('tree', strategy)).toThrow(/is registered as 'nest' already/)
  })
})
