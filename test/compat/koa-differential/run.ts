import { once } from 'node:events'
import { createServer } from 'node:http'
import { io, type Socket } from 'socket.io-client'
import { toUrl } from '../../support/server.ts'
import { ask, next, open } from '../../support/sockets.ts'
import { createApplication, type Step } from './application.ts'
import { type Call, calls } from './calls.ts'
import type { Library } from './libraries.ts'

/** The responses by the name of the call, and the events that each socket got. */
export interface Outcome {
  readonly responses: ReadonlyMap<string, unknown>
  readonly events: { readonly [client: string]: readonly unknown[] }
}

/** Makes the calls of a script to an application of a library. */
export async function run(library: Library, step: Step = 'hooks', script = calls): Promise<Outcome> {
  const app = await createApplication(library, step)
  const server = createServer(app.callback())

  await app.setup(server)

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  const url = toUrl(server)
  const clients = { first: await connect(url), second: await connect(url) }
  const events: { [client: string]: unknown[] } = { first: [], second: [] }
  const tokens: { [caller: string]: string } = { forged: 'a.forged.token' }
  const responses = new Map<string, unknown>()

  for (const [name, socket] of Object.entries(clients)) {
    socket.onAny((event: string, data: unknown) => {
      // Ours says from time to time how far the events go.
      if (event === '$position') return

      if (event !== 'fence') events[name]?.push([event, normalize(data)])
    })
  }

  for (const [name, call] of script) {
    const response = await make(call, url, tokens, clients)

    if (name === 'a login') tokens.ada = response.body.accessToken
    if (name === 'another login') tokens.bob = response.body.accessToken

    responses.set(name, normalize(response))
    await settle(app, clients)
  }

  for (const socket of Object.values(clients)) socket.close()
  await app.teardown()
  server.closeAllConnections()
  server.close()
  await app.get('sqliteClient').destroy()

  return { responses, events }
}

async function connect(url: string): Promise<Socket> {
  const socket = io(url, { transports: ['websocket'], forceNew: true, autoConnect: false })

  await open(socket)

  return socket
}

async function make(
  call: Call,
  url: string,
  tokens: { [caller: string]: string },
  clients: { first: Socket; second: Socket }
): Promise<any> {
  if (call.kind === 'message') {
    const [error, result] = await ask(clients[call.client], ...(call.message as [string, ...unknown[]]))

    return error ? { error } : { result }
  }

  const { method, path, body, as, headers } = call
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(as && tokens[as] && { Authorization: `Bearer ${tokens[as]}` }),
      ...headers
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) })
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') && text !== ''
  const location = response.headers.get('location')

  return {
    status: response.status,
    body: isJson ? JSON.parse(text) : text,
    ...(location !== null && { location })
  }
}

/** Waits until everything that was published has arrived. */
async function settle(app: any, clients: { [name: string]: Socket }): Promise<void> {
  const arrived = Object.values(clients).map((socket) => next(socket, 'fence'))

  app.io.emit('fence')
  await Promise.all(arrived)
}

const VOLATILE = ['accessToken', 'createdAt', 'iat', 'exp', 'jti', 'stack']

/** Replaces what differs between two runs of the same library, and leaves out the fingerprint that only our tokens have. */
function normalize(value: unknown): unknown {
  const text = JSON.stringify(value, (name, inner) => {
    if (name === 'fingerprint') return undefined

    return VOLATILE.includes(name) && inner !== undefined ? `<${name}>` : inner
  })

  return JSON.parse(text.replace(/\$2b\$[^']+/g, '<hash>'))
}
