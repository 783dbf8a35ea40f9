// Letters that can be written in two ways (RFC 8265).
import { expect, it, vi } from 'vitest'
import { BcryptHasher } from '../../src/authentication.ts'
import { createApp, getLocal, INVALID_LOGIN, LOCAL } from './app.ts'

const [NFC, NFD] = ['caf\u00e9 zo\u00eb', 'cafe\u0301 zoe\u0308'] as const
const FORMS = [NFC, NFD]
const EMAIL = 'wren@example.org'

async function open(user: object, settings: { readonly [option: string]: unknown } = {}) {
  const app = createApp({ settings })

  await app.service('users')._create(user)

  return {
    app,
    logIn: (email: string, password: string) =>
      app.service('authentication').create({ strategy: 'local', email, password })
  }
}

it.each(FORMS)('a password that is set as %j is right in both forms', async (form) => {
  const app = createApp()

  await app.service('users').create({ email: EMAIL, password: form })
  for (const password of FORMS) {
    const login = { strategy: 'local', email: EMAIL, password }

    expect(await app.service('authentication').create(login)).toMatchObject({ user: { email: EMAIL } })
  }
})

it('a password that was hashed as it was received stays right, and a wrong one wrong', async () => {
  const { logIn } = await open({ email: EMAIL, password: `0:${NFD}` })

  expect(await logIn(EMAIL, NFD)).toMatchObject({ user: { email: EMAIL } })
  await expect(logIn(EMAIL, 'cafe zoe')).rejects.toMatchObject(INVALID_LOGIN)
})

it('nothing else of a password is changed', async () => {
  const app = createApp()

  // Compatible forms, case, width and spaces differ.
  for (const [password, other] of [
    ['\ufb01', 'fi'],
    ['A', 'a'],
    ['\uff21', 'A'],
    [' a ', 'a'],
    ['a\u00a0b', 'a b']
  ] as const) {
    const { email } = await app.service('users').create({ email: `${password}@example.org`, password })
    const login = { strategy: 'local', email }

    await expect(app.service('authentication').create({ ...login, password: other })).rejects.toMatchObject(
      INVALID_LOGIN
    )
    expect(await app.service('authentication').create({ ...login, password })).toMatchObject({ user: {} })
  }
})

it.each(FORMS)('a username that is stored as %j is found in both forms', async (form) => {
  const { logIn } = await open({ email: form, password: '0:right' })

  for (const email of FORMS) expect(await logIn(email, 'right')).toMatchObject({ user: { email: form } })
})

it('of two users whose names look alike, a login finds the one whose name was typed', async () => {
  const { app, logIn } = await open({ email: NFD, password: '0:one' })

  await app.service('users')._create({ email: NFC, password: '0:two' })
  expect(await logIn(NFD, 'one')).toMatchObject({ user: { email: NFD } })
  expect(await logIn(NFC, 'two')).toMatchObject({ user: { email: NFC } })
  await expect(logIn(NFD, 'two')).rejects.toMatchObject(INVALID_LOGIN)
})

it('a username in neither form finds the one in NFC before the one in NFD', async () => {
  const { app, logIn } = await open({ email: NFD, password: '0:one' })
  const mixed = 'caf\u00e9 zoe\u0308'

  expect(await logIn(mixed, 'one')).toMatchObject({ user: { email: NFD } })
  await app.service('users')._create({ email: NFC, password: '0:two' })
  expect(await logIn(mixed, 'two')).toMatchObject({ user: { email: NFC } })
})

it.each([
  ['nobody', ['nobody']],
  [NFC, [NFC, NFD]],
  [NFD, [NFD, NFC]],
  ['caf\u00e9 zoe\u0308', ['caf\u00e9 zoe\u0308', NFC, NFD]]
])('the username %j is looked for once in each form, whether it is known or not', async (email, forms) => {
  const { app, logIn } = await open({ email: EMAIL, password: '0:right' })
  const asked: unknown[] = []

  app.service('users').hooks({ before: { find: [({ params }: any) => void asked.push(params.query.email)] } })
  await expect(logIn(email, 'wrong')).rejects.toMatchObject(INVALID_LOGIN)
  expect(asked).toEqual(forms)
  await app.service('users')._create({ email, password: '0:right' })
  await expect(logIn(email, 'wrong')).rejects.toMatchObject(INVALID_LOGIN)
  expect(asked).toEqual([...forms, ...forms])
})

it('a user who does not exist costs as many comparisons as one who does', async () => {
  for (const settings of [{}, { local: LOCAL }]) {
    const { app, logIn } = await open({ email: EMAIL, password: '0:right' }, settings)
    const target = getLocal(app).configuration.hasher ?? BcryptHasher.prototype
    const compare = vi.spyOn(target, 'compare')

    try {
      for (const [password, count] of [
        [NFC, 1],
        [NFD, 2]
      ] as const) {
        for (const email of [EMAIL, 'nobody']) {
          compare.mockClear()
          await expect(logIn(email, password)).rejects.toMatchObject(INVALID_LOGIN)
          expect(compare).toHaveBeenCalledTimes(count)
        }
      }
    } finally {
      compare.mockRestore()
    }
  }
})

it('a hash that is renewed is that of the password in NFC', async () => {
  const hashed: string[] = []
  const hasher = {
    hash: async (password: string) => {
      hashed.push(password)

      return `new:${password}`
    },
    compare: async (password: string, hash: string) => hash.endsWith(`:${password}`),
    needsRehash: (hash: string) => hash.startsWith('old:')
  }
  const { logIn } = await open({ email: EMAIL, password: `old:${NFD}` }, { local: { ...LOCAL, hasher } })

  expect(await logIn(EMAIL, NFD)).toMatchObject({ user: { email: EMAIL } })
  expect(hashed).toEqual([NFC])
})
