import { createServer } from 'node:http'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { toListener } from '../../src/node.ts'
import { listen } from '../support/server.ts'
import { addUsers, logIn, logInTimes, PASSWORD } from './app.ts'

const WREN = 'wren@example.org'
const MINUTE = 60_000

/** Behind one proxy. */
async function open({ budget = {}, users = [WREN] }: { budget?: any; users?: string[] } = {}) {
  const app = addUsers(undefined, budget)

  await app.setup()
  onTestFinished(async () => void (await app.teardown()))
  for (const email of users) await app.service('users').create({ email, password: PASSWORD })

  return { app, url: await listen(createServer(toListener(app, { trustProxy: 1, logger: false }))) }
}

/** The clock, which tests move. */
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))

function wait(time: number): void {
  vi.setSystemTime(Date.now() + time)
}

it('the eleventh failed login to an account from an address is a 429 with Retry-After', async () => {
  const { url } = await open()

  expect(await logInTimes(10, url, WREN, 'wrong', '192.0.2.1')).toEqual(Array(10).fill(401))

  const { status, body, headers } = await logIn(url, WREN, 'wrong', '192.0.2.1')

  expect(status).toBe(429)
  expect(body).toMatchObject({ name: 'TooManyRequests', data: { retryAfter: expect.any(Number) } })
  expect(headers.get('Retry-After')).toBe(String(body.data.retryAfter))
  expect(body.data.retryAfter).toBeGreaterThan(890)
  expect(body.data.retryAfter).toBeLessThanOrEqual(900)
  // The right password too: it would tell which one it is.
  expect((await logIn(url, WREN, PASSWORD, '192.0.2.1')).status).toBe(429)
  expect((await logIn(url, WREN, PASSWORD, '192.0.2.2')).status).toBe(201)
})

it.each([
  ['another case', 'Wren@Example.ORG'],
  ['spaces around', ' wren@example.org\u3000'],
  ['accents, which databases may ignore', 'wr\u00e9n@example.org'],
  ['wide letters', '\uff57ren@example.org'],
  ['characters that are not seen', 'w\u200bren@exam\u00adple.org']
])('a name with %s has no points of its own', async (_how, name) => {
  const { url } = await open()

  await logInTimes(10, url, WREN, 'wrong', '192.0.2.1')
  expect((await logIn(url, name, 'wrong', '192.0.2.1')).status).toBe(429)
})

it('after a quarter of an hour the points are there again', async () => {
  const { url } = await open()

  await logInTimes(10, url, WREN, 'wrong', '192.0.2.1')
  wait(15 * MINUTE - 1000)
  expect((await logIn(url, WREN, PASSWORD, '192.0.2.1')).status).toBe(429)
  wait(1000)
  expect((await logIn(url, WREN, PASSWORD, '192.0.2.1')).status).toBe(201)
})

it('a login that succeeds takes no points, and gives those of others not back', async () => {
  const { url } = await open()

  expect(await logInTimes(120, url, WREN, PASSWORD, '192.0.2.1')).toEqual(Array(120).fill(201))
  await logInTimes(9, url, WREN, 'wrong', '192.0.2.1')
  expect(await logInTimes(5, url, WREN, PASSWORD, '192.0.2.1')).toEqual(Array(5).fill(201))
  expect(await logInTimes(2, url, WREN, 'wrong', '192.0.2.1')).toEqual([401, 429])
})

it('the hasher is told of an account that was used from the address of the client', async () => {
  const { url, app } = await open()
  const compare = vi.spyOn(app.get('authentication').local.hasher, 'compare')

  onTestFinished(() => compare.mockRestore())
  for (const address of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) await logIn(url, WREN, PASSWORD, address)
  await logIn(url, WREN, 'wrong', '192.0.2.1')
  await logIn(url, 'nobody@example.org', 'wrong', '192.0.2.1')

  expect(compare.mock.calls.map(([, , , isKnown]) => isKnown === true)).toEqual([
    false,
    true,
    false,
    true,
    false
  ])
})

it('many attempts at one moment pass no more than ten in turn', async () => {
  const { url, app } = await open()
  const compare = vi.spyOn(app.get('authentication').local.hasher, 'compare')

  onTestFinished(() => compare.mockRestore())

  const statuses = await Promise.all(
    Array.from({ length: 300 }, async () => (await logIn(url, WREN, 'wrong', '192.0.2.1')).status)
  )

  expect(statuses.filter((status) => status === 401)).toHaveLength(10)
  expect(statuses.filter((status) => status === 429)).toHaveLength(290)
  expect(compare).toHaveBeenCalledTimes(10)
})

it('an account is the same however its name is written', async () => {
  const { url } = await open({ users: ['zoë@example.org'] })

  for (const name of ['zoë@example.org', 'ZOË@example.org', '  zoe\u0308@Example.org ']) {
    await logInTimes(3, url, name, 'wrong', '192.0.2.1')
  }

  expect(await logInTimes(2, url, 'zoë@example.org', 'wrong', '192.0.2.1')).toEqual([401, 429])
})

