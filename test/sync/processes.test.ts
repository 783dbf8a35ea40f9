import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import bcrypt from 'bcryptjs'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { describeOwnRedis, startRedis } from '../support/redis.ts'
import { scaled } from '../support/scale.ts'
import { ask, connectSocket } from '../support/sockets.ts'
import { until } from '../support/until.ts'

const PASSWORD = 'correct horse'
/** One for each test, as it is another one afterwards. */
const USERS = [1, 2, 3, 4].map((id) => ({ id, email: `wren${id}@example.org` }))
const ROOMS = 4
const CLIENTS = 20
/** Of each process. */
const RECORDS = 10

interface ServerProcess {
  readonly url: string
  readonly child: ChildProcess
  /** Has the process do something; resolves to what comes of it. */
  run(name: string, argument?: unknown): Promise<any>
}

/** Registers what ends something. */
type WhenDone = (end: () => void | Promise<void>) => void

/** The users of several processes: a file. */
async function createUsers(whenDone: WhenDone): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'alula-users-'))
  const file = join(folder, 'users.json')

  whenDone(() => rm(folder, { recursive: true }))
  await writeFile(file, JSON.stringify(USERS.map((user) => ({ ...user, password: passwordHash }))))

  return file
}

/** Starts a server in a process of its own, which ends with the test where nothing else is said. */
async function startServer(
  redis: string,
  users = '',
  whenDone: WhenDone = onTestFinished
): Promise<ServerProcess> {
  const child = fork(resolve(import.meta.dirname, 'server.mjs'), {
    execArgv: [],
    env: {
      ...process.env,
      REDIS_URL: redis,
      ROOMS: String(ROOMS),
      USERS_FILE: users,
      NODE_ENV: 'production'
    }
  })

  whenDone(() => void child.kill('SIGKILL'))

  async function hear(name: string): Promise<any> {
    for (;;) {
      const [message] = await once(child, 'message')

      if (message.name === name) return message.result
    }
  }

  return {
    child,
    url: await hear('listening'),
    run: async (name, argument) => {
      const answer = hear(name)

      child.send({ name, argument })

      return answer
    }
  }
}

const passwordHash = bcrypt.hashSync(PASSWORD, 4)

/** What a client heard: the numbers of the changes by record. */
function listen(socket: Socket): Map<number, number[]> {
  const heard = new Map<number, number[]>()

  socket.on('items patched', ({ id, n }) => {
    const numbers = heard.get(id) ?? []

    numbers.push(n)
    heard.set(id, numbers)
  })

  return heard
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index)
}

