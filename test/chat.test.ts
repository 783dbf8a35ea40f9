import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { io, type Socket } from 'socket.io-client'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { describeChromium } from './support/chromium.ts'
import { type RunningExample, runExample } from './support/example.ts'
import { readBlocks } from './support/page.ts'
import { describeOwnRedis, startRedis } from './support/redis.ts'
import { expectSession } from './support/session.ts'

const run = promisify(execFile)

const README = resolve(import.meta.dirname, '../examples/chat/README.md')

const PASSWORD = 'correct horse'

const ADA = 'ada@example.com'
const GRACE = 'grace@example.com'
const KURT = 'kurt@example.com'

// What the tests of other files need is nothing to the chat.
beforeEach(() => {
  vi.stubEnv('REDIS_URL', undefined)
  vi.stubEnv('SECRET', undefined)
})
afterEach(() => vi.unstubAllEnvs())

function runChat(): Promise<RunningExample> {
  return runExample('chat/app.js')
}

/** What a client can do over REST, with a token or without. */
interface RestClient {
  readonly accessToken: string | undefined
  /** Sends a request; resolves to the status and the body. */
  send(verb: string, path: string, body?: unknown, method?: string): Promise<[status: number, body: any]>
  join(room: string): Promise<[status: number, body: any]>
}

function createRestClient(url: string, accessToken?: string): RestClient {
  async function send(verb: string, path: string, body?: unknown, method?: string): Promise<[number, any]> {
    const response = await fetch(url + path, {
      method: verb,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      headers: {
        'Content-Type': 'application/json',
        // A connection that is kept would hold up the end of the server.
        Connection: 'close',
        ...(method && { 'X-Service-Method': method }),
        ...(accessToken && { Authorization: `Bearer ${accessToken}` })
      }
    })

    return [response.status, await response.json()]
  }

  return { accessToken, send, join: (room) => send('POST', '/rooms', { room }, 'join') }
}

/** Signs a user up and logs in, over REST. */
async function createUser(url: string, email: string): Promise<RestClient> {
  const { send } = createRestClient(url)

  await send('POST', '/users', { email, password: PASSWORD })

  const [, { accessToken }] = await send('POST', '/authentication', {
    strategy: 'local',
    email,
    password: PASSWORD
  })

  return createRestClient(url, accessToken)
}

/** Sends a message over a socket; resolves to the error, or `null` and the result. */
function ask(socket: Socket, ...message: [method: string, path: string, ...args: unknown[]]): Promise<any[]> {
  return new Promise((resolve) => {
    socket.emit(...message, (...answer: any[]) => resolve(answer))
  })
}

async function fillLogin(page: Page, email: string, button: string, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: button }).click()
}

async function signUp(page: Page, email: string): Promise<void> {
  await fillLogin(page, email, 'Sign up')
  await page.getByText(email, { exact: true }).waitFor()
}

async function join(page: Page, room: string): Promise<void> {
  await page.getByLabel('Join or open a room').fill(room)
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await page.getByRole('heading', { name: room }).waitFor()
}

async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

/** Waits for a message; resolves when it is there. */
function read(page: Page, text: string): Promise<void> {
  return page.getByRole('log').getByText(text, { exact: true }).waitFor()
}

/** Waits for the form for the login, and nothing else on the page. */
async function seeLogin(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Log in' }).waitFor()
  expect(await page.getByRole('log').isVisible()).toBe(false)
}

/** Sends a call that fails and waits for the answer: what was sent to the page before has arrived then. */
async function failToLogIn(page: Page): Promise<void> {
  await fillLogin(page, ADA, 'Log in', 'wrong password')
  await page.getByRole('alert').getByText('Invalid login').waitFor()
}

