import { describe, expect, it } from 'vitest'
import { Records } from '../../src/memory/records.ts'
import { MemoryService, memory } from '../../src/memory.ts'
import { parseQuery } from '../../src/query.ts'
import { RecordId } from '../support/record-id.ts'

const ids = (records: any) => records.map(({ id }: any) => id)
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)

describe('the order in which records came', () => {
  /** Ten thousand records, of which all but each hundredth were removed. */
  async function createSparse(options: object = {}) {
    const things = memory({ multi: true, ...options })

    await things.create(range(0, 10_000).map((n) => ({ n, even: n % 2 === 0 })))
    await things.remove(null, { query: { id: { $nin: range(0, 100).map((n) => n * 100) } } })

    return things
  }

  it.each([
    ['with an index', { indexes: ['even', 'n'] }],
    ['without', {}]
  ])('is kept after most of them were removed, %s', async (_title, options) => {
    const things = await createSparse(options)
    const left = range(0, 100).map((n) => n * 100)

    expect(ids(await things.find())).toEqual(left)
    expect(Object.keys(things.store)).toEqual(left.map(String))
    expect(ids(await things.find({ query: { n: { $in: [9900, 0, 300, 301] } } }))).toEqual([0, 300, 9900])
    expect(ids(await things.find({ query: { id: { $in: [9900, 0, 300, 301] } } }))).toEqual([0, 300, 9900])
    expect(ids(await things.find({ query: { even: true, $limit: 3, $skip: 1 } }))).toEqual([100, 200, 300])

    // What comes now comes behind all others, and what is changed stays where it is.
    await things.create([{ id: 5, n: 5 }, {}])
    await things.patch(200, { n: -1, even: false })
    await things.update(300, { n: -2 })

    expect(ids(await things.find())).toEqual([...left, 5, 10_000])
    expect(ids(await things.find({ query: { n: { $in: [-1, -2, 5] } } }))).toEqual([200, 300, 5])
    expect(await things.find({ query: { n: { $in: [200, 300] } } })).toEqual([])
  })

  it('is kept while records come and go, whichever go', async () => {
    const things = memory({ multi: true, indexes: ['group'] })
    let expected: number[] = []

    for (let round = 0; round < 40; round++) {
      const created = await things.create(Array.from({ length: 200 }, () => ({ group: round })))

      expected.push(...ids(created))

      const removed = new Set(expected.filter((id) => (id * 7919 + round) % 3 !== 0))

      await things.remove(null, { query: { id: { $in: [...removed] } } })
      expected = expected.filter((id) => !removed.has(id))

      expect(ids(await things.find())).toEqual(expected)
      expect(ids(await things.find({ query: { group: round } }))).toEqual(
        expected.filter((id) => ids(created).includes(id))
      )
    }
  })

  it('begins again when all were removed', async () => {
    const things = memory({ multi: true, indexes: ['a'] })

    await things.create(range(0, 3000).map((a) => ({ a })))
    await things.remove(null)
    expect(await things.find()).toEqual([])
    expect(await things.find({ query: { a: 5 } })).toEqual([])

    await things.create([
      { id: 'b', a: 1 },
      { id: 'a', a: 1 }
    ])
    expect(ids(await things.find())).toEqual(['b', 'a'])
    expect(ids(await things.find({ query: { a: 1 } }))).toEqual(['b', 'a'])
  })
})

