import type { IncomingMessage, ServerResponse } from 'node:http'

/** What Engine.IO keeps of a request: the response, unless it asks for a WebSocket. */
type EngineRequest = IncomingMessage & { readonly res?: ServerResponse }

/**
 * Refuses a handshake for some milliseconds. Engine.IO, which is not called back then, only knows the statuses of a wrong
 * client.
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
