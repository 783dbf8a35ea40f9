import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { runExample, shareExample } from './support/example.ts'
import { readBlocks } from './support/page.ts'
import { scaled } from './support/scale.ts'
import { expectSession } from './support/session.ts'
import { ask, connectSocket, next } from './support/sockets.ts'

const run = promisify(execFile)

describe('quickstart', () => {
  const getExample = shareExample('quickstart/app.js')

  it('the page and the call that it prints work', async () => {
    const [, page, command] = /Open (\S+) in a browser, or try: (curl .+)/.exec(
      await getExample().waitFor('curl')
    ) as unknown as [string, string, string]

    expect(await (await fetch(page)).text()).toContain('page.js')

    const { stdout } = await run('sh', ['-c', `${command} -s`])

    expect(JSON.parse(stdout)).toEqual({ total: 0, limit: 10, skip: 0, data: [] })
  })

  it('the README shows what happens', async () => {
    const { lines, url } = getExample()
    const readme = await readFile(resolve(import.meta.dirname, '../examples/quickstart/README.md'), 'utf8')
    const [start, ...sessions] = readBlocks(readme, 'console') as [string, ...string[]]

    expect(start).toBe(
      `$ node examples/quickstart/app.js\n${lines[0]?.replaceAll(url, 'http://localhost:3030')}\n`
    )
    await expectSession(sessions, { 'localhost:3030': url })
  })
})

it('notes: it compiles, and the README shows what happens', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'alula-notes-'))
  const root = resolve(import.meta.dirname, '..')

  vi.stubEnv('DATABASE_URL', join(folder, 'notes.db'))
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true })
  })
  await run(process.execPath, [
    resolve(root, 'node_modules/typescript/bin/tsc'),
    '-p',
    resolve(root, 'examples/notes')
  ])

  const readme = await readFile(resolve(root, 'examples/notes/README.md'), 'utf8')
  const example = await runExample('notes/dist/app.js')

  await expectSession(readBlocks(readme, 'console'), { 'localhost:3030': example.url })

  // The page of the example does the same.
  const socket = await connectSocket(example.url)
  const user = { email: 'Grace@example.com', password: 'correct horse' }

  onTestFinished(() => void socket.disconnect())
  await ask(socket, 'create', 'users', user)
  expect(await ask(socket, 'create', 'authentication', { strategy: 'local', ...user })).toMatchObject([
    null,
    {}
  ])

  const created = next(socket, 'notes created')

  expect(await ask(socket, 'create', 'notes', { text: 'Buy milk' })).toMatchObject([null, {}])
  expect(await created).toMatchObject({ text: 'Buy milk' })
  expect(await example.stop()).toBe(0)
})

it('authentication: the README shows what happens', async () => {
  const readme = resolve(import.meta.dirname, '../examples/authentication/README.md')
  const example = await runExample('authentication/app.js')

  await expectSession(readBlocks(await readFile(readme, 'utf8'), 'console'), {
    'localhost:3030': example.url
  })
})

it('authentication: the longer session shows what happens', async () => {
  vi.stubEnv('SECRET', undefined)
  onTestFinished(() => void vi.unstubAllEnvs())

  const readme = resolve(import.meta.dirname, '../examples/authentication/session.md')
  const example = await runExample('authentication/app.js')

  expect(example.lines).toContain('No SECRET is set: this one is random, and tokens end with the process.')
  await expectSession(readBlocks(await readFile(readme, 'utf8'), 'console'), {
    'localhost:3030': example.url
  })
  expect(await example.waitFor('logged out')).toBe('grace@example.com logged out')
  expect(await example.stop()).toBe(0)
})

it('authentication: a token from before a restart is void when its user is gone, or is another one', async () => {
  vi.stubEnv('SECRET', 'a secret for the tests of the example, long enough')
  onTestFinished(() => void vi.unstubAllEnvs())

  const user = { email: 'ada@example.com', password: 'correct horse' }
  const send = async (url: string, path: string, body?: unknown, token?: string): Promise<any> => {
    const response = await fetch(url + path, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) }
    })

    return response.json()
  }

  const first = await runExample('authentication/app.js')

  await send(first.url, '/users', user)
  const { accessToken } = await send(first.url, '/authentication', { strategy: 'local', ...user })
  expect(await send(first.url, '/notes', undefined, accessToken)).toMatchObject({ total: 0 })
  await first.stop()

  const second = await runExample('authentication/app.js')

  expect(second.lines.join()).not.toContain('SECRET')
  expect(await send(second.url, '/notes', undefined, accessToken)).toMatchObject({
    message: 'The entity of the access token does not exist'
  })

  // The same password, and another salt.
  await send(second.url, '/users', user)
  expect(await send(second.url, '/notes', undefined, accessToken)).toMatchObject({ message: 'jwt revoked' })
})

/** Sends requests from many clients until the server refuses connections. Returns what was not answered. */
async function load(url: string, keepAlive: boolean, onAnswer: () => void): Promise<string[]> {
  const lost: string[] = []

  const worker = async () => {
    const agent = new Agent({ keepAlive, maxSockets: 1 })

    for (let refused = false; !refused; ) {
      refused = await new Promise<boolean>((resolve) => {
        const sent = request(`${url}/notes`, { agent }, (response) => {
          response.on('error', (error) => lost.push(error.message))
          response.resume().on('close', () => resolve(false))
          onAnswer()
        })

        sent.on('error', (error: NodeJS.ErrnoException) => {
          if (error.code !== 'ECONNREFUSED') lost.push(`${error.code}`)
          resolve(true)
        })
        sent.end()
      })
    }

    agent.destroy()
  }

  await Promise.all(Array.from({ length: 32 }, worker))

  return lost
}

it('quickstart: SIGTERM under load loses no request', { timeout: 600_000 }, async () => {
  for (let round = 0; round < scaled(100); round++) {
    const example = await runExample('quickstart/app.js')
    let answers = 0
    let stopped: Promise<number | null> | undefined

    const lost = await load(example.url.replace('localhost', '127.0.0.1'), round % 2 === 0, () => {
      // At another moment in every round.
      if (++answers === 200 + round * 7) stopped = example.stop()
    })
    const exitCode = await stopped

    expect({ lost, exitCode }).toEqual({ lost: [], exitCode: 0 })
  }
})
