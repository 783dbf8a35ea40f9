import { expect, it, onTestFinished } from 'vitest'
import { socketio as connectTo } from '../../src/client.ts'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { socketio } from '../../src/socketio.ts'
import { sync } from '../../src/sync.ts'
import { createRandom } from '../support/random.ts'
import { describeOwnRedis, startRedis } from '../support/redis.ts'
import { scaled } from '../support/scale.ts'
import { serve } from '../support/server.ts'
import { createSocket } from '../support/sockets.ts'
import { until } from '../support/until.ts'

// Two processes write, connections are cut and come back to either, and Redis is started anew: each client gets each event
// once and in order, or is told of a gap.

const CLIENTS = 8

/** A process that writes pairs of records, each pair by one call. */
async function startProcess(redis: string, name: string, left: ReadonlySet<string>) {
  const app: any = alula()

  app.configure(socketio({ logger: false })).configure(sync({ redis, prefix: 'chaos' }))
  app.use('notes', memory({ multi: true }))
  app.on('error', () => undefined)
  app.on('connection', async (connection: any) => {
    const client = connection.headers['x-client']

    // As if a database was asked.
    await new Promise(setImmediate)
    app.channel('all').join(connection)
    if (!left.has(client)) app.channel('members').join(connection)
  })
  app.service('notes').publish(({ n }: any) => app.channel(n % 10 < 8 ? 'all' : 'members'))

  const url = await serve(app)
  let n = 0

  return {
    url,
    async write() {
      await app.service('notes').create([
        { name, n },
        { name, n: n + 1 }
      ])
      n += 2
    },
    count: () => n,
    countConnections: () => app.channel('all').length
  }
}

type Written = { readonly name: string; readonly n: number }

function startClient(id: string, url: string) {
  const socket = createSocket(url, {
    autoConnect: true,
    reconnection: true,
    reconnectionDelay: 1,
    reconnectionDelayMax: 10,
    extraHeaders: { 'X-Client': id }
  })
  const app: any = alula().configure(connectTo(socket))
  const heard: (Written | 'gap')[] = []

  app.service('notes').on('created', ({ name, n }: Written) => heard.push({ name, n }))
  app.on('gap', () => heard.push('gap'))
  onTestFinished(() => void socket.close())

  return {
    id,
    heard,
    /** Loses its connection, and comes back to a process. */
    cut(next: string) {
      ;(socket.io as any).uri = next
      socket.io.engine?.close()
    }
  }
}

/** Expects that events of each process came once and in order, that pairs were not apart, and none was missing without a gap. */
function expectOrder(heard: readonly (Written | 'gap')[], isExpected: (n: number) => boolean): void {
  const next = new Map<string, number>()
  let isAfterGap = false

  for (const event of heard) {
    if (event === 'gap') {
      isAfterGap = true
      continue
    }

    const { name, n } = event
    const last = next.get(name) ?? -1

    expect(n, `once and in order: ${JSON.stringify(heard.slice(-40))}`).toBeGreaterThan(last)

    const between = Array.from({ length: n - last - 1 }, (_, index) => last + 1 + index).filter(isExpected)

    if (!isAfterGap) expect(between, 'missing without a gap').toEqual([])

    next.set(name, n)
  }
}

describeOwnRedis('two processes whose connections are cut', () => {
  it('send each client each event once and in order, or a gap, and nothing of a channel that it has left', async () => {
    const seed = Number(process.env.SEED ?? Date.now() % 100_000)
    const random = createRandom(seed)
    const redis = await startRedis()
    const left = new Set<string>()
    const processes = [
      await startProcess(redis.url, 'a', left),
      await startProcess(redis.url, 'b', left)
    ] as const
    const pick = () => random.pick(processes)
    const clients = Array.from({ length: CLIENTS }, (_, index) => startClient(`client ${index}`, pick().url))
    const rounds = Math.ceil(scaled(5000) / 2)
    const cuts = Math.max(10, scaled(200))
    let leftAt = -1

    console.log(`SEED=${seed}`)
    await until(() =>
      expect(processes.reduce((sum, { countConnections }) => sum + countConnections(), 0)).toBe(CLIENTS)
    )
    for (const { write } of processes) await write()
    await until(() => expect(clients.map(({ heard }) => heard.length >= 4)).not.toContain(false))

    for (let round = 0, cut = 0; round < rounds; round++) {
      await pick().write()

      if (random.chance(cuts / rounds)) {
        const client = random.pick(clients)

        client.cut(pick().url)

        if (++cut === 5) {
          left.add(client.id)
          leftAt = client.heard.length
        }
      }
      if (random.chance(0.3)) await new Promise((resolve) => setTimeout(resolve, 2))
    }

    for (const { write } of processes) await write()

    const ends = processes.map(({ count }) => count() - 2).filter((n) => n % 10 < 8)

    await until(() => {
      for (const { heard } of clients) {
        for (const name of ['a', 'b']) {
          const last = heard.findLast((event) => event !== 'gap' && event.name === name) as Written

          expect(last.n).toBeGreaterThanOrEqual(Math.min(...ends) - 10)
        }
      }
    })

    const gaps = clients.flatMap(({ heard }) => heard.filter((event) => event === 'gap'))

    expect(gaps.length).toBeLessThan(Math.max(1, cuts * 0.05))

    for (const { id, heard } of clients) {
      if (left.has(id)) {
        expect(heard.slice(leftAt).filter((event) => event !== 'gap' && event.n % 10 >= 8)).toEqual([])
        expectOrder(heard, (n) => n % 10 < 8)
      } else {
        expectOrder(heard, () => true)
      }
    }
  }, 120_000)
})
