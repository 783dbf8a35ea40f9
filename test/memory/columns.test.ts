import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { Columns } from '../../src/memory/columns.ts'
import type { Entry } from '../../src/memory/entry.ts'
import { memory } from '../../src/memory.ts'
import { parseQuery, toComparator, toPredicate } from '../../src/query.ts'
import { scaled } from '../support/scale.ts'

const FIELDS = ['f0', 'f1', 'f2', 'f3']

const value = fc.constantFrom(0, 1, 2, 'a', 'b', null, undefined, true)
const record = fc.dictionary(fc.constantFrom(...FIELDS), value, { maxKeys: 6 })
const comparison = fc.oneof(
  value.filter((one) => one !== undefined),
  fc.record({ $gte: fc.constantFrom(0, 1, 'a') }),
  fc.record({ $ne: fc.constantFrom(0, null, 'b') }),
  fc.record({ $in: fc.array(fc.constantFrom(0, 'a', null), { maxLength: 3 }) })
)
const conditions = fc.dictionary(fc.constantFrom(...FIELDS), comparison, { maxKeys: 3 })
const step = fc.oneof(
  fc.record({ kind: fc.constant('find'), where: conditions, either: fc.array(conditions, { maxLength: 2 }) }),
  fc.record({ kind: fc.constant('create'), records: fc.array(record, { minLength: 1, maxLength: 30 }) }),
  fc.record({ kind: fc.constant('patch'), where: conditions, data: record }),
  fc.record({ kind: fc.constant('remove'), where: conditions })
)

describe('a search that looks at every record', () => {
  it('finds what the records hold now, whatever was written between searches', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const things: any = memory({ multi: true })

        await things.create(
          Array.from({ length: 50 }, (_, n) => ({ f0: n % 3, f1: n % 2 === 0 ? 'a' : 'b' }))
        )

        for (const { kind, where, either = [], data, records } of steps as any[]) {
          if (kind === 'create') await things.create(records)
          if (kind === 'patch') await things.patch(null, data, { query: where })
          if (kind === 'remove') await things.remove(null, { query: where })
          if (kind !== 'find') continue

          const query = { ...where, ...(either.length > 0 && { $or: either }), $sort: { f1: -1, f0: 1 } }
          const parsed = parseQuery(query)
          const all = Object.values(things.store) as any[]

          expect(await things.find({ query })).toEqual(
            all
              .sort((a, b) => a.id - b.id)
              .filter(toPredicate(parsed.where))
              .sort(toComparator(parsed.sort))
          )
        }
      }),
      { numRuns: scaled(2000) }
    )
  })

  it('finds what was changed and what came, after more changes than are remembered', async () => {
    const things: any = memory({ multi: true })
    const count = async (query: object) => (await things.find({ query })).length

    await things.create(Array.from({ length: 100 }, (_, n) => ({ n })))
    expect(await count({ n: 5 })).toBe(1)

    for (let round = 0; round < 30; round++) await things.patch(null, { n: round })
    expect([await count({ n: 5 }), await count({ n: 29 })]).toEqual([0, 100])

    await things.create(Array.from({ length: 3000 }, () => ({ n: 5 })))
    expect([await count({ n: 5 }), await count({ n: 29 })]).toEqual([3000, 100])
  })

  it('takes what was removed for nothing, and not for a record without fields', async () => {
    const things: any = memory({ multi: true })

    await things.create([{ n: 1 }, {}, { n: 3 }])
    await things.remove(0)

    expect(await things.find({ query: { n: null } })).toEqual([{ id: 1 }])
    expect(await things.find({ query: { n: { $ne: 5 } } })).toEqual([{ id: 1 }, { n: 3, id: 2 }])
    expect(await things.find({ query: { $or: [{ n: null }, { n: 3 }] } })).toHaveLength(2)
    expect(await things.find({ query: {} })).toHaveLength(2)
  })
})

