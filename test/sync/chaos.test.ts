import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import Database from 'libsql'
import { expect, it, onTestFinished } from 'vitest'
import { createRandom } from '../support/random.ts'
import { describeOwnRedis, startRedis } from '../support/redis.ts'
import { scaled } from '../support/scale.ts'
import { until } from '../support/until.ts'
import {
  type ChaosClient,
  findDifferences,
  findFaults,
  type ServerProcess,
  startServer,
  startSocket,
  startStream
} from './chaos-support.ts'

// Two processes write, connections are cut and come back to either, a process is killed, and Redis is started anew: each
// client gets each event once and in the order of the log, or is told of a gap.

/** Of each kind. */
const CLIENTS = Math.max(3, scaled(20))
const WRITES = scaled(10_000)
const CUTS = Math.max(8, scaled(200))
const OUTAGES = Math.max(1, scaled(3))
/** The parts of the test: after each of them all clients have what was written. */
const PARTS = 10

async function createDatabase(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'alula-chaos-'))
  const path = join(folder, 'database')
  const database = new Database(path)

  onTestFinished(() => rm(folder, { recursive: true }))
  database.exec(`
    pragma journal_mode = wal;
    create table orders (id integer primary key, name text, n integer);
    create table items (id integer primary key, owner text, rev integer);
  `)
  database.close()

  return path
}

const countGaps = (clients: readonly ChaosClient[]) =>
  clients.reduce((sum, { heard }) => sum + heard.filter((event) => event === 'gap').length, 0)

/** Has a process write until all clients have the last order, which is for all of them. */
async function settle({ name, run }: ServerProcess, clients: readonly ChaosClient[]): Promise<void> {
  let count = 0

  do count = await run('write', { count: 1, clients: clients.map(({ id }) => id) })
  while ((count - 1) % 10 >= 8)

  await until(() => {
    for (const { id, heard } of clients) {
      const last = heard.findLast((order) => order !== 'gap' && order.name === name)

      expect(last, id).toEqual({ name, n: count - 1 })
    }
  })
}

describeOwnRedis('two processes whose connections are cut', () => {
  it('send each client each event once and in order, or a gap, and nothing of a channel that it has left; lists stay true', async () => {
    const seed = Number(process.env.SEED ?? Date.now() % 100_000)
    const random = createRandom(seed)
    const redis = await startRedis()
    const env = { REDIS_URL: redis.url, DATABASE: await createDatabase() }
    const servers = [
      await startServer('a', { ...env, FIRST_ID: '0' }),
      await startServer('b', { ...env, FIRST_ID: '1000000' })
    ]
    const pick = () => random.pick(servers)
    const clients = Array.from({ length: 2 * CLIENTS }, (_, index) =>
      (index % 2 === 0 ? startSocket : startStream)(`client-${index}`, pick().url)
    )
    const ids = clients.map(({ id }) => id)
    const settleAll = () => Promise.all(servers.map((server) => settle(server, clients)))
    const write = (count: number) =>
      Promise.all(servers.map(({ run }) => run('write', { count, clients: ids })))
    const left = { id: '', from: 0 }
    const times: number[] = []
    let cuts = 0
    let gapsOfOutages = 0

    console.log(`SEED=${seed}`)

    async function cutSome(count: number, written: Promise<unknown>): Promise<void> {
      for (let done = 0; done < count; done++) {
        const client = random.pick(clients)

        if (++cuts === Math.floor(CUTS / 4)) {
          left.id = client.id
          await Promise.all(servers.map(({ run }) => run('leave', client.id)))
          client.cut(pick().url)
          left.from = client.heard.length
        } else {
          client.cut(pick().url)
        }

        await pause(random.integer(30))
      }

      await written
    }

    async function failRedis(time: number, written: Promise<unknown>): Promise<void> {
      const before = countGaps(clients)

      await redis.kill()
      await pause(time)
      await redis.start()
      await written
      await settleAll()
      gapsOfOutages += countGaps(clients) - before
    }

    async function failProcess(): Promise<void> {
      const former = servers[1] as ServerProcess
      const written = servers[0]?.run('write', { count: Math.ceil(WRITES / PARTS / 4), clients: ids })

      await former.kill()

      const next = await startServer('c', { ...env, FIRST_ID: '2000000' })

      await next.run('leave', left.id)
      servers[1] = next
      for (const { lead } of clients) lead(pick().url)
      await written
    }

    await until(async () => {
      const counts = await Promise.all(servers.map(({ run }) => run('connections')))

      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(clients.length)
    })
    await settleAll()

    for (let part = 0; part < PARTS; part++) {
      const start = performance.now()
      const written = write(Math.ceil(WRITES / PARTS / 4))

      await cutSome(Math.ceil(CUTS / PARTS), written)
      if (part === 4) await failProcess()
      await settleAll()
      // Once for longer than connections wait for events of their own process.
      if (part % 3 === 2 && part < 3 * OUTAGES) await failRedis(part === 2 ? 2500 : 300, write(20))

      times.push(Math.round(performance.now() - start))
    }

    await until(async () => {
      for (const { id, app, list } of clients) {
        const items = await app.service('items').find({ query: { owner: id, $sort: { id: 1 } } })

        expect(list.getSnapshot().data, id).toEqual(items)
      }
    })

    const gapsOfCuts = countGaps(clients) - gapsOfOutages

    console.log({ times, cuts, gapsOfCuts, gapsOfOutages, events: clients.map(({ heard }) => heard.length) })
    expect(gapsOfCuts).toBeLessThan(Math.max(1, cuts * 0.05))

    for (const { id, heard, revisions } of clients) {
      const isMember = id !== left.id

      if (!isMember)
        expect(heard.slice(left.from).filter((order) => order !== 'gap' && order.n % 10 >= 8)).toEqual([])

      expect(
        findFaults(heard, (n) => n % 10 < 8 || isMember),
        id
      ).toEqual([])
      for (const other of clients)
        expect(findDifferences(heard, other.heard), `${id}, ${other.id}`).toEqual([])

      for (const [item, revs] of revisions)
        expect(revs, `of item ${item}`).toEqual([...new Set(revs)].sort((a, b) => a - b))
    }
  }, 900_000)
})
