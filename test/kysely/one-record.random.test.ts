// A call for one record changes one or none, whatever the table is. A failure of fast-check prints the seed.
import fc from 'fast-check'
import { type Kysely, sql } from 'kysely'
import { expect, it } from 'vitest'
import { kysely } from '../../src/kysely.ts'
import { scaled } from '../support/scale.ts'
import { createTable, describeDatabases } from '../support/sql.ts'

const TABLE = 'alula_one_random'

interface Row {
  readonly mark: number
  readonly number: number
  readonly owner: number
  readonly qty: number
}

interface Call {
  readonly method: 'patch' | 'update' | 'remove'
  readonly number: number
  readonly owner: number | undefined
}

const small = fc.integer({ min: 0, max: 2 })

const ROWS = fc.array(fc.record({ number: small, owner: small }), { minLength: 1, maxLength: 8 })

const CALLS = fc.array(
  fc.record<Call>({
    method: fc.constantFrom('patch', 'update', 'remove'),
    number: small,
    owner: fc.option(small, { nil: undefined })
  }),
  { minLength: 2, maxLength: 8 }
)

const INDEXES = fc.constantFrom(
  '',
  'create index alula_one_random_number on alula_one_random (number)',
  'create unique index alula_one_random_number on alula_one_random (number, mark)'
)

describeDatabases('a random table in which several records may have an id', (database) => {
  async function check(rivals: boolean, runs: number): Promise<void> {
    const columns = 'mark integer, number integer, owner integer, qty integer'

    await fc.assert(
      fc.asyncProperty(INDEXES, ROWS, CALLS, async (index, values, calls) => {
        const db = await open(columns, index)
        const rows = values.map((row, mark) => ({ ...row, mark, qty: -1 }))

        await db.insertInto(TABLE).values(rows).execute()
        await (rivals ? compete(db, rows, calls) : takeTurns(db, rows, calls))
      }),
      { numRuns: scaled(runs) }
    )
  }

  let db: Kysely<any>

  async function open(columns: string, index: string): Promise<Kysely<any>> {
    await sql`drop table if exists ${sql.table(TABLE)}`.execute(db)
    await sql`create table ${sql.table(TABLE)} (${sql.raw(columns)})`.execute(db)
    if (index !== '') await sql.raw(index).execute(db)

    // Tables are read once for each instance.
    return db.withoutPlugins()
  }

  it('has one of them changed where the query selects one, and else none', async () => {
    db = await createTable(database, TABLE, 'mark integer')
    await check(false, 1_000)
  })

  it('has none changed twice, and none besides, by rivals', async () => {
    db = await createTable(database, TABLE, 'mark integer')
    await check(true, 1_000)
  })
})

async function readAll(db: Kysely<any>): Promise<Row[]> {
  return (await db.selectFrom(TABLE).selectAll().orderBy('mark').execute()) as Row[]
}

/** Runs a call; what it writes is its index. */
async function run(db: Kysely<any>, { method, number, owner }: Call, qty: number): Promise<Row> {
  const service: any = kysely({ Model: db, name: TABLE, id: 'number' })
  const params = { query: owner === undefined ? {} : { owner } }

  if (method === 'remove') return await service.remove(number, params)
  if (method === 'patch') return await service.patch(number, { qty }, params)

  return await service.update(number, { mark: 100 + qty, owner: owner ?? 0, qty }, params)
}

function isSelected({ number, owner }: Call): (row: Row) => boolean {
  return (row) => row.number === number && (owner === undefined || row.owner === owner)
}

async function takeTurns(db: Kysely<any>, start: readonly Row[], calls: readonly Call[]): Promise<void> {
  let rows = [...start]

  for (const [index, call] of calls.entries()) {
    const [row, another] = rows.filter(isSelected(call))
    const expected = another ? 'Conflict' : row ? undefined : 'NotFound'
    const result = await run(db, call, index).catch((error) => error.name)

    if (expected) expect(result).toBe(expected)
    else {
      rows = rows.filter((one) => one !== row)
      if (call.method === 'remove') expect(result).toEqual(row)
      else rows.push(result)
    }

    expect(await readAll(db)).toEqual(rows.toSorted((one, other) => one.mark - other.mark))
  }
}

async function compete(db: Kysely<any>, start: readonly Row[], calls: readonly Call[]): Promise<void> {
  const results = await Promise.allSettled(calls.map((call, index) => run(db, call, index)))
  const rows = await readAll(db)
  const removed = calls.filter(
    ({ method }, index) => method === 'remove' && results[index]?.status === 'fulfilled'
  )

  expect(rows).toHaveLength(start.length - removed.length)

  for (const [index, result] of results.entries()) {
    const call = calls[index] as Call

    expect(rows.filter(({ qty }) => qty === index).length).toBeLessThanOrEqual(
      result.status === 'fulfilled' && call.method !== 'remove' ? 1 : 0
    )
    if (result.status === 'fulfilled')
      expect(isSelected(call)({ ...result.value, owner: call.owner ?? 0 })).toBe(true)
    else expect(['Conflict', 'NotFound', 'Unavailable']).toContain(result.reason.name)
  }
  // What no call selects stays as it was; only `update` sets an owner, which is that of its query.
  for (const row of start.filter((one) => !calls.some(({ number }) => number === one.number))) {
    expect(rows).toContainEqual(row)
  }
}
