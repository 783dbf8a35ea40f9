// Holds one table; sql.mjs forks it, and asks it for one operation after the other. The arguments are the file in
// `tables/`, the database, and the name of the table.
import { measureCpu } from './lib.mjs'
import { COUNT, createRecord, OPERATIONS } from './sql-records.mjs'

const [file, database, name] = process.argv.slice(2)
const { openTable } = await import(`./tables/${file}.mjs`)
const table = await openTable(database, name)

// One after the other, so that each gets the same id in every table.
for (let index = 0; index < COUNT; index++) await table.create(createRecord(index))

let calls = 0

process.on('message', async ({ operation, milliseconds }) => {
  if (milliseconds === undefined) process.send({ answer: toAnswer(await OPERATIONS[operation](table, 1)) })
  else {
    const time = await measureCpu(() => OPERATIONS[operation](table, calls++), milliseconds)

    process.send({ time })
  }
})
// The benchmark is through with it, or was stopped.
process.on('disconnect', () => table.drop())
process.send('ready')

/** What has to be the same for all. Several records that are created may get their ids in any order. */
function toAnswer(result) {
  if (Array.isArray(result)) return { count: result.length }

  return { total: result.total, ids: [result.data ?? result].flat().map(({ id }) => id) }
}
