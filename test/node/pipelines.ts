import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { limitPipelining, type PipeliningOptions } from '../../src/node.ts'
import { defer } from '../support/deferred.ts'

/** How many requests of a connection are in flight by default. */
export const MAX_REQUESTS = 100

export const toRange = (length: number) => Array.from({ length }, (_, n) => n)

export const toGets = (count: number, version = '1.1', headers = '') =>
  toRange(count)
    .map((n) => `GET /${n} HTTP/${version}\r\nHost: a\r\n${headers}\r\n`)
    .join('')

/** Listens until the test ends; returns the port. */
export async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })

  return (server.address() as AddressInfo).port
}

export function open(listener: RequestListener, options?: PipeliningOptions): Promise<number> {
  return listen(limitPipelining(createServer(listener), options))
}

/** A client that sends what it is given, and does not read until it is asked to. */
export function createClient(port: number, text: string): Socket {
  const socket = connect(port, '127.0.0.1')

  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  socket.write(text)

  return socket
}

/** Reads this many responses of a connection; returns the first words of their bodies. */
export async function readWords(socket: Socket, count: number): Promise<string[]> {
  const words: string[] = []
  let rest: Buffer = Buffer.alloc(0)
  /** How many bytes of the body have not come yet. */
  let missing = 0

  for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
    let part = chunk as Buffer

    if (missing > part.length) {
      missing -= part.length
      continue
    }

    part = Buffer.concat([rest, part.subarray(missing)])
    missing = 0

    for (;;) {
      const end = part.indexOf('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(part.toString('latin1', 0, end))?.[1])
      const body = part.subarray(end + 4, end + 4 + length)

      if (end === -1 || (body.length < length && body.length < 20)) break

      words.push(body.toString('latin1', 0, 20).split(' ')[0] as string)
      missing = length - body.length
      part = part.subarray(end + 4 + length)
    }

    rest = part
    if (words.length === count && missing === 0) break
  }

  return words
}

/** A listener whose responses to requests with a number wait until the test opens it. */
export function createGate() {
  const opened = defer()
  const begun: string[] = []

  return {
    begun,
    open: () => opened.resolve(),
    listener: (async (request, response) => {
      if (request.url === '/') {
        response.end('here')
        return
      }

      begun.push(request.url as string)
      request.resume()
      await opened.promise
      response.end(`${request.url} `)
    }) as RequestListener
  }
}
