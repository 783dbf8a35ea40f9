// What every store holds, and what it is asked to do, so that what differs is the store.

/** However many records there are, each author has as many: an index leads to the same number of them. */
const RECORDS_PER_AUTHOR = 20
const ROOMS = 10
const STATES = ['open', 'waiting', 'solved', 'closed']
/** Scores lie below this, and are spread evenly. */
const SCORES = 2 ** 20
const PAGE = 10

/** Creates the records. Their ids begin with 1. */
export function createRecords(count) {
  return Array.from({ length: count }, (_, index) => createRecord(index + 1, count))
}

/**
 * The operations by name: `run` does one, given the store, a running number and how many records there are.
 * `prepare` comes before each, `restore` after some of them, with their results; neither is measured.
 */
export const OPERATIONS = {
  'get by id': {
    method: 'get',
    run: (store, index, count) => store.get(toId(index, count))
  },
  'find by equality': toFind('byAuthor', (index, count) => ({
    author: toAuthor(index, count),
    $limit: PAGE
  })),
  'find by range, $in, $or': toFind('byRange', (index) => ({
    score: { $gte: SCORES * 0.3, $lt: SCORES * 0.6 },
    state: { $in: ['open', 'waiting'] },
    $or: [{ room: toRoom(index) }, { room: toRoom(index + 1), text: { $lt: 'Message 5' } }],
    $limit: PAGE
  })),
  'sorted page': toFind('sorted', () => ({ $sort: { score: -1 }, $limit: PAGE })),
  'find({ id })': toFind('byId', (index, count) => ({ id: toId(index, count), $limit: PAGE })),
  create: {
    method: 'create',
    run: (store, index, count) => store.create(withoutId(createRecord(count + 1 + index, count))),
    restore: async (store, created) => {
      for (const { id } of created) await store.remove(id)
    }
  },
  'patch by id': {
    method: 'patch',
    run: (store, index, count) => store.patch(toId(index, count), { text: `Changed ${index}` })
  },
  'multi patch': {
    method: 'patchRoom',
    run: (store, index) => store.patchRoom(toRoom(index), { text: `Changed ${index}` })
  },
  'multi remove': {
    method: 'removeRoom',
    prepare: (store, count) => store.createMany(createArchive(count)),
    run: (store) => store.removeRoom('archive')
  }
}

/** A page of the records that match, with the number of all that do. */
function toFind(kind, toQuery) {
  return {
    method: 'find',
    run: (store, index, count) => store.find(toQuery(index, count), kind)
  }
}

function createRecord(id, count) {
  return {
    id,
    room: toRoom(id),
    author: toAuthor(id, count),
    text: `Message ${id}, about as long as one in a chat`,
    // Each number occurs once, in an order that looks random.
    score: Math.imul(id, 0x9e3779b1) >>> 12,
    state: STATES[(id >> 3) % STATES.length],
    createdAt: new Date(id * 1000).toISOString()
  }
}

/** A room that is as large as any other, and that nothing else asks for. */
function createArchive(count) {
  return Array.from({ length: count / ROOMS }, (_, index) => ({
    ...createRecord(2 * count + index, count),
    room: 'archive'
  }))
}

function withoutId({ id, ...record }) {
  return record
}

/** One id after the other, far from each other. */
function toId(index, count) {
  return 1 + ((index * 7919) % count)
}

function toAuthor(index, count) {
  return `author-${index % (count / RECORDS_PER_AUTHOR)}`
}

function toRoom(index) {
  return `room-${index % ROOMS}`
}
