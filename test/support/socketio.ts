import type { Socket } from 'socket.io-client'
import { onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { type Application, alula } from '../../src/index.ts'
import { type SocketioOptions, socketio } from '../../src/socketio.ts'
import { serve } from './server.ts'
import { type ClientOptions, createSocket } from './sockets.ts'

/** A client that is connected; rejects when it is refused. */
export { connectSocket as connect } from './sockets.ts'

/** Starts an application with sockets and without a log, filled by `configure`; it is torn down when the test ends. */
export async function open(
  configure: (app: Application<any>) => void,
  options: SocketioOptions = {}
): Promise<{ app: Application<any>; url: string }> {
  const app = alula<any>()

  // Tests open more connections in a second than an application expects.
  app.set('connectionRate', 10_000)
  app.configure(socketio({ logger: false, ...options }))
  configure(app)

  return { app, url: await serve(app as any) }
}

/** A client that is on its way; it is closed when the test ends. */
export function createClient(url: string, options: ClientOptions = {}): Socket {
  return createSocket(url, { autoConnect: true, ...options })
}

/** Waits for an event of a client; resolves with its arguments, without where it is in the log. */
export function hear(socket: Socket, event: string): Promise<any[]> {
  return new Promise((resolve) => {
    socket.once(event, (...values: any[]) => resolve(withoutStamp(values)))
  })
}

/** The arguments of an event without where it is in the log. */
export function withoutStamp(values: readonly any[]): any[] {
  return values.filter((value, index) => index === 0 || typeof value?.tx !== 'string')
}

/** Calls a service method; rejects with the error as it was sent. */
export function call(socket: Socket, method: string, ...args: unknown[]): Promise<any> {
  return new Promise((resolve, reject) => {
    socket.emit(method, ...args, (error: unknown, result: unknown) =>
      error ? reject(error) : resolve(result)
    )
  })
}

/** A transport without a client, for what clients do not send. */
export interface RawSocket {
  readonly socket: WebSocket
  /** All frames so far. */
  readonly received: (string | Buffer)[]
  /** Resolves with the code once the connection is closed. */
  readonly closed: Promise<number>
  send(...frames: (string | Buffer)[]): void
  /** Waits for a frame that begins with a text. */
  receive(beginning: string): Promise<string>
}

/** Opens a WebSocket at the server of Socket.IO, without a `CONNECT` packet; it is closed when the test ends. */
export async function openRaw(url: string, query = ''): Promise<RawSocket> {
  const raw = createRaw(url, query)

  onTestFinished(() => raw.socket.terminate())
  await raw.receive('0{')

  return raw
}

/** The same for those that close it themselves, and do not wait. */
export function createRaw(url: string, query = '', headers: { [name: string]: string } = {}): RawSocket {
  const address = `${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket${query}`
  const socket = new WebSocket(address, { headers })
  const received: (string | Buffer)[] = []
  const waiting = new Set<() => void>()

  function announce(): void {
    for (const check of waiting) check()
  }

  socket.on('error', () => undefined)
  socket.once('close', announce)
  socket.on('message', (data: Buffer, isBinary) => {
    received.push(isBinary ? data : data.toString())
    announce()
  })

  return {
    socket,
    received,
    closed: new Promise((resolve) => socket.once('close', resolve)),
    send: (...frames) => {
      for (const frame of frames) socket.send(frame)
    },
    receive: (beginning) =>
      new Promise((resolve, reject) => {
        function check(): void {
          const found = received.find((frame) => typeof frame === 'string' && frame.startsWith(beginning))

          if (found !== undefined) resolve(found as string)
          else if (socket.readyState === WebSocket.CLOSED) reject(new Error(`Closed before '${beginning}'`))
          else return

          waiting.delete(check)
        }

        waiting.add(check)
        check()
      })
  }
}

/** A client by long-polling, request by request. */
export interface PollingClient {
  post(body: string): Promise<Response>
  poll(): Promise<string>
}

/** Opens a connection by long-polling; `CONNECT` is sent and answered. */
export async function openPolling(url: string): Promise<PollingClient> {
  const address = `${url}/socket.io/?EIO=4&transport=polling`
  const opened = await (await fetch(address)).text()
  const { sid } = JSON.parse(opened.slice(1))
  const client = {
    post: (body: string) => fetch(`${address}&sid=${sid}`, { method: 'POST', body }),
    poll: async () => (await fetch(`${address}&sid=${sid}`)).text()
  }

  await client.post('40')
  await client.poll()

  return client
}
