// A server with sessions, and clients that are tabs of its users.
import { io } from 'socket.io-client'
import { onTestFinished } from 'vitest'
import {
  alula,
  authentication,
  MemoryStorage,
  socketio as overSocket,
  rest,
  type Storage
} from '../../src/client.ts'
import { events as serveEvents } from '../../src/events.ts'
import express, { errorHandler, rest as serveRest } from '../../src/express.ts'
import { alula as createApplication } from '../../src/index.ts'
import { socketio } from '../../src/socketio.ts'
import { configureSessions, DAY, LOGIN, stopClock, WREN } from '../sessions/app.ts'
import { serve } from '../support/server.ts'

const { refresh: _, ...credentials } = LOGIN

export const CREDENTIALS = credentials

/** Logins that last, and a client of one kind. */
export async function startSessions(kind: 'REST' | 'sockets', refresh: object = {}) {
  const clock = stopClock()
  const app: any = express(createApplication())
  const calls: string[] = []

  app
    .configure(serveRest())
    .configure(serveEvents())
    .configure(socketio({ pingTimeout: 10 * DAY }))
  configureSessions(app, { refresh })
  app.use(errorHandler({ logger: false }))
  app.service('authentication').hooks({
    before: { create: [({ data }: any) => void calls.push(data.strategy)] }
  })

  const url = await serve(app)

  await app.service('users').create(WREN)

  /** Each is a tab: those with one storage are of one browser. */
  function createClient(storage: Storage = new MemoryStorage(), options: object = {}) {
    const client: any = alula()
    const events: unknown[] = []

    if (kind === 'REST') client.configure(rest(url).fetch(fetch))
    else {
      const socket = io(url, { transports: ['websocket'], forceNew: true })

      client.configure(overSocket(socket))
      onTestFinished(() => void socket.close())
    }

    client.configure(authentication({ storage, ...options }))
    client.on('session:ended', (event: unknown) => events.push(event))
    client.on('error', () => undefined)

    return { client, events, storage, find: () => client.service('notes').find() as Promise<unknown> }
  }

  return { app, url, calls, clock, createClient }
}