describe('what a search costs', () => {
  const fields = (count: number) => Array.from({ length: count }, (_, n) => `f${n}`)
  const store = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [n, { id: n, n, group: n % 100 }]))

  /** The fields whose columns were asked for while something ran. */
  async function watchColumns(run: (things: any) => Promise<unknown>, options: object = {}) {
    const get = vi.spyOn(Columns.prototype, 'get')

    get.mockClear()
    onTestFinished(() => get.mockRestore())
    await run(memory({ store, ...options }))

    return get.mock.calls.map(([path]) => path.join('.'))
  }

  it('makes no columns for a query that names more fields than there may be columns', async () => {
    const either = fields(17).map((field) => ({ [field]: 1 }))
    const order = Object.fromEntries(fields(17).map((field) => [field, 1]))

    expect(await watchColumns((things) => things.find({ query: { $or: either } }))).toEqual([])
    expect(await watchColumns((things) => things.find({ query: { $sort: order } }))).toEqual([])
    expect(await watchColumns((things) => things.find({ query: { $or: either.slice(1) } }))).toHaveLength(16)
  })

  it('is the same for a query that names many fields', async () => {
    const query = Object.fromEntries(fields(17).map((field) => [field, null]))
    const things = memory({ store })

    expect(await things.find({ query: { ...query, n: { $gte: 998 } } })).toMatchObject([
      { id: 998 },
      { id: 999 }
    ])
  })

  it('makes columns to sort many records, of as many fields as there may be columns', async () => {
    const order = Object.fromEntries(fields(16).map((field) => [field, 1]))

    expect(await watchColumns((things) => things.find({ query: { $sort: order } }))).toEqual(fields(16))
  })

  it('looks no further when nothing is left, and at the records themselves when few are left', async () => {
    const query = Object.fromEntries(fields(16).map((field) => [field, 1]))

    expect(await watchColumns((things) => things.find({ query }))).toEqual(['f0'])
    expect(await watchColumns((things) => things.find({ query: { n: 5, f1: null } }))).toEqual(['n'])
  })

  it('makes no column to sort what an index leads to', async () => {
    const query = { group: 7, $sort: { n: -1 } }

    expect(await watchColumns((things) => things.find({ query }), { indexes: ['group'] })).toEqual([])
  })

  it('asks custom operators of records that are there alone', async () => {
    const seen: unknown[] = []
    const things: any = memory({
      operators: ['$is'],
      predicates: { $is: () => (field) => seen.push(field) > 0 }
    })

    for (let n = 0; n < 40; n++) await things.create({ n })

    await things.find({ query: { n: { $is: 1 } } })
    await things.remove(3)
    seen.length = 0

    expect(await things.find({ query: { n: { $is: 1 } } })).toHaveLength(39)
    expect(seen).toHaveLength(39)
    expect(await things.find({ query: { $or: [{ n: { $is: 1 } }] } })).toHaveLength(39)
    expect(seen).not.toContain(undefined)
    expect(seen).not.toContain(3)
  })
})

describe('columns', () => {
  const toEntry = (n: number): Entry => ({ key: String(n), position: n, record: { n } })

  it('are made once, and look again only at what was changed', () => {
    const list = [0, 1, 2].map(toEntry)
    const columns = new Columns()
    let reads = 0

    for (const entry of list) {
      Object.defineProperty(entry.record, 'n', { get: () => ++reads, enumerable: true })
    }

    columns.reset(list)
    expect(columns.get(['n'])).toEqual([1, 2, 3])
    expect(columns.get(['n'])).toEqual([1, 2, 3])

    columns.noteChange(1)
    expect(columns.get(['n'])).toEqual([1, 4, 3])
    expect(reads).toBe(4)
  })

  it('are of paths, and not of names that read the same without their dots', () => {
    const columns = new Columns()

    columns.reset([{ key: '0', position: 0, record: { ab: 1, a: { b: 2 } } }])

    expect([columns.get(['ab']), columns.get(['a', 'b'])]).toEqual([[1], [2]])
  })

  it.each([
    ['1024', 1],
    ['as many as there are records', 2000]
  ])('remember %s changes, and are made anew after more', (_title, size) => {
    const columns = new Columns()

    columns.reset(Array.from({ length: size }, (_, n) => toEntry(n)))

    const column = columns.get(['n'])

    for (let change = 0; change < Math.max(1024, size); change++) columns.noteChange(0)
    expect(columns.get(['n'])).toBe(column)

    columns.noteChange(0)
    expect(columns.get(['n'])).not.toBe(column)
  })

  it('hold on to nothing that was replaced or removed', () => {
    const list = [0, 1, 2].map(toEntry)
    const columns = new Columns()

    columns.reset(list)

    const values = columns.get(['n'])

    columns.noteChange(1)
    expect(values).toEqual([0, undefined, 2])
  })

  it('are no more than sixteen, however many fields are asked for', () => {
    const list = [toEntry(0)]
    const columns = new Columns()

    columns.reset(list)

    const first = columns.get(['f0'])

    for (let n = 1; n < 16; n++) columns.get([`f${n}`])
    expect(columns.get(['f0'])).toBe(first)

    columns.get(['f16'])
    expect(columns.get(['f0'])).not.toBe(first)
  })
})
