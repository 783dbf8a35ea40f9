import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { type Application, alula } from '../../src/index.ts'
import { type ListenerOptions, toListener } from '../../src/node.ts'

export const JSON_HEADERS = { 'Content-Type': 'application/json' }

/** A server that listens until the test ends. */
export async function open(app: Application, options: ListenerOptions = {}) {
  const server = createServer(toListener(app, { logger: false, ...options })).listen(0, '127.0.0.1')

  await once(server, 'listening')
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())))

  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`

  return {
    server,
    port,
    url,
    /**
     * Keeps no connection, for which the end of the test would have to wait. Without a `Cache-Control` of ours `fetch`
     * adds `no-cache` to every request that has a condition.
     */
    request: (path: string, init: RequestInit = {}) =>
      fetch(url + path, {
        ...init,
        headers: { 'Cache-Control': 'max-age=0', ...init.headers, Connection: 'close' }
      }),
    /** Sends a text as it is and returns all that comes until the server closes the connection. */
    exchange: (text: string) => readAll(writeTo(port, text))
  }
}

export function writeTo(port: number, text: string): Socket {
  const socket = connect(port, '127.0.0.1')

  onTestFinished(() => void socket.destroy())
  socket.write(text)

  return socket
}

export async function readAll(socket: Socket): Promise<string> {
  const chunks: Buffer[] = []

  socket.on('data', (chunk) => chunks.push(chunk))
  await once(socket, 'close')

  return Buffer.concat(chunks).toString()
}

export const lastGet = (target: string, headers = '') =>
  `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${headers}Connection: close\r\n\r\n`

export const statusOf = (answer: string) => Number(answer.split(' ')[1])

export const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))

export const createEcho = () =>
  alula().use('things', {
    find: async ({ query }: any) => query,
    create: async (data: any) => data
  })
