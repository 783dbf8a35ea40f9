import { expect, it } from 'vitest'
import { createDecider } from '../../src/client/live/decide.ts'
import { toQueryString } from '../../src/client/query.ts'
import { toExactDate } from '../../src/query/coerce.ts'
import { parseQuery, toComparator, toPredicate } from '../../src/query.ts'
import { parseQueryString } from '../../src/transport/querystring.ts'
import { createRandom, type Random } from '../support/random.ts'
import { scaled } from '../support/scale.ts'

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e9))
const COUNT = scaled(500_000)

/** What a server has in a field, and what a query compares it with. */
const VALUES = [
  ...[0, 1, 7, 10, -0.5, 1e21, true, false, 'a', 'b', '', 'true', '7', '10', '07', '7.0', '1.50', 'null'],
  ...[
    '2026-11-22',
    '2026-11-22T10:00:00.000Z',
    '2026-11-22T10:00Z',
    '2026-02-30',
    '2026-11-22T10:00:00.000001Z'
  ],
  ...[
    new Date('2026-11-22'),
    new Date('2026-11-22T10:00:00Z'),
    new Date('2026-11-23T00:00:00.001Z'),
    toExactDate('2026-11-22T10:00:00.000001Z'),
    9n,
    123456789012345678901n
  ]
]

/** Only of records. */
const FIELDS = [...VALUES, null, undefined, ['a'], { b: 1 }, { b: '7' }]

const OPERATORS = ['$ne', '$lt', '$lte', '$gt', '$gte', '$in', '$nin']

function createQuery(random: Random, depth = 0): any {
  const choice = depth > 2 ? 9 : random.integer(12)

  if (choice === 0) return { $or: [createQuery(random, depth + 1), createQuery(random, depth + 1)] }
  if (choice === 1) return { $and: [createQuery(random, depth + 1), createQuery(random, depth + 1)] }
  if (choice === 2) return { $not: createQuery(random, depth + 1) }

  const field = random.pick(['a', 'a.b', 'c'])
  const operator = random.pick(OPERATORS)
  const pick = () => random.pick(VALUES.filter((value) => typeof value !== 'bigint'))

  if (choice < 5) return { [field]: pick() }

  return { [field]: { [operator]: operator.endsWith('in') ? [pick(), pick()] : pick() } }
}

/** What comes with an event. */
const toSent = (record: object) =>
  JSON.parse(JSON.stringify(record, (_name, value) => (typeof value === 'bigint' ? String(value) : value)))

it.each([
  { transport: 'a socket', isText: false, send: (query: any) => JSON.parse(JSON.stringify(query)) },
  { transport: 'HTTP', isText: true, send: (query: any) => parseQueryString(toQueryString(query)) }
])(
  `what is decided about a record is what a server decides, over $transport (seed ${SEED})`,
  ({ isText, send }) => {
    const random = createRandom(SEED)
    let decided = 0

    for (let count = 0; count < COUNT; count++) {
      const query = createQuery(random)
      const record = { a: random.pick(FIELDS), c: random.pick(FIELDS) }
      const { where } = parseQuery(send(query), { operators: ['$not'] })
      const matches = createDecider(query, isText)?.matches(toSent(record))

      if (matches === undefined) continue

      decided++
      expect({ query, record, matches }).toEqual({ query, record, matches: toPredicate(where)(record) })
    }

    expect(decided).toBeGreaterThan(COUNT / 4)
  }
)

it(`what is put in order is in the order of a server (seed ${SEED})`, () => {
  const random = createRandom(SEED)

  for (let count = 0; count < COUNT; count++) {
    const $sort = { a: random.pick([1, -1]), c: random.pick([1, -1]) }
    const { compare, isSortable } = createDecider({ $sort }, false) as NonNullable<
      ReturnType<typeof createDecider>
    >
    // A column has one kind of values.
    const kinds = ['number', 'string', 'boolean', 'object']
    const fields = [random.pick(kinds), random.pick(kinds)].map((kind) =>
      VALUES.filter((value) => typeof value === kind)
    )
    const records = [0, 1].map(() => ({
      a: random.pick(fields[0] as any[]),
      c: random.pick(fields[1] as any[])
    }))
    const [one, other] = records as [object, object]
    const sent = records.map(toSent)

    if (!sent.every(isSortable)) continue

    expect({ records, order: Math.sign(compare(sent[0], sent[1])) }).toEqual({
      records,
      order: Math.sign(toComparator(parseQuery({ $sort }).sort)(one, other))
    })
  }
})

it.each([false, true])('decides $null, and leaves lists to the server: %j', (isText) => {
  const decide = (query: object) => createDecider(query, isText)

  expect(decide({ a: { $null: true } })?.matches({ a: null })).toBe(true)
  expect(decide({ a: { $null: true } })?.matches({ a: 1 })).toBe(false)
  expect(decide({ a: { $null: false } })?.matches({ a: 1 })).toBe(true)
  expect(decide({ a: { $contains: 1 } })).toBeUndefined()
  expect(decide({ a: { $overlaps: [1] } })).toBeUndefined()
})

it('leaves the order of strings that stores order in two ways to the server', () => {
  const decide = (query: object) =>
    createDecider(query, false) as NonNullable<ReturnType<typeof createDecider>>
  const [plain, emoji, wide] = ['a', '😀', '！'].map((a) => ({ a })) as [object, object, object]
  const { isSortable } = decide({ $sort: { a: 1 } })

  expect([plain, emoji, wide].map(isSortable)).toEqual([true, true, false])

  // Of an emoji and a wide character, memory has the emoji first and SQL the other.
  expect(decide({ a: { $gt: '😀' } }).matches(wide)).toBeUndefined()
  expect(decide({ a: { $gt: '！' } }).matches(emoji)).toBeUndefined()
  expect(decide({ a: { $gt: 'a' } }).matches(emoji)).toBe(true)
  expect(decide({ a: '！' }).matches(wide)).toBe(true)
  expect(decide({ a: '！' }).matches(emoji)).toBe(false)
})
