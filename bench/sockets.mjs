// Clients of Socket.IO and of Server-Sent Events that do next to nothing: a thousand of the official ones would be what is measured.
import { once } from 'node:events'
import { createConnection } from 'node:net'
import { WebSocket } from 'ws'

/** What packets of Engine.IO and Socket.IO begin with. */
const PING = '2'
const PONG = '3'
const CONNECT = '40'
const EVENT = '42'
const ACK = '43'

/** A connection that can call methods, and counts the events that it hears. */
class SocketClient {
  #onConnect
  /** Called for each event. */
  onEvent = () => {}
  /** Resolves when the server has taken the connection. */
  connected = new Promise((resolve) => {
    this.#onConnect = resolve
  })
  #socket
  #replies = new Map()
  #lastId = 0

  constructor(socket) {
    this.#socket = socket
    socket.on('message', (data) => this.#receive(data.toString('latin1')))
  }

  /** Calls a method and resolves to its result. */
  call(method, ...args) {
    const id = ++this.#lastId

    this.#socket.send(`${EVENT}${id}${JSON.stringify([method, ...args])}`)

    return new Promise((resolve, reject) => {
      this.#replies.set(id, (error, result) => (error ? reject(error) : resolve(result)))
    })
  }

  close() {
    this.#socket.close()
  }

  #receive(packet) {
    if (packet === PING) {
      this.#socket.send(PONG)
    } else if (packet.startsWith(CONNECT)) {
      this.#onConnect()
    } else if (packet.startsWith(EVENT)) {
      this.onEvent(packet)
    } else if (packet.startsWith(ACK)) {
      const start = packet.indexOf('[')
      const id = Number(packet.slice(ACK.length, start))
      const reply = this.#replies.get(id)

      this.#replies.delete(id)
      reply(...JSON.parse(packet.slice(start)))
    }
  }
}

/** A stream of Server-Sent Events, which cannot call methods. */
class StreamClient {
  onEvent = () => {}
  #socket

  constructor(socket) {
    this.#socket = socket
    socket.on('data', (data) => {
      const { length } = data.toString('latin1').split('\nevent: messages ')

      for (let count = 1; count < length; count++) this.onEvent()
    })
  }

  close() {
    this.#socket.destroy()
  }
}

/** Opens connections, a few at a time: sockets, or streams with `openStream`. */
export async function connectAll(port, amount, connect = openSocket) {
  const clients = []

  while (clients.length < amount) {
    const next = Array.from({ length: Math.min(50, amount - clients.length) }, () => connect(port))

    clients.push(...(await Promise.all(next)))
  }

  return clients
}

/** Opens a stream, which is a connection of the server when its first bytes are there. */
export async function openStream(port) {
  const socket = createConnection(port, '127.0.0.1')

  socket.write('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(socket, 'data')

  return new StreamClient(socket)
}

async function openSocket(port) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`)

  await once(socket, 'open')

  const client = new SocketClient(socket)

  socket.send(CONNECT)
  await client.connected

  return client
}
