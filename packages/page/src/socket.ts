// Events over Socket.IO. The page needs a WebSocket, text messages and acknowledgements, which are these lines; the client of
// Socket.IO is larger than the rest of the page.

/** What a connection reports. */
export interface ConnectionListener {
  /** It is open. */
  onOpen(): void
  onClose(): void
  /** The server refuses the login: it is not opened again. */
  onEnd(): void
  onEvent(name: string, payload: unknown): void
}

/** A way that events come. */
export interface Connection {
  open(): void
  close(): void
  /**
   * Logs the connection in, where it does not begin with a token, by the authentication service at `path`. Returns whether the
   * server has accepted the token.
   */
  logIn?(path: string, accessToken: string): Promise<boolean>
}

/** The types of packets of Engine.IO 4, and of the messages of Socket.IO 5 in them. */
const PING = '2'
const PONG = '3'
const OPENED = '0'
const CONNECT = '40'
const DISCONNECT = '41'
const REFUSED = '44'
/** A call with an id. The login is the only call of a WebSocket, so the id is always 0. */
const CALL = '420'
/** An event or a reply, without bytes or with some; and what is in it. */
const MESSAGE = /^4([2356])(?:\d+-)?\d*(\[.*)$/s

/** After how many milliseconds a connection is opened again. */
export const WAIT = 1000

/** At most so many milliseconds later, where the server refuses. */
export const MAX_WAIT = 30_000

/**
 * Makes a connection that is opened again when it is lost. `urls` are where Socket.IO may be: behind a proxy, the server does
 * not know under which prefix.
 */
export function createSocket(urls: readonly string[], listener: ConnectionListener): Connection {
  let opened: WebSocket | undefined
  let timer: ReturnType<typeof setTimeout>
  /** Gets the reply to the login. A WebSocket that closes may still get the reply to an earlier one. */
  let onReply: ((reply: Reply) => void) | undefined
  /** How many milliseconds it waits; twice as many after each login that may succeed later. */
  let wait = WAIT
  /** The number of the URL that is tried, or was found. */
  let turn = 0
  let isFound = false

  function open(): void {
    const socket = openSocket(
      urls[turn % urls.length] as string,
      () => {
        isFound = true
        listener.onOpen()
      },
      listener.onEvent,
      (reply) => opened === socket && onReply?.(reply)
    )

    opened = socket
    socket.onclose = () => {
      if (opened !== socket) return

      if (!isFound) turn++
      listener.onClose()
      timer = setTimeout(open, wait)
    }
  }

  return {
    open,

    close() {
      const socket = opened

      opened = undefined
      wait = WAIT
      clearTimeout(timer)
      socket?.close()
    },

    logIn(path, accessToken) {
      return new Promise((resolve) => {
        onReply = ([error]) => {
          const isRetried = isPassing(error?.code)

          wait = isRetried ? Math.min(wait * 2, MAX_WAIT) : WAIT
          // `onclose` opens the next one.
          if (isRetried) opened?.close()
          else resolve(!error)
        }
        opened?.send(`${CALL}${JSON.stringify(['create', path, { strategy: 'jwt', accessToken }])}`)
      })
    }
  }
}

type Reply = readonly [error?: { code?: number } | null]

/** Opens a WebSocket that speaks Socket.IO. */
function openSocket(
  url: string,
  onOpen: () => void,
  onEvent: ConnectionListener['onEvent'],
  onReply: (reply: Reply) => void
): WebSocket {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}/?EIO=4&transport=websocket`)

  socket.onmessage = ({ data: packet }) => {
    if (typeof packet !== 'string') return

    const [, type, json] = MESSAGE.exec(packet) ?? []

    if (packet === PING) socket.send(PONG)
    else if (packet.startsWith(OPENED)) socket.send(CONNECT)
    else if (packet.startsWith(CONNECT)) onOpen()
    else if (packet.startsWith(DISCONNECT) || packet.startsWith(REFUSED)) socket.close()
    else if (type !== undefined) {
      const values = JSON.parse(json as string)

      // Others are events.
      if ('36'.includes(type)) onReply(values)
      // What is not of a service, such as a position, is for clients that go on from there.
      else if (String(values[0]).includes(' ')) onEvent(values[0], values[1])
    }
  }

  return socket
}

/** Whether the same call may succeed later: after a timeout, too many calls, or an error of the server. */
function isPassing(code = 0): boolean {
  return code === 408 || code === 429 || code >= 500
}
