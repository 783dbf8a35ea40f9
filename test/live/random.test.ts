import { describe, expect, it } from 'vitest'
import { memory } from '../../src/memory.ts'
import { PATTERN_PREDICATES } from '../../src/query.ts'
import { createRandom, type Random } from '../support/random.ts'
import { scaled } from '../support/scale.ts'
import { until } from '../support/until.ts'
import { connect, cut, startServer, TRANSPORTS } from './app.ts'

const WRITES = scaled(1500)
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))

/** Few values, so that many records are equal for `$sort` and cross the bounds of queries. */
const RANKS = [1, 2, 3, null]
const TEXTS = ['a', 'b', 'c', '10', '9']

const QUERIES = [
  {},
  { done: false },
  { rank: { $gt: 1 }, text: { $nin: ['a', '9'] } },
  { $or: [{ rank: 2 }, { text: 'b' }], $sort: { text: 1 } },
  { $sort: { rank: -1 } },
  { done: true, $sort: { rank: 1, id: -1 }, $limit: 3 },
  { $sort: { rank: 1 }, $limit: 4 },
  { $sort: { rank: -1, text: 1 }, $limit: 3, $skip: 2 },
  { $limit: 5 },
  { $skip: 3 },
  { $select: ['text'] },
  { text: { $like: '%a%' }, $limit: 3 },
  { rank: 3, $limit: 0 }
]

function createRecord(random: Random, ids: boolean): object {
  return {
    ...(ids && { id: `n${random.integer(1e6)}` }),
    text: random.pick(TEXTS),
    rank: random.pick(RANKS),
    done: random.chance(0.5),
    ...(random.chance(0.3) && { extra: random.integer(3) })
  }
}

/** Makes a write by chance. */
async function write(service: any, random: Random, ids: boolean): Promise<void> {
  const records: any[] = await service.find({ paginate: false })
  const id = records.length === 0 ? undefined : random.pick(records).id
  const [{ id: _, ...change }] = [createRecord(random, ids) as any]
  const params = random.chance(0.2) ? { query: { $select: ['rank'] } } : {}
  const choice = records.length > 12 ? 5 + random.integer(4) : random.integer(9)

  if (id === undefined || choice < 3) await service.create(createRecord(random, ids))
  else if (choice === 3) await service.create([createRecord(random, ids), createRecord(random, ids)])
  else if (choice < 6)
    await service.patch(id, { [random.pick(['text', 'rank', 'done'])]: random.pick(RANKS) }, params)
  else if (choice === 6) await service.update(id, change)
  else if (choice === 7) await service.remove(id, params)
  else if (random.chance(0.5))
    await service.patch(null, { rank: random.pick(RANKS) }, { query: { text: random.pick(TEXTS) } })
  else await service.remove(null, { query: { text: random.pick(TEXTS), done: true } })
}

describe.each([
  { name: 'numbers as ids', ids: false, options: {} },
  { name: 'strings as ids, in pages', ids: true, options: { paginate: { default: 6, max: 10 } } }
])('with $name', ({ ids, options }) => {
  it(`lists end as find has them, whatever is written (seed ${SEED})`, async () => {
    const random = createRandom(SEED)
    const server = await startServer((app) => {
      app.use(
        'things',
        memory({ startId: 1, multi: true, operators: ['$like'], predicates: PATTERN_PREDICATES, ...options })
      )
      app.service('things').publish(() => app.channel('all'))
    })
    const things = server.app.service('things')
    const clients = await Promise.all(TRANSPORTS.map((transport) => connect(server, transport)))
    const open = (client: any) =>
      QUERIES.map((query) => ({ client, query, list: client.live('things', { query }) }))
    const lists = clients.flatMap(open)

    for (let count = 0; count < WRITES; count++) {
      await write(things, random, ids)
      if (random.chance(0.03)) cut(server.app)
      if (random.chance(0.2)) await new Promise((resolve) => setImmediate(resolve))
    }

    for (const { client, query, list } of [...lists, ...clients.flatMap(open)]) {
      // The minute after which a list is fetched again is not over.
      await until(async () => {
        const result = await client.service('things').find({ query })

        expect(list.getSnapshot()).toEqual({
          data: result.data ?? result,
          isLoading: false,
          error: undefined
        })
      }, 20_000)
    }
  }, 600_000)
})
