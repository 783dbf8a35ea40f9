import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, vi } from 'vitest'
import {
  ADA,
  createRestClient,
  createUser,
  GRACE,
  join,
  KURT,
  PASSWORD,
  type RestClient,
  read,
  resetSettings,
  runChat,
  seeLogin,
  shareChat,
  signUp,
  write
} from './support/chat.ts'
import { describeChromium } from './support/chromium.ts'
import type { RunningExample } from './support/example.ts'
import { readBlocks } from './support/page.ts'
import { describeOwnRedis, startRedis } from './support/redis.ts'
import { expectSession } from './support/session.ts'

const run = promisify(execFile)

const README = resolve(import.meta.dirname, '../examples/chat/README.md')

resetSettings()

describe('the server of the chat', () => {
  const getChat = shareChat()

  it('answers what is wrong with a sentence', async () => {
    const { url } = getChat()
    const nobody = createRestClient(url)
    const ada = await createUser(url, ADA)
    const refuse = async (client: RestClient, ...request: Parameters<RestClient['send']>) => {
      const [status, { message }] = await client.send(...request)

      return [status, message]
    }

    const badEmail = [400, "'email' has to be an address"]
    const badPassword = [400, "'password' has to be a string of at least 8 characters"]
    const badText = [400, "'text' has to be a string of 1 to 2000 characters"]
    const badRoom = [400, "'room' has to be a name of up to 30 small letters, digits and hyphens"]
    const notJoined = [403, "You have not joined the room 'lobby'"]
    const login = { email: KURT, password: PASSWORD }

    expect(await refuse(nobody, 'POST', '/users', { ...login, email: 'kurt' })).toEqual(badEmail)
    expect(await refuse(nobody, 'POST', '/users', { ...login, email: { $ne: '' } })).toEqual(badEmail)
    expect(await refuse(nobody, 'POST', '/users', { ...login, password: 'short' })).toEqual(badPassword)
    expect(await refuse(nobody, 'POST', '/users', { ...login, email: ' ADA@example.com' })).toEqual([
      409,
      `A record with the id '${ADA}' exists already`
    ])
    expect(await refuse(nobody, 'GET', '/messages?room=lobby')).toEqual([401, 'Not authenticated'])
    expect(await refuse(nobody, 'POST', '/rooms', { room: 'lobby' }, 'join')).toEqual([
      401,
      'Not authenticated'
    ])

    expect(await refuse(ada, 'POST', '/messages', { room: 'lobby', text: 'Hello' })).toEqual(notJoined)
    expect(await refuse(ada, 'GET', '/messages?room=lobby')).toEqual(notJoined)
    expect(await ada.join('lobby')).toEqual([200, { room: 'lobby' }])
    expect(await refuse(ada, 'GET', '/messages')).toEqual(badRoom)
    expect(await refuse(ada, 'GET', '/messages?room[$ne]=lobby')).toEqual(badRoom)
    expect(await refuse(ada, 'POST', '/messages', { text: 'Hello' })).toEqual(badRoom)
    expect(await refuse(ada, 'POST', '/messages', { room: 'lobby', text: ' ' })).toEqual(badText)
    expect(await refuse(ada, 'POST', '/messages', { room: 'lobby', text: 'a'.repeat(2001) })).toEqual(badText)
    expect(await refuse(ada, 'POST', '/messages', { room: 'lobby', text: ['Hello'] })).toEqual(badText)
    expect(await refuse(ada, 'POST', '/rooms', { room: 'The lobby' }, 'join')).toEqual(badRoom)
    expect((await ada.send('GET', '/messages?room=lobby'))[1]).toMatchObject({ total: 0 })

    await ada.send('POST', '/rooms', { room: 'lobby' }, 'leave')
    expect(await refuse(ada, 'POST', '/messages', { room: 'lobby', text: 'Hello' })).toEqual(notJoined)
    expect(await refuse(ada, 'GET', '/memberships')).toEqual([
      405,
      'Method `find` is not supported by this endpoint.'
    ])
    expect((await refuse(ada, 'GET', '/users'))[0]).toBe(405)
  })

  it('takes who wrote from the token, and nothing else from the data', async () => {
    const { url } = getChat()
    const kurt = await createUser(url, KURT)

    await kurt.join('lobby')
    await kurt.send('POST', '/messages', {
      room: 'lobby',
      text: 'Hello',
      id: 1,
      author: GRACE,
      createdAt: '2001-01-01T00:00:00.000Z',
      color: 'red'
    })

    expect((await kurt.send('GET', `/messages?room=lobby&author=${KURT}`))[1].data).toEqual([
      {
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        room: 'lobby',
        text: 'Hello',
        author: KURT,
        createdAt: expect.not.stringMatching(/^2001/)
      }
    ])
    expect((await kurt.send('GET', '/rooms'))[1]).toEqual([{ name: 'lobby', members: 1, joined: true }])
  })

  it('shows no hash, and allows the page nothing from elsewhere', async () => {
    const { url } = getChat()
    const { send } = createRestClient(url)
    const [, user] = await send('POST', '/users', { email: GRACE, password: PASSWORD, role: 'admin' })
    const [page, client] = await Promise.all([fetch(url), fetch(`${url}/client.js`)])

    expect(user).toEqual({ email: GRACE })
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(client.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    for (const { headers } of [page, client]) {
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'self';/)
      expect(headers.get('content-security-policy')).not.toMatch(/unsafe|http|\*/)
    }
  })
})

