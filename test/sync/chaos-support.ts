import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { alula, events, live, rest, socketio } from '../../src/client.ts'
import { createSocket } from '../support/sockets.ts'

/** An event of an order, which is one of a pair that one transaction has written. */
export interface Order {
  readonly name: string
  readonly n: number
}

/** A record whose events are for its owner. */
export interface Item {
  readonly id: number
  readonly owner: string
  readonly rev: number
}

/** What a client heard, in order. */
export type Heard = readonly (Order | 'gap')[]

/** A process that serves clients and writes. */
export interface ServerProcess {
  readonly name: string
  readonly url: string
  run(name: string, argument?: unknown): Promise<any>
  kill(): Promise<void>
}

/**
 * Starts a process; it ends with the test.
 *
 * @param name Its name, which its orders have
 * @param env Where Redis and the database are, and the id of its first item
 */
export async function startServer(name: string, env: { [name: string]: string }): Promise<ServerProcess> {
  const child: ChildProcess = fork(resolve(import.meta.dirname, 'chaos-server.mjs'), {
    execArgv: [],
    env: { ...process.env, NODE_ENV: 'production', NAME: name, ...env }
  })
  const replies = new Map<number, (result: any) => void>()
  const started = new Promise<string>((resolve) => replies.set(0, resolve))
  let last = 0

  child.on('message', ({ id, result }: { id: number; result: unknown }) => replies.get(id)?.(result))

  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return

    const exit = once(child, 'exit')

    child.kill('SIGKILL')
    await exit
  }

  onTestFinished(kill)

  return {
    name,
    url: await started,
    kill,
    run: (command, argument) =>
      new Promise((resolve) => {
        replies.set(++last, resolve)
        child.send({ id: last, name: command, argument })
      })
  }
}

/** A client whose connection can be cut. */
export interface ChaosClient {
  readonly id: string
  readonly heard: (Order | 'gap')[]
  /** The revisions of its items by id, as they came. */
  readonly revisions: Map<number, number[]>
  readonly app: any
  /** Its items, kept up to date. */
  readonly list: { getSnapshot(): { readonly data: readonly Item[] } }
  /** Loses its connection, and comes back to a server. */
  cut(url: string): void
  /** Comes back to another server after the next cut, whoever makes it. */
  lead(url: string): void
}

function listen(id: string, app: any, control: Pick<ChaosClient, 'cut' | 'lead'>): ChaosClient {
  const heard: (Order | 'gap')[] = []
  const revisions = new Map<number, number[]>()
  const note = ({ id: item, owner, rev }: Item) => {
    expect(owner, 'events of items are for their owner').toBe(id)
    revisions.set(item, [...(revisions.get(item) ?? []), rev])
  }

  app.service('orders').on('created', ({ name, n }: Order) => heard.push({ name, n }))
  for (const event of ['created', 'patched']) app.service('items').on(event, note)
  app.service('items').on('removed', (item: Item) => note({ ...item, rev: Number.POSITIVE_INFINITY }))
  app.on('gap', () => heard.push('gap'))

  app.configure(live())

  const list = app.live('items', { query: { owner: id, $sort: { id: 1 } } })

  return { id, heard, revisions, app, list, ...control }
}

/** A client of Socket.IO. */
export function startSocket(id: string, url: string): ChaosClient {
  const socket = createSocket(url, {
    autoConnect: true,
    reconnection: true,
    reconnectionDelay: 5,
    reconnectionDelayMax: 50,
    timeout: 1000,
    extraHeaders: { 'X-Client': id }
  })
  const lead = (next: string) => {
    ;(socket.io as any).uri = next
  }

  return listen(id, alula().configure(socketio(socket)), {
    lead,
    cut(next) {
      lead(next)
      // One that is opening would be given up after its timeout alone.
      if (socket.connected) socket.io.engine?.close()
    }
  })
}

/** A client of Server-Sent Events. */
export function startStream(id: string, first: string): ChaosClient {
  let url = first
  let connection = new AbortController()
  const reach = (address: string, { signal, ...options }: RequestInit) => {
    const { pathname, search } = new URL(address)

    // A call stays whole.
    if (!signal) return fetch(`${url}${pathname}${search}`, options)

    connection = new AbortController()

    return fetch(`${url}${pathname}${search}`, {
      ...options,
      signal: AbortSignal.any([signal, connection.signal])
    })
  }
  const app: any = alula()
    .configure(rest(first).fetch(reach, { headers: { 'X-Client': id } }))
    .configure(events())

  onTestFinished(() => app.teardown())

  return listen(id, app, {
    lead(next) {
      url = next
    },
    cut(next) {
      url = next
      connection.abort()
    }
  })
}

/**
 * What is wrong with what a client heard: orders of each process come once and in order, pairs are not apart, and none is
 * missing without a gap.
 */
export function findFaults(heard: Heard, isExpected: (n: number) => boolean): string[] {
  const faults: string[] = []
  const last = new Map<string, number>()
  /** The processes of which orders may be missing up to the next one. */
  const gaps = new Set<string>()

  for (const [index, order] of heard.entries()) {
    if (order === 'gap') {
      for (const name of last.keys()) gaps.add(name)
      continue
    }

    const { name, n } = order
    const before = last.get(name) ?? n - 1
    const missing = Array.from({ length: n - before - 1 }, (_, offset) => before + 1 + offset)
    const [other] = heard.slice(index - 1, index) as [Order | 'gap']

    if (n <= before) faults.push(`${name} ${n} after ${before}`)
    if (!gaps.delete(name) && missing.some(isExpected)) faults.push(`${name} ${n} after ${before}: missing`)
    if (n % 2 === 1 && (other === 'gap' || other.name !== name || other.n !== n - 1))
      faults.push(`${name} ${n} is apart`)

    last.set(name, n)
  }

  return faults
}

/** The orders that two clients got in another order, as far as neither had a gap in between. */
export function findDifferences(first: Heard, second: Heard): string[] {
  const places = new Map<string, { index: number; gaps: number }>()
  const toPlace = (order: Order | 'gap') =>
    order === 'gap' ? undefined : places.get(`${order.name} ${order.n}`)
  let gaps = 0

  for (const [index, order] of second.entries()) {
    if (order === 'gap') gaps++
    else places.set(`${order.name} ${order.n}`, { index, gaps })
  }

  return first.slice(1).flatMap((order, index) => {
    const [before, after] = [toPlace(first[index] as Order), toPlace(order)]
    const isSame = !before || !after || before.gaps !== after.gaps || before.index < after.index

    return isSame ? [] : [`${JSON.stringify(first[index])} before ${JSON.stringify(order)}`]
  })
}
