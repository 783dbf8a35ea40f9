import { defer } from '../../support/deferred.ts'
import { open, openRaw, type RawSocket } from '../../support/socketio.ts'

/** How many calls of a connection may be under way at once. */
export const MOST = 100
export const MB = 1_000_000

/** A service whose calls wait until the test lets them go on. */
export function createGate() {
  const opened = defer()
  const begun: unknown[] = []
  const done: unknown[] = []

  return {
    begun,
    done,
    open: () => opened.resolve(),
    service: {
      get: async (id: unknown) => {
        begun.push(id)
        await opened.promise
        done.push(id)

        return id
      },
      find: async () => 'here'
    }
  }
}

/** Opens an application, and says what it is connected to. */
export async function openServer(configure: (app: any) => void, options = {}) {
  const { app, url } = await open((app: any) => {
    app.on('connection', (connection: any) => app.channel('all').join(connection))
    configure(app)
  }, options)
  const getConns = (): any[] => Object.values(app.io.engine.clients)

  return { app: app as any, url, getConns }
}

/** A WebSocket that is connected to the services. */
export async function openConnected(url: string): Promise<RawSocket> {
  const raw = await openRaw(url)

  raw.send('40')
  await raw.receive('40{')

  return raw
}

/** The stream under a WebSocket, to stop reading and to go on. */
export const streamOf = ({ socket }: RawSocket) => (socket as any)._socket

export const toGets = (first: number, end: number) =>
  Array.from({ length: end - first }, (_, n) => `42${first + n}["get","things",${first + n}]`)

export const toRange = (length: number) => Array.from({ length }, (_, n) => n)

/** The ids of the calls that are answered, in the order of the answers. */
export const toAnswered = ({ received }: RawSocket) =>
  received.flatMap((frame) =>
    String(frame).startsWith('43') ? Number.parseInt(String(frame).slice(2), 10) : []
  )
