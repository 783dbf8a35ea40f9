// Tokens that others have made, by a real provider.

import { createPrivateKey, sign as signBytes } from 'node:crypto'
import { createServer } from 'node:http'
import * as jose from 'jose'
import { ObjectId } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { AuthenticationService, JWTStrategy } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { AUDIENCE, createKey, startIssuer } from '../support/issuer.ts'
import { SECRET } from '../support/login.ts'
import { listen } from '../support/server.ts'
import { ask, connectSocket, next } from '../support/sockets.ts'
import { KEY, NEXT, open, sign } from './issuers-app.ts'

describe('a token of another issuer', () => {
  it('stands for the user that the application finds', async () => {
    const issuer = await startIssuer(KEY)
    const { read, app } = await open({ issuers: [issuer] })
    const token = await issuer.getToken()

    expect(await read(token)).toEqual({ status: 200, body: { of: 'wren' } })
    expect(await read(token)).toEqual({ status: 200, body: { of: 'wren' } })
    expect(issuer.fetched()).toBe(1)

    await app.service('users').remove(1)
    expect(await read(token)).toMatchObject({
      status: 401,
      body: { message: 'The entity of the access token does not exist' }
    })
  })

  it('is refused when the application does not find its user, whatever the service that was called', async () => {
    const issuer = await startIssuer(KEY)
    const { app, read } = await open({
      issuers: [{ ...issuer, toUser: () => app.service('users').get('gone') }]
    })

    expect(await read(await issuer.getToken())).toMatchObject({
      status: 401,
      body: { message: 'The entity of the access token does not exist' }
    })
  })

  it('stands for a user whose id is an instance', async () => {
    const issuer = await startIssuer(KEY)
    const user = { id: new ObjectId(), sub: 'wren' }
    const { read } = await open({ issuers: [{ ...issuer, toUser: () => user }] })

    expect(await read(await issuer.getToken())).toEqual({ status: 200, body: { of: 'wren' } })
  })

  it('logs sockets in, which close when the user is blocked', async () => {
    const issuer = await startIssuer(KEY)
    const { app, url } = await open({
      issuers: [issuer],
      settings: { isActive: ({ banned }: any) => !banned }
    })
    const socket = await connectSocket(url)
    const login = { strategy: 'jwt', accessToken: await issuer.getToken() }

    expect(await ask(socket, 'create', 'authentication', login, {})).toMatchObject([
      null,
      { user: { id: 1 }, accessToken: login.accessToken }
    ])
    expect((await ask(socket, 'find', 'notes', {})).slice(0, 2)).toEqual([null, { of: 'wren' }])

    const closed = next(socket, 'disconnect')

    await app.service('users').patch(1, { banned: true })
    await closed
  })

  it('no longer keeps a socket logged in when it stands for another user', async () => {
    const issuer = await startIssuer(KEY)
    const { app, url } = await open({ issuers: [issuer], users: [{ id: 1, sub: 'wren' }, { id: 2 }] })
    const login = { strategy: 'jwt', accessToken: await issuer.getToken() }
    const [former, later] = [await connectSocket(url), await connectSocket(url)]

    await ask(former, 'create', 'authentication', login, {})
    await app.service('users').patch(2, { sub: 'wren' })
    expect((await ask(former, 'find', 'notes', {})).slice(0, 2)).toEqual([null, { of: 'wren' }])

    const closed = next(former, 'disconnect')

    await app.service('users').patch(1, { sub: null })
    await closed

    expect(await ask(later, 'create', 'authentication', login, {})).toMatchObject([null, { user: { id: 2 } }])
    await app.service('authentication').verifySessions(2)
    expect((await ask(later, 'find', 'notes', {})).slice(0, 2)).toEqual([null, { of: 'wren' }])
  })

  it('is good for nothing after a logout, and its sockets close', async () => {
    const issuer = await startIssuer(KEY)
    const { read, url } = await open({ issuers: [issuer] })
    const accessToken = await issuer.getToken()
    const socket = await connectSocket(url)

    await ask(socket, 'create', 'authentication', { strategy: 'jwt', accessToken }, {})

    const closed = next(socket, 'disconnect')
    const logout = await fetch(`${url}/authentication`, {
      method: 'DELETE',
      headers: { Authorization: `Bearer ${accessToken}` }
    })

    expect(logout.status).toBe(200)
    await closed
    expect(await read(accessToken)).toMatchObject({ status: 401, body: { message: 'jwt revoked' } })
    // Others of the same user are not.
    expect(await read(await issuer.getToken())).toMatchObject({ status: 200 })
  })

  it('stays revoked in the seconds in which it is still accepted', async () => {
    const issuer = await startIssuer(KEY)
    const { app, read } = await open({ issuers: [issuer] })
    const accessToken = await sign(issuer, { claims: { exp: Math.floor(Date.now() / 1000) - 1 } })

    expect(await read(accessToken)).toMatchObject({ status: 200 })

    const login = { strategy: 'jwt', accessToken }

    await app.service('authentication').remove(null, { authentication: login, authenticated: true } as any)
    expect(await read(accessToken)).toMatchObject({ status: 401, body: { message: 'jwt revoked' } })
  })

  it('needs no user where the service has none', async () => {
    const issuer = await startIssuer(KEY)
    const { read } = await open({
      issuers: [{ ...issuer, toUser: undefined }],
      settings: { entity: null, service: undefined }
    })

    expect(await read(await issuer.getToken())).toEqual({ status: 200, body: { of: null } })
  })

  it('stands beside those of the service', async () => {
    const issuer = await startIssuer(KEY)
    const { read, app } = await open({ issuers: [issuer] })
    const own = await app.service('authentication').createAccessToken({}, { subject: '1' })

    expect(await read(own)).toMatchObject({ status: 200, body: { of: 'wren' } })
  })
})

