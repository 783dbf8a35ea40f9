import type { IncomingMessage, ServerResponse } from 'node:http'

/** What Engine.IO keeps of a request: the response, unless it asks for a WebSocket. */
type EngineRequest = IncomingMessage & { readonly res?: ServerResponse }

/**
 * Refuses a handshake; its client may try again after `wait` milliseconds. Engine.IO, which is not called back, only knows the
 * statuses of a client that is wrong.
 */
export function refuseForNow(request: IncomingMessage, wait: number): void {
  const { res: response, socket } = request as EngineRequest
  const headers = {
    'Retry-After': String(Math.ceil(wait / 1000)),
    // A page of another origin may read it.
    'Access-Control-Expose-Headers': 'Retry-After',
    'Content-Length': '0'
  }

  if (response) {
    response.writeHead(503, headers).end()
  } else {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)

    socket.end(['HTTP/1.1 503 Service Unavailable', 'Connection: close', ...lines, '', ''].join('\r\n'))
  }
}
