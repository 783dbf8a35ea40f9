import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type RunningExample, runExample } from './support/example.ts'
import { readBlocks } from './support/page.ts'
import { expectSession } from './support/session.ts'

const EXAMPLE = resolve(import.meta.dirname, '../examples/existing-express-app')

function readFileOfExample(name: string): Promise<string> {
  return readFile(resolve(EXAMPLE, name), 'utf8')
}

function startExample(): Promise<RunningExample> {
  vi.stubEnv('PASSWORD', 'correct horse')
  onTestFinished(() => void vi.unstubAllEnvs())

  return runExample('existing-express-app/app.js')
}

it('the README shows what happens', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alula-'))

  onTestFinished(() => rm(folder, { recursive: true }))

  const [start, session] = readBlocks(await readFileOfExample('README.md'), 'console') as [string, string]
  const example = await startExample()

  expect(start).toBe(
    `$ PASSWORD='correct horse' node examples/existing-express-app/app.js\n${example.lines[0]?.replace(example.url, 'http://localhost:3030')}\n`
  )
  await expectSession([session], { 'localhost:3030': example.url, '/tmp/cookies': join(folder, 'cookies') })
  // The log of the site has the requests of the services too.
  expect(example.lines).toContain('GET /api/notes 401')
  expect(await example.stop()).toBe(0)
})

it('the README shows the lines that were added', async () => {
  const [diff = ''] = readBlocks(await readFileOfExample('README.md'), 'diff')
  const source = (await readFileOfExample('app.js')).split('\n')
  const lines = diff.trim().split('\n')

  expect(lines.length).toBeGreaterThan(8)
  for (const line of lines) {
    if (line.startsWith('+')) expect(source).toContain(line.slice(1))
    else expect(source).not.toContain(line.slice(1))
  }
})

it('nobody is logged in by a cookie that the site has not signed', async () => {
  const { url } = await startExample()
  const read = async (cookie: string) =>
    (await fetch(`${url}/api/notes`, { headers: { Cookie: cookie } })).status
  const { headers } = await fetch(`${url}/login`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ name: 'ada', password: 'correct horse' })
  })
  const cookie = headers.get('set-cookie')?.split(';')[0] as string

  expect(await read(cookie)).toBe(200)
  expect(await read(cookie.replace('ada', 'grace'))).toBe(401)
  expect(await read('user=ada.x')).toBe(401)
  expect(await read(`${cookie}x`)).toBe(401)
})

it('removes only notes of who asks', async () => {
  const { url } = await startExample()
  const logIn = async (name: string) => {
    const body = new URLSearchParams({ name, password: 'correct horse' })
    const { headers } = await fetch(`${url}/login`, { method: 'POST', redirect: 'manual', body })

    return { Cookie: headers.get('set-cookie') as string, 'Content-Type': 'application/json' }
  }
  const [ada, grace] = [await logIn('ada'), await logIn('grace')]

  await fetch(`${url}/api/notes`, { method: 'POST', headers: ada, body: '{"text":"Buy milk"}' })

  const remove = async (headers: { [name: string]: string }) =>
    (await fetch(`${url}/api/notes/1`, { method: 'DELETE', headers })).status

  expect(await remove(grace)).toBe(404)
  expect(await remove(ada)).toBe(200)
})