describe('the process of the chat', () => {
  it('answers as the README shows', async () => {
    const { url } = await runChat()
    const { host } = new URL(url)
    const readme = await readFile(README, 'utf8')
    const [session] = readBlocks(readme, 'console') as [string]
    const calls = readBlocks(readme, 'sh').find((block) => block.startsWith('curl')) as string

    await expectSession([session], { 'localhost:3030': host })

    const [, { accessToken }] = await createRestClient(url).send('POST', '/authentication', {
      strategy: 'local',
      email: ADA,
      password: PASSWORD
    })
    const script = calls.replaceAll('curl ', 'echo; curl -s ').replaceAll('localhost:3030', host)
    const { stdout } = await run('sh', ['-c', script], { env: { ...process.env, TOKEN: accessToken } })
    const message = expect.objectContaining({ room: 'lobby', text: 'Hello', author: ADA })

    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    ).toEqual([{ room: 'lobby' }, message, expect.objectContaining({ total: 1, data: [message] })])
  })

  it('says that a random secret ends with it, and ends by itself', async () => {
    const chat = await runChat()

    expect(chat.lines).toContain('No SECRET is set: this one is random, and logins end with the process.')
    expect(await chat.stop()).toBe(0)

    vi.stubEnv('SECRET', 'a secret for the tests of the chat, long enough')
    expect((await runChat()).lines.join()).not.toContain('SECRET')
  })
})

describeOwnRedis('two processes of the chat', () => {
  /** Two processes that share a Redis and a secret. */
  async function runTwoChats(): Promise<[RunningExample, RunningExample]> {
    const redis = await startRedis()

    vi.stubEnv('REDIS_URL', redis.url)
    vi.stubEnv('SECRET', 'a secret for the tests of the chat, long enough')

    return Promise.all([runChat(), runChat()])
  }

  it('share users, logins, rooms and messages, and end without a loss', async () => {
    const [one, two] = await runTwoChats()
    const ada = await createUser(one.url, ADA)
    const signUps = await Promise.all(
      [one, two, one, two].map(({ url }) =>
        createRestClient(url).send('POST', '/users', { email: GRACE, password: PASSWORD })
      )
    )

    expect(signUps.map(([status]) => status).sort()).toEqual([201, 409, 409, 409])

    await ada.join('lobby')
    await ada.send('POST', '/messages', { room: 'lobby', text: 'Written in the first' })

    const there = createRestClient(two.url, ada.accessToken)

    expect((await there.send('GET', '/rooms'))[1]).toEqual([{ name: 'lobby', members: 1, joined: true }])
    expect((await there.send('GET', '/messages?room=lobby'))[1]).toMatchObject({
      total: 1,
      data: [{ text: 'Written in the first' }]
    })

    await there.send('DELETE', '/authentication')
    expect(await ada.send('GET', '/rooms')).toEqual([
      401,
      expect.objectContaining({ message: 'jwt revoked' })
    ])
    expect(await Promise.all([one.stop(), two.stop()])).toEqual([0, 0])
  })

  describeChromium('the pages', (open) => {
    it('are one chat', async () => {
      const [one, two] = await runTwoChats()
      const [ada, grace] = await Promise.all([open(one.url), open(two.url)])

      await Promise.all([signUp(ada.page, ADA), signUp(grace.page, GRACE)])
      await join(ada.page, 'lobby')
      await join(grace.page, 'lobby')
      await read(ada.page, `${GRACE} has joined`)
      await write(ada.page, 'Good morning, Grace')
      await read(grace.page, 'Good morning, Grace')
      await write(grace.page, 'Good morning, Ada')
      await read(ada.page, 'Good morning, Ada')

      // Another tab of Ada, in the other process: what she joins there she hears of here.
      const token = await ada.page.evaluate(() => (globalThis as any).localStorage.getItem('feathers-jwt'))
      const there = createRestClient(two.url, token)
      const kurt = await createUser(two.url, KURT)

      await there.join('engines')
      await kurt.join('engines')
      await ada.page.getByRole('link', { name: 'engines' }).waitFor()
      await kurt.send('POST', '/messages', { room: 'engines', text: 'It counts' })
      await ada.page.getByRole('link', { name: 'engines 1 new' }).waitFor()

      await there.send('DELETE', '/authentication')
      await seeLogin(ada.page)
      await ada.page.getByRole('alert').getByText('Your session has ended. Please log in again.').waitFor()
      expect([...ada.errors, ...grace.errors]).toEqual([])
    })
  })
})