describeOwnRedis('two processes with clients of Socket.IO', () => {
  it('whose Redis fails and forgets all: each client gets what its channels allow, once and in order, or a gap', async () => {
    const redis = await startRedis()
    const servers = await Promise.all([startServer(redis.url), startServer(redis.url)])
    const changes = Math.ceil(scaled(10_000) / RECORDS)
    const half = Math.floor(changes / 2)
    const heard: { room: number; records: Map<number, number[]> }[] = []

    for (const { url, run } of servers) {
      await run('create', 2 * RECORDS)
      for (const client of range(0, CLIENTS)) {
        const room = client % ROOMS

        heard.push({ room, records: listen(await connectSocket(url, { query: { room } })) })
      }
    }

    const patch = (from: number, to: number) =>
      Promise.all(
        servers.map(({ run }, index) =>
          run('patch', { ids: range(index * RECORDS, (index + 1) * RECORDS), from, to })
        )
      )

    await patch(0, half)

    const rest = patch(half, changes)

    await redis.kill()
    // How long it is away is what this is about.
    await pause(scaled(3000))
    await rest
    await redis.start()

    for (const { room, records } of heard) {
      const expected = range(0, 2 * RECORDS).filter((id) => id % ROOMS === room)

      await until(() => {
        expect([...records.values()].map((numbers) => numbers.at(-1))).toEqual(
          expected.map(() => changes - 1)
        )
      }, 60_000)
      expect([...records.keys()].sort((a, b) => a - b)).toEqual(expected)
      for (const numbers of records.values()) {
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b))
      }
    }

    for (const { run } of servers) {
      // What Redis had and not all had read is gone with it: that is a gap. What waited too long for Redis is another.
      await until(async () => {
        const [away, gap, back, ...later] = await run('statuses')

        expect([away, gap, back]).toEqual(['away', {}, 'back'])
        expect(later).toEqual(later.map(() => ({ services: ['items'] })))
      })
    }
  }, 120_000)

  describe('that go on', () => {
    const ends: (() => void | Promise<void>)[] = []
    const whenDone: WhenDone = (end) => void ends.push(end)
    let one: ServerProcess
    let other: ServerProcess

    beforeAll(async () => {
      const redis = await startRedis({ whenDone })
      const users = await createUsers(whenDone)

      ;[one, other] = await Promise.all([
        startServer(redis.url, users, whenDone),
        startServer(redis.url, users, whenDone)
      ])
    })
    afterAll(async () => {
      for (const end of ends.reverse()) await end()
    })

    it('a token that is revoked over REST ends all its connections in both, within a second', async () => {
      const [revoked, good] = [await logIn(one.url, 1), await logIn(one.url, 1)]
      const ending = [
        await openSession(one.url, revoked),
        await openSession(other.url, revoked),
        await openSession(other.url, revoked)
      ]
      const staying = [await openSession(other.url, good), await connectSocket(other.url)]
      const begin = performance.now()
      const response = await fetch(`${one.url}/authentication`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${revoked}` }
      })

      expect(response.status).toBe(200)
      await until(() => expect(ending.map(({ connected }) => connected)).toEqual([false, false, false]))
      expect(performance.now() - begin).toBeLessThan(15_000)

      for (const socket of staying)
        expect((await ask(socket, 'find', 'items')).slice(0, 2)).toEqual([null, []])

      const [error] = await ask(staying[1] as Socket, 'create', 'authentication', {
        strategy: 'jwt',
        accessToken: revoked
      })

      expect(error).toMatchObject({ name: 'NotAuthenticated', code: 401 })
    })

    it.each([
      ['has a new password', 2, 'patchUser', { id: 2, data: { password: bcrypt.hashSync('another', 4) } }],
      ['was removed', 3, 'removeUser', 3],
      ['is not active any more', 4, 'patchUser', { id: 4, data: { banned: true } }]
    ])(
      'a user who %s loses all idle connections in both, within a second',
      async (_title, id, command, argument) => {
        const tokens = [await logIn(one.url, id), await logIn(one.url, id)] as const
        const sockets = await Promise.all([
          openSession(one.url, tokens[0]),
          openSession(other.url, tokens[0]),
          openSession(other.url, tokens[1])
        ])
        const nobody = await connectSocket(other.url)

        await one.run('patchUser', { id, data: { name: 'Wren' } })

        for (const socket of sockets)
          expect((await ask(socket, 'find', 'items')).slice(0, 2)).toEqual([null, []])

        const begin = performance.now()

        await one.run(command, argument)
        await until(() => expect(sockets.map(({ connected }) => connected)).toEqual([false, false, false]))
        expect(performance.now() - begin).toBeLessThan(15_000)
        expect(nobody.connected).toBe(true)
      }
    )
  })

  it.each([
    ['', false],
    ['while Redis is away', true]
  ])('each ends by itself after its teardown %s', async (_title, isAway) => {
    const redis = await startRedis()
    const { child, run } = await startServer(redis.url)

    if (isAway) {
      await redis.kill()
      await until(async () => expect(await run('statuses')).toEqual(['away']))
    }

    const exit = once(child, 'exit')

    child.send({ name: 'end' })
    expect(await exit).toEqual([0, null])
  })
})

/** Logs the user with an id in. */
async function logIn(url: string, id: number): Promise<string> {
  const email = USERS.find((user) => user.id === id)?.email
  const response = await fetch(`${url}/authentication`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ strategy: 'local', email, password: PASSWORD })
  })
  const { accessToken } = (await response.json()) as any

  return accessToken
}

/** Connects a client and logs it in. */
async function openSession(url: string, accessToken: string): Promise<Socket> {
  const socket = await connectSocket(url, { reconnection: false })
  const [error] = await ask(socket, 'create', 'authentication', { strategy: 'jwt', accessToken })

  expect(error).toBeNull()

  return socket
}