describe('a token is refused', () => {
  it.each<[string, Parameters<typeof sign>[1]]>([
    ['for another audience', { claims: { aud: 'another' } }],
    ['without an audience', { claims: { aud: undefined } }],
    ['that has expired', { claims: { exp: Math.floor(Date.now() / 1000) - 10 } }],
    ['without an end', { claims: { exp: undefined } }],
    ['for later', { claims: { nbf: Math.floor(Date.now() / 1000) + 60 } }],
    ['without a subject', { claims: { sub: undefined } }],
    ['with a subject that is no string', { claims: { sub: 1 } }],
    ['of another type', { header: { typ: 'logout+jwt' } }],
    ['with another key under its name', { key: { ...NEXT, kid: 'one' } }],
    ['with an algorithm that was not named', { key: { ...createKey('one', 'ES256') } }]
  ])('%s', async (_title, change) => {
    const issuer = await startIssuer(KEY)
    const { read } = await open({ issuers: [issuer] })
    const token = await sign(issuer, change)

    expect(await read(token)).toMatchObject({ status: 401, body: { name: 'NotAuthenticated' } })
    expect(await read(await sign(issuer))).toMatchObject({ status: 200 })
  })

  it('with a part in its header that has to be understood', async () => {
    const issuer = await startIssuer(KEY)
    const { read } = await open({ issuers: [issuer] })
    const [, payload] = (await sign(issuer)).split('.')

    for (const [further, status] of [
      [{}, 200],
      [{ crit: ['x'], x: 1 }, 401]
    ] as const) {
      const header = Buffer.from(JSON.stringify({ alg: 'RS256', kid: 'one', ...further })).toString(
        'base64url'
      )
      const signature = signBytes(
        'RSA-SHA256',
        Buffer.from(`${header}.${payload}`),
        createPrivateKey({ key: KEY, format: 'jwk' })
      )

      expect(await read(`${header}.${payload}.${signature.toString('base64url')}`)).toMatchObject({ status })
    }
  })

  it('that names its own key, and nothing is fetched for it', async () => {
    const issuer = await startIssuer(KEY)
    const { read } = await open({ issuers: [issuer] })
    const { d, p, q, dp, dq, qi, ...jwk } = NEXT
    let asked = 0
    const attacker = await listen(createServer((_request, response) => response.end(String(asked++))))

    for (const header of [{ jwk }, { jku: `${attacker}/jwks` }, { x5u: attacker }]) {
      const token = await sign(issuer, { key: { ...NEXT, kid: 'one' }, header })

      expect(await read(token)).toMatchObject({ status: 401 })
    }

    expect(asked).toBe(0)
  })

  it('that the public key has signed as a secret', async () => {
    const issuer = await startIssuer(KEY)
    const { read } = await open({ issuers: [issuer] })
    const pem = await jose.exportSPKI(
      (await jose.importJWK({ kty: KEY.kty, n: KEY.n, e: KEY.e }, 'RS256')) as any
    )
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: issuer.issuer, aud: AUDIENCE, sub: 'wren', exp: now + 60 }
    const forged = await new jose.SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .sign(Buffer.from(pem))
    const [, payload] = forged.split('.')
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`

    for (const token of [forged, unsigned]) expect(await read(token)).toMatchObject({ status: 401 })
  })

  it('of one issuer with the key of another', async () => {
    const [one, other] = [await startIssuer(KEY), await startIssuer({ ...NEXT, kid: 'one' })]
    const { read } = await open({ issuers: [one, other] })

    expect(await read(await one.getToken())).toMatchObject({ status: 200 })
    expect(await read(await other.getToken())).toMatchObject({ status: 200 })
    expect(await read(await sign(one, { key: { ...NEXT, kid: 'one' } }))).toMatchObject({ status: 401 })
  })

  it('of an issuer that is not named', async () => {
    const [one, other] = [await startIssuer(KEY), await startIssuer(KEY)]
    const { read } = await open({ issuers: [one] })

    expect(await read(await other.getToken())).toMatchObject({ status: 401 })
    expect(other.fetched()).toBe(0)
  })

  it('whose claims name a fingerprint of ours, or an id that we have revoked, changes nothing', async () => {
    const issuer = await startIssuer(KEY)
    const { read, app } = await open({ issuers: [issuer] })
    const own = await app.service('authentication').createAccessToken({}, { subject: '1', jwtid: 'the same' })
    const foreign = await sign(issuer, { claims: { jti: 'the same', fingerprint: { local: 'x' } } })

    await app.service('authentication').revokeAccessToken(own)
    expect(await read(own)).toMatchObject({ status: 401 })
    expect(await read(foreign)).toMatchObject({ status: 200 })
  })
})

describe('the option issuers', () => {
  const VALID = {
    issuer: 'https://a.example',
    jwks: 'https://a.example/jwks',
    audience: 'a',
    toUser: () => ({})
  }
  const create = (issuers: any) => {
    const app: any = alula()

    app.set('authentication', { secret: SECRET, service: 'users', entity: 'user', jwt: { issuers } })
    new AuthenticationService(app).register('jwt', new JWTStrategy())
  }

  it.each([
    [{}, "Invalid option 'issuers' of the 'jwt' strategy: expected an array"],
    [
      [{ ...VALID, issuer: '' }],
      "Invalid option 'issuers[0].issuer' of the 'jwt' strategy: expected a string that is not empty"
    ],
    [
      [{ ...VALID, jwks: 'http://a.example/jwks' }],
      "Invalid option 'issuers[0].jwks' of the 'jwt' strategy: expected a URL with https"
    ],
    [[{ ...VALID, audience: undefined }], "Invalid option 'issuers[0].audience' of the 'jwt' strategy"],
    [[{ ...VALID, audience: [] }], "Invalid option 'issuers[0].audience' of the 'jwt' strategy"],
    [
      [{ ...VALID, algorithms: ['HS256'] }],
      "Invalid option 'issuers[0].algorithms' of the 'jwt' strategy: expected some of RS256"
    ],
    [[{ ...VALID, algorithms: ['none'] }], "Invalid option 'issuers[0].algorithms'"],
    [[{ ...VALID, algorithms: [] }], "Invalid option 'issuers[0].algorithms'"],
    [
      [{ ...VALID, algorithm: 'RS256' }],
      "Unknown option 'issuers[0].algorithm' of the 'jwt' strategy. Did you mean 'algorithms'?"
    ],
    [[{ ...VALID, toUser: undefined }], "Option 'issuers[0].toUser' of the 'jwt' strategy is missing"],
    [
      [VALID, VALID],
      "Invalid option 'issuers[1].issuer' of the 'jwt' strategy: another issuer, or the service itself, has this name"
    ],
    [[{ ...VALID, issuer: 'feathers' }], 'another issuer, or the service itself, has this name']
  ])('%j is refused', (issuers, message) => {
    expect(() => create(issuers)).toThrow(message)
  })

  it('is accepted', () => {
    expect(() =>
      create([VALID, { ...VALID, issuer: 'b', algorithms: ['ES256', 'EdDSA'], typ: 'JWT' }])
    ).not.toThrow()
  })
})
