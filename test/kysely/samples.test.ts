import { describe, expect, it } from 'vitest'
import { describeDatabases } from '../support/sql.ts'
import { toMusic } from './fixtures/music.ts'
import { openShop, type Shop, toPath } from './fixtures/open.ts'
import { toTrading } from './fixtures/trading.ts'
import type { FixtureRow, FixtureTable } from './fixtures/types.ts'

// Two databases as the world has them, each table served by its columns alone: what a client reads, it can find by each of its
// values and write back, byte for byte.

const SAMPLES = [
  { sample: 'a music shop', toFixture: toMusic },
  { sample: 'a trading company', toFixture: toTrading }
]

/** The URL of a record: by its id, and by the rest of its key where the id alone does not tell. */
function toUrl(table: FixtureTable, record: FixtureRow): string {
  const [id, ...others] = table.key as [string, ...string[]]
  const rest = others.map((column) => toFilter(column, record[column]))

  return `${toPath(table)}/${encodeURIComponent(String(record[id]))}${rest.length > 0 ? `?${rest.join('&')}` : ''}`
}

function toFilter(column: string, value: unknown): string {
  return `${encodeURIComponent(column)}=${encodeURIComponent(String(value))}`
}

/** All records of a table, as clients get them. */
async function readAll({ ask }: Shop, table: FixtureTable): Promise<FixtureRow[]> {
  const { status, body } = await ask('GET', toPath(table))

  expect(status, JSON.stringify(body)).toBe(200)

  return body
}

/** The records without a value in a column, as JSON has them. */
async function findNull({ app }: Shop, table: FixtureTable, column: string): Promise<FixtureRow[]> {
  const query = { [column]: null }

  return JSON.parse(JSON.stringify(await app.service(toPath(table)).find({ provider: 'rest', query })))
}

function withoutComputed({ fixture }: Shop, record: FixtureRow): FixtureRow {
  return Object.fromEntries(Object.entries(record).filter(([column]) => !fixture.computed.includes(column)))
}

describe.each(SAMPLES)('$sample', ({ toFixture }) => {
  describeDatabases('served by its tables', (database) => {
    const views = (shop: Shop) => shop.fixture.tables.filter(({ isView }) => isView)
    const tables = (shop: Shop) => shop.fixture.tables.filter(({ isView }) => !isView)

    it('shows every row, by itself and in the list', async () => {
      const shop = await openShop(database, toFixture)

      for (const table of shop.fixture.tables) {
        const records = await readAll(shop, table)

        if (table.rows) expect(records, table.name).toHaveLength(table.rows.length)
        expect(records.length, table.name).toBeGreaterThan(0)

        for (const record of records) {
          expect(await shop.ask('GET', toUrl(table, record)), table.name).toEqual({
            status: 200,
            body: record
          })
        }
      }
    })

    it('finds a record by each of its values', async () => {
      const shop = await openShop(database, toFixture)

      for (const table of shop.fixture.tables) {
        for (const record of await readAll(shop, table)) {
          for (const [column, value] of Object.entries(record)) {
            const where = `${table.name}.${column} = ${value}`

            // Lists are not compared, and a URL has no null.
            if (value === null) {
              expect(await findNull(shop, table, column), where).toContainEqual(record)
            } else if (!Array.isArray(value)) {
              const { status, body } = await shop.ask('GET', `${toPath(table)}?${toFilter(column, value)}`)

              expect(status, `${where}: ${JSON.stringify(body)}`).toBe(200)
              expect(body, where).toContainEqual(record)
            }
          }
        }
      }
    })

    it('takes back what it showed, and stores it byte for byte', async () => {
      const shop = await openShop(database, toFixture)

      for (const table of tables(shop)) {
        const before = await shop.snapshot(table)

        for (const record of await readAll(shop, table)) {
          const url = toUrl(table, record)
          const written = withoutComputed(shop, record)

          expect(await shop.ask('PUT', url, written), url).toEqual({ status: 200, body: record })
          expect(await shop.ask('PATCH', url, written), url).toEqual({ status: 200, body: record })
        }

        expect(await shop.snapshot(table), table.name).toEqual(before)
      }
    })

    it('creates a record, shows it as it was sent, and removes it', async () => {
      const shop = await openShop(database, toFixture)

      for (const table of tables(shop)) {
        const before = await shop.snapshot(table)
        const { status, body: record } = await shop.ask('POST', toPath(table), table.further as object)

        expect(status, `${table.name}: ${JSON.stringify(record)}`).toBe(201)

        for (const [column, value] of Object.entries(table.further as FixtureRow)) {
          if (typeof value === 'string' && shop.fixture.times.includes(column)) {
            expect(new Date(record[column]), column).toEqual(new Date(value))
          } else {
            expect(record[column], `${table.name}.${column}`).toEqual(value)
          }
        }

        const url = toUrl(table, record)

        expect(await shop.ask('GET', url)).toEqual({ status: 200, body: record })
        expect(await shop.ask('PUT', url, withoutComputed(shop, record))).toEqual({
          status: 200,
          body: record
        })
        expect(await shop.ask('DELETE', url)).toEqual({ status: 200, body: record })
        expect(await shop.snapshot(table), table.name).toEqual(before)
      }
    })

    it('writes through views that take writes, and says 405 for the others', async () => {
      const shop = await openShop(database, toFixture)

      for (const view of views(shop)) {
        const [record] = await readAll(shop, view)
        const url = toUrl(view, record as FixtureRow)
        const takesWrites =
          view.name.includes('Track') || (view.name.includes('Product') && database.name !== 'SQLite')

        expect((await shop.ask('PATCH', url, record)).status, view.name).toBe(takesWrites ? 200 : 405)
      }
    })
  })
})