describe('what leads to records', () => {
  const EVERYWHERE = 1000
  const records = new Records(['group', 'half', 'place.row', 'owner'])

  for (const n of range(0, EVERYWHERE)) {
    records.set(n, {
      id: n,
      group: n % 100,
      half: n % 2,
      place: { row: n % 25 },
      owner: n < 500 ? 'Ada' : new RecordId(`${n}`)
    })
  }

  /** How many records a search looks at, and how many it finds. */
  function search(query: object) {
    let looked = 0
    const { where } = parseQuery({ probe: { $probe: 1 }, ...query }, { operators: ['$probe'] })
    const found = records.find(where, 'id', {
      $probe: () => () => {
        looked++

        return true
      }
    })

    return [looked, found.length]
  }

  it.each<[object, number, number]>([
    [{ id: 7 }, 1, 1],
    [{ id: '7' }, 1, 1],
    [{ id: '07' }, 0, 0],
    [{ group: '7' }, 10, 10],
    [{ group: { $in: ['7', 7] } }, 10, 10],
    [{ half: 1 }, 500, 500],
    [{ group: { $in: range(0, 7) } }, 70, 70],
    [{ id: 'nobody' }, 0, 0],
    [{ id: { $in: [7, 8, 7] } }, 2, 2],
    [{ group: 7 }, 10, 10],
    [{ group: { $in: [7, 8, 7, 'none'] } }, 20, 20],
    [{ 'place.row': 7 }, 40, 40],
    [{ group: 7, half: 0 }, 10, 0],
    [{ half: 1, group: 7 }, 10, 10],
    [{ group: 7, id: { $in: [7, 8] } }, 2, 1],
    [{ id: { $in: [7, 8] }, group: 7 }, 2, 1],
    [{ group: 7, text: 'none' }, 10, 0]
  ])('is looked at alone, for %j', (query, looked, found) => {
    expect(search(query)).toEqual([looked, found])
  })

  it.each<[string, object, number]>([
    ['of other operators', { group: { $gt: 97 } }, 20],
    ['of either of two conditions', { $or: [{ group: 7 }, { group: 8 }] }, 20],
    ['of ids that compare themselves', { owner: new RecordId('700') }, 1],
    ['of such ids among others', { owner: { $in: ['Ada', new RecordId('700')] } }, 501],
    ['of no index', { row: 7 }, 0]
  ])('counts for nothing in a search %s', (_title, query, found) => {
    expect(search(query)).toEqual([EVERYWHERE, found])
  })

  it('is found in the order in which records came, wherever an index keeps them', () => {
    const moved = new Records(['n'])

    for (const n of range(0, 10)) moved.set(n, { n })
    moved.replace(moved.get(1) as any, { n: 7 })
    moved.replace(moved.get(0) as any, { n: 9 })

    const { where } = parseQuery({ n: { $in: [9, 1, 5] } })

    expect(moved.findEntries(where, 'id', {}).map(({ key }) => key)).toEqual(['0', '5', '9'])
    expect(moved.find(where, 'id', {})).toEqual([{ n: 9 }, { n: 5 }, { n: 9 }])
  })
})

describe('an index', () => {
  it('may lead to any number of records', async () => {
    const store = Object.fromEntries(range(0, 200_000).map((n) => [n, { id: n, room: 'a', few: n % 50_000 }]))
    const things: any = memory({ indexes: ['room', 'few'], paginate: { default: 2 }, store })

    expect(await things.find({ query: { room: 'a' } })).toMatchObject({
      total: 200_000,
      data: [{ id: 0 }, { id: 1 }]
    })
    expect(await things.find({ query: { room: 'a', few: 7 } })).toMatchObject({
      total: 4,
      data: [{ id: 7 }, { id: 50_007 }]
    })
    expect(await things.find({ query: { room: { $in: ['a', 'b'] } } })).toMatchObject({ total: 200_000 })
  })

  it('leads to a record by what it holds now, whatever was changed', async () => {
    const things = memory({ indexes: ['a', 'b.c'], multi: true })
    const at = new Date(5)

    await things.create({ a: 1, b: { c: at }, other: 1 })

    const find = async (query: object) => (await things.find({ query, paginate: false })).length

    // Of another field.
    await things.patch(0, { other: 2 })
    expect([await find({ a: 1 }), await find({ 'b.c': new Date(5) })]).toEqual([1, 1])

    // Of one of them; a date is the same as another one of its time.
    await things.patch(0, { a: 2, b: { c: new Date(5) } })
    expect([await find({ a: 1 }), await find({ a: 2 }), await find({ 'b.c': at })]).toEqual([0, 1, 1])

    await things.patch(0, { b: { c: new Date(6) } })
    expect([await find({ 'b.c': at }), await find({ 'b.c': new Date(6) })]).toEqual([0, 1])

    // A number is another value than a date of the same time, and a text than a number.
    await things.patch(0, { b: { c: 6 }, a: '2' })
    expect([await find({ 'b.c': new Date(6) }), await find({ 'b.c': 6 })]).toEqual([0, 1])
    expect([await find({ a: 2 }), await find({ a: '2' })]).toEqual([0, 1])

    await things.update(0, {})
    expect([await find({ a: '2' }), await find({ a: null }), await find({ 'b.c': null })]).toEqual([0, 1, 1])

    await things.patch(0, { a: null })
    expect([await find({ a: null }), await find({ a: { $in: [null, 5] } })]).toEqual([1, 1])

    await things.remove(0)
    expect([await find({ a: null }), await find({ 'b.c': null })]).toEqual([0, 0])
  })

  it.each(['constructor', 'toString', 'hasOwnProperty'])('may be on a field named %s', async (name) => {
    const things = memory({ indexes: [name] })

    await things.create({ [name]: 'mine' })
    await things.create({ other: 1 })

    expect(ids(await things.find({ query: { [name]: 'mine' } }))).toEqual([0])
    expect(ids(await things.find({ query: { [name]: null } }))).toEqual([1])

    await things.patch(0, { [name]: null })
    expect(ids(await things.find({ query: { [name]: null } }))).toEqual([0, 1])
  })
})

