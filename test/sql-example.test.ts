import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { type RunningExample, runExample } from './support/example.ts'
import { readBlocks } from './support/page.ts'
import { expectSession } from './support/session.ts'
import { createDatabase, describeDatabases, POSTGRES, SQLITE } from './support/sql.ts'

const README = resolve(import.meta.dirname, '../examples/sql/README.md')

function startExample(url: string): Promise<RunningExample> {
  vi.stubEnv('DATABASE_URL', url)
  onTestFinished(() => void vi.unstubAllEnvs())

  return runExample('sql/app.js')
}

async function send(url: string, data?: unknown): Promise<any> {
  const response = await fetch(url, {
    ...(data !== undefined && { method: 'POST', body: JSON.stringify(data) }),
    // A connection that is kept would hold up the end of the process.
    headers: { 'Content-Type': 'application/json', Connection: 'close' }
  })

  return response.json()
}

describeDatabases(
  'The example for SQL',
  (database) => {
    it('the README shows what happens', async () => {
      const { url } = await startExample(await createDatabase(database))
      const [, session] = readBlocks(await readFile(README, 'utf8'), 'console') as [string, string]

      await expectSession([session], { 'localhost:3030': url })
    })

    it('what is stored outlives the process', async () => {
      const path = await createDatabase(database)
      const first = await startExample(path)
      const message = await send(`${first.url}/messages`, { author: 'Ada', text: 'Hello', likes: 7 })

      expect(message).toEqual({
        id: 1,
        author: 'Ada',
        text: 'Hello',
        createdAt: expect.stringMatching(/^\d{4}-.*Z$/)
      })
      expect(await first.waitFor('created message')).toBe('created message 1: Ada says Hello')
      expect(await first.stop()).toBe(0)

      const second = await startExample(path)

      expect(await send(`${second.url}/messages`)).toEqual({ total: 1, limit: 10, skip: 0, data: [message] })
      expect(await send(`${second.url}/messages`, { author: 'Ada', text: 'Again' })).toMatchObject({ id: 2 })
      expect(await second.stop('SIGINT')).toBe(0)
    })

    it('nobody uses up the ids by choosing the last', async () => {
      const { url } = await startExample(await createDatabase(database))

      for (const [index, id] of ['9223372036854775807', 2147483647, Number.MAX_SAFE_INTEGER].entries()) {
        expect(await send(`${url}/users`, { id, email: `${index}@example.com` })).toMatchObject({
          id: index + 1
        })
      }
    })

    it('of many who want one e-mail address, one gets it', async () => {
      const { url } = await startExample(await createDatabase(database))
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => send(`${url}/users`, { email: 'ada@example.com' }))
      )
      const refused = answers.filter(({ code }) => code !== undefined)

      expect(refused).toHaveLength(19)
      for (const answer of refused) {
        expect(answer).toMatchObject({ code: 409, errors: { email: 'is taken' } })
      }
      expect(await send(`${url}/users`)).toMatchObject({ total: 1, data: [{ email: 'ada@example.com' }] })
    })
  },
  [SQLITE, POSTGRES]
)

it('the README starts it as it is started', async () => {
  const [start] = readBlocks(await readFile(README, 'utf8'), 'console') as [string]
  const path = await createDatabase(SQLITE)
  const { lines, url } = await startExample(path)
  const [command, printed] = start.trim().split('\n') as [string, string]

  expect(command).toBe('$ DATABASE_URL=/tmp/messages.db node examples/sql/app.js')
  expect(lines).toEqual([printed.replace('http://localhost:3030', url).replace('/tmp/messages.db', path)])
})
