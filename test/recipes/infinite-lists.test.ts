import { expect, it } from 'vitest'
import { describeChromium } from '../support/chromium.ts'
import { bundleFrontEnd } from '../support/front-end.ts'
import { readBlocks, readPage } from '../support/page.ts'
import { shareProcess } from '../support/shared-process.ts'

const page = await readPage('recipes/08-infinite-lists')
const [service] = readBlocks(page, 'js') as [string]
const [hook, component, ofTanStack] = readBlocks(page, 'jsx') as [string, string, string]
const { runServer } = shareProcess({ SECRET: 'a secret of more than thirty-two bytes' })

const SERVER = `
import { alula } from 'alula'
import express, { errorHandler, rest } from 'alula/express'
import { memory } from 'alula/memory'

const app = express(alula())

app.configure(rest())
${service}
app.use(errorHandler())

for (let createdAt = 1; createdAt <= 45; createdAt++)
  await app.service('posts').create({ title: 'Post ' + createdAt, createdAt })

await app.listen(3030)`

const CLIENT = `
import { alula, rest } from 'alula/client'

export const client = alula().configure(rest().fetch(fetch.bind(window)))`

const MAIN = `
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Posts } from './posts.js'

const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } })

createRoot(document.getElementById('root')).render(
  <StrictMode><QueryClientProvider client={queryClient}><Posts /></QueryClientProvider></StrictMode>
)`

it('a cursor of another order is refused', async () => {
  const { address } = await runServer(SERVER)
  const find = async (query: string) =>
    (await (await fetch(`http://${address}/posts?${query}`)).json()) as any
  const { endCursor } = await find('$sort[createdAt]=-1')

  expect((await find(`$sort[createdAt]=-1&$after=${endCursor}`)).data[0].title).toBe('Post 25')
  expect(await find(`$sort[title]=1&$after=${endCursor}`)).toMatchObject({ code: 400 })
})

describeChromium('The infinite list of the recipe', (open) => {
  it.each([
    ['the hook', hook],
    ['TanStack Query', ofTanStack]
  ])('shows each post once while others are added, with %s', async (_name, pages) => {
    const { address } = await runServer(SERVER)
    const files = { 'client.js': CLIENT, 'use-pages.js': pages, 'posts.js': component, 'main.js': MAIN }
    const script = await bundleFrontEnd(files)
    const { page, requested } = await open(`http://${address}/posts`)
    const readTitles = async () => await page.locator('li').allTextContents()
    const scrollTo = (count: number) =>
      page.waitForFunction((count) => {
        const { document } = globalThis as any

        document.querySelector('p')?.scrollIntoView()

        return document.querySelectorAll('li').length === count
      }, count)

    // Rows as high as a part of the window, so that a page of 20 fills it.
    await page.setContent('<style>li { height: 200px }</style><div id="root"></div>')
    await page.addScriptTag({ content: script })
    await page.waitForFunction(() => (globalThis as any).document.querySelectorAll('li').length === 20)
    await fetch(`http://${address}/posts`, {
      method: 'POST',
      body: JSON.stringify({ title: 'New', createdAt: 99 }),
      headers: { 'Content-Type': 'application/json' }
    })

    await page.route('**/posts?*', (route) => route.abort())
    await page.locator('p').scrollIntoViewIfNeeded()
    await page.locator('button').waitFor()
    expect(await readTitles()).toHaveLength(20)
    await page.unroute('**/posts?*')
    await page.locator('button').click()

    await scrollTo(45)
    await page.getByText('That is all').waitFor()
    expect(await readTitles()).toEqual(Array.from({ length: 45 }, (_, index) => `Post ${45 - index}`))
    expect(requested.filter((url) => url.includes('/posts?'))).toHaveLength(4)
  })
})
