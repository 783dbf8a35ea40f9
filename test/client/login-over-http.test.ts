import { describe, expect, it } from 'vitest'
import { rest } from '../../src/client.ts'
import { DAY } from '../sessions/app.ts'
import { defer } from '../support/deferred.ts'
import { hear } from './servers.ts'
import { CREDENTIALS, startSessions } from './session-clients.ts'

// Calls go over a socket, and logins over HTTP, where a cookie has the refresh token.

/** Sends requests as a browser does that has one cookie. */
function createBrowser(url: string) {
  const browser = {
    cookie: '',
    /** Called before a request is sent, with its body. */
    onRequest: async (_body: string): Promise<void> => undefined,
    onResponse: (): void => undefined,
    async fetch(address: string, init: any): Promise<Response> {
      await browser.onRequest(String(init.body))

      const headers = { ...init.headers, Origin: url, Cookie: browser.cookie, Connection: 'close' }
      const response = await fetch(address, { ...init, headers })
      const [cookie] = response.headers.getSetCookie()

      if (cookie) browser.cookie = cookie.split(';', 1)[0] as string
      browser.onResponse()

      return response
    }
  }

  return browser
}

async function start() {
  const { app, url, clock, createClient } = await startSessions('sockets', { cookie: true })
  const browser = createBrowser(url)
  const service = rest(url).fetch(browser.fetch).service('authentication')

  return { app, clock, browser, ...createClient(undefined, { service }) }
}

it('a login that begins during a logout stays, with its session', async () => {
  const { app, client, clock, browser, find } = await start()
  const { promise, resolve } = defer()
  const { promise: begun, resolve: onBegun } = defer()
  const hold = ({ params }: any) => {
    onBegun()

    return params.provider === 'socketio' ? promise : undefined
  }

  await client.authenticate(CREDENTIALS)
  app.service('authentication').hooks({ after: { remove: [hold] } })

  const logout = client.logout()

  await begun

  const responded = new Promise<void>((onResponse) => Object.assign(browser, { onResponse }))
  const login = client.authenticate(CREDENTIALS)

  await responded
  resolve()
  await Promise.all([logout, login])
  expect(await find()).toEqual(['a note'])
  clock.advance(DAY)
  expect(await find()).toEqual(['a note'])
})

describe('with two users', () => {
  const OWL = { strategy: 'local', email: 'owl@example.org', password: 'other horse' }

  async function startTwo() {
    const started = await start()
    const { app, client } = started

    await app.service('users').create({ email: OWL.email, password: OWL.password })
    app.use('self', { find: async ({ connection }: any) => connection.user?.email }, { methods: ['find'] })

    /** The user of the client, and that of its connection. */
    const getUsers = async () => [
      (await client.get('authentication')).user.email,
      await client.service('self').find()
    ]

    return { ...started, getUsers }
  }

  it('a login counts during which the connection is lost', async () => {
    const { app, client, browser, getUsers } = await startTwo()
    const { promise, resolve } = defer()
    const { promise: sent, resolve: onSent } = defer()

    await client.authenticate(CREDENTIALS)
    browser.onRequest = async () => {
      onSent()
      await promise
    }

    const login = client.authenticate(OWL)
    const lost = hear(client.io, 'disconnect')

    await sent
    for (const { conn } of app.io.sockets.sockets.values()) conn.close()
    await lost
    resolve()
    await login
    expect(await getUsers()).toEqual([OWL.email, OWL.email])
  })
})
