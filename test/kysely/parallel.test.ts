import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely, transaction, withTransaction } from '../../src/kysely.ts'
import { defer } from '../support/deferred.ts'
import { createTable, describeDatabases } from '../support/sql.ts'

/** What calls at the same time create. */
const NUMBERS = [[1, 2, 3], [4], [5, 6]]

const ENDED = { name: 'Unavailable', code: 503, message: 'The transaction of this call has ended' }

describeDatabases('calls at the same time in a transaction', (database) => {
  async function open() {
    const db = await createTable(
      database,
      'alula_parallel',
      `id ${database.countedId}, number integer unique`
    )
    const app = alula()
    const heard: number[] = []

    app.use('items', kysely({ Model: db, name: 'alula_parallel', multi: true }))

    const items: any = app.service('items')

    items.on('created', ({ number }: any) => heard.push(number))

    return {
      app,
      db,
      items,
      heard,
      stored: async () => (await items.find()).map(({ number }: any) => number)
    }
  }

  it('are taken back together when one fails: none is told, and none is stored', async () => {
    const { app, items, heard, stored } = await open()
    const settled: Promise<unknown>[] = []

    await expect(
      withTransaction(app, () =>
        Promise.all(
          [1, 1, 3, 4, 5].map((number) => {
            const call = items.create({ number })

            settled.push(call)

            return call
          })
        )
      )
    ).rejects.toMatchObject({ name: 'Conflict' })
    await Promise.allSettled(settled)

    expect([await stored(), heard]).toEqual([[], []])
  })

  it('are refused when they come after the function has failed', async () => {
    const { app, items, heard, stored } = await open()
    const hasFailed = defer()
    let later: Promise<unknown> | undefined

    async function goOn(): Promise<void> {
      await items.create({ number: 1 })
      await hasFailed.promise
      await items.create({ number: 2 })
    }

    await expect(
      withTransaction(app, async () => {
        later = goOn()
        await items.find()
        throw new Error('No')
      })
    ).rejects.toThrow('No')
    hasFailed.resolve()

    await expect(later).rejects.toMatchObject(ENDED)
    expect([await stored(), heard]).toEqual([[], []])
  })

  it('are refused when their function has failed in another one, which goes on', async () => {
    const { app, items, heard, stored } = await open()
    const hasFailed = defer()
    let later: Promise<unknown> | undefined

    await withTransaction(app, async () => {
      await withTransaction(app, async () => {
        later = hasFailed.promise.then(() => items.create({ number: 1 }))
        await items.create({ number: 2 })
        throw new Error('No')
      }).catch(() => undefined)
      hasFailed.resolve()
      await expect(later).rejects.toMatchObject(ENDED)
      await items.create({ number: 3 })
    })

    expect([await stored(), heard]).toEqual([[3], [3]])
  })

  it('that come with hooks are refused after the end', async () => {
    const { app, db, items, stored } = await open()
    let current: any

    app.use('tasks', {
      getModel: () => db,
      create: async (_data: any, params: any) => {
        current = params.transaction
        await items.create({ number: 1 }, params)
      }
    } as any)
    app.service('tasks').hooks({
      before: { create: [transaction.start()] },
      after: { create: [transaction.end()] },
      error: { create: [transaction.rollback()] }
    })
    await app.service('tasks').create({} as any)

    await expect(items.create({ number: 2 }, { transaction: current })).rejects.toMatchObject(ENDED)
    expect(await stored()).toEqual([1])
  })

  it('functions inside one another take turns: what one takes back is its own', async () => {
    const { app, items, heard, stored } = await open()
    const [hasBegun, mayEnd] = [defer(), defer()]

    await withTransaction(app, () =>
      Promise.all([
        withTransaction(app, async () => {
          await items.create({ number: 1 })
          hasBegun.resolve()
          await mayEnd.promise
          throw new Error('No')
        }).catch(() => undefined),
        hasBegun.promise.then(async () => {
          const rivals = [
            withTransaction(app, async () => {
              await items.create({ number: 2 })
              await withTransaction(app, () => items.create({ number: 3 }))
            }),
            items.create({ number: 4 })
          ]

          mayEnd.resolve()
          await Promise.all(rivals)
        })
      ])
    )

    expect((await stored()).toSorted()).toEqual([2, 3, 4])
    expect(heard.toSorted()).toEqual([2, 3, 4])
  })

  it('functions that all succeed are stored, whichever ends first', async () => {
    const { app, items, heard, stored } = await open()

    await withTransaction(app, () =>
      Promise.all(
        [1, 2, 3, 4].map((number) =>
          withTransaction(app, async () => {
            await items.create({ number })
            await items.patch(null, { number: number + 10 }, { query: { number } })
          })
        )
      )
    )

    expect(await stored()).toEqual([11, 12, 13, 14])
    expect(heard).toEqual([1, 2, 3, 4])
  })

  /** Calls whose hooks set savepoints, in a transaction. */
  function withHooks({ app, db, items }: Awaited<ReturnType<typeof open>>) {
    app.use('tasks', {
      getModel: () => db,
      create: async ({ numbers, isWrong }: any, params: any) => {
        for (const number of numbers) await items.create({ number }, params)
        if (isWrong) throw new Error('No')
      }
    } as any)
    app.service('tasks').hooks({
      before: { create: [transaction.start()] },
      after: { create: [transaction.end()] },
      error: { create: [transaction.rollback()] }
    })

    return app.service('tasks') as any
  }

  it('with hooks are stored when all succeed, whichever ends first', async () => {
    const opened = await open()
    const tasks = withHooks(opened)

    await withTransaction(opened.app, () => Promise.all(NUMBERS.map((numbers) => tasks.create({ numbers }))))

    expect((await opened.stored()).toSorted()).toEqual([1, 2, 3, 4, 5, 6])
    expect(opened.heard.toSorted()).toEqual([1, 2, 3, 4, 5, 6])
  })

  it('with hooks are never stored in part when one fails', async () => {
    for (const wrong of [0, 1, 2]) {
      const opened = await open()
      const tasks = withHooks(opened)
      const outcome = await withTransaction(opened.app, () =>
        Promise.allSettled(
          NUMBERS.map((numbers, index) => tasks.create({ numbers, isWrong: index === wrong }))
        )
      ).catch((error: Error) => error)

      const kept = Array.isArray(outcome)
        ? outcome.flatMap(({ status }, index) => (status === 'fulfilled' ? (NUMBERS[index] as number[]) : []))
        : []

      if (!Array.isArray(outcome)) expect(outcome).toMatchObject({ name: 'Unavailable' })
      expect((await opened.stored()).toSorted()).toEqual(kept)
      expect(opened.heard.toSorted()).toEqual(kept)
    }
  })

  it('with hooks one after the other take back what is theirs', async () => {
    const opened = await open()
    const tasks = withHooks(opened)

    await withTransaction(opened.app, async () => {
      await tasks.create({ numbers: [1] })
      await tasks.create({ numbers: [2], isWrong: true }).catch(() => undefined)
      await tasks.create({ numbers: [3] })
    })

    expect([await opened.stored(), opened.heard]).toEqual([
      [1, 3],
      [1, 3]
    ])
  })
})
