// Clients of Socket.IO that do next to nothing: a thousand of the official ones would be what is measured.
import { once } from 'node:events'
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

/** Opens connections, a few at a time. */
export async function connectAll(port, amount) {
  const clients = []

  while (clients.length < amount) {
    const next = Array.from({ length: Math.min(50, amount - clients.length) }, () => connect(port))

    clients.push(...(await Promise.all(next)))
  }

  return clients
}

async function connect(port) {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/socket.io/?EIO=4&transport=websocket`)

  await once(socket, 'open')

  const client = new SocketClient(socket)

  socket.send(CONNECT)
  await client.connected

  return client
}
