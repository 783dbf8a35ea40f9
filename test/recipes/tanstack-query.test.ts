import { expect, it } from 'vitest'
import { describeChromium } from '../support/chromium.ts'
import { bundleFrontEnd } from '../support/front-end.ts'
import { readBlocks, readPage } from '../support/page.ts'
import { shareProcess } from '../support/shared-process.ts'
import { OWN_NOTES } from './own-notes.ts'

const page = await readPage('recipes/09-tanstack-query')
const [followEvents, queryClient] = readBlocks(page, 'js') as [string, string]
const [hooks, component] = readBlocks(page, 'jsx') as [string, string]
const { runServer } = shareProcess({ SECRET: 'a secret of more than thirty-two bytes' })

const CLIENT = `
import { alula, authentication, socketio } from 'alula/client'
import { io } from 'socket.io-client'

export const client = alula().configure(socketio(io())).configure(authentication())`

const MAIN = `
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { client } from './client.js'
import { queryClient } from './query-client.js'
import { Notes } from './notes.js'

Object.assign(window, { client, queryClient })
client.authenticate({ strategy: 'jwt', accessToken: window.token }).then(() =>
  createRoot(document.getElementById('root')).render(
    <StrictMode><QueryClientProvider client={queryClient}><Notes /></QueryClientProvider></StrictMode>
  )
)`

const FILES = {
  'client.js': CLIENT,
  'follow-events.js': followEvents,
  'query-client.js': queryClient,
  'use-service.js': hooks,
  'notes.js': component,
  'main.js': MAIN
}

describeChromium('TanStack Query with the events of the recipe', (open) => {
  it('fetches again after events of own records, and forgets them after a logout', async () => {
    const { address, waitFor } = await runServer(OWN_NOTES)
    const [token, ofOther] = (await waitFor('tokens')).split(' ').slice(1) as [string, string]
    const send = async (method: string, path: string, data: object, token: string) => {
      const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }

      return (await fetch(`http://${address}/${path}`, { method, headers, body: JSON.stringify(data) }))
        .status
    }
    const { page, received } = await open(`http://${address}/notes`)
    const show = (title: string, ...texts: string[]) =>
      page.waitForFunction((expected) => {
        const { document } = globalThis as any
        const items = [...document.querySelectorAll('h1, li')].map(({ textContent }) => textContent)

        return items.join() === expected
      }, [title, ...texts].join())

    await page.setContent(`<div id="root"></div><script>token = '${token}'</script>`)
    await page.addScriptTag({ content: await bundleFrontEnd(FILES) })
    await page.locator('button').waitFor()
    await page.fill('input', 'Buy milk')
    await page.click('button')
    await show('Buy milk', 'Buy milk')

    // Another user may write, and this one gets no event of it.
    expect(await send('POST', 'notes', { text: 'Secret', done: false }, ofOther)).toBe(201)
    expect(await send('PATCH', 'notes/1', { text: 'Stolen' }, ofOther)).toBe(404)

    expect(await send('PATCH', 'notes/1', { text: 'Buy tea' }, token)).toBe(200)
    await show('Buy tea', 'Buy tea')
    expect(received.filter((message) => message.includes('Secret'))).toEqual([])

    await page.fill('input', '')
    await page.click('button')
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toBe('A note needs a text')

    // A login of the same user, as after a lost connection, keeps the cache.
    const isKept = await page.evaluate(async () => {
      const { client, queryClient, token: accessToken } = globalThis as any

      await client.authenticate({ strategy: 'jwt', accessToken })

      return queryClient.getQueryData(['notes', 'get', 1]) !== undefined
    })

    expect(isKept).toBe(true)

    await page.evaluate(() => (globalThis as any).client.logout())
    await show('')
  })
})
