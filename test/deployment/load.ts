import { once } from 'node:events'
import { Agent, request } from 'node:https'
import { io } from 'socket.io-client'
import { onTestFinished } from 'vitest'
import { alula, authentication, socketio } from '../../src/client.ts'

/** Where calls go. */
export interface Target {
  /** The origin, such as `https://localhost:4430`. */
  readonly origin: string
  /** What paths begin with. */
  readonly prefix: string
  /** The certificate of the origin. */
  readonly ca: string
}

/** What clients did and got until they were stopped. */
export interface Load {
  /** How many calls have succeeded. */
  readonly succeeded: () => number
  /** What failed, as sentences. */
  readonly failures: readonly string[]
  /** The texts that were created. */
  readonly created: readonly string[]
  /** The texts of the events that each socket got. */
  readonly received: readonly (readonly string[])[]
  /** How often a socket has lost its connection. */
  readonly disconnects: () => number
  /** Lets the calls in flight end. */
  stop(): Promise<void>
}

export interface Reply {
  readonly status: number
  readonly body: any
}

/** Sends a request with JSON over a connection of an agent; rejects where no response comes. */
export async function send(
  { origin, prefix, ca }: Target,
  method: string,
  path: string,
  { agent, token, json }: { agent?: Agent; token?: string; json?: unknown } = {}
): Promise<Reply> {
  const sent = request(`${origin}${prefix}${path}`, {
    method,
    ca,
    ...(agent && { agent }),
    headers: {
      ...(token && { Authorization: `Bearer ${token}` }),
      ...(json !== undefined && { 'Content-Type': 'application/json' })
    }
  })

  sent.end(json === undefined ? undefined : JSON.stringify(json))

  const [response] = await once(sent, 'response')
  const text = (await response.toArray()).join('')

  return { status: response.statusCode, body: text.startsWith('{') ? JSON.parse(text) : text }
}

/** Makes clients call without a pause, over HTTP and over sockets. */
export async function startLoad(
  target: Target,
  login: { readonly email: string; readonly password: string },
  { http = 4, sockets = 3 } = {}
): Promise<Load> {
  const failures: string[] = []
  const created: string[] = []
  const received: string[][] = []
  let succeeded = 0
  let disconnects = 0
  let isStopped = false

  async function repeat(name: string, call: (text: string) => Promise<void>): Promise<void> {
    for (let count = 0; !isStopped; count++) {
      const text = `${name} ${count}`

      try {
        await call(text)
        succeeded++
      } catch (error) {
        failures.push(`${text}: ${error}`)
      }
    }
  }

  async function callOverHttp(name: string): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const { body } = await send(target, 'POST', '/authentication', { json: { strategy: 'local', ...login } })
    const token = body.accessToken

    await repeat(name, async (text) => {
      const { status, body } = await send(target, 'POST', '/notes', { agent, token, json: { text } })

      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
      created.push(text)

      const read = await send(target, 'GET', `/notes/${body.id}`, { agent, token })

      if (read.body.text !== text) throw new Error(`${read.status} ${JSON.stringify(read.body)}`)
    })
    agent.destroy()
  }

  async function connectSocket(): Promise<(name: string) => Promise<void>> {
    const socket = io(target.origin, {
      path: `${target.prefix}/socket.io`,
      transports: ['websocket'],
      ca: target.ca,
      forceNew: true,
      reconnectionDelay: 50
    } as any)
    const client = alula().configure(socketio(socket)).configure(authentication())
    const notes = client.service('notes')
    const texts: string[] = []

    onTestFinished(() => void socket.disconnect())
    received.push(texts)
    await client.authenticate({ strategy: 'local', ...login })
    notes.on('created', ({ text }: { text: string }) => texts.push(text))
    socket.on('disconnect', () => disconnects++)

    return (name) =>
      repeat(name, async (text) => {
        await notes.create({ text })
        created.push(text)
      })
  }

  const connected = await Promise.all(Array.from({ length: sockets }, connectSocket))
  const running = [
    ...connected.map((call, index) => call(`socket ${index}`)),
    ...Array.from({ length: http }, (_, index) => callOverHttp(`http ${index}`))
  ]

  return {
    failures,
    created,
    received,
    succeeded: () => succeeded,
    disconnects: () => disconnects,
    async stop() {
      isStopped = true
      await Promise.all(running)
    }
  }
}
