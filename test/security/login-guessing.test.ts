import { expect, it, vi } from 'vitest'
import { BcryptHasher } from '../../src/authentication.ts'
import { INVALID, KNOWN, open, PASSWORD } from './support/login.ts'

// What a client could do with a login: find out who has an account.

/** What two answers to the same request have in common. */
const toComparable = (headers: Headers) => [...headers].filter(([name]) => name !== 'date')

const FAILURES: { [title: string]: object } = {
  'a wrong password': { password: 'wrong' },
  'no password': { password: undefined },
  'a password of another type': { password: { $ne: null } },
  'an unknown user': { email: 'nobody@example.com' },
  'an unknown user without a password': { email: 'nobody@example.com', password: undefined },
  'no e-mail': { email: undefined },
  'an e-mail of another type': { email: { $ne: null } },
  'a user without a password': { email: 'no-password@example.com' },
  'a user whose password is null': { email: 'null@example.com' },
  'a user whose password is an object': { email: 'object@example.com' },
  'a password of 73 bytes': { password: 'a'.repeat(73) },
  'a password of 73 bytes in 25 letters': { password: `${'€'.repeat(24)}a` },
  'a password with a NUL': { password: `${PASSWORD}\0` },
  'an e-mail with a NUL': { email: `${KNOWN.email}\0` },
  'a password with spaces': { password: ` ${PASSWORD} ` },
  'a password in another case': { password: PASSWORD.toUpperCase() },
  'a long password': { password: 'a'.repeat(50_000) },
  'a lone surrogate': { password: '\ud800' },
  'the hash': { password: `hash of ${PASSWORD}` }
}

it.each(Object.entries(FAILURES))(
  '%s is answered as all of them, after one comparison',
  async (_title, changes) => {
    const { logIn, hasher } = await open()
    const { status, headers, body } = await logIn({ ...KNOWN, ...changes })

    expect({ status, body }).toEqual({ status: 401, body: INVALID })
    expect(hasher.comparisons).toBe(1)

    const { headers: others } = await logIn({ ...KNOWN, password: 'another wrong one' })

    expect(toComparable(headers)).toEqual(toComparable(others))
    expect((await logIn(KNOWN)).status).toBe(201)
  }
)

it.each(Object.entries(FAILURES))('with bcrypt, too: %s', async (_title, changes) => {
  const { app, logIn } = await open({ local: { hasher: undefined, hashSize: 4 } })
  const compare = vi.spyOn(BcryptHasher.prototype, 'compare')

  try {
    await app.service('users').patch(1, { password: PASSWORD })

    expect(await logIn({ ...KNOWN, ...changes })).toMatchObject({ status: 401, body: INVALID })
    expect(compare).toHaveBeenCalledTimes(1)
    expect((await logIn(KNOWN)).status).toBe(201)
  } finally {
    compare.mockRestore()
  }
})

it('who is not active is answered like who does not exist, and after the comparison', async () => {
  const { logIn, hasher } = await open({ isActive: ({ id }: any) => id !== 1 })

  for (const password of [PASSWORD, 'wrong']) {
    const before = hasher.comparisons

    expect(await logIn({ ...KNOWN, password })).toMatchObject({ status: 401, body: INVALID })
    expect(hasher.comparisons - before).toBe(1)
  }
})