it('the hundred and first failed login from an address is a 429, whatever the accounts', async () => {
  const { url } = await open()

  for (let i = 0; i < 100; i++) {
    expect((await logIn(url, `${i}@example.org`, 'wrong', '192.0.2.1')).status).toBe(401)
  }

  expect((await logIn(url, WREN, PASSWORD, '192.0.2.1')).status).toBe(429)
  expect((await logIn(url, WREN, PASSWORD, '192.0.2.2')).status).toBe(201)
})

it('all addresses of an IPv6 network of 64 bits are one', async () => {
  const { url } = await open()

  for (let i = 0; i < 10; i++) await logIn(url, WREN, 'wrong', `2001:db8:1:2::${i}`)

  expect((await logIn(url, WREN, PASSWORD, '2001:db8:1:2:ffff::1')).status).toBe(429)
  expect((await logIn(url, WREN, PASSWORD, '2001:db8:1:3::1')).status).toBe(201)
})

it('an account under attack stays open to its own addresses, and to one attempt of others in half a minute', async () => {
  const { url } = await open()

  expect((await logIn(url, WREN, PASSWORD, '198.51.100.1')).status).toBe(201)
  for (let i = 0; i < 100; i++) await logIn(url, WREN, 'wrong', `192.0.2.${i}`)

  // The one attempt of the first half minute.
  expect((await logIn(url, WREN, 'wrong', '203.0.113.1')).status).toBe(401)

  const { status, body } = await logIn(url, WREN, PASSWORD, '203.0.113.2')

  expect(status).toBe(429)
  expect(body.data.retryAfter).toBeLessThanOrEqual(30)
  expect((await logIn(url, WREN, PASSWORD, '198.51.100.1')).status).toBe(201)

  wait(body.data.retryAfter * 1000)
  expect((await logIn(url, WREN, PASSWORD, '203.0.113.2')).status).toBe(201)
  // It is known from now on.
  expect((await logIn(url, WREN, PASSWORD, '203.0.113.2')).status).toBe(201)
})

it('the latest ten addresses of an account are known, for thirty days', async () => {
  const { url } = await open({ budget: { accountPoints: 1 } })
  const isKnown = async (address: string) => {
    await logIn(url, WREN, 'wrong', '203.0.113.1')
    await logIn(url, WREN, 'wrong', '203.0.113.2')
    await logIn(url, WREN, 'wrong', '203.0.113.3')

    return (await logIn(url, WREN, PASSWORD, address)).status === 201
  }

  for (let i = 0; i < 11; i++) await logIn(url, WREN, PASSWORD, `192.0.2.${i}`)

  expect(await isKnown('192.0.2.0')).toBe(false)
  expect(await isKnown('192.0.2.1')).toBe(true)
  wait(30 * 24 * 60 * MINUTE)
  expect(await isKnown('192.0.2.1')).toBe(false)
})

it('accounts that do not exist are counted alike', async () => {
  const { url } = await open()
  const attack = async (name: string, address: string) => {
    const answers: unknown[] = []

    for (let i = 0; i < 12; i++) {
      const { status, body, headers } = await logIn(url, name, 'wrong', address)

      answers.push({ status, body, names: [...headers.keys()] })
    }

    return answers
  }

  expect(await attack('nobody@example.org', '192.0.2.1')).toEqual(await attack(WREN, '192.0.2.2'))
})

it('an office behind one address comes back after a restart', async () => {
  const users = Array.from({ length: 150 }, (_, i) => `${i}@example.org`)
  const { url } = await open({ users })
  const statuses = await Promise.all(
    users.map(async (email) => (await logIn(url, email, PASSWORD, '192.0.2.1')).status)
  )

  expect(statuses).toEqual(Array(150).fill(201))
})

it('tokens that have expired or ended do not count, and no limit holds them up', async () => {
  const { url, app } = await open({ budget: { addressPoints: 5 } })
  const auth = app.service('authentication')
  const expired = await auth.createAccessToken({}, { subject: WREN, expiresIn: -10 })
  const use = async (accessToken: string) =>
    (
      await fetch(`${url}/authentication`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': '192.0.2.1' },
        body: JSON.stringify({ strategy: 'jwt', accessToken })
      })
    ).status

  for (let i = 0; i < 20; i++) expect(await use(expired)).toBe(401)

  const { body } = await logIn(url, WREN, PASSWORD, '192.0.2.1')

  for (let i = 0; i < 6; i++) await logIn(url, `${i}`, 'wrong', '192.0.2.1')
  expect((await logIn(url, WREN, PASSWORD, '192.0.2.1')).status).toBe(429)
  expect(await use(body.accessToken)).toBe(201)
})

it('a login that fails for another reason takes no points', async () => {
  const { url, app } = await open()
  let isAway = true

  app.service('users').hooks({
    before: {
      find: [
        () => {
          if (isAway) throw new Error('The database is away')
        }
      ]
    }
  })

  expect(await logInTimes(20, url, WREN, PASSWORD, '192.0.2.1')).toEqual(Array(20).fill(500))
  isAway = false
  expect((await logIn(url, WREN, PASSWORD, '192.0.2.1')).status).toBe(201)
})
