import { io, type ManagerOptions, type Socket, type SocketOptions } from 'socket.io-client'
import { onTestFinished } from 'vitest'

/** Options of `socket.io-client`. */
export type ClientOptions = Partial<ManagerOptions & SocketOptions>

/** Creates a client of Socket.IO that is not connected yet; it is closed when the test ends. */
export function createSocket(url: string, options: ClientOptions = {}): Socket {
  const socket = io(url, {
    transports: ['websocket'],
    forceNew: true,
    autoConnect: false,
    // A second when left out.
    reconnectionDelay: 20,
    ...options
  })

  onTestFinished(() => void socket.close())

  return socket
}

/**
 * Connects a client of Socket.IO; it is closed when the test ends.
 *
 * @throws Error of the server that refuses the connection; what it says is in `data`
 */
export async function connectSocket(url: string, options: ClientOptions = {}): Promise<Socket> {
  const socket = createSocket(url, options)

  await open(socket)

  return socket
}

/** Waits until a client is connected; rejects when the server refuses it. */
export function open(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('connect_error', reject)
    socket.connect()
  })
}

/** Sends a message; resolves to all that it is answered with. */
export function ask(socket: Socket, ...message: [name: string, ...args: unknown[]]): Promise<any[]> {
  return new Promise((resolve) => void socket.emit(...message, (...answer: any[]) => resolve(answer)))
}

/** The next event of this name; resolves to what came with it. */
export function next(socket: Socket, event: string): Promise<any> {
  return new Promise((resolve) => void socket.once(event, resolve))
}
