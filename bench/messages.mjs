// The job that every server does, so that what differs is the server.

/** How many records there are at the start, unless a benchmark says otherwise. */
export const COUNT = 1000

/** How many messages a page has. */
export const PAGE = 10

const ROOMS = 10

/** Creates the records. */
export function createMessages(count = COUNT) {
  return Array.from({ length: count }, (_, index) => {
    const id = index + 1
    const text = `This is message number ${id}, and it is about as long as a message in a chat is`

    return { id, room: toRoom(id), text, likes: (id * 7919) % 1000, createdAt: toTime(id) }
  })
}

/** The records in a `Map`, by id as a string: that is how it stands in a URL. */
export function createMessageMap(count) {
  return new Map(createMessages(count).map((message) => [String(message.id), message]))
}

/** The options of the memory services of alula and of Feathers, which are the same. */
export function toMemoryOptions(count = COUNT) {
  return {
    store: Object.fromEntries(createMessages(count).map((message) => [message.id, message])),
    startId: count + 1,
    paginate: { default: PAGE, max: 100 }
  }
}

/** The room of a message; each has as many messages as any other. */
export function toRoom(id) {
  return `room-${id % ROOMS}`
}

/** One id that exists after the other, far from each other. */
export function toId(index, count = COUNT) {
  return 1 + ((index * 7919) % count)
}

/** What others have liked most lately: two conditions, which most records meet, an order, the first page. */
export function toFindPath(index, count = COUNT) {
  const after = toTime(Math.floor(count / 4))

  return `/messages?room[$ne]=${toRoom(index)}&createdAt[$gt]=${after}&$sort[likes]=-1&$limit=${PAGE}`
}

/** The same as a request for a page of 20. */
export function toFindOf20(count) {
  return (index) => ({ method: 'GET', path: toFindPath(index, count).replace(`$limit=${PAGE}`, '$limit=20') })
}

/**
 * The same, for who writes it by hand.
 *
 * @param messages All messages
 * @param query The query string, parsed by something that knows no brackets
 */
export function findPage(messages, { 'room[$ne]': room, 'createdAt[$gt]': after, $limit }) {
  const limit = Math.min(Number($limit), 100)
  const found = []

  for (const message of messages) {
    if (message.room !== room && message.createdAt > after) found.push(message)
  }

  found.sort((a, b) => b.likes - a.likes)

  return { total: found.length, limit, skip: 0, data: found.slice(0, limit) }
}

/** The requests that servers with messages are compared by, for each a function of its number. */
export function toRequests(count = COUNT) {
  return {
    'get by id': (index) => ({ method: 'GET', path: `/messages/${toId(index, count)}` }),
    find: (index) => ({ method: 'GET', path: toFindPath(index, count) }),
    patch: (index) => ({
      method: 'PATCH',
      path: `/messages/${toId(index, count)}`,
      body: JSON.stringify({ text: `Changed ${index}` })
    }),
    create: (index) => ({
      method: 'POST',
      path: '/messages',
      body: JSON.stringify({ room: toRoom(index), text: `Hello ${index}`, likes: 0, createdAt: toTime(0) })
    })
  }
}

function toTime(id) {
  return new Date(id * 1000).toISOString()
}