describeChromium('the page of the chat', (open) => {
  it('shows what is written in a room to who is in it, at once, and to nobody else', async () => {
    const { url } = await runChat()
    const [ada, grace, kurt] = await Promise.all([open(url), open(url), open(url)])

    await Promise.all([signUp(ada.page, ADA), signUp(grace.page, GRACE), signUp(kurt.page, KURT)])
    await join(ada.page, 'lobby')
    await join(grace.page, 'lobby')
    await join(kurt.page, 'elsewhere')
    await ada.page.getByText('2 members').waitFor()
    await read(ada.page, `${GRACE} has joined`)

    await write(ada.page, 'Good morning, Grace')
    await read(grace.page, 'Good morning, Grace')
    await write(grace.page, 'Good morning, Ada')
    await read(ada.page, 'Good morning, Ada')

    // What was sent to Kurt before his own message has arrived with it.
    await write(kurt.page, 'Is anybody here?')
    await read(kurt.page, 'Is anybody here?')
    expect(kurt.received.filter((message) => message.includes('Good morning'))).toEqual([])
    expect(ada.received.filter((message) => message.includes('Good morning, Grace'))).not.toEqual([])

    for (const { errors } of [ada, grace, kurt]) expect(errors).toEqual([])
  })

  it('says how many messages came into other rooms', async () => {
    const { url } = await runChat()
    const grace = await createUser(url, GRACE)
    const { page, errors } = await open(url)

    await signUp(page, ADA)
    await join(page, 'engines')
    await join(page, 'lobby')
    await grace.join('engines')
    await grace.send('POST', '/messages', { room: 'engines', text: 'It counts' })

    await page.getByRole('link', { name: 'engines 1 new' }).click()
    await read(page, 'It counts')
    expect(await page.getByText('1 new').isVisible()).toBe(false)
    expect(errors).toEqual([])
  })

  it('keeps the login and shows the history after a reload', async () => {
    const { url } = await runChat()
    const { page, errors } = await open(url)

    await signUp(page, ADA)
    await join(page, 'lobby')
    await write(page, 'The first')
    await read(page, 'The first')
    await write(page, 'The second')
    await read(page, 'The second')

    await page.reload()
    await read(page, 'The second')
    expect(await page.getByRole('log').getByRole('paragraph').allTextContents()).toEqual([
      'The first',
      'The second'
    ])

    // The new connection is in the channel of the room too.
    const grace = await createUser(url, GRACE)

    await grace.join('lobby')
    await grace.send('POST', '/messages', { room: 'lobby', text: 'The third' })
    await read(page, 'The third')
    expect(errors).toEqual([])
  })

  it('shows messages as text, whatever they are', async () => {
    const { url } = await runChat()
    const { page, errors } = await open(url)
    const text = '<img src=x onerror="document.title = 1"><script>document.title = 2</script>'

    await signUp(page, ADA)
    await join(page, 'lobby')
    await write(page, text)
    await read(page, text)

    expect(await page.getByRole('log').locator('img, script').count()).toBe(0)
    expect(await page.title()).toBe('Chat')
    expect(errors).toEqual([])
  })

  it('refuses what is not its own', async () => {
    const { url } = await runChat()
    const { page, errors } = await open(url)

    await page.evaluate(() => {
      const document: any = (globalThis as any).document
      const script = document.createElement('script')

      script.textContent = 'document.title = "run"'
      document.body.append(script)
    })

    expect(await page.title()).toBe('Chat')
    expect(errors).toEqual([expect.stringContaining('Content Security Policy')])
  })

  it('says what is wrong', async () => {
    const { url } = await runChat()
    const { page, errors } = await open(url)

    await createUser(url, ADA)
    await failToLogIn(page)
    await fillLogin(page, ADA, 'Sign up')
    await page.getByRole('alert').getByText(`A record with the id '${ADA}' exists already`).waitFor()
    await fillLogin(page, ADA, 'Log in')
    await join(page, 'lobby')

    // Spaces alone satisfy the form, and not the server.
    await write(page, '  ')
    await page.getByRole('alert').getByText("'text' has to be a string of 1 to 2000 characters").waitFor()
    expect(errors).toEqual([])
  })

  it('shows the login after a logout, and hears nothing more', async () => {
    const { url } = await runChat()
    const ada = await open(url)
    const grace = await open(url)

    await signUp(ada.page, ADA)
    await signUp(grace.page, GRACE)
    await join(ada.page, 'lobby')
    await join(grace.page, 'lobby')
    await write(grace.page, 'Ada hears this')
    await read(ada.page, 'Ada hears this')

    await ada.page.getByRole('button', { name: 'Log out' }).click()
    await seeLogin(ada.page)
    await write(grace.page, 'Ada hears nothing')
    await read(grace.page, 'Ada hears nothing')
    await failToLogIn(ada.page)

    expect(ada.received.filter((message) => message.includes('Ada hears'))).toHaveLength(1)
    expect(await ada.page.evaluate(() => (globalThis as any).localStorage.length)).toBe(0)

    await ada.page.reload()
    await seeLogin(ada.page)
    expect([...ada.errors, ...grace.errors]).toEqual([])
  })

  it('hears nothing more of a room that the user has left', async () => {
    const { url } = await runChat()
    const grace = await createUser(url, GRACE)
    const { page, received, errors } = await open(url)

    await signUp(page, ADA)
    await join(page, 'lobby')
    await grace.join('lobby')
    await page.getByRole('button', { name: 'Leave' }).click()
    await page.getByText('Join a room to read and to write.').waitFor()
    await grace.send('POST', '/messages', { room: 'lobby', text: 'Where is Ada?' })
    await join(page, 'lobby')

    await read(page, 'Where is Ada?')
    expect(received.filter((message) => message.includes('messages created'))).toEqual([])
    expect(errors).toEqual([])
  })

  it('shows the login when the session is ended elsewhere', async () => {
    const { url } = await runChat()
    const { page, context, errors } = await open(url)

    await signUp(page, ADA)
    await join(page, 'lobby')

    const other = await context.newPage()

    await other.goto(url)
    await other.getByText(ADA, { exact: true }).waitFor()

    const accessToken = await page.evaluate(() => (globalThis as any).localStorage.getItem('feathers-jwt'))
    const [status] = await createRestClient(url, accessToken).send('DELETE', '/authentication')

    expect(status).toBe(200)

    for (const tab of [page, other]) {
      await seeLogin(tab)
      await tab.getByRole('alert').getByText('Your session has ended. Please log in again.').waitFor()
    }

    await fillLogin(page, ADA, 'Log in')
    await page.getByRole('heading', { name: 'lobby' }).waitFor()
    expect(errors).toEqual([])
  })

  it('says that the connection is lost when the server has ended', async () => {
    const chat = await runChat()
    const { page } = await open(chat.url)

    await signUp(page, ADA)
    await join(page, 'lobby')

    expect(await chat.stop()).toBe(0)
    await page.getByRole('status').getByText('Trying again').waitFor()
    expect(await page.getByRole('heading', { name: 'lobby' }).isVisible()).toBe(true)
  })
})

