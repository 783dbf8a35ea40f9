import { once } from 'node:events'
import type { Page } from 'playwright-core'
import { expect, it, vi } from 'vitest'
import { alula, sharedEvents } from '../../src/client.ts'
import { describeChromium } from '../support/chromium.ts'
import { createRandom } from '../support/random.ts'
import { bundleTabs, listen, run, startTabs, until } from './tabs.ts'

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))

const QUERY = { rank: { $gt: 3 }, $sort: { rank: -1, id: 1 } }

bundleTabs()

it('sharedEvents() takes the options of events(), and needs a REST connection', () => {
  expect(() => alula().configure(sharedEvents())).toThrow('sharedEvents() needs a connection')
  expect(() => sharedEvents({ timeout: 0 })).toThrow("'timeout'")
})

describeChromium('tabs with one stream', (openPage) => {
  it('eight tabs over HTTP/1.1 have one connection, each event once, and their calls return', async () => {
    const { streams, openTabs, say } = await startTabs({ openPage })
    const tabs = await openTabs(8)

    expect(streams.size).toBe(1)

    const found = await Promise.all(tabs.map((tab) => run(tab, "client.service('messages').find()")))

    expect(found).toEqual(Array(8).fill([]))
    await run(tabs[3] as any, "client.service('messages').create({ text: 'a' })")
    await say('b', 'c')
    expect(await until(tabs, 'c')).toEqual(Array(8).fill(['a', 'b', 'c']))
    expect(streams.size).toBe(1)
  })

  it('when the tab with the stream closes, another one goes on, and no event is missed or comes twice', async () => {
    const { app, streams, gate, openTabs, say } = await startTabs({ openPage })
    const [first, ...others] = await openTabs(4)

    await say('a')
    await until([first, ...others], 'a')

    const arrived = gate.close()
    const again = once(app, 'connection')

    await first.close()
    await arrived
    await say('b', 'c')
    gate.open()
    await again
    await say('d')
    expect(await until(others, 'd')).toEqual(Array(3).fill(['a', 'b', 'c', 'd']))
    expect(streams.size).toBe(1)
  })

  it('a tab that lacks an event gets it from the tab that goes on with the stream', async () => {
    const { openTabs, say } = await startTabs({ openPage })
    const [first, second, third] = (await openTabs(3)) as [Page, Page, Page]

    await run(third, 'window.deaf = true')
    await say('a')
    await until([first, second], 'a')
    await run(third, 'window.deaf = false')
    await first.close()
    expect(await until([second, third], 'a')).toEqual([['a'], ['a']])
  })

  it('a stream that is lost goes on from where it was', async () => {
    const { app, gate, cut, openTabs, say } = await startTabs({ openPage })
    const tabs = await openTabs(3)
    const arrived = gate.close()
    const again = once(app, 'connection')

    cut()
    await arrived
    await say('a', 'b')
    gate.open()
    await again
    await say('c')
    expect(await until(tabs, 'c')).toEqual(Array(3).fill(['a', 'b', 'c']))
  })

  it('what cannot be had is a gap in all tabs', async () => {
    const { openTabs, restart, say } = await startTabs({ openPage })
    const tabs = await openTabs(3)

    await say('a')
    await until(tabs, 'a')
    await restart()
    await until(tabs, 'gap')
    await say('b')
    expect(await until(tabs, 'b')).toEqual(Array(3).fill(['a', 'gap', 'b']))
  })

  it('while the server says to come again later, only one tab does', async () => {
    const { app, gate, cut, openTabs, say } = await startTabs({ openPage })
    // A tab with the stream that gave no sign of life for as long would lose it.
    const tabs = await openTabs(3, 'timeout=1400')
    const { count } = gate
    const again = once(app, 'connection')
    const failed = new Promise<void>((resolve) => {
      gate.answer((response) => {
        response.status(503).json({ name: 'Unavailable', code: 503, data: { retryAfter: 3 } })
        resolve()
      })
    })

    cut()
    await failed
    gate.open()
    await say('a')
    await again
    expect(gate.count - count).toBe(2)
    expect(await until(tabs, 'a')).toEqual(Array(3).fill(['a']))
  })

  it('tabs that send other headers have another stream', async () => {
    const { streams, openTab, openTabs, say } = await startTabs({ openPage })
    const tabs = [...(await openTabs(2, 'tenant=a')), ...(await openTabs(1, 'tenant=b'))]

    expect([...streams].map(({ headers }) => headers['x-tenant'])).toEqual(['a', 'b'])
    await say('a')
    expect(await until(tabs, 'a')).toEqual(Array(3).fill(['a']))

    const refused = await openTab('tenant=%E2%82%AC')

    await run(refused, 'listen()')
    expect(await until([refused], 'error 400')).toEqual([['error 400']])
  })

  it('a refusal is an error in each tab', async () => {
    const { gate, cut, openTabs } = await startTabs({ openPage })
    const tabs = await openTabs(3)

    gate.answer((response) => response.status(404).json({ name: 'NotFound', message: 'Gone', code: 404 }))
    cut()
    expect(await until(tabs, 'error 404')).toEqual(Array(3).fill(['error 404']))
  })

  it('a tab that comes while an event waits for its publisher misses none of those after it', async () => {
    const { app, openTabs, openTab, say } = await startTabs({ openPage })
    let decide = (): void => undefined
    const decided = new Promise<void>((resolve) => {
      decide = resolve
    })

    app.service('messages').publish(async ({ text }: any) => {
      if (text === 'slow') await decided

      return app.channel('all')
    })

    const [first] = await openTabs(1)

    await say('a', 'slow', 'b')
    await until([first], 'b')

    const second = await openTab()
    const begun = once(app, 'connection')

    await run(second, 'listen()')
    await begun
    decide()
    await say('c')
    expect(await until([first, second], 'c')).toEqual([
      ['a', 'b', 'slow', 'c'],
      ['slow', 'b', 'c']
    ])
  })

  it('a tab with the stream that a dialog stops loses it, and misses nothing', async () => {
    const { streams, openTabs, say } = await startTabs({ openPage })
    const [first, ...others] = await openTabs(3, 'timeout=500')
    const opened = first.waitForEvent('dialog')

    first.on('dialog', () => undefined)
    await run(first, "void setTimeout(() => alert('Wait'))")

    const dialog = await opened

    await say('a')
    await until(others, 'a')
    await dialog.dismiss()
    await until([first], 'a')
    await vi.waitFor(() => expect(streams.size).toBe(1))
    await say('b')
    expect(await until([first, ...others], 'b')).toEqual(Array(3).fill(['a', 'b']))
  })

  it('without Web Locks each tab has its own stream', async () => {
    const { streams, openTab, say } = await startTabs({ openPage })
    const tabs = [await openTab('locks=none'), await openTab('locks=none')]

    for (const tab of tabs) await listen(tab)
    expect(streams.size).toBe(2)
    await say('a')
    expect(await until(tabs, 'a')).toEqual([['a'], ['a']])
  })

  it(`live lists are as a find has them in each tab, whichever tab reads the stream (seed ${SEED})`, async () => {
    const { app, cut, openTab } = await startTabs({ openPage })
    const random = createRandom(SEED)
    const messages = app.service('messages')
    const tabs: Page[] = []
    const watch = async () => {
      const tab = await openTab()

      await run(tab, `window.list = client.live('messages', { query: ${JSON.stringify(QUERY)} }), undefined`)
      tabs.push(tab)
    }

    while (tabs.length < 4) await watch()

    for (let count = 0; count < 60; count++) {
      const { id } = random.pick([
        await messages.create({ rank: random.integer(9) }),
        ...(await messages.find())
      ])

      if (random.chance(0.5)) await messages.patch(id, { rank: random.integer(9) })
      else await messages.remove(id)

      if (random.chance(0.1)) cut()
      if (count % 20 === 10) await Promise.all([tabs.shift()?.close(), watch()])
    }

    await messages.create({ rank: 100 })

    const expected = await messages.find({ query: QUERY })

    for (const tab of tabs) {
      const isSame = `JSON.stringify(list.getSnapshot().data) === ${JSON.stringify(JSON.stringify(expected))}`

      await run(
        tab,
        `new Promise((resolve) => {
          const check = () => { if (${isSame}) resolve() }

          list.subscribe(check)
          check()
        })`
      )
    }
  })
})
