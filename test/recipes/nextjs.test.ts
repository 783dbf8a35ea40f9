import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { expect, it } from 'vitest'
import { createFullFolder } from '../bundles/support.ts'
import { readBlocks, readPage } from '../support/page.ts'
import { runToEnd } from '../support/program.ts'

const page = await readPage('recipes/11-nextjs')
const [app, route, client, login] = readBlocks(page, 'ts') as [string, string, string, string]
const [home, notes] = readBlocks(page, 'tsx') as [string, string]

/** The cookies of a request: Next.js gives each request its own. */
const HEADERS = `
const store = new Map()

export const cookies = async () => ({
  get: (name) => store.has(name) ? { name, value: store.get(name) } : undefined,
  set: (name, value) => void store.set(name, value)
})`

const NAVIGATION = `
export function redirect(path) {
  throw new Error('to ' + path)
}`

const MAIN = `
import { renderToReadableStream } from 'react-dom/server'
import { GET, POST } from './app/api/[...path]/route'
import { login } from './app/login'
import Page from './app/page'
import { getClient } from './lib/client'
import { cookies } from 'next/headers'

const request = (path, data, headers = {}) => new Request('http://localhost:3000/api/' + path, {
  method: data ? 'POST' : 'GET',
  body: data && JSON.stringify(data),
  headers: { 'Content-Type': 'application/json', ...headers }
})
const print = async (response) => console.log(response.status, await response.text())
const form = (values) => Object.entries(values).reduce((form, [name, value]) => (form.append(name, value), form), new FormData())

await print(await POST(request('users', { email: 'ada@example.org', password: 'correct horse' })))
await print(await GET(request('notes')))
console.log(await Page().catch(({ message }) => message))
console.log(await login(form({ email: 'ada@example.org', password: 'wrong' })).catch(({ name }) => name))
await login(form({ email: 'ada@example.org', password: 'correct horse' }))

const Cookie = 'token=' + (await cookies()).get('token').value
const note = { text: 'Hello' }

await print(await POST(request('notes', note, { Cookie, Origin: 'http://localhost:3000' })))
console.log((await POST(request('notes', note, { Cookie, Origin: 'https://evil.example' }))).status)
console.log(await new Response(await renderToReadableStream(await Page())).text())
`

it('Next.js: route handlers, the action and the page work as functions', async () => {
  const folder = createFullFolder()
  const files = {
    'next/headers.js': HEADERS,
    'next/navigation.js': NAVIGATION,
    'lib/app.ts': app,
    'lib/client.ts': client,
    'app/api/[...path]/route.ts': route,
    'app/login.ts': login,
    'app/page.tsx': home,
    'app/notes.tsx': notes,
    'main.js': MAIN
  }

  for (const [name, text] of Object.entries(files)) {
    const file = join(folder, name)

    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }

  await build({
    entryPoints: [join(folder, 'main.js')],
    outfile: join(folder, 'main.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    jsx: 'automatic',
    alias: { next: join(folder, 'next') },
    external: ['alula', 'alula/*', 'react', 'react/*', 'react-dom', 'react-dom/*'],
    logLevel: 'silent'
  })

  const lines = await runToEnd(
    `await import(${JSON.stringify(pathToFileURL(join(folder, 'main.mjs')).href)})`,
    {
      SECRET: 'a secret of more than thirty-two bytes'
    }
  )

  expect(lines).toEqual([
    '201 {"email":"ada@example.org","id":1}',
    expect.stringMatching(/^401 /),
    'to /sign-in',
    'NotAuthenticated',
    '201 {"text":"Hello","userId":1,"id":1}',
    '403',
    expect.stringContaining('<li>Hello</li>')
  ])
})
