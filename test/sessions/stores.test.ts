import { describe, expect, it } from 'vitest'
import { kysely } from '../../src/kysely.ts'
import { memory } from '../../src/memory.ts'
import { MemorySessionStore } from '../../src/sessions/memory-store.ts'
import { ServiceSessionStore } from '../../src/sessions/service-store.ts'
import type { SessionStore, StoredSession } from '../../src/sessions/types.ts'
import { createTable, describeDatabases } from '../support/sql.ts'
import { configureSessions } from './app.ts'

const SESSION: StoredSession = {
  id: '5f0c3c5e-8f5c-4d0f-9d8e-0f6d6c0b6a11',
  userId: '1',
  counter: 1,
  seen: 0,
  refused: 0,
  fingerprints: '{"local":"a fingerprint"}',
  loginAt: 1_800_000_000_000,
  refreshedAt: 1_800_000_000_000,
  expiresAt: 1_802_592_000_000,
  device: null,
  address: '192.0.2.1'
}

/** What each store has to do. */
function testStore(open: () => Promise<SessionStore>): void {
  it('returns what was stored, by id and by user', async () => {
    const store = await open()

    await store.create(SESSION)
    await store.create({ ...SESSION, id: 'f3bb4a1c-5a7d-4a53-8f5a-5a0f4c3d2b1e', userId: '2' })
    expect(await store.get(SESSION.id)).toEqual(SESSION)
    expect(await store.get('00000000-0000-4000-8000-000000000000')).toBeUndefined()
    expect(await store.findByUser('1')).toEqual([SESSION])
    expect(await store.findByUser('3')).toEqual([])
  })

  it('lets one of sixty rivals change a session', async () => {
    const store = await open()

    await store.create(SESSION)

    for (let counter = 1; counter < 5; counter++) {
      const all = await Promise.all(
        Array.from({ length: 60 }, (_, rival) =>
          store.update(SESSION.id, { counter, refused: 0 }, { counter: counter + 1, seen: rival })
        )
      )

      expect(all.filter(Boolean)).toHaveLength(1)
      expect(await store.get(SESSION.id)).toMatchObject({ counter: counter + 1, seen: all.indexOf(true) })
    }
  })

  it('lets one of sixty remove a session, which is never changed again', async () => {
    const store = await open()

    await store.create(SESSION)

    const all = await Promise.all(Array.from({ length: 60 }, () => store.remove(SESSION.id)))

    expect(all.filter(Boolean)).toHaveLength(1)
    expect(await store.update(SESSION.id, {}, { seen: 1 })).toBe(false)
    expect(await store.findByUser('1')).toEqual([])
  })
}

describe('sessions in memory', () => {
  testStore(async () => new MemorySessionStore())

  it('are forgotten when they are over', async () => {
    const store = new MemorySessionStore(() => SESSION.expiresAt)

    for (let index = 0; index < 5000; index++) {
      await store.create({ ...SESSION, id: `${index}`, userId: `${index}` })
    }

    expect(store.size).toBeLessThan(1024)
  })
})

describe('sessions in a service', () => {
  testStore(async () => new ServiceSessionStore(memory() as any))
})

describeDatabases('sessions in a table', (database) => {
  testStore(async () => {
    const { text } = database
    const [id, user] = database.name === 'MariaDB' ? ['varchar(36)', 'varchar(255)'] : [text, text]
    const quote = (name: string) => (database.name === 'MariaDB' ? `\`${name}\`` : `"${name}"`)
    const times = ['loginAt', 'refreshedAt', 'expiresAt'].map((name) => `${quote(name)} bigint not null`)
    const db = await createTable(
      database,
      'alula_sessions',
      `id ${id} primary key, ${quote('userId')} ${user} not null, counter bigint not null, seen bigint not null,
      refused bigint not null, fingerprints ${text}, ${times.join(', ')}, device ${text}, address ${text}`
    )

    return new ServiceSessionStore(kysely({ Model: db, name: 'alula_sessions', id: 'id' }) as any)
  })
})

describe('an application does not start', () => {
  async function start(options: object, register: (app: any) => void = () => undefined): Promise<void> {
    const { alula } = await import('../../src/index.ts')
    const app = alula()

    configureSessions(app, options)
    register(app)
    await app.setup()
    await app.teardown()
  }

  it.each<[string, object, RegExp]>([
    ['without a store of revoked tokens', { revocation: false }, /remove 'revocation: false'/],
    ['without an entity', { entity: null }, /needs an 'entity'/],
    ['with an unknown option', { refresh: { idel: '1d' } }, /Did you mean 'idle'/],
    ['with a time without a unit', { refresh: { idle: '14' } }, /'refresh.idle'/],
    ['with a negative grace', { refresh: { grace: -1 } }, /'refresh.grace'/],
    ['with no session at all', { refresh: { limit: 0 } }, /'refresh.limit'/],
    [
      'with tokens that outlive the idle end',
      { refresh: { accessExpiresIn: '2d', idle: '1d' } },
      /accessExpiresIn/
    ]
  ])('%s', async (_name, options, message) => {
    await expect(start(options)).rejects.toThrow(message)
  })

  it('with a store that clients can reach, or that is no adapter', async () => {
    const refresh = { store: 'stored' }

    await expect(start({ refresh }, (app) => app.use('stored', memory()))).rejects.toThrow(/methods: \[\]/)
    await expect(
      start({ refresh }, (app) => app.use('stored', { find: async () => [] }, { methods: [] }))
    ).rejects.toThrow(/expected an adapter/)
  })
})
