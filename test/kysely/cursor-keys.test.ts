// Pages with cursors of tables in which several records have an id.
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { kysely, table } from '../../src/kysely.ts'
import { createTable, describeDatabases, SQLITE } from '../support/sql.ts'

const NAME = 'alula_lines'
const LINES = [1, 1, 1, 1, 2].map((bill, index) => ({ bill, product: 7 - index }))

describeDatabases('pages with cursors of a table whose id is not unique', (database) => {
  async function open(columns: string) {
    const Model = await createTable(database, NAME, columns)

    await Model.insertInto(NAME).values(LINES).execute()

    return kysely({ Model, name: NAME, id: 'bill', paginate: { default: 2, cursor: true } }) as any
  }

  it.each([
    ['the primary key', 'bill integer not null, product integer not null, primary key (bill, product)'],
    ['a unique column', 'bill integer not null, product integer not null unique']
  ])('have each record once, in the order of %s', async (_, columns) => {
    const service = await open(columns)

    for (const direction of [1, -1] as const) {
      const query = { $sort: { bill: direction } }
      const { data: all } = await service.find({ query: { ...query, $limit: 10 } })
      const first = await service.find({ query })
      const second = await service.find({ query: { ...query, $after: first.endCursor } })
      const third = await service.find({ query: { ...query, $after: second.endCursor } })

      expect(all.toSorted((one: any, other: any) => other.product - one.product)).toEqual(LINES)
      expect([first, second, third].flatMap(({ data }) => data)).toEqual(all)
      expect(third.hasNextPage).toBe(false)
      expect((await service.find({ query: { ...query, $before: third.startCursor } })).data).toEqual(
        second.data
      )
      expect((await service.find({ query: { ...query, $before: second.startCursor } })).data).toEqual(
        first.data
      )
    }
  })

  it('are refused without a key of columns that cannot be null: rows would be left out', async () => {
    const service = await open('bill integer not null, product integer unique')

    for (const query of [{}, { $sort: { product: 1 } }]) {
      await expect(service.find({ query })).rejects.toMatchObject({
        code: 500,
        message: expect.stringContaining(`'${NAME}' would leave rows out`)
      })
    }
  })

  it.each([
    ...(database === SQLITE ? ['product integer, primary key (bill, product)'] : []),
    ...(database === SQLITE
      ? ['product integer not null, at datetime not null, primary key (bill, at)']
      : []),
    'product integer not null, done boolean not null, primary key (bill, done)'
  ])('are refused where several rows may have one place: %s', async (columns) => {
    const Model = await createTable(database, NAME, `bill integer not null, ${columns}`)
    const service: any = kysely({ Model, name: NAME, id: 'bill', paginate: { default: 2, cursor: true } })

    await expect(service.find()).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining(`'${NAME}' would leave rows out`)
    })
  })

  it('are refused where the key is hidden and nothing encrypts cursors', async () => {
    const app = alula()
    const service = await open('bill integer not null, product integer not null, primary key (bill, product)')

    app.use('lines', service, { schema: table({ hidden: ['product'] }) })
    await app.setup()

    await expect(app.service('lines').find({ provider: 'rest', query: {} })).rejects.toMatchObject({
      code: 500,
      message: expect.stringContaining("A cursor would show 'product'")
    })
  })
})
