import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely, transaction, withTransaction } from '../../src/kysely.ts'
import { defer } from '../support/deferred.ts'
import { createTable, describeDatabases, type TestDatabase } from '../support/sql.ts'

/** Two services, and everything that listeners and clients hear: events with names, in order. */
async function open(database: TestDatabase) {
  const { countedId, text } = database
  const db = await createTable(database, 'alula_events', `id ${countedId}, name ${text} unique`)
  const app = alula()
  const heard: string[] = []
  const published: string[] = []

  app.use('people', kysely({ Model: db, name: 'alula_events', multi: true }))
  app.use('hooked', kysely({ Model: db, name: 'alula_events', multi: true }))
  app.service('hooked').hooks({
    before: { all: [transaction.start()] },
    after: { all: [transaction.end()] },
    error: { all: [transaction.rollback()] }
  })

  for (const path of ['people', 'hooked']) {
    for (const event of ['created', 'updated', 'patched', 'removed']) {
      app.service(path).on(event, ({ name }: any) => heard.push(`${event} ${name}`))
    }
  }
  app.channel('all').join({})
  app.publish(() => app.channel('all'))
  app.on('publish', (event: string, _channel: unknown, _context: unknown, { name }: any) =>
    published.push(`${event} ${name}`)
  )

  const people: any = app.service('people')
  const hooked: any = app.service('hooked')

  return { app, db, people, hooked, heard, published }
}

