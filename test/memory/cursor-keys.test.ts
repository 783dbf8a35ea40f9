import { expect, it } from 'vitest'
import { memory } from '../../src/memory.ts'

const paginate = { default: 1, cursor: { secret: 'a secret of more than thirty-two bytes' } }

it('pages with cursors go through values of every type, in the order of $sort', async () => {
  const values = [
    null,
    1,
    2.5,
    Number.POSITIVE_INFINITY,
    5n,
    'a',
    true,
    new Date(0),
    new Uint8Array([1]),
    [1],
    { a: 1 }
  ]
  const service: any = memory({
    paginate,
    multi: true
  })

  await service.create(values.map((value, id) => ({ id, value })))

  const query = { $sort: { value: 1 } }
  const expected = await service.find({ query: { ...query }, paginate: false })
  const found: unknown[] = []

  for (let after: string | undefined; found.length < values.length; ) {
    const page: any = await service.find({ query: { ...query, ...(after && { $after: after }) } })

    found.push(...page.data)
    after = page.endCursor
    if (!page.hasNextPage) break
  }

  expect(found).toEqual(expected)
})

it('pages with cursors go through ids that are instances of a class, whatever JSON makes of them', async () => {
  class Place {
    readonly bytes: Uint8Array

    constructor(byte: number) {
      this.bytes = Uint8Array.of(byte)
    }

    toString() {
      return `place ${this.bytes[0]}`
    }

    toJSON() {
      return this.toString()
    }
  }

  const service: any = memory({ paginate, multi: true })
  const found: number[] = []

  await service.create([3, 1, 2].map((byte) => ({ id: new Place(byte), byte })))

  for (let after: string | undefined; found.length < 4; ) {
    const { data, endCursor, hasNextPage } = await service.find({ query: after ? { $after: after } : {} })

    found.push(...data.map(({ byte }: any) => byte))
    after = endCursor
    if (!hasNextPage) break
  }

  expect(found).toEqual([1, 2, 3])
})
