// Clients that do next to nothing but hear: thousands of the official ones would be what is measured. They come back
// after a lost connection as the official ones do, and ask for what they missed where the server has that.
import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { WebSocket } from 'ws'

/** What packets of Engine.IO and Socket.IO begin with. */
const PING = '2'
const CONNECT = '40'
const EVENT = '42'
const RESUMED = '430'

const NUMBER = /"n":(\d+)/
const POSITION = /"position":"([^"]+)"/
/** The delays of `socket.io-client`, in milliseconds. */
const FIRST_DELAY = 1000
const MAX_DELAY = 5000

const agent = new Agent({ maxSockets: Number.POSITIVE_INFINITY })
const pause = (time) => new Promise((resolve) => setTimeout(resolve, time))

/** A client that comes back. `hear` gets the number of each event that is new to it. */
class Listener {
  isConnected = false
  isClosed = false
  position
  /** Which events it has. */
  #heard = new Uint8Array(4096)
  #hear

  constructor(port, hear) {
    this.port = port
    this.#hear = hear
  }

  /**
   * Connects, and again after each connection that was lost; resolves when it is connected for the first time. A server that
   * does not admit it may say when to come again.
   */
  async start() {
    try {
      await this.connect()
    } catch (error) {
      if (this.wait === undefined) throw error

      await this.#pause()

      return this.start()
    }

    void this.#stay()
  }

  has(n) {
    return this.#heard[n] === 1
  }

  take(text) {
    const n = Number(NUMBER.exec(text)?.[1])

    this.position = POSITION.exec(text)?.[1] ?? this.position
    if (Number.isNaN(n) || this.has(n)) return

    this.#heard[n] = 1
    this.#hear(n)
  }

  async #stay() {
    let attempts = 0

    while (!this.isClosed) {
      await this.closed
      this.isConnected = false
      if (this.isClosed) return

      await this.#pause(Math.min(FIRST_DELAY * 2 ** attempts++ * (0.5 + Math.random()), MAX_DELAY))
      await this.connect().then(
        () => {
          attempts = 0
        },
        () => {}
      )
    }
  }

  /** As long as the server has said, or else as long as is given. */
  async #pause(delay) {
    await pause(this.wait ?? delay)
    this.wait = undefined
  }
}

/** Over Socket.IO. */
export class SocketListener extends Listener {
  #socket
  #replies = new Map()
  #lastId = 0

  async connect() {
    const socket = new WebSocket(`ws://127.0.0.1:${this.port}/socket.io/?EIO=4&transport=websocket`, {
      perMessageDeflate: false
    })

    this.#socket = socket
    this.closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('unexpected-response', (_request, { headers }) => {
      this.wait = headers['retry-after'] && headers['retry-after'] * 1000
      socket.terminate()
    })
    socket.on('error', () => {})

    const connected = new Promise((resolve, reject) => {
      let isResuming = this.position !== undefined

      socket.once('close', () => reject(new Error('closed')))
      socket.on('open', () => socket.send(CONNECT))
      socket.on('message', (data) => {
        const packet = data.toString('latin1')

        if (packet === PING) socket.send('3')
        else if (packet.startsWith(CONNECT)) {
          if (isResuming) socket.send(`420["$resume","${this.position}"]`)
          resolve()
        } else if (packet.startsWith(RESUMED) && isResuming) isResuming = false
        else if (packet.startsWith(EVENT)) {
          // Until then, events come again.
          if (!isResuming) this.take(packet)
        } else if (packet.startsWith('43')) this.#receive(packet)
      })
    })

    await connected
    this.isConnected = true
  }

  /** Calls a method; resolves when it has an answer. */
  call(...message) {
    const id = ++this.#lastId

    this.#socket.send(`${EVENT}${id}${JSON.stringify(message)}`)

    return new Promise((resolve) => this.#replies.set(id, resolve))
  }

  close() {
    this.isClosed = true
    this.#socket.terminate()
  }

  #receive(packet) {
    const id = Number(packet.slice(2, packet.indexOf('[')))

    this.#replies.get(id)?.()
    this.#replies.delete(id)
  }
}

/** Over Server-Sent Events. */
export class StreamListener extends Listener {
  #request

  async connect() {
    const headers = this.position ? { 'Last-Event-ID': this.position } : {}
    const request = get({ agent, port: this.port, host: '127.0.0.1', path: '/events', headers })

    this.#request = request
    this.closed = new Promise((resolve) => request.once('close', resolve))
    request.on('error', () => {})

    const [response] = await once(request, 'response')
    let text = ''

    response.setEncoding('latin1')
    response.on('error', () => {})

    await new Promise((resolve, reject) => {
      // Also for a client that has to wait: it only gets a time.
      request.once('close', () => reject(new Error('closed')))
      response.on('data', (chunk) => {
        const blocks = (text + chunk).split('\n\n')

        text = blocks.pop()
        for (const block of blocks) if (this.#read(block)) resolve()
      })
    })

    this.isConnected = true
  }

  close() {
    this.isClosed = true
    this.#request.destroy()
  }

  /** Returns whether the server has begun: it says up to where the client has all events. */
  #read(block) {
    const [, retry] = /^retry: (\d+)/.exec(block) ?? []
    const [, id] = /^id: (.+)/.exec(block) ?? []

    if (retry) this.wait = Number(retry)
    if (id) this.position = id
    if (block.includes('event: ')) this.take(block)

    return id !== undefined
  }
}
