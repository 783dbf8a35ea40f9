import type { Page } from 'playwright-core'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { type RunningExample, runExample, shareExample } from './example.ts'

export const PASSWORD = 'correct horse'

export const ADA = 'ada@example.com'

export const GRACE = 'grace@example.com'

export const KURT = 'kurt@example.com'

/** Keeps the settings that tests of other files need from the chat. */
export function resetSettings(): void {
  beforeEach(() => {
    vi.stubEnv('REDIS_URL', undefined)
    vi.stubEnv('SECRET', undefined)
  })
  afterEach(() => vi.unstubAllEnvs())
}

/** One chat for the tests of a group, which have users and rooms of their own. */
export function shareChat(): () => RunningExample {
  return shareExample('chat/app.js', { REDIS_URL: undefined, SECRET: undefined })
}

export function runChat(): Promise<RunningExample> {
  return runExample('chat/app.js')
}

/** What a client can do over REST, with a token or without. */
export interface RestClient {
  readonly accessToken: string | undefined
  /** Sends a request; resolves to the status and the body. */
  send(verb: string, path: string, body?: unknown, method?: string): Promise<[status: number, body: any]>
  join(room: string): Promise<[status: number, body: any]>
}

export function createRestClient(url: string, accessToken?: string): RestClient {
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
export async function createUser(url: string, email: string): Promise<RestClient> {
  const { send } = createRestClient(url)

  await send('POST', '/users', { email, password: PASSWORD })

  const [, { accessToken }] = await send('POST', '/authentication', {
    strategy: 'local',
    email,
    password: PASSWORD
  })

  return createRestClient(url, accessToken)
}

export async function fillLogin(
  page: Page,
  email: string,
  button: string,
  password = PASSWORD
): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: button }).click()
}

export async function signUp(page: Page, email: string): Promise<void> {
  await fillLogin(page, email, 'Sign up')
  await page.getByText(email, { exact: true }).waitFor()
}

export async function join(page: Page, room: string): Promise<void> {
  await page.getByLabel('Join or open a room').fill(room)
  await page.getByRole('button', { name: 'Join', exact: true }).click()
  await page.getByRole('heading', { name: room }).waitFor()
}

export async function write(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text)
  await page.getByRole('button', { name: 'Send' }).click()
}

/** Waits for a message; resolves when it is there. */
export function read(page: Page, text: string): Promise<void> {
  return page.getByRole('log').getByText(text, { exact: true }).waitFor()
}

/** Waits for the form for the login, and nothing else on the page. */
export async function seeLogin(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Log in' }).waitFor()
  expect(await page.getByRole('log').isVisible()).toBe(false)
}
