import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { toRedisSettings } from '../../src/redis/connection.ts'
import { RedisSessionStore } from '../../src/sessions/redis-store.ts'
import { ServiceSessionStore } from '../../src/sessions/service-store.ts'
import type { SessionStore, StoredSession } from '../../src/sessions/types.ts'
import { createRandom, type Random } from '../support/random.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { scaled } from '../support/scale.ts'
import { createApp, createShared, DAY, MINUTE, type Shared, stopClock, WREN } from './app.ts'

afterEach(() => vi.useRealTimers())

const SEED = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))

const STEPS = 25

type Process = Awaited<ReturnType<typeof createApp>>

/** A session as its client and a thief know it, and as it has to be. */
interface Known {
  readonly tokens: Set<string>
  readonly accessTokens: Set<string>
  /** What the tabs of the client share. */
  stored: { refreshToken: string; accessToken: string }
  /** The token that was stored before. */
  former: string | undefined
  /** Whether the client has sent that one after the current one was used. */
  isFormerRefused: boolean
  /** What a thief has copied. */
  stolen: string | undefined
  isOver: boolean
  readonly loginAt: number
  /** What the row has to hold, in part. */
  row: { counter: number; seen: number; refreshedAt: number }
}

/** A world of two processes with one store, one user with a client of many tabs, and a thief. */
class World {
  readonly processes: readonly Process[]
  readonly store: SessionStore
  readonly random: Random
  readonly clock: ReturnType<typeof stopClock>
  readonly sessions: Known[] = []
  password = WREN.password

  constructor(processes: readonly Process[], store: SessionStore, random: Random, clock: World['clock']) {
    this.processes = processes
    this.store = store
    this.random = random
    this.clock = clock
  }

  get process(): Process {
    return this.random.pick(this.processes)
  }

  get live(): Known | undefined {
    return this.sessions.findLast((session) => !session.isOver)
  }

  async logIn(): Promise<void> {
    const former = this.live
    const carried = former && this.random.chance(0.5) ? former.stored.refreshToken : undefined
    const login = await this.process.logIn({ password: this.password, refreshToken: carried })

    if (carried && former) former.isOver = true
    this.sessions.push({
      tokens: new Set([login.refreshToken]),
      accessTokens: new Set([login.accessToken]),
      stored: login,
      former: undefined,
      isFormerRefused: false,
      stolen: undefined,
      isOver: false,
      loginAt: this.clock.now(),
      row: { counter: 1, seen: 0, refreshedAt: this.clock.now() }
    })
  }

  /** As one tab, or as several at once. The response may be lost. */
  async refresh(session: Known, tabs = 1): Promise<void> {
    const { refreshToken } = session.stored
    const all = await Promise.all(Array.from({ length: tabs }, () => this.process.refresh(refreshToken)))
    const [{ refreshToken: current, accessToken }] = all

    expect(new Set(all.map((login) => login.refreshToken)).size).toBe(1)
    this.noteRefresh(session)
    for (const login of all) this.note(session, login)

    // Lost: the token before the stored one is two behind now.
    if (this.random.chance(0.3)) {
      session.former = undefined

      return
    }

    session.former = refreshToken
    session.isFormerRefused = false
    session.stored = { refreshToken: current, accessToken }
  }

  /** A tab whose request was held up: another one has stored a newer token meanwhile. */
  async sendFormer(session: Known): Promise<void> {
    if (!session.former || session.isFormerRefused) return

    try {
      this.note(session, await this.process.refresh(session.former))
    } catch (error: any) {
      expect(error.data).toEqual({ reason: 'behind' })
      session.isFormerRefused = true
    }
  }

  async use(session: Known): Promise<void> {
    const { row, stored } = session

    try {
      await this.process.use(stored.accessToken)
    } catch (error: any) {
      // After that a client refreshes: its token is old, or from before a new password.
      expect(error.message).toMatch(/jwt (expired|revoked)/)
      if (error.message === 'jwt expired') return
    }

    if (toCounter(stored.refreshToken) === row.counter && row.seen !== row.counter) {
      session.row = { ...row, seen: row.counter }
    }
  }

  /** What a thief does with a copy may end the session, or not; with a token two behind it does. */
  async steal(session: Known): Promise<void> {
    if (!session.stolen) {
      session.stolen = session.stored.refreshToken

      return
    }

    const behind = session.row.counter - toCounter(session.stolen)
    const outcome = await this.process.refresh(session.stolen).then(
      (login) => {
        this.note(session, login)
        session.stolen = login.refreshToken

        return 'in'
      },
      (error) => error.data.reason
    )

    if (behind >= 2) expect(outcome).toBe('reuse')
    if (outcome === 'reuse') session.isOver = true
    // From here on the client and the thief are two who have the session: either may end it.
    else session.isFormerRefused = true
  }

  async changePassword(session: Known): Promise<void> {
    const login = await this.process.refresh(session.stored.refreshToken)

    this.noteRefresh(session)
    this.note(session, login)
    session.stored = login
    session.former = undefined
    this.password = `password ${this.random.integer(1_000_000)}`
    await this.process.patch(login.accessToken, { password: this.password })
    session.row = { ...session.row, seen: session.row.counter }

    for (const other of this.sessions) {
      if (other !== session) other.isOver = true
    }
  }

