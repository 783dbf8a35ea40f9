import { Writable } from 'node:stream'
import pino from 'pino'
import { expect, it } from 'vitest'
import winston from 'winston'
import { NotFound } from '../../src/errors.ts'
import { createHandler } from '../../src/fetch.ts'
import { logCalls } from '../../src/hooks.ts'
import { type Application, alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { describeTransports } from '../support/transports.ts'

function configure(app: Application, logger: any): void {
  app.set('requestIds', true)
  app.hooks([logCalls(logger)])
  app.use('notes', {
    find: async () => await app.service('notes').get(1),
    get: async (id: any) => {
      if (String(id) !== '1') throw new NotFound('No note')

      return { id }
    },
    create: async () => {
      throw new Error('Broken')
    }
  } as any)
}

/** A stream that keeps the lines of JSON that are written to it. */
function collect(): { stream: Writable; read: () => any[] } {
  const lines: string[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    }
  })

  return {
    stream,
    read: () =>
      lines
        .join('')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line))
  }
}

describeTransports('the log of calls', (open) => {
  it('has a line for each call of a client, and none for others', async () => {
    const lines: any[] = []
    const client = await open((app) =>
      configure(app, { info: (line: string, details: any) => lines.push([line, details.context]) })
    )

    await client.call('find', 'notes')
    if (client.provider === undefined) {
      expect(lines).toEqual([])
      return
    }
    await client.fail('get', 'notes', { id: 2 })

    const { provider } = client

    expect(lines).toEqual([
      [
        expect.stringMatching(/^notes\.find 200 [\d.]+ ms$/),
        {
          path: 'notes',
          method: 'find',
          provider,
          requestId: expect.any(String),
          status: 200,
          duration: expect.any(Number)
        }
      ],
      [
        expect.stringMatching(/^notes\.get 404 [\d.]+ ms$/),
        {
          path: 'notes',
          method: 'get',
          provider,
          requestId: expect.any(String),
          status: 404,
          duration: expect.any(Number)
        }
      ]
    ])
  })
})

it('pino and winston fit as they are, as loggers of calls and of errors', async () => {
  const ofPino = collect()
  const ofWinston = collect()
  const loggers: any[] = [
    pino({ level: 'debug' }, ofPino.stream),
    winston.createLogger({
      level: 'debug',
      format: winston.format.json(),
      transports: new winston.transports.Stream({ stream: ofWinston.stream })
    })
  ]

  for (const logger of loggers) {
    const app = alula()

    configure(app, logger)

    const handle = createHandler(app, { logger })

    await handle(new Request('http://x/notes/2'))
    await handle(
      new Request('http://x/notes', {
        method: 'POST',
        body: '{}',
        headers: { 'Content-Type': 'application/json' }
      })
    )
  }

  const context = (status: number) => expect.objectContaining({ status, requestId: expect.any(String) })

  expect(ofPino.read()).toMatchObject([
    { level: 30, context: context(404), msg: expect.stringMatching(/^notes\.get 404/) },
    { level: 20, context: context(404), msg: 'NotFound: No note' },
    { level: 30, context: context(500), msg: expect.stringMatching(/^notes\.create 500/) },
    { level: 50, context: context(500), err: { message: 'Broken' } }
  ])
  expect(ofWinston.read()).toMatchObject([
    { level: 'info', context: context(404), message: expect.stringMatching(/^notes\.get 404/) },
    { level: 'debug', context: context(404), message: 'NotFound: No note' },
    { level: 'info', context: context(500), message: expect.stringMatching(/^notes\.create 500/) },
    { level: 'error', context: context(500), message: expect.stringMatching(/^Error: Broken/) }
  ])
})

it('what a client sends begins no line of a log', async () => {
  const lines: string[] = []
  const app = alula()

  app.use('notes', memory())

  const handle = createHandler(app, {
    logger: { error: () => undefined, debug: (line: string) => lines.push(line) }
  })

  await handle(new Request('http://x/notes/1%0AFAKE%1b%5b31m'))
  expect(lines).toEqual(["NotFound: No record found for id '1 FAKE [31m'"])
})

it('a logger that throws does not fail the call, and one without info fails at once', async () => {
  const app = alula()

  configure(app, {
    info: () => {
      throw new Error('Full')
    }
  })

  expect((await createHandler(app)(new Request('http://x/notes/1'))).status).toBe(200)
  expect(() => logCalls({} as any)).toThrow(
    "Invalid logger of logCalls: expected an object with the method 'info'"
  )
})

describeTransports('the status of a call that succeeds', (open) => {
  it('is that of its HTTP response', async () => {
    const lines: string[] = []
    const client = await open((app) => {
      app.hooks([logCalls({ info: (line: string) => lines.push(line) })])
      app.use('notes', {
        find: async () => [],
        create: async (data: any) => data,
        remove: async () => null
      } as any)
    })

    if (client.provider === undefined) return

    await client.call('find', 'notes')
    await client.call('create', 'notes', { data: { text: 'a' } })
    await client.call('remove', 'notes', { id: 1 })

    expect(lines.map((line) => line.replace(/ \S+ ms$/, ''))).toEqual([
      'notes.find 200',
      'notes.create 201',
      'notes.remove 204'
    ])
  })
})

it('a result that cannot be sent does not fail the call, and its event is emitted', async () => {
  const lines: string[] = []
  const app = alula()
  const created: unknown[] = []
  const result = {
    toJSON: () => {
      throw new Error('Broken')
    }
  }

  app.hooks([logCalls({ info: (line: string) => lines.push(line) })])
  app.use('notes', { create: async () => result } as any)
  app.service('notes').on('created', (data: unknown) => created.push(data))

  await expect(app.asClient().service('notes').create({})).rejects.toThrow('Broken')
  expect(lines).toEqual([expect.stringMatching(/^notes\.create 201/)])
  expect(created).toEqual([result])
})
