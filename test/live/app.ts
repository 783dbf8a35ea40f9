import { once } from 'node:events'
import { io, type ManagerOptions, type SocketOptions } from 'socket.io-client'
import { onTestFinished } from 'vitest'
import {
  type Application,
  alula as alulaClient,
  events,
  type LiveOptions,
  live,
  rest,
  socketio
} from '../../src/client.ts'
import { events as serveEvents } from '../../src/events.ts'
import express, { errorHandler, rest as serveRest } from '../../src/express.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { PATTERN_PREDICATES } from '../../src/query.ts'
import { socketio as serveSockets } from '../../src/socketio.ts'
import { fetchOnce } from '../client/servers.ts'
import { serve } from '../support/server.ts'

/** How a client is connected. */
export type Transport = 'Socket.IO' | 'SSE'

export const TRANSPORTS: readonly Transport[] = ['Socket.IO', 'SSE']

/** A server whose notes are for all, and which counts how often they are read by clients. */
export async function startServer(configure: (app: any) => void = () => undefined) {
  const app: any = express(alula())
    .configure(serveRest())
    .configure(serveSockets({ logger: false }))
    .configure(serveEvents({ retry: 0.01 }))
  const finds: any[] = []

  app.use('notes', memory({ startId: 1, multi: true, operators: ['$like'], predicates: PATTERN_PREDICATES }))
  app.on('connection', (connection: object) => app.channel('all').join(connection))
  app.service('notes').publish(() => app.channel('all'))
  configure(app)
  app.service('notes').hooks({
    around: {
      find: [
        async (context: any, next: () => Promise<void>) => {
          if (context.params.provider) finds.push(context.params.query)

          await next()
        }
      ]
    }
  })
  app.use(errorHandler({ logger: false }))

  const url = await serve(app)

  return { app, url, finds, notes: app.service('notes') }
}

/** A clock that a test moves. */
export function createTimers() {
  const pending = new Map<number, { readonly run: () => void; readonly milliseconds: number }>()
  let count = 0

  return {
    /** What waits, in milliseconds. */
    get pauses(): number[] {
      return [...pending.values()].map(({ milliseconds }) => milliseconds)
    },
    timers: {
      setTimeout(run: () => void, milliseconds: number) {
        pending.set(++count, { run, milliseconds })

        return count
      },
      clearTimeout: (timer: number) => void pending.delete(timer)
    },
    /** Lets time pass: what waits no longer than this runs. */
    pass(limit: number) {
      for (const [timer, { run, milliseconds }] of [...pending]) {
        if (milliseconds <= limit && pending.delete(timer)) run()
      }
    }
  }
}

interface ConnectOptions extends LiveOptions {
  /** Configures the client between its connection and its events. */
  readonly configure?: (client: Application<any>) => unknown
  /** Options of the socket. */
  readonly socket?: Partial<ManagerOptions & SocketOptions>
}

/** A client that is closed when the test ends. Its events come from the return on. */
export async function connect(
  { app, url }: { app: any; url: string },
  transport: Transport,
  { configure = () => undefined, socket = {}, ...options }: ConnectOptions = {}
): Promise<Application<any>> {
  const joined = once(app, 'connection')
  const client = alulaClient()

  if (transport === 'SSE') client.configure(rest(url).fetch(fetchOnce))
  else
    client.configure(
      socketio(io(url, { transports: ['websocket'], reconnectionDelay: 20, forceNew: true, ...socket }))
    )

  configure(client)
  if (transport === 'SSE') client.configure(events())
  client.configure(live(options))

  onTestFinished(async () => {
    client.io?.disconnect()
    await client.teardown()
  })

  if (transport === 'SSE') client.service('others').on('created', () => undefined)
  await joined

  return client
}

/** Cuts the connections of all clients, which come back. */
export function cut(app: any): void {
  for (const connection of app.channel('all').connections) {
    if (connection.provider === 'rest') app.emit('disconnect', connection)
  }
  for (const socket of app.io.sockets.sockets.values()) socket.conn.close()
}
