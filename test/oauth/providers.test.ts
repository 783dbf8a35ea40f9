import { describe, expect, it } from 'vitest'
import { getProvider } from '../../src/oauth/options.ts'
import { providers } from '../../src/oauth/providers.ts'
import { begin, NOWHERE, startOAuth } from './app.ts'
import { APPLE, logInAs } from './provider-login.ts'
import type { Answer, SeenRequest } from './stand-in.ts'

describe('a known provider', () => {
  it.each([
    ['apple', 'https://appleid.apple.com', APPLE],
    ['gitlab', 'https://gitlab.com', {}],
    ['google', 'https://accounts.google.com', {}],
    ['linkedin', 'https://www.linkedin.com/oauth', {}],
    ['microsoft', 'https://login.microsoftonline.com/common/v2.0', {}]
  ])('%s needs a key and a secret, and is found by its issuer', async (name, issuer, others) => {
    const settings = name === 'apple' ? { key: 'x', ...others } : { key: 'x', secret: 'y' }

    // It throws for settings that are not enough.
    await startOAuth({ providers: { [name]: settings } })

    expect(getProvider(name, { [name]: settings })).toMatchObject({
      issuer,
      scope: ['openid', name === 'apple' ? 'name' : 'profile', 'email']
    })
  })

  it.each([
    ['discord', 'https://discord.com/oauth2/authorize', 'identify email'],
    ['facebook', 'https://www.facebook.com/v23.0/dialog/oauth', 'public_profile,email'],
    ['github', 'https://github.com/login/oauth/authorize', 'read:user user:email'],
    ['x', 'https://x.com/i/oauth2/authorize', 'tweet.read users.read users.email']
  ])('%s needs a key and a secret', async (name, authorizeUrl, scope) => {
    const server = await startOAuth({ providers: { [name]: { key: 'the key', secret: 'y' } } })
    const { location } = await begin(server, server.createAgent(), name)
    const { searchParams, origin, pathname } = new URL(location)

    expect(`${origin}${pathname}`).toBe(authorizeUrl)
    expect(searchParams.get('scope')).toBe(scope)
    expect(searchParams.get('client_id')).toBe('the key')
    expect(searchParams.get('code_challenge_method')).toBe('S256')
    expect(searchParams.get('state')).toMatch(/^[\w-]{43}$/)
    expect(searchParams.has('nonce')).toBe(false)
    expect(searchParams.get('redirect_uri')).toBe(`${server.origin}/oauth/${name}/callback`)
  })

  it('is one of nine', () => {
    expect([...providers.keys()].sort()).toEqual([
      'apple',
      'discord',
      'facebook',
      'github',
      'gitlab',
      'google',
      'linkedin',
      'microsoft',
      'x'
    ])
  })

  it.each([...providers.keys()])('%s talks to others over HTTPS alone', (name) => {
    const { issuer, authorize_url, access_url, profile_url } = providers.get(name) as any

    for (const url of [issuer, authorize_url, access_url, profile_url].filter(Boolean)) {
      expect(new URL(url).protocol).toBe('https:')
    }
  })

  it('has settings that may be replaced one by one', async () => {
    const server = await startOAuth({
      providers: {
        github: { key: 'x', secret: 'y', scope: 'user:email', custom_params: { prompt: 'select_account' } }
      },
      oauth: {
        defaults: { origin: 'https://api.example.org', custom_params: { allow_signup: 'false', prompt: 'x' } }
      }
    })
    const { location } = await begin(server, server.createAgent(), 'github')

    expect(Object.fromEntries(new URL(location).searchParams)).toMatchObject({
      scope: 'user:email',
      allow_signup: 'false',
      prompt: 'select_account',
      redirect_uri: 'https://api.example.org/oauth/github/callback'
    })
  })

  it.each([
    ...['state', 'nonce', 'code_challenge', 'code_challenge_method'],
    ...['redirect_uri', 'client_id', 'response_type', 'scope']
  ])('does not let settings replace what protects a login: %s', async (param) => {
    const providers = { nest: { ...NOWHERE, custom_params: { [param]: 'x' } } }

    await expect(startOAuth({ providers })).rejects.toThrow(
      `Invalid option 'nest.custom_params.${param}' of authentication.oauth: expected nothing, because every login has its own`
    )
  })
})