/** What is published comes a moment after the event. */
async function settle(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

async function fail(): Promise<never> {
  throw new Error('no')
}

describeDatabases('events of a transaction', (database) => {
  it('wait for its commit, and come in order, to listeners and to channels', async () => {
    const { app, people, heard, published } = await open(database)

    await withTransaction(app, async () => {
      const { id } = await people.create({ name: 'Ada' })

      await people.create([{ name: 'Bob' }, { name: 'Cyd' }])
      await people.update(id, { name: 'Dan' })
      await people.patch(id, { name: 'Eve' })
      await people.remove(null, { query: { name: 'Bob' } })
      await settle()
      expect([heard, published]).toEqual([[], []])
    })

    const all = ['created Ada', 'created Bob', 'created Cyd', 'updated Dan', 'patched Eve', 'removed Bob']

    expect(heard).toEqual(all)
    await settle()
    expect(published).toEqual(all)
  })

  it('are dropped when it is taken back', async () => {
    const { app, people, heard, published } = await open(database)

    await withTransaction(app, async () => {
      await people.create({ name: 'Ada' })
      await withTransaction(app, () => people.create({ name: 'Bob' }))
      await fail()
    }).catch(() => undefined)
    await people.create({ name: 'Cyd' })
    await settle()

    expect([heard, published]).toEqual([['created Cyd'], ['created Cyd']])
  })

  it('of an inner one go with it alone', async () => {
    const { app, people, heard } = await open(database)

    await withTransaction(app, async () => {
      await people.create({ name: 'Ada' })
      await withTransaction(app, async () => {
        await people.create({ name: 'Bob' })
        await withTransaction(app, () => people.create({ name: 'Cyd' }))
        await fail()
      }).catch(() => undefined)
      await withTransaction(app, async () => {
        await people.create({ name: 'Dan' })
        await withTransaction(app, () => people.create({ name: 'Eve' }))
      })
      await people.create({ name: 'Fay' })
      expect(heard).toEqual([])
    })

    expect(heard).toEqual(['created Ada', 'created Dan', 'created Eve', 'created Fay'])
  })

  it('wait and go with those of services that have no database', async () => {
    const { app, people, heard } = await open(database)

    app.use('notes', { create: async (data: any) => data })

    const notes: any = app.service('notes')

    notes.on('created', ({ name }: any) => heard.push(`noted ${name}`))
    await withTransaction(app, async () => {
      await notes.create({ name: 'Ada' })
      await people.create({ name: 'Ada' })
      await withTransaction(app, () => notes.create({ name: 'Bob' }))
      await withTransaction(app, async () => {
        await notes.create({ name: 'Cyd' })
        await fail()
      }).catch(() => undefined)
      expect(heard).toEqual([])
    })

    expect(heard).toEqual(['noted Ada', 'created Ada', 'noted Bob'])
    await notes.create({ name: 'at once' })
    expect(heard.at(-1)).toBe('noted at once')
  })

  it('do not hold up those of calls outside', async () => {
    const { app, people, heard } = await open(database)
    const [hasBegun, mayEnd] = [defer(), defer()]
    const inside = withTransaction(app, async () => {
      // SQLite has one connection, which belongs to the transaction from its first call on.
      if (database.name !== 'SQLite') await people.create({ name: 'Ada' })
      hasBegun.resolve()
      await mayEnd.promise
      await people.create({ name: 'Bob' })
    })

    await hasBegun.promise
    await people.create({ name: 'Cyd' })
    expect(heard).toEqual(['created Cyd'])
    mayEnd.resolve()
    await inside
    expect(heard.slice(1)).toEqual(
      database.name === 'SQLite' ? ['created Bob'] : ['created Ada', 'created Bob']
    )
  })

  it('that is over does not keep those of calls that it left behind', async () => {
    const { app, people, heard } = await open(database)
    let late: Promise<unknown> = Promise.resolve()

    await withTransaction(app, async () => {
      await people.create({ name: 'Ada' })
      late = settle().then(() => people.create({ name: 'Bob' }))
    })
    await late

    expect(heard).toEqual(['created Ada', 'created Bob'])
  })

  it('make calls of listeners that are no part of it', async () => {
    const { app, people, heard } = await open(database)
    const calls: Promise<unknown>[] = []

    people.on('created', ({ name }: any) => {
      if (name === 'Ada') calls.push(people.create({ name: 'by a listener' }))
    })
    await withTransaction(app, () => people.create({ name: 'Ada' }))
    await Promise.all(calls)

    expect(heard).toEqual(['created Ada', 'created by a listener'])
    expect(await people.find({ query: { name: 'by a listener' } })).toHaveLength(1)
  })

  it('go to all listeners though one of them throws, and the transaction has succeeded', async () => {
    const { app, people, heard } = await open(database)
    const errors: unknown[] = []

    people.prependListener('created', () => {
      throw new Error('a listener')
    })
    app.on('error', (error: any) => errors.push(error.message))
    await withTransaction(app, () => people.create([{ name: 'Ada' }, { name: 'Bob' }]))

    expect(heard).toEqual(['created Ada', 'created Bob'])
    expect(errors).toEqual(['a listener', 'a listener'])
  })
})

describeDatabases('events of the hooks of transactions', (database) => {
  it('come after the commit: first those of calls that joined, then that of the call itself', async () => {
    const { app, db, people, heard, published } = await open(database)
    const committed: boolean[] = []

    app.use('teams', kysely({ Model: db, name: 'alula_events' }))
    app.service('teams').on('created', ({ name }: any) => heard.push(`created ${name}`))
    app.service('teams').hooks({
      before: { create: [transaction.start()] },
      after: {
        create: [
          async ({ params: { transaction: current } }: any) => {
            await people.create({ name: 'Bob' }, { transaction: current })
            await people.patch(null, { name: 'Cyd' }, { transaction: current, query: { name: 'Bob' } })
            current.committed.then((isCommitted: boolean) => committed.push(isCommitted))
            expect(heard).toEqual([])
          },
          transaction.end()
        ]
      }
    })
    await app.service('teams').create({ name: 'Ada' })
    await settle()

    expect(heard).toEqual(['created Bob', 'patched Cyd', 'created Ada'])
    expect(published).toEqual(heard)
    expect(committed).toEqual([true])
  })

  it('are dropped by the rollback', async () => {
    const { people, hooked, heard } = await open(database)

    hooked.hooks({
      before: {
        create: [
          async ({ params: { transaction: current } }: any) => {
            await people.create({ name: 'Bob' }, { transaction: current })
          }
        ]
      }
    })
    await people.create({ name: 'Ada' })
    await expect(hooked.create({ name: 'Ada' })).rejects.toMatchObject({ name: 'Conflict' })

    expect(heard).toEqual(['created Ada'])
    expect(await people.find({ query: { name: 'Bob' } })).toEqual([])
  })

  it('inside withTransaction wait for its commit, in the order of the calls', async () => {
    const { app, people, hooked, heard } = await open(database)

    await withTransaction(app, async () => {
      await people.create({ name: 'Ada' })
      await hooked.create({ name: 'Bob' })
      await people.create({ name: 'Cyd' })
      await withTransaction(app, async () => {
        await hooked.create({ name: 'Dan' })
        await people.create({ name: 'Eve' })
      })
      await hooked.create({ name: 'Ada' }).catch(() => undefined)
      await people.create({ name: 'Fay' })
      expect(heard).toEqual([])
    })

    expect(heard).toEqual(['Ada', 'Bob', 'Cyd', 'Dan', 'Eve', 'Fay'].map((name) => `created ${name}`))
  })

  it('inside withTransaction go with it, and with an inner one alone', async () => {
    const { app, people, hooked, heard } = await open(database)

    await withTransaction(app, async () => {
      await hooked.create({ name: 'Ada' })
      await fail()
    }).catch(() => undefined)
    expect(heard).toEqual([])

    await withTransaction(app, async () => {
      await withTransaction(app, async () => {
        await hooked.create({ name: 'Bob' })
        await fail()
      }).catch(() => undefined)
      await hooked.create({ name: 'Cyd' })
    })

    expect(heard).toEqual(['created Cyd'])
    expect(await people.find()).toMatchObject([{ name: 'Cyd' }])
  })
})

describeDatabases('a call that failed in a transaction', (database) => {
  it('and was caught, is the only one that leaves no events', async () => {
    const { app, people, heard } = await open(database)

    await withTransaction(app, async () => {
      await people.create({ name: 'Ada' })
      await people.patch(null, { name: 'Bob' })
      await people.create({ name: 'Cyd' })
      await people.patch(null, { name: 'Bob' }).catch(() => undefined)
    })

    expect(heard).toEqual(['created Ada', 'patched Bob', 'created Cyd'])
    expect(await people.find()).toHaveLength(2)
  })
})