describe('records that are instances of a class', () => {
  class Money {
    declare id: number
    amount: number

    constructor(amount: number) {
      this.amount = amount
    }

    get doubled() {
      return this.amount * 2
    }
  }

  it.each([
    ['with an index', { indexes: ['amount', 'doubled'] }],
    ['without', {}]
  ])('are found, changed and sorted by what they hold themselves, %s', async (_title, options) => {
    const purses = new MemoryService({ multi: true, ...options })

    await purses.create([new Money(3), new Money(1), { amount: 2 }])

    const found = (await purses.find({ query: { $sort: { amount: 1 } } })) as unknown as any[]

    expect(found.map(({ amount }) => amount)).toEqual([1, 2, 3])
    expect(found.map((record) => record instanceof Money)).toEqual([true, false, true])
    expect(found[0].doubled).toBe(2)

    const patched: any = await purses.patch(0, { amount: 5 })

    expect(patched).toBeInstanceOf(Money)
    expect([patched.amount, patched.doubled, patched.id]).toEqual([5, 10, 0])
    expect(ids(await purses.find({ query: { amount: 5 } }))).toEqual([0])
    expect(await purses.find({ query: { amount: 3 } })).toEqual([])

    // What only the class has is not in the record.
    expect(await purses.find({ query: { doubled: 10 } })).toEqual([])
    expect(ids(await purses.find({ query: { doubled: null } }))).toEqual([0, 1, 2])
    expect(ids(await purses.find({ query: { constructor: null, $sort: { doubled: -1 } } }))).toEqual([
      0, 1, 2
    ])
  })

  it('are not patched under the name of a getter, for which a setter is used where there is one', async () => {
    class Purse extends Money {
      get tripled() {
        return this.amount * 3
      }

      set tripled(value: number) {
        this.amount = value / 3
      }
    }

    const purses = memory()

    await purses.create(new Purse(3))

    await expect(purses.patch(0, { amount: 4, doubled: 8 })).rejects.toMatchObject({
      code: 400,
      message: "Invalid data: 'doubled' cannot be set",
      errors: { doubled: 'cannot be set' }
    })
    expect(await purses.get(0)).toMatchObject({ amount: 3 })
    expect(await purses.patch(0, { tripled: 15 })).toMatchObject({ amount: 5 })
  })
})

describe('names that every object has', () => {
  const NAMES = ['constructor', 'toString', 'hasOwnProperty', 'valueOf', '__proto__']
  const query = (name: string, value: unknown) => JSON.parse(`{ "${name}": ${JSON.stringify(value)} }`)

  it('are fields like others in filters, and missing unless a record has them', async () => {
    for (const name of NAMES.slice(0, -1)) {
      const things = memory()

      await things.create({ [name]: 5 })
      await things.create({ other: 1 })

      const find = async (condition: unknown) => ids(await things.find({ query: query(name, condition) }))

      expect(await find(5)).toEqual([0])
      expect(await find(null)).toEqual([1])
      expect(await find({ $ne: null })).toEqual([0])
      expect(await find({ $nin: [5] })).toEqual([1])
      expect(await find({ $in: [5, null] })).toEqual([0, 1])
      expect(await find({ $gt: 4 })).toEqual([0])
      expect(await find({ $lt: 4 })).toEqual([])
    }
  })

  it('are fields like others in sorts', async () => {
    for (const name of NAMES.slice(0, -1)) {
      const things = memory()

      await things.create({ [name]: 2 })
      await things.create({ other: 1 })
      await things.create({ [name]: 1 })

      expect(ids(await things.find({ query: { $sort: { [name]: 1 } } })), name).toEqual([1, 2, 0])
      expect(ids(await things.find({ query: { $sort: { [name]: -1, other: 1 } } })), name).toEqual([0, 2, 1])
      expect(ids(await things.find({ query: { $sort: { [`${name}.name`]: -1 } } })), name).toEqual([0, 1, 2])
    }
  })

  it('__proto__ is the name of no field, in no record', async () => {
    const things = memory()

    await things.create(JSON.parse('{ "__proto__": { "admin": true } }'))

    expect(await things.find({ query: query('__proto__', null) })).toEqual([{ id: 0 }])
    expect(await things.find({ query: { admin: true } })).toEqual([])
    expect(await things.find({ query: query('__proto__', { $ne: null }) })).toEqual([])
  })
})