describe('the server of the chat', () => {
  it('answers what is wrong with a sentence', async () => {
    const { url } = await runChat()
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
    const { url } = await runChat()
    const ada = await createUser(url, ADA)

    await ada.join('lobby')
    await ada.send('POST', '/messages', {
      room: 'lobby',
      text: 'Hello',
      id: 1,
      author: GRACE,
      createdAt: '2001-01-01T00:00:00.000Z',
      color: 'red'
    })

    expect((await ada.send('GET', `/messages?room=lobby&author=${ADA}`))[1].data).toEqual([
      {
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        room: 'lobby',
        text: 'Hello',
        author: ADA,
        createdAt: expect.not.stringMatching(/^2001/)
      }
    ])
    expect((await ada.send('GET', '/rooms'))[1]).toEqual([{ name: 'lobby', members: 1, joined: true }])
  })

  it('sends a connection nothing for the user that was logged in on it before', async () => {
    const { url } = await runChat()
    const ada = await createUser(url, ADA)
    const grace = await createUser(url, GRACE)
    const socket = io(url, { transports: ['websocket'], forceNew: true })
    const heard: string[] = []

    onTestFinished(() => void socket.close())
    socket.on('messages created', ({ text }) => heard.push(text))

    const logIn = async ({ accessToken }: RestClient) => {
      const [error] = await ask(socket, 'create', 'authentication', { strategy: 'jwt', accessToken })

      expect(error).toBeNull()
    }

    for (const room of ['lobby', 'engines']) await ada.join(room)
    await grace.join('lobby')

    await logIn(ada)
    await ada.send('POST', '/messages', { room: 'engines', text: 'For Ada' })
    await logIn(grace)
    await ada.send('POST', '/messages', { room: 'engines', text: 'For Ada alone' })
    await ada.send('POST', '/messages', { room: 'lobby', text: 'For both' })
    await ask(socket, 'find', 'rooms', {})

    expect(heard).toEqual(['For Ada', 'For both'])
  })

  it('shows no hash, and allows the page nothing from elsewhere', async () => {
    const { url } = await runChat()
    const { send } = createRestClient(url)
    const [, user] = await send('POST', '/users', { email: ADA, password: PASSWORD, role: 'admin' })
    const [page, client] = await Promise.all([fetch(url), fetch(`${url}/client.js`)])

    expect(user).toEqual({ email: ADA })
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

  it('share users, logins, rooms and messages, and end without a loss', { timeout: 60_000 }, async () => {
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
    it('are one chat', { timeout: 60_000 }, async () => {
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
      expect([...ada.errors, ...grace.errors]).toEqual([])
    })
  })
})
