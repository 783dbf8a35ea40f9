import { once } from 'node:events'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * Starts an application on a free port; it is torn down when the test ends. Returns its URL.
 *
 * `fetch` keeps its connections, and a teardown leaves them a second for a request that may be on its way.
 */
export async function serve(app: {
  listen(...args: any[]): Promise<Server>
  teardown(): Promise<unknown>
}): Promise<string> {
  const server = await app.listen(0, '127.0.0.1')

  onTestFinished(async () => {
    server.closeIdleConnections()
    await app.teardown()
  })

  return toUrl(server)
}

/** The URL of a server that listens. */
export function toUrl(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The port in the URL of a server. */
export function toPort(url: string): number {
  return Number(new URL(url).port)
}

/** Starts a server on a free port; it is closed, with its connections, when the test ends. Returns its URL. */
export async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })

  return toUrl(server)
}
