// A record is what its schema says when it is read: where its table returns something else, the application does not start.
import { expect, it } from 'vitest'
import { z } from 'zod'
import { alula } from '../../src/index.ts'
import { kysely } from '../../src/kysely.ts'
import { schema } from '../../src/schema.ts'
import { createTable, describeDatabases, type TestDatabase } from '../support/sql.ts'

const NAME = 'alula_read_values'

/** The lines of the error, none where the application starts. */
async function compare(database: TestDatabase, columns: string, record: z.ZodType) {
  const app = alula()

  app.use('notes', kysely({ Model: await createTable(database, NAME, columns), name: NAME }), {
    schema: schema(record)
  })

  return await app.setup().then(
    () => [],
    ({ message }: Error) =>
      message
        .split('\n')
        .filter((line) => line.startsWith('- '))
        .map((line) => line.slice(2))
  )
}

describeDatabases('a difference from the table', (database) => {
  const { countedId, text, json } = database

  it('is a field that can be left out but not be null, and whose column returns null then', async () => {
    const columns = `id ${countedId}, mark ${text}`
    const record = z.object({ id: z.int(), mark: z.string().optional() })

    expect(await compare(database, columns, record)).toEqual([
      "'mark' can be left out, and its column then returns null: declare that it can be null"
    ])
    expect(await compare(database, columns, record.extend({ mark: z.string().nullish() }))).toEqual([])
  })

  it('is a date in JSON, which is a string when it is read', async () => {
    const columns = `id ${countedId}, visit ${json} not null, times ${json} not null, day ${json} not null`
    const toLine = (name: string) =>
      `'${name}' has a date, and JSON in its column returns a string: declare a string with the format 'date-time'`
    const record = z.object({
      id: z.int(),
      visit: z.object({ place: z.string(), at: z.date() }),
      times: z.array(z.date()),
      day: z.date()
    })
    const time = z.iso.datetime()

    expect(await compare(database, columns, record)).toEqual(['visit', 'times', 'day'].map(toLine))
    expect(
      await compare(
        database,
        columns,
        z.object({ id: z.int(), visit: z.object({ at: time }), times: z.array(time), day: time })
      )
    ).toEqual([])
  })
})
