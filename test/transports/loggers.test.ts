import { Writable } from 'node:stream'
import pino from 'pino'
import { expect, it } from 'vitest'
import winston from 'winston'
import { createHandler } from '../../src/fetch.ts'
import { alula } from '../../src/index.ts'
import type { Logger } from '../../src/transport.ts'

/** A stream that keeps what is written to it, as JSON by line. */
function createStream() {
  const lines: any[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    }
  })

  return { lines, stream }
}

async function fail(logger: Logger): Promise<void> {
  const app: any = alula().use('notes', {
    find: async () => {
      throw new Error('no place', { cause: new Error('disk') })
    }
  })

  await app.setup()

  const response = await createHandler(app, { logger })(new Request('http://localhost/notes?key=secret'))

  expect(response.status).toBe(500)
}

const CONTEXT = { path: 'notes', method: 'find', provider: 'rest', status: 500 }

it.each(['itself', 'as a child'])('pino fits %s: it gets the error and the call first', async (kind) => {
  const { lines, stream } = createStream()
  const logger = pino(stream)

  await fail(kind === 'itself' ? logger : logger.child({ part: 'http' }))

  expect(lines).toMatchObject([
    {
      level: 50,
      msg: 'Error: no place',
      context: CONTEXT,
      err: { type: 'Error', message: expect.stringContaining('no place') }
    }
  ])
  expect(lines[0].err.stack).toContain('disk')
  expect(JSON.stringify(lines)).not.toContain('secret')
})

it('winston fits as it is: it gets the message first', async () => {
  const { lines, stream } = createStream()
  const transport = new winston.transports.Stream({ stream })

  await fail(winston.createLogger({ format: winston.format.json(), transports: [transport] }))

  expect(lines).toMatchObject([{ level: 'error', context: CONTEXT }])
  expect(lines[0].message).toMatch(/^Error: no place\n[\s\S]*Caused by: Error: disk/)
  expect(JSON.stringify(lines)).not.toContain('secret')
})
