// What is known of the calls around a call whose hooks begin and end transactions.
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { currentCall } from '../../src/kysely/transaction.ts'
import { kysely, transaction } from '../../src/kysely.ts'
import { createTable, SQLITE } from '../support/sql.ts'

async function open() {
  const db = await createTable(SQLITE, 'jobs', 'id integer primary key, name text')
  const app = alula()

  app.use('jobs', kysely({ Model: db, name: 'jobs' }))
  app.use('others', kysely({ Model: db, name: 'jobs' }))

  return { db, jobs: app.service('jobs') as any, others: app.service('others') as any }
}

/** How many calls the one that runs now keeps in memory, itself included. */
function countCalls(): number {
  let count = 0

  for (let call = currentCall.getStore(); call; call = call.outer) count++

  return count
}

const JOBS = 20

it.each([
  ['after it', (begin: () => void) => void setImmediate(begin)],
  ['while it runs', (begin: () => void) => begin()]
])('a job does not keep those before it, each of which has begun the next one %s', async (_, schedule) => {
  const { jobs } = await open()
  const counts: number[] = []

  await new Promise<void>((resolve, reject) => {
    const begin = (id: number) => void jobs.create({ id }).catch(reject)

    jobs.hooks({
      before: { create: [transaction.start()] },
      after: {
        create: [
          transaction.end(),
          async ({ data: { id } }: any) => {
            counts.push(countCalls())
            if (id === JOBS) resolve()
            else schedule(() => begin(id + 1))
          }
        ]
      },
      error: { create: [transaction.rollback()] }
    })
    begin(1)
  })

  expect(counts).toHaveLength(JOBS)
  expect(Math.max(...counts)).toBeLessThan(4)
})

it('a statement that would wait for a transaction that an outer call has begun later fails at once', async () => {
  const { db, jobs, others } = await open()
  let signal = () => {}
  const hasBegun = new Promise<void>((resolve) => {
    signal = resolve
  })
  let other: Promise<unknown> = Promise.resolve()

  others.hooks({
    before: {
      create: [
        async () => {
          await hasBegun
          await db.selectFrom('jobs').selectAll().execute()
        },
        transaction.start()
      ]
    },
    after: { create: [transaction.end()] },
    error: { create: [transaction.rollback()] }
  })
  jobs.hooks({
    before: {
      create: [
        async () => {
          other = others.create({ id: 2 }).catch((error: Error) => error)
        },
        transaction.start(),
        async () => {
          signal()
          expect(await other).toMatchObject({ code: 'ALULA_TRANSACTION_DEADLOCK' })
        }
      ]
    },
    after: { create: [transaction.end()] },
    error: { create: [transaction.rollback()] }
  })
  await jobs.create({ id: 1 })

  expect(await jobs.find()).toEqual([{ id: 1, name: null }])
})
