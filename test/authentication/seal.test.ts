import { randomInt } from 'node:crypto'
import { expect, it } from 'vitest'
import { seal, unseal } from '../../src/authentication/seal.ts'
import { SECRET } from '../support/login.ts'

const VALUE = { provider: 'nest', query: { 'a b': ['\u00e9', '\u{1f426}'] }, expiresAt: 1 }

it('what is sealed is opened with the same secret for the same purpose', () => {
  expect(unseal(seal(VALUE, SECRET, 'login'), SECRET, 'login')).toEqual(VALUE)
  expect(unseal(seal({}, '', ''), '', '')).toEqual({})
})

it('what is sealed is a text that cookies and URLs can hold, and is another one each time', () => {
  const texts = Array.from({ length: 100 }, () => seal(VALUE, SECRET, 'login'))

  for (const text of texts) expect(text).toMatch(/^[\w-]+$/)
  expect(new Set(texts).size).toBe(100)
  // The vector that the key is used with.
  expect(new Set(texts.map((text) => text.slice(0, 16))).size).toBe(100)
})

it('what is sealed shows nothing of what is in it', () => {
  const text = seal({ token: 'the-token-of-the-wren' }, SECRET, 'login')

  expect(text).not.toContain('wren')
  expect(Buffer.from(text, 'base64url').toString('latin1')).not.toMatch(/wren|token/)
})

it.each([
  ['another purpose', SECRET, 'code'],
  ['a purpose that begins like it', SECRET, 'login '],
  ['no purpose', SECRET, ''],
  ['another secret', `${SECRET} `, 'login'],
  ['no secret', '', 'login'],
  ['a secret and a purpose cut elsewhere', `${SECRET}l`, 'ogin']
])('what is sealed is not opened with %s', (_name, secret, purpose) => {
  expect(unseal(seal(VALUE, SECRET, 'login'), secret, purpose)).toBeUndefined()
})

it('what is sealed is not opened when any bit of it has changed', () => {
  const text = seal(VALUE, SECRET, 'login')
  const bytes = Buffer.from(text, 'base64url')

  for (let index = 0; index < bytes.length * 8; index++) {
    bytes[index >> 3] = (bytes[index >> 3] as number) ^ (1 << (index & 7))
    expect(unseal(bytes.toString('base64url'), SECRET, 'login')).toBeUndefined()
    bytes[index >> 3] = (bytes[index >> 3] as number) ^ (1 << (index & 7))
  }

  expect(unseal(bytes.toString('base64url'), SECRET, 'login')).toEqual(VALUE)
})

it('what is sealed is not opened after 10,000 random changes', () => {
  const text = seal(VALUE, SECRET, 'login')
  let opened = 0

  for (let round = 0; round < 10_000; round++) {
    const bytes = Buffer.from(text, 'base64url')

    for (let count = 0; count <= round % 5; count++) {
      const index = randomInt(bytes.length)

      bytes[index] = (bytes[index] as number) ^ randomInt(1, 256)
    }

    // Two changes may undo each other.
    if (bytes.toString('base64url') !== text && unseal(bytes.toString('base64url'), SECRET, 'login')) opened++
  }

  expect(opened).toBe(0)
})

it('what is sealed is not opened when it is cut anywhere', () => {
  const text = seal(VALUE, SECRET, 'login')

  for (let length = 0; length < text.length - 1; length++) {
    expect(unseal(text.slice(0, length), SECRET, 'login')).toBeUndefined()
    expect(unseal(text.slice(text.length - length), SECRET, 'login')).toBeUndefined()
  }
})

it.each([
  '',
  'A',
  '=',
  '....',
  '\0',
  'A'.repeat(37),
  'A'.repeat(38),
  'A'.repeat(5000),
  '\u{1f426}'.repeat(50),
  '{}'
])('what was never sealed is not opened: %j', (text) => {
  expect(unseal(text, SECRET, 'login')).toBeUndefined()
})
