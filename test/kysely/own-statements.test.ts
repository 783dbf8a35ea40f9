import { Kysely, PostgresDialect, sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { alula } from '../../src/index.ts'
import {
  getTransaction,
  kysely,
  postgres,
  registerDialect,
  toFeathersError,
  transaction,
  withTransaction
} from '../../src/kysely.ts'
import {
  createTable,
  describeDatabases,
  MARIADB,
  openPool,
  POSTGRES,
  POSTGRES_URL,
  SQLITE,
  type TestDatabase
} from '../support/sql.ts'
import { nextWarning } from '../support/warnings.ts'

const STALEMATE = /^This statement would wait for ever for the connection that its own transaction has/

async function open(database: TestDatabase, instance?: Kysely<any>) {
  const { countedId, text } = database
  const owner = await createTable(database, 'alula_own', `id ${countedId}, name ${text} unique`)
  const db = instance ?? owner
  const app = alula()
  const heard: string[] = []

  app.use('people', kysely({ Model: db, name: 'alula_own', multi: true }))
  app.service('people').on('created', ({ name }: any) => heard.push(name))

  const people: any = app.service('people')
  const insert = (on: Kysely<any>, name: string) => on.insertInto('alula_own').values({ name }).execute()
  const names = async () =>
    (await people.find({ query: { $sort: { name: 1 } } })).map(({ name }: any) => name)

  return { app, db, people, heard, insert, names }
}

describeDatabases('statements of one’s own in a transaction', (database) => {
  it('are stored with those of services, and taken back with them', async () => {
    const { db, people, heard, insert, names } = await open(database)

    const result = await withTransaction(db, async (trx) => {
      await insert(trx, 'Ada')
      await people.create({ name: 'Bob' })
      expect(await trx.selectFrom('alula_own').select('name').execute()).toHaveLength(2)

      return 'done'
    })

    await expect(
      withTransaction(db, async (trx) => {
        await people.create({ name: 'Cyd' })
        await insert(trx, 'Dan')
        throw new Error('no')
      })
    ).rejects.toThrow('no')

    expect([result, await names(), heard]).toEqual(['done', ['Ada', 'Bob'], ['Bob']])
  })

  it('find it with getTransaction: in withTransaction(app), in hooks, and where there is none', async () => {
    const { app, db, people, insert, names } = await open(database)

    people.hooks({
      before: { create: [async ({ data }: any) => insert(await getTransaction(db), `${data.name}’s log`)] }
    })
    await people.create({ name: 'Ada' })
    await withTransaction(app, async () => {
      await insert(await getTransaction(db), 'Bob')
      await people.create({ name: 'Cyd' })
      throw new Error('no')
    }).catch(() => undefined)

    expect(await getTransaction(db)).toBe(db)
    expect(await names()).toEqual(['Ada', 'Ada’s log'])
  })

  it('find that of transaction.start() by the params', async () => {
    const { db, people, insert, names } = await open(database)

    people.hooks({
      before: {
        create: [
          transaction.start(),
          async ({ data, params }: any) => insert(await getTransaction(db, params), `${data.name}’s log`)
        ]
      },
      after: { create: [transaction.end()] },
      error: { create: [transaction.rollback()] }
    })
    await people.create({ name: 'Ada' })
    await expect(people.create({ name: 'Ada’s log' })).rejects.toMatchObject({ code: 409 })

    expect(await names()).toEqual(['Ada', 'Ada’s log'])
  })

  it('are not taken back with a call that fails at the same time', async () => {
    const { db, people, insert, names } = await open(database)

    await people.create({ name: 'Ada' })
    await withTransaction(db, async (trx) => {
      const calls = [1, 2, 3].flatMap((number) => [
        people.create([{ name: `with ${number}` }, { name: 'Ada' }]).catch(() => undefined),
        insert(trx, `own ${number}`)
      ])

      await Promise.all(calls)
    })

    expect(await names()).toEqual(['Ada', 'own 1', 'own 2', 'own 3'])
  })

  it('are in the savepoint of the inner function, and wait for it when they are not', async () => {
    const { app, db, people, heard, insert, names } = await open(database)

    await withTransaction(app, async () => {
      await people.create({ name: 'Ada' })

      const outer = await getTransaction(db)
      let isInside = false

      await Promise.all([
        withTransaction(db, async (trx) => {
          isInside = true
          await insert(trx, 'Bob')
          await people.create({ name: 'Cyd' })
          throw new Error('no')
        }).catch(() => undefined),
        expect
          .poll(() => isInside)
          .toBe(true)
          .then(() => insert(outer, 'Dan'))
      ])
    })

    expect([await names(), heard]).toEqual([['Ada', 'Dan'], ['Ada']])
  })

  it('are refused after its end', async () => {
    const { db, insert, names } = await open(database)
    let kept: any

    await withTransaction(db, async (trx) => {
      kept = trx
      await insert(trx, 'Ada')
    })

    await expect(insert(kept, 'Bob')).rejects.toMatchObject({ name: 'Unavailable' })
    expect(await names()).toEqual(['Ada'])
  })

  it('cannot be in one of another database', async () => {
    const [one, other] = [await open(database), await open(database, reopen(database))]

    await expect(
      withTransaction(one.db, () => withTransaction(other.db, (trx) => other.insert(trx, 'Ada')))
    ).rejects.toMatchObject({ name: 'GeneralError' })
    await expect(withTransaction(one.db, () => getTransaction(other.db))).rejects.toMatchObject({
      name: 'GeneralError'
    })
  })

  it('have errors that a client may see, by toFeathersError', async () => {
    const { db, insert } = await open(database)

    await insert(db, 'Ada')

    const taken = await insert(db, 'Ada').catch((error) => error)
    const conflict = toFeathersError(taken)
    const unknown = toFeathersError(await sql`select nothing`.execute(db).catch((error) => error))

    expect(conflict).toMatchObject({ name: 'Conflict', code: 409, cause: taken })
    expect(JSON.stringify(conflict)).not.toContain('alula_own')
    expect(unknown).toMatchObject({ name: 'GeneralError', code: 500 })
    expect(toFeathersError(conflict)).toBe(conflict)
    for (const odd of [undefined, null, 'x', 7, {}]) {
      expect(toFeathersError(odd)).toMatchObject({ code: 500, cause: odd })
    }
  })
})

function reopen(database: TestDatabase): Kysely<any> {
  const db = database.open()

  onTestFinished(() => db.destroy())

  return db
}

describeDatabases(
  'a statement that would wait for its own transaction',
  (database) => {
    it('is an error at once, however it is made, and the transaction goes on', async () => {
      const { app, db, people, insert, names } = await open(database)

      await withTransaction(app, async () => {
        await people.create({ name: 'Ada' })
        for (const run of [
          () => insert(db, 'Bob'),
          () => insert(db.withSchema('main'), 'Bob'),
          () => insert(db.withoutPlugins(), 'Bob'),
          () => db.transaction().execute((trx) => insert(trx, 'Bob')),
          () => db.startTransaction().execute(),
          () => db.connection().execute((connection) => insert(connection, 'Bob')),
          () => withTransaction(db, () => insert(db, 'Bob'))
        ]) {
          await expect(run()).rejects.toThrow(STALEMATE)
        }
        await people.create({ name: 'Cyd' })
      })
      await Promise.all([
        withTransaction(app, async () => {
          // It waits for the connection that the transaction is about to get.
          const begun = getTransaction(db)

          await expect(insert(db, 'Eve')).rejects.toThrow(STALEMATE)
          await insert(await begun, 'Dan')
        }),
        insert(db, 'Fay')
      ])

      expect(await names()).toEqual(['Ada', 'Cyd', 'Dan', 'Fay'])
    })
  },
  [SQLITE]
)

describeDatabases(
  'a statement that would wait for the transaction of its hooks',
  (database) => {
    it('is an error at once in every hook, and the transaction goes on', async () => {
      const { db, people, insert, names } = await open(database)
      const errors: string[] = []
      const tryWith =
        (run: (context: any) => Promise<unknown>): ((context: any) => Promise<void>) =>
        async (context) => {
          await run(context).catch((error: Error) => errors.push(error.message))
        }
      const wait = tryWith(() => insert(db, 'no'))

      people.hooks({
        before: {
          create: [
            transaction.start(),
            wait,
            tryWith(() => people.patch(null, { name: 'no' })),
            tryWith(() => people.create({ name: 'no' })),
            async ({ data, params }: any) => insert(await getTransaction(db, params), `${data.name}’s log`)
          ]
        },
        after: { create: [wait, transaction.end()] },
        error: { create: [wait, transaction.rollback()] }
      })
      await people.create({ name: 'Ada' })
      await expect(people.create({ name: 'Ada’s log' })).rejects.toMatchObject({ code: 409 })

      expect(errors).toHaveLength(10)
      for (const error of errors) {
        expect(error).toMatch(
          'This statement would wait for ever for the connection that its own transaction has'
        )
        expect(error).toMatch('await getTransaction(db, context.params)')
      }
      expect(await names()).toEqual(['Ada', 'Ada’s log'])
    })

    it('is none beside the call, after its end, and where no transaction was begun', async () => {
      const { db, people, insert, names } = await open(database)

      people.hooks({
        before: {
          create: [async ({ data }: any) => insert(db, `before ${data.name}`), transaction.start()]
        },
        after: {
          create: [transaction.end(), async ({ data }: any) => insert(db, `after ${data.name}`)]
        },
        error: { create: [transaction.rollback(), () => insert(db, 'failed')] }
      })

      const calls = [people.create({ name: 'Ada' }), insert(db, 'Bob'), people.create({ name: 'Bob' })]

      await insert(db, 'Cyd')
      await Promise.allSettled(calls)
      expect(await names()).toEqual(['Ada', 'Bob', 'Cyd', 'after Ada', 'before Ada', 'before Bob', 'failed'])
    })
  },
  [SQLITE]
)

describeDatabases('a statement that would wait for its own transaction', () => {
  it.each([1, 2])('is an error when all connections of a pool have one: of %s', async (max) => {
    const pool = openPool({ connectionString: POSTGRES_URL, max })
    const db = new Kysely<any>({ dialect: new PostgresDialect({ pool }) })
    const { app, people, insert, names } = await open(POSTGRES, db)

    onTestFinished(() => db.destroy())

    const outcomes = await Promise.all(
      Array.from({ length: max }, (_, index) =>
        withTransaction(app, async () => {
          await people.create({ name: `in ${index}` })

          return await insert(db, `out ${index}`).catch((error: Error) => error)
        })
      )
    )
    const failed = outcomes.filter((outcome) => outcome instanceof Error)

    expect(failed.length).toBeGreaterThan(0)
    for (const error of failed) expect(error.message).toMatch(STALEMATE)
    expect((await names()).filter((name: string) => name.startsWith('in'))).toHaveLength(max)
    expect([pool.idleCount, pool.waitingCount]).toEqual([pool.totalCount, 0])
  })

  it('is an error at once in a pool of which one says that it has one connection', async () => {
    const pool = openPool({ connectionString: POSTGRES_URL, max: 1 })
    const db = new Kysely<any>({ dialect: new PostgresDialect({ pool }) })

    registerDialect(db, { ...postgres, hasOneConnection: true })

    const { app, people, insert, names } = await open(POSTGRES, db)

    onTestFinished(() => db.destroy())
    await withTransaction(app, async () => {
      await people.create({ name: 'in' })

      const start = performance.now()

      await expect(insert(db, 'out')).rejects.toThrow(STALEMATE)
      // Elsewhere it takes a second.
      expect(performance.now() - start).toBeLessThan(900)
    })

    expect(await names()).toEqual(['in'])
  })
}, [POSTGRES])

describeDatabases(
  'a statement outside of its transaction',
  (database) => {
    it('is stored though that is rolled back, with a warning', async () => {
      const { app, db, people, insert, names } = await open(database)
      const warned = nextWarning('ALULA_OUTSIDE_TRANSACTION')

      for (let turn = 0; turn < 2; turn++) {
        await withTransaction(app, async () => {
          await people.create({ name: 'Ada' })
          await insert(db, `audit ${turn}`)
          throw new Error('no')
        }).catch(() => undefined)
      }

      expect(await names()).toEqual(['audit 0', 'audit 1'])
      await warned
    })
  },
  [POSTGRES, MARIADB]
)

describeDatabases('a statement before the first call of a transaction', (database) => {
  it('is outside of it, with a warning', async () => {
    const { app, db, people, insert, names } = await open(database)
    const warned = nextWarning('ALULA_OUTSIDE_TRANSACTION')

    await withTransaction(app, async () => {
      await insert(db, 'audit')
      await people.create({ name: 'Ada' })
      throw new Error('no')
    }).catch(() => undefined)

    expect(await names()).toEqual(['audit'])
    await warned
  })
})
