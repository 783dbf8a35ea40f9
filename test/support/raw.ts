import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A response as it came over the wire. */
export interface RawResponse {
  readonly status: number
  /** In the order in which they came, names as they were written. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
}

/** Opens a connection, which is closed when the test ends. */
export function openConnection(port: number | string): Socket {
  const socket = connect(Number(port), '127.0.0.1')

  // Servers close connections on requests that they refuse, with more on its way.
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())

  return socket
}

/** Sends bytes as they are, and returns the first response. The request should ask for the connection to be closed. */
export async function sendRaw(
  port: number | string,
  ...parts: readonly (string | Uint8Array)[]
): Promise<RawResponse> {
  const socket = connect(Number(port), '127.0.0.1')
  const chunks: Buffer[] = []

  socket.on('error', () => undefined)
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.write(
    Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)))
  )
  await once(socket, 'close')

  return parseResponse(Buffer.concat(chunks))
}

/** Reads a response that ends with its connection, with its length, or in chunks. */
function parseResponse(bytes: Buffer): RawResponse {
  const end = bytes.indexOf('\r\n\r\n')
  const [first = '', ...lines] = bytes.toString('latin1', 0, Math.max(end, 0)).split('\r\n')
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':')

    return [line.slice(0, colon), line.slice(colon + 1).trim()]
  })
  const find = (name: string) => headers.find(([found]) => found.toLowerCase() === name)?.[1]
  const rest = end === -1 ? bytes : bytes.subarray(end + 4)
  const length = find('content-length')
  const body = find('transfer-encoding') === 'chunked' ? readChunks(rest) : rest

  return {
    status: Number(first.split(' ')[1]),
    headers,
    body: (length === undefined ? body : body.subarray(0, Number(length))).toString()
  }
}

function readChunks(bytes: Buffer): Buffer {
  const chunks: Buffer[] = []

  for (let start = 0; ; ) {
    const end = bytes.indexOf('\r\n', start)
    const size = Number.parseInt(bytes.toString('latin1', start, end), 16)

    if (!(size > 0)) return Buffer.concat(chunks)

    chunks.push(bytes.subarray(end + 2, end + 2 + size))
    start = end + 2 + size + 2
  }
}
