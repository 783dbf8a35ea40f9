import { expect, it } from 'vitest'
import { readBlocks, readPage } from '../support/page.ts'
import { runServer } from '../support/program.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { extendOwnNotes } from './own-notes.ts'

const [recipe] = readBlocks(await readPage('recipes/14-jobs'), 'js') as [string]

/** A job that is in the middle when the signal comes, and an exit code that says whether it came to its end. */
const SLOW = `
let isDone = false

app.service('notes').hooks({
  around: {
    create: [
      async ({ data }, next) => {
        if (data.text === 'Copy of Slow') {
          console.log('begun')
          await new Promise((resolve) => process.once('SIGTERM', resolve))
          worker.once('completed', () => {
            isDone = true
          })
        }
        await next()
      }
    ]
  }
})
process.on('exit', () => {
  if (!isDone) process.exitCode = 3
})`

describeRedis('The jobs of the recipe', () => {
  it('call as the user, run on a schedule, and finish before the process ends', async () => {
    const code = recipe
      .replaceAll("'jobs', {", `'jobs', { prefix: '${createPrefix()}',`)
      .replace('{ connection, concurrency', `{ prefix: jobs.opts.prefix, connection, concurrency`)
      // Each second, and with a first try alone.
      .replace('0 3 * * *', '* * * * * *')
      .replace('attempts: 5', 'attempts: 1')
    const { address, waitFor, end } = await runServer(
      extendOwnNotes(
        code.replace("console.error('Job failed:'", "console.log('Job failed:'"),
        SLOW,
        "app.service('notes').on('created', ({ text }) => console.log('created', text))",
        "app.service('notes').on('removed', ({ text }) => console.log('removed', text))"
      ),
      { SECRET: 'a secret of more than thirty-two bytes', REDIS_URL }
    )
    const [ada, grace] = (await waitFor('tokens')).split(' ').slice(1) as [string, string]
    const post = async (path: string, data: object, token?: string) => {
      const headers = {
        'Content-Type': 'application/json',
        ...(token && { Authorization: `Bearer ${token}` })
      }
      const response = await fetch(`http://${address}/${path}`, {
        method: 'POST',
        headers,
        body: JSON.stringify(data)
      })

      return response.status
    }

    expect(await post('notes', { text: 'Plans' }, ada)).toBe(201)
    expect(await post('notes', { text: 'Old', deletedAt: 1 }, ada)).toBe(201)
    await waitFor('removed Old')

    expect(await post('copies', { ids: [1] })).toBe(401)
    expect(await post('copies', { ids: [1] }, grace)).toBe(201)
    expect(await waitFor('Job failed')).toBe("Job failed: copyNotes 1 No record found for id '1'")
    expect(await post('copies', { ids: [1] }, ada)).toBe(201)
    await waitFor('created Copy of Plans')

    expect(await post('notes', { text: 'Slow' }, ada)).toBe(201)
    expect(await post('copies', { ids: [4] }, ada)).toBe(201)
    await waitFor('begun')

    expect(await end('SIGTERM')).toBe(0)
  })
})
