// What sql.mjs measures with: the columns of the table, its records, and the operations.

/** How many records each table has at the beginning. */
export const COUNT = 1000

/** The columns, as they stand in SQL. */
export function toColumns(database) {
  const id = database === 'sqlite' ? 'integer primary key autoincrement' : 'serial primary key'

  return `id ${id}, room text, author text, text text, score integer`
}

export function createRecord(index) {
  return {
    room: `room ${index % 3}`,
    author: `author ${index % 50}`,
    text: `Text number ${index}`,
    score: (index * 7919) % 1000
  }
}

/** Each is called with a table and the number of the call. Those that make the table larger come last. */
export const OPERATIONS = {
  'get by id': (table, call) => table.get((call % COUNT) + 1),
  'page with total': (table, call) =>
    table.page({
      room: { $ne: `room ${call % 3}` },
      score: { $gt: 300 },
      $sort: { score: -1, id: 1 },
      $limit: 10
    }),
  'patch by id': (table, call) => table.patch((call % COUNT) + 1, { text: `Text, call ${call}` }),
  create: (table, call) => table.create(createRecord(call)),
  'create 1,000': (table) => table.create(createRecords(1000))
}

function createRecords(count) {
  return Array.from({ length: count }, (_, index) => createRecord(index))
}
