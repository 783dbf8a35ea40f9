// Calls and events over Socket.IO. The page needs a WebSocket, text messages and acknowledgements, which are these lines; the
// client of Socket.IO is larger than the rest of the page.

/** What a connection reports. */
export interface SocketListener {
  /** It is open, and calls can be made. */
  onOpen(): void
  onClose(): void
  onEvent(name: string, payload: unknown): void
}

/** The types of packets of Engine.IO 4, and of the messages of Socket.IO 5 in them. */
const PING = '2'
const PONG = '3'
const OPENED = '0'
const CONNECT = '40'
const DISCONNECT = '41'
const REFUSED = '44'
const EVENT = /^4(?:2|5\d+-)(\d*)(\[.*)$/s
const REPLY = /^4(?:3|6\d+-)(\d+)(\[.*)$/s

const FIRST_WAIT = 500
const MAX_WAIT = 20_000

/** A connection that is opened again when it is lost. */
export class Socket {
  readonly #urls: readonly string[]
  readonly #listener: SocketListener
  readonly #replies = new Map<string, (reply: readonly unknown[]) => void>()
  #socket: WebSocket | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #wait = FIRST_WAIT
  #calls = 0
  /** The number of the URL that is tried, or was found. */
  #turn = 0
  #isFound = false

  /**
   * @param urls Where Socket.IO may be: behind a proxy, the server does not know under which prefix
   * @param listener Gets what happens
   */
  constructor(urls: readonly string[], listener: SocketListener) {
    this.#urls = urls
    this.#listener = listener
  }

  open(): void {
    const url = this.#urls[this.#turn % this.#urls.length] as string
    const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/?EIO=4&transport=websocket`)

    this.#socket = socket
    socket.onmessage = ({ data }) => {
      if (typeof data === 'string') this.#receive(socket, data)
    }
    socket.onclose = () => {
      if (this.#socket !== socket) return

      if (!this.#isFound) this.#turn++
      this.#listener.onClose()
      this.#replies.clear()
      this.#timer = setTimeout(() => this.open(), this.#wait)
      this.#wait = Math.min(this.#wait * 2, MAX_WAIT)
    }
  }

  close(): void {
    const socket = this.#socket

    this.#socket = undefined
    clearTimeout(this.#timer)
    socket?.close()
  }

  /**
   * Makes a call.
   *
   * @param message The method, the path of the service, and the arguments
   * @returns The error or null, and the result
   */
  call(...message: readonly unknown[]): Promise<readonly unknown[]> {
    const id = String(this.#calls++)

    return new Promise((resolve) => {
      this.#replies.set(id, resolve)
      this.#socket?.send(`42${id}${JSON.stringify(message)}`)
    })
  }

  #receive(socket: WebSocket, packet: string): void {
    if (packet === PING) socket.send(PONG)
    else if (packet.startsWith(OPENED)) socket.send(CONNECT)
    else if (packet.startsWith(CONNECT)) {
      this.#isFound = true
      this.#wait = FIRST_WAIT
      this.#listener.onOpen()
    } else if (packet.startsWith(DISCONNECT) || packet.startsWith(REFUSED)) socket.close()
    else this.#read(packet)
  }

  #read(packet: string): void {
    const [, id, reply] = REPLY.exec(packet) ?? []
    const [, , event] = EVENT.exec(packet) ?? []

    if (id !== undefined && reply !== undefined) {
      this.#replies.get(id)?.(JSON.parse(reply))
      this.#replies.delete(id)
    } else if (event !== undefined) {
      const [name, payload] = JSON.parse(event)

      this.#listener.onEvent(String(name), payload)
    }
  }
}
