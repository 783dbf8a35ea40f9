import jwt from 'jsonwebtoken'
import { describe, expect, it } from 'vitest'
import { startOAuth } from './app.ts'
import { APPLE, logInAs, publicKey } from './provider-login.ts'

describe('Apple', () => {
  it.each([
    [true, true],
    ['true', true],
    [false, false],
    ['false', false],
    [undefined, false],
    [1, false]
  ])('may say of the verification of an address %j', async (email_verified, expected) => {
    const { profile } = await logInAs('apple', {
      claims: (nonce) => ({ sub: 'wren', nonce, email: 'wren@example.org', email_verified })
    })

    expect(profile).toMatchObject({ sub: 'wren', email_verified: expected })
  })

  it.each([
    [
      'both names',
      '{"name":{"firstName":"Jenny","lastName":"Wren"},"email":"x@attacker.example"}',
      'Jenny Wren'
    ],
    ['one name', '{"name":{"firstName":"Jenny"}}', 'Jenny'],
    ['no names', '{"name":{}}', undefined],
    ['names that are no texts', '{"name":{"firstName":{"$gt":""},"lastName":1}}', undefined],
    ['nothing', '{}', undefined],
    ['null', 'null', undefined],
    ['no JSON', '<script>', undefined]
  ])('tells at the first login %s', async (_name, user, expected) => {
    const { profile } = await logInAs('apple', {
      claims: (nonce) => ({ sub: 'wren', nonce, email: 'wren@example.org' }),
      search: `&user=${encodeURIComponent(user)}`
    })

    expect(profile?.name).toBe(expected)
    expect(profile?.email).toBe('wren@example.org')
  })

  it('gets as its secret a token that is signed with the key of the team', async () => {
    const { token, response } = await logInAs('apple', {
      settings: { ...APPLE, key: 'alula', secret: undefined },
      claims: (nonce) => ({ sub: 'wren', nonce })
    })
    const secret = token?.form.get('client_secret') as string
    const { header, payload } = jwt.verify(secret, publicKey, {
      algorithms: ['ES256'],
      audience: 'https://appleid.apple.com',
      issuer: 'the team',
      subject: 'alula',
      complete: true
    }) as any

    expect(header).toMatchObject({ alg: 'ES256', kid: 'the key' })
    expect(payload.exp - payload.iat).toBe(300)
    expect(response.status).toBe(200)
  })

  it.each([
    ['teamId', { ...APPLE, teamId: undefined }],
    ['keyId', { ...APPLE, keyId: undefined }],
    ['privateKey', { ...APPLE, privateKey: undefined }],
    ['teamId', {}]
  ])('is refused without %s', async (option, settings) => {
    await expect(
      startOAuth({ providers: { apple: { key: 'x', ...settings } } }).then(() => 'started')
    ).rejects.toThrow(
      new RegExp(
        `Invalid option '${option}' of authentication.oauth.apple: expected .* unless there is a 'secret'`
      )
    )
  })

  it('is refused with a key that is none', async () => {
    await expect(
      startOAuth({ providers: { apple: { key: 'x', ...APPLE, privateKey: 'not a key' } } }).then(
        () => 'started'
      )
    ).rejects.toThrow(/authentication\.oauth\.apple/)
  })
})
