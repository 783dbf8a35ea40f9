import { execFile } from 'node:child_process'
import { Agent, request } from 'node:http'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { runExample } from './support/example.ts'
import { scaled } from './support/scale.ts'

const run = promisify(execFile)

it('quickstart: the curl lines that it prints work', async () => {
  const example = await runExample('quickstart/app.js')

  await example.waitFor('X-Service-Method')

  const commands = example.lines.map((line) => line.trim()).filter((line) => line.startsWith('curl '))
  const answers: unknown[] = []

  for (const command of commands) {
    answers.push(JSON.parse((await run('sh', ['-c', `${command} -s`])).stdout))
  }

  expect(answers).toEqual([
    [],
    { id: 1, text: 'Hello', createdAt: expect.stringMatching(/^\d{4}-/) },
    { text: 'HELLO' }
  ])
  expect(await example.waitFor('created message')).toBe('created message 1: Hello')
})

it('quickstart: what is wrong gets a sentence', async () => {
  const { url } = await runExample('quickstart/app.js')
  const headers = { 'Content-Type': 'application/json' }
  const message = async (path: string, init?: RequestInit) => {
    const response = await fetch(url + path, init)
    const body: any = await response.json()

    return [response.status, body.message]
  }

  expect(await message('/messages/7')).toEqual([404, "No message with id '7'"])
  expect(await message('/messages', { method: 'POST', headers, body: '{}' })).toEqual([
    400,
    "A message needs a 'text'"
  ])
  expect(await message('/messages', { method: 'POST', headers, body: '{"text":' })).toEqual([
    400,
    'Invalid request body: expected valid JSON'
  ])
  expect(await message('/nowhere')).toEqual([404, 'Page not found'])
})

/** Sends requests from many clients until the server refuses connections. Returns what was not answered. */
async function load(url: string, keepAlive: boolean, onAnswer: () => void): Promise<string[]> {
  const lost: string[] = []

  const worker = async () => {
    const agent = new Agent({ keepAlive, maxSockets: 1 })

    for (let refused = false; !refused; ) {
      refused = await new Promise<boolean>((resolve) => {
        const sent = request(`${url}/messages`, { agent }, (response) => {
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
