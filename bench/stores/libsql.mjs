// SQL by hand: statements that are prepared once for exactly these operations.
import Database from 'libsql'

const COLUMNS = ['id', 'room', 'author', 'text', 'score', 'state', 'createdAt']

/** For each kind of find: what stands after `from messages`, and what is bound to it. */
const FINDS = {
  byAuthor: { where: 'where author = ?', toValues: ({ author }) => [author] },
  byRange: {
    where: 'where score >= ? and score < ? and state in (?, ?) and (room = ? or (room = ? and text < ?))',
    toValues: ({ score, state, $or: [first, second] }) => [
      score.$gte,
      score.$lt,
      ...state.$in,
      first.room,
      second.room,
      second.text.$lt
    ]
  },
  sorted: { where: '', order: 'score desc', toValues: () => [] },
  byId: { where: 'where id = ?', toValues: ({ id }) => [id] }
}

export function createStore(records, { indexes = [] }) {
  const database = new Database(':memory:')

  database.exec(
    'create table messages (id integer primary key, room text, author text, text text, score integer, ' +
      'state text, createdAt text)'
  )
  for (const column of indexes) database.exec(`create index by_${column} on messages (${column})`)

  const store = createMethods(database)

  store.createMany(records)

  return store
}

function createMethods(database) {
  const get = database.prepare('select * from messages where id = ?')
  const create = database.prepare(
    `insert into messages (${COLUMNS}) values (${COLUMNS.map(() => '?')}) returning *`
  )
  const patch = database.prepare('update messages set text = ? where id = ? returning *')
  const patchRoom = database.prepare('update messages set text = ? where room = ? returning *')
  const remove = database.prepare('delete from messages where id = ? returning *')
  const removeRoom = database.prepare('delete from messages where room = ? returning *')
  const finds = Object.fromEntries(
    Object.entries(FINDS).map(([kind, find]) => [kind, prepareFind(database, find)])
  )

  return {
    get: (id) => get.get(id),
    find: (query, kind) => finds[kind](query),
    create: (data) => create.get(...COLUMNS.map((column) => data[column] ?? null)),
    createMany: database.transaction((records) => {
      for (const record of records) create.get(...COLUMNS.map((column) => record[column]))
    }),
    patch: (id, { text }) => patch.get(text, id),
    patchRoom: (room, { text }) => patchRoom.all(text, room),
    remove: (id) => remove.get(id),
    removeRoom: (room) => removeRoom.all(room)
  }
}

function prepareFind(database, { where, order = 'id', toValues }) {
  const count = database.prepare(`select count(*) as total from messages ${where}`)
  const page = database.prepare(`select * from messages ${where} order by ${order} limit ?`)

  return (query) => {
    const values = toValues(query)

    return { total: count.get(...values).total, data: page.all(...values, query.$limit) }
  }
}