describe('GitHub', () => {
  const user = { id: 7, login: 'wren', email: 'public@example.org' }

  function answer(emails: Answer) {
    return ({ path, headers }: SeenRequest): Answer => {
      // It refuses requests without this one.
      if (!headers['user-agent']) return 403
      if (headers.authorization !== 'Bearer a token of a stand-in') return 401

      return path === '/user' ? user : path === '/user/emails' ? emails : undefined
    }
  }

  it.each<[string, Answer, object]>([
    [
      'the primary one, which was verified',
      [
        { email: 'old@example.org', verified: true, primary: false },
        { email: 'wren@example.org', verified: true, primary: true }
      ],
      { email: 'wren@example.org', email_verified: true }
    ],
    [
      'the primary one, which was not verified',
      [{ email: 'wren@example.org', verified: false, primary: true }],
      { email: 'wren@example.org', email_verified: false }
    ],
    [
      'the primary one, of which nothing is said',
      [{ email: 'wren@example.org', primary: true }],
      { email: 'wren@example.org', email_verified: false }
    ],
    [
      'the public one when none is primary',
      [{ email: 'wren@example.org', verified: true }],
      { email: 'public@example.org', email_verified: undefined }
    ],
    ['the public one without any', [], { email: 'public@example.org', email_verified: undefined }],
    [
      'the public one without leave to see the others',
      403,
      { email: 'public@example.org', email_verified: undefined }
    ],
    [
      'the public one when the others are not there',
      404,
      { email: 'public@example.org', email_verified: undefined }
    ],
    [
      'the public one when the others are no list',
      { message: 'x' },
      { email: 'public@example.org', email_verified: undefined }
    ],
    [
      'the public one when the others are nothing',
      [null, 1],
      { email: 'public@example.org', email_verified: undefined }
    ]
  ])('has as its address %s', async (_name, emails, expected) => {
    const { response, profile } = await logInAs('github', { answer: answer(emails) })

    expect(response.status).toBe(200)
    expect(profile).toMatchObject({ id: 7, login: 'wren', email: (expected as any).email })
    expect(profile?.email_verified).toBe((expected as any).email_verified)
  })

  it('says nothing of the verification of the public address, whatever it says', async () => {
    const { profile } = await logInAs('github', {
      answer: ({ path }) => (path === '/user' ? { ...user, email_verified: true } : undefined)
    })

    expect(profile).toEqual(user)
  })

  it('asks for JSON, and gives the secret in the body', async () => {
    const { token, standIn } = await logInAs('github', { answer: answer([]) })

    expect(token?.form.get('client_secret')).toBe(standIn.plain.secret)
    expect(token?.form.get('code_verifier')).toMatch(/^[\w-]{43,}$/)
    expect(token?.headers.accept).toContain('application/json')
  })

  it.each([500, 503])('makes no second account while the addresses are a %d', async (status) => {
    const { response, users } = await logInAs('github', {
      answer: answer(status),
      users: [{ email: 'wren@example.org', isVerified: true }],
      options: { oauth: { email: 'email', emailVerified: 'isVerified' } }
    })

    expect(response.status).toBe(503)
    expect(users).toEqual([{ id: 0, email: 'wren@example.org', isVerified: true }])
  })

  it('does not connect an account by the public address', async () => {
    const { response, users } = await logInAs('github', {
      answer: answer([]),
      users: [{ email: 'public@example.org', isVerified: true }],
      options: { oauth: { email: 'email', emailVerified: 'isVerified' } }
    })

    expect(response.status).toBe(401)
    expect(users).toEqual([{ id: 0, email: 'public@example.org', isVerified: true }])
  })
})

