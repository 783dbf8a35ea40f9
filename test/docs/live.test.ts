import { expect, it } from 'vitest'
import { describeChromium } from '../support/chromium.ts'
import { bundleFrontEnd } from '../support/front-end.ts'
import { readBlocks, readPage, readSection } from '../support/page.ts'
import { expectSession } from '../support/session.ts'
import { shareProcess } from '../support/shared-process.ts'

const shared = shareProcess({})

async function startServer(): Promise<string> {
  const [application] = readBlocks(await readPage('live'), 'js') as [string]

  return (await shared.runServer(application)).address
}

/** The hook of a section. */
async function readHook(section: string, language: 'js' | 'jsx'): Promise<string> {
  const [block] = readBlocks(readSection(await readPage('live'), section), language)

  return block as string
}

it('live lists: the client prints what the page shows, and so it does over HTTP', async () => {
  const page = await readPage('live')
  const [, client, overHttp] = readBlocks(page, 'js') as [string, string, string]
  const [printed] = readBlocks(page, '') as [string]
  const address = await startServer()
  const [, watch] = client.split(/^(?=const list)/m) as [string, string]
  const programs = [client, overHttp + watch].map((code) =>
    shared.runProgram(code.replace('localhost:3030', address))
  )
  const first = await Promise.all(programs.map(({ waitFor }) => waitFor('')))
  const [session] = readBlocks(page, 'console') as [string]

  await expectSession([session], { 'localhost:3030': address })

  const others = await Promise.all(
    programs.map(async ({ waitFor }) => [await waitFor(''), await waitFor('')])
  )

  for (const [index, lines] of others.entries())
    expect([first[index], ...lines]).toEqual(printed.trim().split('\n'))
})

const FRAMEWORKS = {
  React: async () => ({
    'use-live.js': await readHook('Live lists in React', 'jsx'),
    'notes.js': readBlocks(readSection(await readPage('live'), 'Live lists in React'), 'jsx')[1] as string,
    'main.js': `
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Notes } from './notes.js'

createRoot(document.getElementById('root')).render(<StrictMode><Notes /></StrictMode>)`
  }),
  Vue: async () => ({
    'use-live.js': await readHook('Live lists in Vue', 'js'),
    'main.js': `
import { createApp, h } from 'vue'
import { useLive } from './use-live.js'

createApp({
  setup() {
    const notes = useLive('notes', () => ({ done: false, $sort: { id: 1 } }))

    return () => h('ul', notes.value.data.map((note) => h('li', { key: note.id }, note.text)))
  }
}).mount('#root')`
  }),
  'TanStack Query': async () => ({
    'use-live.js': await readHook('TanStack Query', 'jsx'),
    'use-patch.js': await readHook('Optimistic updates', 'jsx'),
    'main.js': `
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { client } from './client.js'
import { useLiveQuery } from './use-live.js'
import { usePatch } from './use-patch.js'

// A change that is to be refused waits until the page says so.
const refused = new Promise((resolve) => { window.refuse = resolve })
client.service('notes').hooks({ before: { patch: [async ({ data }) => {
  if (data.refused) throw await refused.then(() => new Error('No'))
}], find: [async () => {
  if (window.isOut) throw new Error('Only after a login')
}] } })
Object.assign(window, { client, queryClient: new QueryClient() })

function Notes() {
  const { data, error } = useLiveQuery('notes', { done: false, $sort: { id: 1 } })

  window.patch = usePatch('notes').mutateAsync

  return data ? <ul>{data.map((note) => <li key={note.id}>{note.text}</li>)}</ul> : <p>{error?.message ?? 'Loading'}</p>
}

function Missing() {
  const { data, error } = useLiveQuery('missing')

  return <p role="alert">{data ? 'empty' : error?.name}</p>
}

function Page() {
  const [isShown, setShown] = useState(true)

  window.setShown = setShown

  return isShown && <><Notes /><Missing /></>
}

createRoot(document.getElementById('root')).render(
  <StrictMode><QueryClientProvider client={queryClient}><Page /></QueryClientProvider></StrictMode>
)`
  }),
  'TanStack DB': async () => ({
    'collection.js': await readHook('TanStack DB', 'js'),
    'main.js': `
import { eq, useLiveQuery } from '@tanstack/react-db'
import { createRoot } from 'react-dom/client'
import { client } from './client.js'
import { createLiveCollection } from './collection.js'

// A fetch after a logout that gets no response.
client.service('notes').hooks({ before: { find: [async () => {
  if (window.isOut) await new Promise(() => {})
}] } })
Object.assign(window, { client })

const notes = window.notes = createLiveCollection('notes')

function Notes() {
  const { data } = useLiveQuery((query) =>
    query.from({ note: notes }).where(({ note }) => eq(note.done, false)).orderBy(({ note }) => note.id)
  )

  return <ul>{data.map((note) => <li key={note.id}>{note.text}</li>)}</ul>
}

createRoot(document.getElementById('root')).render(<Notes />)`
  })
}

