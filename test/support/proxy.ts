import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { toUrl } from './server.ts'

/** A line between a client and a server that can be disturbed. */
export interface Proxy {
  readonly url: string
  /** Breaks all connections, and refuses others until it is mended. */
  cut(): void
  /** Keeps back what the server says, and goes on to tell it what clients say. */
  mute(): void
  /** Keeps back what both sides say until it is mended, and then goes on to tell it. */
  hold(): void
  /** Undoes `cut`, `mute` and `hold`; after `mute`, what was kept back is lost, and with it the connections. */
  mend(): void
  /** Leads connections that are made from now on to another server, as a name does that stands for another address. */
  lead(target: string): void
}

/** Starts a proxy in front of a server; it ends with the test. */
export async function startProxy(target: string): Promise<Proxy> {
  let { port, hostname, protocol } = new URL(target)
  // Of Redis: the number of the database.
  const { pathname } = new URL(target)
  const sockets = new Set<Socket>()
  let state: 'open' | 'cut' | 'mute' = 'open'

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)

    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
      socket.on('error', () => undefined)
    }

    if (state === 'cut') client.destroy()

    client.on('data', (data) => upstream.write(data))
    upstream.on('data', (data) => {
      if (state === 'open') client.write(data)
    })
  })

  function disconnect(): void {
    for (const socket of sockets) socket.destroy()
  }

  onTestFinished(() => {
    disconnect()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: `${toUrl(server as any).replace('http:', protocol)}${pathname === '/' ? '' : pathname}`,
    cut: () => {
      state = 'cut'
      disconnect()
    },
    mute: () => {
      state = 'mute'
    },
    hold: () => {
      for (const socket of sockets) socket.pause()
    },
    mend: () => {
      for (const socket of sockets) socket.resume()
      if (state === 'mute') disconnect()
      state = 'open'
    },
    lead: (next) => {
      ;({ port, hostname, protocol } = new URL(next))
    }
  }
}