describe('Discord', () => {
  it.each([
    [true, true],
    [false, false],
    [undefined, false],
    ['true', false]
  ])('that says %s of an address says so of its verification', async (verified, expected) => {
    const { profile } = await logInAs('discord', {
      answer: ({ path }) =>
        path === '/user' ? { id: '80351110224678912', email: 'wren@example.org', verified } : undefined
    })

    expect(profile).toMatchObject({
      id: '80351110224678912',
      email: 'wren@example.org',
      email_verified: expected
    })
  })
})

describe('Facebook', () => {
  it('says nothing of the verification of an address, whatever it says', async () => {
    const { profile } = await logInAs('facebook', {
      answer: ({ path }) =>
        path === '/user' ? { id: '1', email: 'wren@example.org', email_verified: true } : undefined
    })

    expect(profile).toEqual({ id: '1', email: 'wren@example.org' })
  })
})

describe('Microsoft', () => {
  it('says nothing of the verification of an address, whatever it says', async () => {
    const { profile, response, users } = await logInAs('microsoft', {
      claims: (nonce) => ({ sub: 'wren', nonce, email: 'robin@example.org', email_verified: true }),
      users: [{ email: 'robin@example.org', isVerified: true }],
      options: { oauth: { email: 'email', emailVerified: 'isVerified' } }
    })

    expect(profile).toMatchObject({ sub: 'wren', email: 'robin@example.org' })
    expect(profile).not.toHaveProperty('email_verified')
    expect(response.status).toBe(401)
    expect(users).toEqual([{ id: 0, email: 'robin@example.org', isVerified: true }])
  })
})

describe('Google and GitLab', () => {
  it.each(['google', 'gitlab'])('%s says whether an address was verified', async (name) => {
    const { profile, users } = await logInAs(name, {
      claims: (nonce) => ({ sub: 'wren', nonce, email: 'wren@example.org', email_verified: true }),
      users: [{ email: 'wren@example.org', isVerified: true }],
      options: { oauth: { email: 'email', emailVerified: 'isVerified' } }
    })

    expect(profile).toMatchObject({ sub: 'wren', email_verified: true })
    expect(users).toEqual([{ id: 0, email: 'wren@example.org', isVerified: true, [`${name}Id`]: 'wren' }])
  })
})

describe('LinkedIn', () => {
  it('gets no nonce, because it gives none back', async () => {
    const { location, response, token } = await logInAs('linkedin', { claims: () => ({ sub: 'wren' }) })

    expect(location.searchParams.has('nonce')).toBe(false)
    expect(response.status).toBe(200)
    expect(token?.form.get('client_secret')).toBeTruthy()
    expect(token?.form.get('code_verifier')).toMatch(/^[\w-]{43,}$/)
  })
})

describe('X', () => {
  it('has the profile inside of its answer, with an address that was confirmed', async () => {
    const { profile, token } = await logInAs('x', {
      answer: ({ path }) =>
        path === '/user'
          ? { data: { id: '7', username: 'wren', confirmed_email: 'wren@example.org' } }
          : undefined
    })

    expect(profile).toEqual({ id: '7', username: 'wren', email: 'wren@example.org', email_verified: true })
    expect(token?.headers.authorization).toMatch(/^Basic /)
    expect(token?.form.has('client_secret')).toBe(false)
  })

  it.each<[string, Answer, number]>([
    ['no address', { data: { id: '7' } }, 200],
    ['nothing inside', {}, 401],
    ['errors', { errors: [{ title: 'Forbidden' }] }, 401]
  ])('may answer with %s', async (_name, answer, status) => {
    const { response, profile } = await logInAs('x', {
      answer: ({ path }) => (path === '/user' ? answer : undefined)
    })

    expect(response.status).toBe(status)
    expect(profile).toEqual(status === 200 ? { id: '7' } : undefined)
  })
})
