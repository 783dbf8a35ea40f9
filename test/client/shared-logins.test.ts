import { once } from 'node:events'
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import { configureSessions, DAY, LOGIN, stopClock, WREN } from '../sessions/app.ts'
import { describeChromium } from '../support/chromium.ts'
import { ANN, BOB, bundleTabs, listen, run, startTabs, until } from './tabs.ts'

bundleTabs()
const logIn = (tab: Page, credentials: object): Promise<string> =>
  run(tab, `client.authenticate(${JSON.stringify(credentials)}).then(({ accessToken }) => accessToken)`)

describeChromium('tabs with one stream and logins', (openPage) => {
  async function startUsers() {
    const started = await startTabs({ openPage })
    const { app, openTab } = started

    await app.service('users').create({ id: 1, ...ANN })
    await app.service('users').create({ id: 2, ...BOB })

    return {
      ...started,
      /** Opens a tab in which a user logs in, who is that of this tab alone. */
      async openAs(credentials: object) {
        const tab = await openTab('storage=sessionStorage')
        const accessToken = await logIn(tab, credentials)

        await listen(tab)

        return { tab, accessToken }
      },
      /** Sends each user a note of their own, and a message to all. */
      async sayAll(text: string) {
        await app.service('notes').create({ userId: 1, text: `ann ${text}` })
        await app.service('notes').create({ userId: 2, text: `bob ${text}` })
        await started.say(text)
      }
    }
  }

  const jwt = (accessToken: string) => ({ strategy: 'jwt', accessToken })

  it('a user in another tab has another stream, and gets nothing that is for the first', async () => {
    const { streams, openAs, sayAll } = await startUsers()
    const ann = await openAs(ANN)
    const bob = await openAs(BOB)
    const { tab } = await openAs(jwt(ann.accessToken))

    expect([...streams].map(({ user }) => user.email).sort()).toEqual(['ann', 'bob'])
    await sayAll('1')
    expect(await until([ann.tab, bob.tab, tab], '1')).toEqual([
      ['ann 1', '1'],
      ['bob 1', '1'],
      ['ann 1', '1']
    ])
    await ann.tab.close()
    await sayAll('2')
    expect(await until([bob.tab, tab], '2')).toEqual([
      ['bob 1', '1', 'bob 2', '2'],
      ['ann 1', '1', 'ann 2', '2']
    ])
  })

  it('a tab in which another user logs in leaves those of the first', async () => {
    const { streams, openAs, sayAll } = await startUsers()
    const { tab: first, accessToken } = await openAs(ANN)
    const { tab: second } = await openAs(jwt(accessToken))

    await logIn(first, BOB)
    await vi.waitFor(() => expect([...streams].map(({ user }) => user.email).sort()).toEqual(['ann', 'bob']))
    await sayAll('1')
    expect(await until([first, second], '1')).toEqual([
      ['bob 1', '1'],
      ['ann 1', '1']
    ])
    await run(first, 'client.logout()')
    await vi.waitFor(() =>
      expect([...streams].map(({ user }) => user?.email).sort()).toEqual(['ann', undefined])
    )
    await sayAll('2')
    expect(await until([first, second], '2')).toEqual([
      ['bob 1', '1', 'logout', '2'],
      ['ann 1', '1', 'ann 2', '2']
    ])
  })

  it('a login that the stream finds when it comes back is not shared with the tabs of the one before', async () => {
    const { app, cut, openAs, sayAll } = await startUsers()
    const { tab: first, accessToken } = await openAs(ANN)
    const { tab: second } = await openAs(jwt(accessToken))
    const bob = await app
      .service('authentication')
      .create(BOB, { provider: 'rest', headers: {}, authentication: undefined })

    await run(first, `client.set('authentication', Promise.resolve(${JSON.stringify(bob)}))`)
    cut()
    await sayAll('1')
    expect(await until([first, second], '1')).toEqual([
      ['bob 1', '1'],
      ['ann 1', '1']
    ])
  })

  it('a tab that logs in gets what the others have of its login since its own last event', async () => {
    const { app, openAs, openTab, say } = await startUsers()
    const { tab: first, accessToken } = await openAs(ANN)
    const second = await openTab('storage=sessionStorage')

    await listen(second)
    await say('1')
    await until([first, second], '1')
    await app.service('notes').create({ userId: 1, text: 'ann' })
    await until([first], 'ann')
    await logIn(second, jwt(accessToken))
    await until([second], 'ann')
    await say('2')
    expect(await until([first, second], '2')).toEqual([
      ['1', 'ann', '2'],
      ['1', 'ann', '2']
    ])
  })

  async function startSessions() {
    const clock = stopClock()
    const started = await startTabs({ openPage, configure: configureSessions })
    const tabs = [await started.openTab(), await started.openTab(), await started.openTab()] as const
    const [first] = tabs

    await started.app.service('users').create(WREN)
    await logIn(first, LOGIN)

    for (const tab of tabs) {
      await run(tab, 'client.reAuthenticate()')
      await listen(tab)
    }

    return { ...started, clock, tabs }
  }

  it('tabs of a session share a stream also when its token is renewed', async () => {
    const { app, clock, streams, gate, tabs, cut, say } = await startSessions()

    expect(streams.size).toBe(1)

    const { count } = gate
    const again = once(app, 'connection')

    clock.advance(DAY)
    cut()
    await again
    await run(tabs[1], 'client.reAuthenticate(true)')
    await say('a')
    expect(await until(tabs, 'a')).toEqual(Array(3).fill(['a']))
    // One with the old token, and one with the new one.
    expect([streams.size, gate.count - count]).toEqual([1, 2])
  })

  it('a logout in one of them ends the session in all of them', async () => {
    const { streams, tabs, say } = await startSessions()

    await run(tabs[1], 'client.logout()')
    await until(tabs, 'logout')
    await vi.waitFor(() => expect([...streams].map(({ user }) => user)).toEqual([undefined]))
    await say('a')
    expect(await until(tabs, 'a')).toEqual([
      ['ended logout', 'logout', 'a'],
      ['logout', 'a'],
      ['ended logout', 'logout', 'a']
    ])
  })
})