describeChromium('live lists on a page', (open) => {
  it.each(Object.entries(FRAMEWORKS))('follow events with %s', async (name, readFiles) => {
    const address = await startServer()
    const script = await bundleFrontEnd(await readFiles())
    const { page, errors } = await open(`http://${address}/notes`)
    const send = (method: string, path: string, data: object) =>
      fetch(`http://${address}/${path}`, {
        method,
        body: JSON.stringify(data),
        headers: { 'Content-Type': 'application/json' }
      })
    const show = (...texts: string[]) =>
      page.waitForFunction(
        (expected) =>
          [...(globalThis as any).document.querySelectorAll('li')]
            .map(({ textContent }: any) => textContent)
            .join() === expected,
        texts.join()
      )

    const logOut = () =>
      page.evaluate(() => {
        const { client } = Object.assign(globalThis as any, { isOut: true })

        client.emit('logout', null)
      })

    await page.setContent('<div id="root"></div>')
    await page.addScriptTag({ content: script })
    await show('Buy milk')
    await send('POST', 'notes', { text: 'Call Ada', done: false })
    await show('Buy milk', 'Call Ada')
    await send('PATCH', 'notes/1', { done: true })
    await show('Call Ada')

    if (name === 'TanStack DB') {
      // The page shows a change before the server has it.
      await page.evaluate(
        () =>
          (globalThis as any).notes.update(2, (note: any) => {
            note.text = 'Call Grace'
          }).isPersisted.promise
      )
      await show('Call Grace')
      expect(await (await fetch(`http://${address}/notes/2`)).json()).toMatchObject({ text: 'Call Grace' })
      await logOut()
      await show()
    }

    if (name === 'TanStack Query') {
      await page.getByText('NotFound').waitFor()
      await page.evaluate(() => {
        ;(globalThis as any).patch({ id: 2, text: 'Call Grace', refused: true }).catch(() => {})
      })
      await show('Call Grace')
      await page.evaluate(() => (globalThis as any).refuse())
      await show('Call Ada')
      await page.evaluate(() => (globalThis as any).patch({ id: 2, text: 'Call Grace' }))
      await show('Call Grace')
      expect(await (await fetch(`http://${address}/notes/2`)).json()).toMatchObject({ text: 'Call Grace' })
      await logOut()
      await page.getByText('Only after a login').waitFor()
      await show()
      await page.evaluate(() => {
        const { client } = Object.assign(globalThis as any, { isOut: false })

        client.emit('login', { accessToken: 'of another login' })
      })
      await show('Call Grace')
      // What is not on the page follows no logout.
      await page.evaluate(() => (globalThis as any).setShown(false))
      await page.waitForFunction(() => (globalThis as any).queryClient.getQueryCache().getAll().length === 0)
    }

    // The icon of the page, which the server does not have.
    expect(errors.filter((error) => !error.includes('404'))).toEqual([])
  })
})
