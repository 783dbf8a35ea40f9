import { once } from 'node:events'
import * as officialAuthentication from '@feathersjs/authentication'
import { LocalStrategy as OfficialLocal, hooks as officialLocalHooks } from '@feathersjs/authentication-local'
import * as officialErrors from '@feathersjs/errors'
import { feathers as officialFeathers } from '@feathersjs/feathers'
import officialSocketio from '@feathersjs/socketio'
import { io, type Socket } from 'socket.io-client'
import * as ourAuthentication from '../../../src/authentication.ts'
import * as ourErrors from '../../../src/errors.ts'
import { alula } from '../../../src/index.ts'
import { socketio } from '../../../src/socketio.ts'
import { toUrl } from '../../support/server.ts'
import { ask } from '../../support/sockets.ts'

/** One of the two: what creates an application with sockets, and what goes into it. Their types have nothing in common. */
export interface Library {
  readonly errors: any
  readonly authentication: any
  create(options?: object, configureIo?: (io: any) => void): any
}

export const FEATHERS: Library = {
  errors: officialErrors,
  authentication: {
    ...officialAuthentication,
    LocalStrategy: OfficialLocal,
    hashPassword: officialLocalHooks.hashPassword,
    protect: officialLocalHooks.protect
  },
  create: (options = {}, configureIo = () => undefined) =>
    // The module is the function.
    officialFeathers().configure((officialSocketio as any)(options, configureIo))
}

export const ALULA: Library = {
  errors: ourErrors,
  authentication: ourAuthentication,
  create: (options = {}, configureIo = () => undefined) =>
    alula<any>().configure(socketio({ logger: false, ...options }, configureIo))
}

/** What came to a client: answers and events, in their order. */
export type Log = unknown[][]

/** What a script works with: a server of one of the two, and clients that are connected to it. */
export interface Session {
  readonly app: any
  readonly url: string
  readonly clients: readonly Socket[]
  /** Of the clients on the side of the server, in the same order. */
  readonly connections: readonly any[]
  /** Sends a message, and waits for the answer, which goes into the log of the client. */
  send(message: readonly unknown[], client?: number): Promise<void>
  /** Waits until everything that was sent before has arrived. */
  settle(): Promise<void>
}

export interface Setting {
  /** Registers services, publishers and so on. */
  readonly configure?: (app: any, library: Library) => void
  readonly clients?: number
  readonly options?: object
  readonly configureIo?: (io: any) => void
}

/** Starts a server with clients, runs a script, and closes everything. Returns what came to each client. */
export async function run(
  library: Library,
  { configure, clients: count = 1, options, configureIo }: Setting,
  script: (session: Session) => unknown
): Promise<{ logs: Log[]; value: unknown }> {
  const app = library.create(options, configureIo)
  const connections: any[] = []

  app.on('connection', (connection: any) => connections.push(connection))
  configure?.(app, library)
  app.use('fence', { find: async () => 'fence' })

  const server = await app.listen(0, '127.0.0.1')

  if (!server.listening) await once(server, 'listening')

  const url = toUrl(server)
  const sockets: Socket[] = []
  const logs: Log[] = []

  try {
    for (let index = 0; index < count; index++) {
      const socket = io(url, { transports: ['websocket'], forceNew: true, reconnection: false })
      const log: Log = []

      sockets.push(socket)
      logs.push(log)
      socket.onAny((event, ...args) => log.push([event, ...normalize(args)]))
      await new Promise<void>((resolve, reject) => {
        socket.once('connect', resolve)
        socket.once('connect_error', reject)
      })
    }

    const settle = async () => {
      for (let round = 0; round < 2; round++) {
        for (const socket of sockets) if (socket.connected) await ask(socket, 'find', 'fence')
      }
    }
    const send: Session['send'] = async (message, client = 0) => {
      const [name, ...args] = message as [string, ...unknown[]]
      const answer = await ask(sockets[client] as Socket, name, ...args)

      logs[client]?.push(['answer', ...normalize(answer)])
    }

    const value = await script({ app, url, clients: sockets, connections, send, settle })

    await settle()

    return { logs, value: normalize(value) }
  } finally {
    for (const socket of sockets) socket.close()
    // The official server does not close itself with the application.
    app.io.disconnectSockets(true)
    await app.teardown()
    if (server.listening) await new Promise((resolve) => app.io.close(resolve))
  }
}

const PASSING: { readonly [name: string]: string } = {
  stack: 'a stack',
  accessToken: 'a token',
  payload: 'claims',
  expiredAt: 'a time'
}

/** Where an event, or what was read, is in the log: rows of their own say so, for all events and reads. */
function isPosition(value: any): boolean {
  return /^[0-9a-f]{10}-\d+\.\d+$/.test(typeof value === 'string' ? value : value?.position)
}

/** Without what differs at every run. */
export function normalize(value: any): any {
  if (Buffer.isBuffer(value)) return `bytes ${value.toString('hex')}`
  if (typeof value === 'function') return 'a function'
  if (Array.isArray(value)) return value.filter((item) => !isPosition(item)).map(normalize)
  if (typeof value !== 'object' || value === null) return value

  return Object.fromEntries(
    Object.entries(value).map(([name, nested]) => [name, PASSING[name] ?? normalize(nested)])
  )
}

/** An outcome in a line: the answer to a message, or what came to clients and what a script has returned. */
export function summarize(outcome: any): string {
  if (Array.isArray(outcome)) return describeAnswer(outcome)
  if (typeof outcome === 'string') return outcome

  const { logs, value } = outcome as { logs: Log[]; value: unknown }
  const lines = logs.map((log) =>
    log
      .map(([name, ...values]) =>
        name === 'answer' ? `→ ${describeAnswer(values)}` : `${name} ${shorten(values[0])}`
      )
      .join(', ')
  )

  return [
    ...lines.map((line) => line || 'nothing'),
    ...(value === undefined ? [] : [`= ${shorten(value)}`])
  ].join(' | ')
}

function describeAnswer([error, result]: readonly any[]): string {
  if (!error) return shorten(result)

  return error.name && error.code ? `${error.name}: ${error.message}` : `error ${shorten(error)}`
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value)

  return text.length > 250 ? 'a long result' : text
}