  /** From a backup of some refreshes ago. */
  async restore(session: Known): Promise<void> {
    const { row } = session
    const { id, counter, seen, refused, fingerprints, refreshedAt } = (await this.find(
      session
    )) as StoredSession

    await this.refresh(session)
    await this.store.update(id, {}, { counter, seen, refused, fingerprints, refreshedAt })
    session.row = row
    session.former = undefined
  }

  /** One row for each login. */
  async find(session: Known): Promise<StoredSession | undefined> {
    const [id = ''] = session.stored.refreshToken.split('.')

    return this.store.get(id)
  }

  /** No token works whose session is over. */
  async assertDead(): Promise<void> {
    for (const { tokens, accessTokens } of this.sessions.filter(({ isOver }) => isOver)) {
      for (const token of tokens)
        await expect(this.process.refresh(token)).rejects.toMatchObject({ code: 401 })
      for (const token of accessTokens)
        await expect(this.process.use(token)).rejects.toMatchObject({ code: 401 })
    }
  }

  /** What a refresh with the stored token does. */
  private noteRefresh(session: Known): void {
    const counter = toCounter(session.stored.refreshToken)

    if (counter >= session.row.counter) {
      session.row = { ...session.row, counter: counter + 1, refreshedAt: this.clock.now() }
    }
  }

  private note({ tokens, accessTokens }: Known, login: any): void {
    tokens.add(login.refreshToken)
    accessTokens.add(login.accessToken)
  }
}

function toCounter(refreshToken: string): number {
  return Number(refreshToken.split('.')[1])
}

const TIMES = [1000, 9000, 11_000, 10 * MINUTE, 20 * MINUTE, 0.9 * DAY, -4000]

async function step(world: World): Promise<void> {
  const { random, clock } = world
  const session = world.live

  if (session && session.stolen === undefined) expect(await world.find(session)).toMatchObject(session.row)

  if (session) {
    const now = clock.now()

    if (now >= session.loginAt + 10 * DAY || now >= session.row.refreshedAt + 2 * DAY) {
      await expect(world.process.refresh(session.stored.refreshToken)).rejects.toMatchObject({ code: 401 })
      session.isOver = true
    }
  }

  if (!session || session.isOver) return world.logIn()

  // A thief who has refreshed may have put the client two behind.
  const isShared = session.stolen !== undefined && session.isFormerRefused
  const action = random.pick(
    isShared
      ? ['end', 'steal']
      : [
          'refresh',
          'refresh',
          'tabs',
          'use',
          'use',
          'former',
          'clock',
          'clock',
          'clock',
          'password',
          'restore',
          'steal',
          'end',
          'login'
        ]
  )

  switch (action) {
    case 'refresh':
      return world.refresh(session)
    case 'tabs':
      return world.refresh(session, 4)
    case 'use':
      return world.use(session)
    case 'former':
      return world.sendFormer(session)
    case 'clock':
      return clock.advance(random.pick(TIMES))
    case 'password':
      return world.changePassword(session)
    case 'restore':
      return world.restore(session)
    case 'steal':
      return world.steal(session)
    case 'login':
      return world.logIn()
    default:
      await world.process.logOut(session.stored.refreshToken)
      session.isOver = true
  }
}

/** Two processes with one store. */
async function run(
  count: number,
  refresh: object,
  open: (shared: Shared) => Promise<SessionStore>
): Promise<void> {
  const clock = stopClock()
  const shared = createShared()
  const options = { shared, refresh: { expiresIn: '10d', idle: '2d', limit: 1000, ...refresh } }
  const processes = [await createApp(options), await createApp(options)]
  const store = await open(shared)
  const random = createRandom(SEED)

  await processes[0]?.app.service('users').create(WREN)

  for (let index = 0; index < count; index++) {
    const world = new World(processes, store, random, clock)

    await processes[0]?.app.service('users').patch(1, { password: WREN.password })

    for (let each = 0; each < STEPS; each++) await step(world)

    await world.assertDead()
    await processes[0]?.authentication.endSessions(1)
    for (const session of world.sessions) session.isOver = !session.isOver
    await world.assertDead()
    expect(await store.findByUser('1')).toEqual([])
  }
}

describe(`sessions are as a model says, in random sequences (TEST_SEED=${SEED})`, () => {
  it('in a service', async () => {
    await run(scaled(10_000), {}, async ({ sessions }) => new ServiceSessionStore(sessions))
  }, 3_600_000)
})

describeRedis(`the same in Redis (TEST_SEED=${SEED})`, () => {
  it('is so', async () => {
    const redis = { redis: REDIS_URL, prefix: createPrefix() }

    await run(scaled(1000), { store: redis }, async () => {
      const store = new RedisSessionStore(toRedisSettings('a test', redis), 'authentication')

      await store.open()
      onTestFinished(() => store.close())

      return store
    })
  }, 3_600_000)
})
