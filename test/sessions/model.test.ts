import { describe, expect, it, onTestFinished } from 'vitest'
import { createSessionTable, kysely } from '../../src/kysely.ts'
import { toRedisSettings } from '../../src/redis/options.ts'
import { RedisSessionStore } from '../../src/sessions/redis-store.ts'
import { ServiceSessionStore } from '../../src/sessions/service-store.ts'
import type { SessionStore } from '../../src/sessions/types.ts'
import { createRandom } from '../support/random.ts'
import { createPrefix, describeRedis, REDIS_URL } from '../support/redis.ts'
import { scaled } from '../support/scale.ts'
import { describeDatabases } from '../support/sql.ts'
import { createApp, createShared, DAY, MINUTE, type Shared, stopClock, WREN } from './app.ts'
import { IDLE, LIFETIME, World } from './world.ts'

const SEED = Number(process.env.TEST_SEED ?? Math.floor(Math.random() * 2 ** 31))

const STEPS = 25

const TIMES = [1000, 9000, 11_000, 10 * MINUTE, 20 * MINUTE, 0.9 * DAY, -4000]

async function step(world: World): Promise<void> {
  const { random, clock } = world
  const session = world.live

  if (session && session.stolen === undefined) expect(await world.find(session)).toMatchObject(session.row)

  if (session && world.isPast(session)) {
    await expect(world.process.refresh(session.stored.refreshToken)).rejects.toMatchObject({ code: 401 })
    session.isOver = true
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
          'connect',
          'connect',
          'talk',
          'talk',
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
    case 'connect':
      return world.connect(session)
    case 'talk':
      return world.talk(session)
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

/**
 * Two processes with one store.
 *
 * @param count How many sequences there are
 * @param refresh Options of sessions
 * @param open Returns the store, for what the rows have to be
 * @param sessions The service that keeps sessions; one in memory when left out
 */
async function run(
  count: number,
  refresh: object,
  open: (shared: Shared) => Promise<SessionStore>,
  sessions?: object
): Promise<void> {
  const clock = stopClock()
  const shared = { ...createShared(), ...(sessions && { sessions }) }
  const options = {
    shared,
    refresh: { expiresIn: LIFETIME / 1000, idle: IDLE / 1000, limit: 1000, ...refresh }
  }
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

describeDatabases(`the same in a table (TEST_SEED=${SEED})`, (database) => {
  it('is so', async () => {
    const db = database.open()
    const { up, down } = createSessionTable('alula_session_model')

    await db.schema.dropTable('alula_session_model').ifExists().execute()
    await up(db)
    onTestFinished(async () => {
      await down?.(db)
      await db.destroy()
    })

    const sessions: any = kysely({ Model: db, name: 'alula_session_model', id: 'id' })

    await run(scaled(500), {}, async () => new ServiceSessionStore(sessions), sessions)
  }, 3_600_000)
})
