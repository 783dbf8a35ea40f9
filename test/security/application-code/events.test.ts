// Functions of the application that no call waits for: listeners, publishers, filters, loggers, and what is given to a server
// of sockets. A new one is a row of PLACES, or a test of its own.
import { describe, expect, it } from 'vitest'
import { createHandler } from '../../../src/fetch.ts'
import { alula } from '../../../src/index.ts'
import { memory } from '../../../src/memory.ts'
import { socketio } from '../../../src/socketio.ts'
import type { Logger } from '../../../src/transport.ts'
import { toUrl } from '../../support/server.ts'
import { ask, connectSocket } from '../../support/sockets.ts'
import {
  FAILURES,
  type Failure,
  Faults,
  type FunctionNames,
  MESSAGE,
  watchProcess
} from '../support/application-code.ts'

const NAMES = Object.keys(FAILURES) as Failure[]

interface Place {
  /** Puts a function that may fail in its place. */
  readonly configure: (app: any, broken: (...args: any[]) => any) => void
  /** What calls the function, after a client has connected. */
  readonly run?: (app: any) => unknown
}

const create = (app: any) => app.service('notes').create([{ text: 'a' }, { text: 'b' }])

/** Joins connections to a channel, to which events of notes go as `publish` says. */
function publish(app: any, toChannel: (channel: any) => unknown): void {
  app.on('connection', (connection: any) => app.channel('all').join(connection))
  app.service('notes').publish(() => toChannel(app.channel('all')))
}

const PLACES: { readonly [place: string]: Place } = {
  'a listener of a service': {
    configure: (app, broken) => app.service('notes').on('created', broken),
    run: create
  },
  'a publisher': { configure: (app, broken) => app.service('notes').publish(broken), run: create },
  'a publisher of the application': {
    configure: (app, broken) => app.publish('created', broken),
    run: create
  },
  'a filter of a channel': {
    configure: (app, broken) => publish(app, (channel) => channel.filter(broken)),
    run: create
  },
  'a test of connections that leave': {
    configure: (app, broken) => publish(app, (channel) => channel.leave(broken)),
    run: create
  },
  'a listener of publish': {
    configure: (app, broken) => {
      app.on('publish', broken)
      publish(app, (channel) => channel)
    },
    run: create
  },
  'a listener of connection': { configure: (app, broken) => app.on('connection', broken) },
  'a listener of connection on the server of sockets': {
    configure: (app, broken) => app.set('configureSockets', (io: any) => io.on('connection', broken))
  },
  'the setup of a service that comes late': {
    configure: () => undefined,
    run: (app) => app.use('late', { find: async () => [], setup: app.get('broken') })
  },
  'a function for app.configure': {
    configure: () => undefined,
    // What it throws, `configure` throws.
    run: (app) => {
      try {
        app.configure(app.get('broken'))
      } catch (error) {
        app.get('reported').push(error)
      }
    }
  }
}

async function start({ configure }: Place, broken: (...args: any[]) => any) {
  const app: any = alula()
  const reported: any[] = []

  app.configure(socketio({ logger: false }, (io) => app.get('configureSockets')?.(io)))
  app.use('notes', memory({ multi: true }))
  app.set('broken', broken)
  app.set('reported', reported)
  app.on('error', (error: unknown) => reported.push(error))
  // An error listener that fails itself.
  app.on('error', broken)
  configure(app, broken)

  const url = toUrl(await app.listen(0, '127.0.0.1'))

  return { app, reported, url }
}

describe.each(Object.entries(PLACES))('%s', (_place, place) => {
  it.each(NAMES)('that %s is reported, and the application goes on', async (failure) => {
    const broken = new Faults(failure).make(0, () => undefined)
    const { app, reported, url } = await start(place, broken)
    const assertAlive = watchProcess()

    try {
      const socket = await connectSocket(url)

      await place.run?.(app)
      await assertAlive()
      expect(reported.length).toBeGreaterThan(0)
      for (const { message } of reported) expect(message).toMatch(new RegExp(`${MESSAGE}|got a promise`))

      const [error] = await ask(socket, 'create', 'notes', { text: 'a' })

      expect(error).toBeNull()
    } finally {
      await app.teardown()
    }
    await assertAlive()
  })
})

describe.each(['disconnect', 'empty'])('a listener of %s', (event) => {
  it.each(NAMES)('that %s does not end the process', async (failure) => {
    const broken = new Faults(failure).make(0, () => undefined)
    const { app, url } = await start({ configure: () => undefined }, broken)
    const assertAlive = watchProcess()
    const left = new Promise((resolve) => app.on('disconnect', resolve))

    app.on('disconnect', event === 'disconnect' ? broken : () => undefined)
    app.on('connection', (connection: any) => {
      app.channel('all').join(connection)
      if (event === 'empty') app.channel('all').on('empty', broken)
    })

    const socket = await connectSocket(url)

    socket.close()
    await left
    await assertAlive()
    expect(app.channel('all').length).toBe(0)
    await app.teardown()
  })
})

describe.each(['middleware', 'allowRequest'])('%s of the server of sockets', (kind) => {
  it.each(NAMES)('that %s refuses the client, and no other', async (failure) => {
    const faults = new Faults(failure)
    const app: any = alula()
    const assertAlive = watchProcess()
    const allowRequest = faults.make(0, (_request, decide) => decide(undefined, true))
    const options = kind === 'allowRequest' ? { allowRequest } : {}

    app.configure(
      socketio({ ...options, logger: false }, (io) => {
        if (kind === 'middleware') io.use(faults.make(0, (_socket, next) => next()))
      })
    )

    const url = toUrl(await app.listen(0, '127.0.0.1'))

    try {
      await expect(connectSocket(url, { reconnection: false })).rejects.toThrow()
      await assertAlive()
      faults.repair()
      expect((await connectSocket(url)).connected).toBe(true)
    } finally {
      await app.teardown()
    }
  })
})

const LOGGER: { readonly [Name in FunctionNames<Logger>]: number } = { error: 500, info: 404, debug: 404 }

it.each(NAMES)('a logger that %s keeps no response back', async (failure) => {
  const broken = new Faults(failure).make(0, () => undefined)
  const app: any = alula().use('notes', { find: async () => Promise.reject(new Error('no')) })
  const handle = createHandler(app, {
    logger: Object.fromEntries(Object.keys(LOGGER).map((level) => [level, broken])) as unknown as Logger
  })
  const assertAlive = watchProcess()

  await app.setup()

  expect((await handle(new Request('http://localhost/notes'))).status).toBe(LOGGER.error)
  expect((await handle(new Request('http://localhost/none'))).status).toBe(LOGGER.info)
  await assertAlive()
})

it('an async function is no filter of a channel', () => {
  const app: any = alula()
  const asyncFilter = async () => true

  for (const method of ['filter', 'leave']) {
    expect(() => app.channel('all')[method](asyncFilter)).toThrow(
      `channel.${method} expects a function that returns true or false, got an async function`
    )
  }
})

it('an async function is no matcher and no sorter of a memory service', () => {
  for (const option of ['matcher', 'sorter']) {
    expect(() => memory({ [option]: async () => () => true })).toThrow('a function that is not async')
  }
})
