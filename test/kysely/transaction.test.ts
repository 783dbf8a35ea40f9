import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely, transaction, withTransaction } from '../../src/kysely.ts'
import { createTable, describeDatabases, type TestDatabase } from '../support/sql.ts'
import { nextWarning } from '../support/warnings.ts'

async function open(database: TestDatabase) {
  const { countedId, text } = database
  const db = await createTable(database, 'alula_transaction', `id ${countedId}, name ${text} unique`)
  const app = alula()

  app.use('people', kysely({ Model: db, name: 'alula_transaction', multi: true }))

  const people: any = app.service('people')
  const names = async () => (await people.find({ query: { $sort: { id: 1 } } })).map(({ name }: any) => name)

  return { app, db, people, names }
}

describeDatabases('transactions', (database) => {
  it('calls in withTransaction succeed together', async () => {
    const { app, people, names } = await open(database)
    const result = await withTransaction(app, async () => {
      const { id } = await people.create({ name: 'Ada' })

      await people.create([{ name: 'Bob' }, { name: 'Cyd' }])
      await people.patch(id, { name: 'Eve' })
      expect(await names()).toEqual(['Eve', 'Bob', 'Cyd'])

      return 'done'
    })

    expect(result).toBe('done')
    expect(await names()).toEqual(['Eve', 'Bob', 'Cyd'])
  })

  it.each(['start', 'end', 'rollback'] as const)('hooks in a wrong place say so: %s', async (name) => {
    const { people, names } = await open(database)
    const uncalled: any = transaction[name]

    people.hooks({ before: { create: [uncalled] }, around: { patch: [transaction[name]() as any] } })

    await expect(people.create({ name: 'Ada' })).rejects.toThrow(
      `transaction.${name} has to be called, as in [transaction.${name}()]`
    )
    await expect(people.patch(1, { name: 'Ada' })).rejects.toThrow(
      `The hook transaction.${name}() is for '${{ start: 'before', end: 'after', rollback: 'error' }[name]}', and no around hook`
    )
    expect(await names()).toEqual([])
  })

  it('calls in withTransaction fail together, with the error that was thrown', async () => {
    const { app, people, names } = await open(database)
    const error = new Error('no')

    await people.create({ name: 'Ada' })
    await expect(
      withTransaction(app, async () => {
        await people.create({ name: 'Bob' })
        await people.remove(null, { query: { name: 'Ada' } })
        throw error
      })
    ).rejects.toBe(error)

    expect(await names()).toEqual(['Ada'])
  })

  it('a transaction in a transaction is taken back alone', async () => {
    const { app, people, names } = await open(database)

    await withTransaction(app, async () => {
      await people.create({ name: 'Ada' })
      await withTransaction(app, async () => {
        await people.create({ name: 'Bob' })
        await people.create({ name: 'Ada' })
      }).catch((error) => expect(error.name).toBe('Conflict'))
      await withTransaction(app, () => people.create({ name: 'Cyd' }))
    })

    expect(await names()).toEqual(['Ada', 'Cyd'])
  })

  it('the inner transaction goes with the outer one', async () => {
    const { app, people, names } = await open(database)

    await withTransaction(app, async () => {
      await withTransaction(app, () => people.create({ name: 'Ada' }))
      throw new Error('no')
    }).catch(() => undefined)

    expect(await names()).toEqual([])
  })

  it('a call that failed and was caught leaves nothing of itself, and what was done besides is committed', async () => {
    const { app, people, names } = await open(database)
    const failures: string[] = []
    const attempt = (call: Promise<unknown>) => call.catch(({ name }) => failures.push(name))

    await withTransaction(app, async () => {
      const [ada] = await people.create([{ name: 'Ada' }, { name: 'Bob' }])

      await attempt(people.create({ name: 'Ada' }))
      await attempt(people.create({ id: ada.id, name: 'Cyd' }))
      // Those that count their ids and those that do not are two statements.
      await attempt(people.create([{ name: 'Dan' }, { id: 99, name: 'Eve' }, { name: 'Ada' }]))
      await attempt(people.update(ada.id, { name: 'Bob' }))
      await attempt(people.patch(ada.id, { name: 'Bob' }))
      await attempt(people.patch(null, { name: 'Fay' }))
      await attempt(withTransaction(app, () => people.create([{ name: 'Gus' }, { name: 'Bob' }])))
      await people.create({ name: 'Hal' })
    })

    expect(failures).toEqual(Array(7).fill('Conflict'))
    expect(await names()).toEqual(['Ada', 'Bob', 'Hal'])
  })

  it('a removal that failed and was caught leaves the transaction as it was', async () => {
    const { app, db, people, names } = await open(database)

    await sql`create table alula_transaction_pets (id integer primary key, owner integer,
      foreign key (owner) references alula_transaction (id))`.execute(db)
    onTestFinished(async () => void (await sql`drop table alula_transaction_pets`.execute(db)))
    app.use('pets', kysely({ Model: db, name: 'alula_transaction_pets' }))
    await withTransaction(app, async () => {
      const [ada, bob] = await people.create([{ name: 'Ada' }, { name: 'Bob' }])

      await app.service('pets').create({ id: 1, owner: ada.id })
      await expect(people.remove(null)).rejects.toMatchObject({ name: 'Conflict' })
      await people.remove(bob.id)
    })

    expect(await names()).toEqual(['Ada'])
  })

  it('calls at the same time in one transaction do not disturb each other', async () => {
    const { app, people, names } = await open(database)

    await withTransaction(app, async () => {
      await people.create({ name: 'n0' })
      await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          people.create([{ name: `n${index + 1}` }, { name: `m${index + 1}` }])
        )
      )
    })

    expect(await names()).toHaveLength(61)
  })

  it('a transaction without calls is none, and one that is over is not joined', async () => {
    const { app, people, names } = await open(database)
    let late: Promise<unknown> = Promise.resolve()

    expect(await withTransaction(app, async () => 1)).toBe(1)
    await withTransaction(app, async () => {
      await people.create({ name: 'Ada' })
      late = new Promise((resolve) => setImmediate(resolve)).then(() => people.create({ name: 'Bob' }))
    })
    await late

    expect((await names()).toSorted()).toEqual(['Ada', 'Bob'])
  })

  it('the hooks start and end put a call and those that get its params into one transaction', async () => {
    const { app, people, names } = await open(database)
    const committed: boolean[] = []

    app.use('teams', {
      async create(data: any, params: any) {
        for (const name of data.names) await people.create({ name }, { transaction: params.transaction })
        params.transaction.committed.then((isCommitted: boolean) => committed.push(isCommitted))

        return data
      },
      getModel: (params: any) =>
        (app.service('people') as any).getModel({ ...params, transaction: undefined })
    } as any)
    app.service('teams').hooks({
      before: { create: [transaction.start()] },
      after: { create: [transaction.end()] },
      error: { create: [transaction.rollback()] }
    })

    await app.service('teams').create({ names: ['Ada', 'Bob'] })
    expect(await names()).toEqual(['Ada', 'Bob'])
    await expect(app.service('teams').create({ names: ['Cyd', 'Ada'] })).rejects.toMatchObject({
      name: 'Conflict'
    })
    expect(await names()).toEqual(['Ada', 'Bob'])
    expect(committed).toEqual([true])
  })

  it('the params of hooks after the end of a transaction lead to none', async () => {
    const { people, names } = await open(database)

    people.hooks({
      before: { create: [transaction.start()] },
      after: {
        create: [
          transaction.end(),
          async ({ service, params }: any) => void (await service.patch(1, { name: params.given }, params))
        ]
      }
    })
    await people.create({ name: 'Ada' }, { given: 'Bob' })

    expect(await names()).toEqual(['Bob'])
  })

  it('a hook that throws after the end of a transaction does not take back the one around it, with a warning', async () => {
    const { app, people, names } = await open(database)

    people.hooks({
      before: { create: [transaction.start()] },
      after: {
        create: [
          transaction.end(),
          async ({ data }: any) => {
            if (data.name === 'Bob') throw new Error('too late')
          }
        ]
      },
      error: { create: [transaction.rollback()] }
    })

    const warned = nextWarning('ALULA_LATE_ERROR')

    await withTransaction(app, async () => {
      await people.create({ name: 'Ada' })
      await expect(people.create({ name: 'Bob' })).rejects.toThrow('too late')
      await people.create({ name: 'Cyd' })
    })

    expect(await names()).toEqual(['Ada', 'Bob', 'Cyd'])
    expect((await warned).message).toMatch(/^A hook of 'people' failed after transaction\.end\(\) in create:/)
  })

  it('the hooks are a savepoint in the transaction around them', async () => {
    const { app, people, names } = await open(database)

    people.hooks({
      before: { create: [transaction.start()] },
      after: {
        create: [
          async ({ data, params }: any) => {
            if (data.name !== 'Bob') return

            await people.create({ name: 'with Bob' }, { transaction: params.transaction })
            throw new Error('no Bob')
          },
          transaction.end()
        ]
      },
      error: { create: [transaction.rollback()] }
    })

    await withTransaction(app, async () => {
      await people.create({ name: 'Ada' })
      await expect(people.create({ name: 'Bob' })).rejects.toThrow('no Bob')
      await people.create({ name: 'Cyd' })
    })

    expect(await names()).toEqual(['Ada', 'Cyd'])
  })

  it('the hooks of a service without a table are a savepoint in the transaction of its caller', async () => {
    const { app, db, people, names } = await open(database)
    const toHooks = (...steps: ((context: any) => Promise<void>)[]) => ({
      before: { create: [transaction.start(), ...steps] },
      after: { create: [transaction.end()] },
      error: { create: [transaction.rollback()] }
    })

    app.use('mails', {
      async create({ name }: any, { transaction }: any) {
        await people.create({ name }, { transaction })
        if (name === 'to Bob') throw new Error('no mail')
      }
    } as any)
    app.use('orders', kysely({ Model: db, name: 'alula_transaction' }))

    const [mails, orders]: any[] = [app.service('mails'), app.service('orders')]

    mails.hooks(toHooks())
    orders.hooks(
      toHooks(async ({ data, params: { transaction } }) => {
        await mails
          .create({ name: `to ${data.name}` }, { transaction })
          .catch(({ message }: Error) => expect(message).toBe('no mail'))
        if (data.name === 'Cyd') throw new Error('no order')
      })
    )

    for (const name of ['Ada', 'Bob']) await orders.create({ name })
    await expect(orders.create({ name: 'Cyd' })).rejects.toThrow('no order')
    await mails.create({ name: 'to Dan' })

    expect(await names()).toEqual(['to Ada', 'Ada', 'Bob', 'to Dan'])
  })

  it.each(['end', 'rollback'] as const)(
    'the hook %s of a call that has begun no transaction leaves that of its params open',
    async (name) => {
      const { app, db, people, names } = await open(database)
      const fail = () => Promise.reject(new Error('no'))
      const start = transaction.start()

      people.hooks({
        before: { create: [transaction.start(), ({ params }: any) => params.step(params)] },
        after: { create: [transaction.end()] },
        error: { create: [transaction.rollback()] }
      })
      app.use('pets', kysely({ Model: db, name: 'alula_transaction' }))
      app.service('pets').hooks({
        before: {
          create:
            name === 'end' ? [async (context: any) => context.data.isBig && start(context)] : [fail, start]
        },
        after: { create: [transaction.end()] },
        error: { create: [transaction.rollback()] }
      })

      const pets: any = app.service('pets')
      const addPet = async ({ transaction }: any) => {
        await pets
          .create({ name: 'Rex' }, { transaction })
          .catch((error: Error) => expect(error.message).toBe('no'))
      }

      await expect(
        people.create({ name: 'Ada' }, { step: (params: any) => addPet(params).then(fail) })
      ).rejects.toThrow('no')
      expect(await names()).toEqual([])
      await people.create({ name: 'Ada' }, { step: addPet })
      expect(await names()).toEqual(name === 'end' ? ['Rex', 'Ada'] : ['Ada'])
    }
  )

  it('the events of a mounted application, and of any other, wait too', async () => {
    const { db } = await open(database)
    const [inner, outer, other]: any[] = [alula(), alula(), alula()]
    const heard: string[] = []

    inner.use('people', kysely({ Model: db, name: 'alula_transaction' }))
    outer.use('inner', inner)
    inner.service('people').on('created', ({ name }: any) => heard.push(name))

    await withTransaction(outer, async () => {
      await outer.service('inner/people').create({ name: 'Ada' })
      throw new Error('no')
    }).catch(() => undefined)
    await withTransaction(other, async () => {
      await inner.service('people').create({ name: 'Bob' })
      expect(heard).toEqual([])
    })

    expect(heard).toEqual(['Bob'])
  })

  it('what is no application or no function is refused', async () => {
    const { app } = await open(database)

    await expect((withTransaction as any)(app)).rejects.toThrow(
      'withTransaction expects an application and a function'
    )
    for (const source of [null, undefined, 'app']) {
      await expect(withTransaction(source as any, async () => 1)).rejects.toMatchObject({
        code: 'ALULA_INVALID_ARGUMENT',
        message: expect.stringContaining('withTransaction expects an application and a function')
      })
    }
  })

  it('the first calls of all do not wait for each other, though they take all connections', async () => {
    const { app, people, names } = await open(database)
    const pair = (name: string) =>
      withTransaction(app, async () => {
        await people.create({ name })
        await people.create({ name: `${name}'` })
      })

    await Promise.all([
      people.create({ name: 'Ada' }),
      ...Array.from({ length: 20 }, (_, index) => pair(`n${index}`)),
      people.create({ name: 'Bob' })
    ])

    expect(await names()).toHaveLength(42)
  })
})
