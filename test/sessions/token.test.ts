import { describe, expect, it } from 'vitest'
import { getSessionClaim } from '../../src/sessions/claim.ts'
import { toRefreshCookie } from '../../src/sessions/cookie.ts'
import { createRefreshToken, readRefreshToken } from '../../src/sessions/token.ts'

const KEY = { secrets: ['a new secret', 'a former secret'], service: 'authentication' }
const SAYS = { id: '01234567-89ab-4cde-8f01-23456789abcd', counter: 12 }
const TOKEN = createRefreshToken(SAYS, KEY)
const [ID, COUNTER, SIGNATURE] = TOKEN.split('.') as [string, string, string]

describe('a refresh token', () => {
  it('is read by any of the secrets, and made by the first one', () => {
    expect(readRefreshToken(TOKEN, KEY)).toEqual(SAYS)
    expect(readRefreshToken(TOKEN, { ...KEY, secrets: ['another secret', 'a new secret'] })).toEqual(SAYS)
    expect(readRefreshToken(TOKEN, { ...KEY, secrets: ['a former secret'] })).toBeUndefined()
  })

  it('of one service is none of another', () => {
    expect(readRefreshToken(TOKEN, { ...KEY, service: 'other' })).toBeUndefined()
  })

  it.each([
    ['no string', [TOKEN]],
    ['nothing', undefined],
    ['another text', 'Stryker'],
    ['a text before it', `a${TOKEN}`],
    ['a text after it', `${TOKEN}a`],
    ['a counter that is written in another way', `${ID}.0${COUNTER}.${SIGNATURE}`],
    ['no counter', `${ID}..${SIGNATURE}`],
    ['a short signature', `${ID}.${COUNTER}.${SIGNATURE.slice(1)}`]
  ])('is not %s', (_name, value) => {
    expect(readRefreshToken(value, KEY)).toBeUndefined()
  })

  it('is not a signature that decodes to the same bytes', () => {
    const bytes = Buffer.from(SIGNATURE, 'base64url')
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const others = [...alphabet]
      .map((last) => SIGNATURE.slice(0, -1) + last)
      .filter((other) => other !== SIGNATURE && Buffer.from(other, 'base64url').equals(bytes))

    expect(others).toHaveLength(3)
    for (const other of others) expect(readRefreshToken(`${ID}.${COUNTER}.${other}`, KEY)).toBeUndefined()
  })
})

describe('the claim of a session', () => {
  it('is the claim of an access token with all of its parts', () => {
    const session = { id: 'a', counter: 1, end: 2 }

    expect(getSessionClaim({ session })).toBe(session)
  })

  it.each([
    ['without a claim', {}],
    ['with a text', { session: 'a' }],
    ['with an id of another kind', { session: { id: 1, counter: 1, end: 2 } }],
    ['with a counter of another kind', { session: { id: 'a', counter: '1', end: 2 } }],
    ['with an end of another kind', { session: { id: 'a', counter: 1, end: 2.5 } }]
  ])('is none of a token %s', (_name, payload) => {
    expect(getSessionClaim(payload)).toBeUndefined()
  })
})

describe('the cookie of a refresh token', () => {
  it.each([
    [true, { name: '__Host-authentication-refresh', isSecure: true }],
    [{}, { name: '__Host-authentication-refresh', isSecure: true }],
    [{ secure: true }, { name: '__Host-authentication-refresh', isSecure: true }],
    [{ secure: false }, { name: 'authentication-refresh', isSecure: false }],
    [false, undefined],
    [undefined, undefined]
  ])('with the option %o', (setting, cookie) => {
    expect(toRefreshCookie(setting, 'authentication')).toEqual(cookie)
  })
})
