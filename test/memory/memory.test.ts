import { describe, expect, it } from 'vitest'
import { MemoryAdapter, MemoryService, memory } from '../../src/memory.ts'
import { ids, refusal, rows } from './support.ts'

describe('the service', () => {
  it('is a MemoryService, which is a MemoryAdapter with public methods', () => {
    expect(memory()).toBeInstanceOf(MemoryService)
    expect(memory()).toBeInstanceOf(MemoryAdapter)
    expect(new MemoryAdapter()).not.toHaveProperty('find')
  })

  it('stores, finds, changes and removes', async () => {
    const people = memory()

    expect(await people.create({ name: 'Ada' })).toEqual({ id: 0, name: 'Ada' })
    expect(await people.create({ name: 'Bob' })).toEqual({ id: 1, name: 'Bob' })
    expect(await people.get(0)).toEqual({ id: 0, name: 'Ada' })
    expect(await people.patch(0, { age: 36 })).toEqual({ id: 0, name: 'Ada', age: 36 })
    expect(await people.update(0, { nick: 'A' })).toEqual({ id: 0, nick: 'A' })
    expect(await people.remove(1)).toEqual({ id: 1, name: 'Bob' })
    expect(await people.find()).toEqual([{ id: 0, nick: 'A' }])
  })

  it('a method that is overridden reaches the original without params', async () => {
    class People extends MemoryService {
      override async get(id: any) {
        return { ...(await super.get(id)), seen: true }
      }

      override async find() {
        return ((await super.find()) as any).reverse()
      }
    }

    const people = new People({ store: { 1: { id: 1 }, 2: { id: 2 } } })

    expect(await people.get(1)).toEqual({ id: 1, seen: true })
    expect(ids(await people.find())).toEqual([2, 1])
  })

  it('an adapter without public methods is filled by underscore', async () => {
    const adapter = new MemoryAdapter()

    await adapter._create([{ n: 1 }, { n: 2 }])

    expect(await adapter._find({ query: { n: { $gt: 1 } } })).toEqual([{ id: 1, n: 2 }])
  })
})

describe('several at once', () => {
  it('create is all or nothing', async () => {
    const things = memory({ multi: true, store: { 5: { id: 5 } } })

    expect(await refusal(things.create([{ n: 1 }, { id: 5 }, { n: 2 }]))).toMatchObject({ name: 'Conflict' })
    expect(await refusal(things.create([{ id: 6 }, { id: '6' }]))).toEqual({
      name: 'Conflict',
      code: 409,
      message: 'Two of the records have the same id'
    })
    expect(ids(await things.find())).toEqual([5])
  })

  it('patch changes nothing when it cannot change everything', async () => {
    const things = memory({ multi: true, store: { 1: { id: 1, a: 1 }, 2: { id: 2, a: 1 } } })
    let reads = 0
    const data = Object.defineProperty({}, 'a', {
      enumerable: true,
      get: () => {
        reads++
        if (reads > 1) throw new Error('read too often')

        return 2
      }
    })

    await things.patch(null, data).catch(() => undefined)

    expect(new Set((await rows(things)).map(({ a }) => a)).size).toBe(1)
  })

  it('patch and remove return all that matched before, whatever the pagination', async () => {
    const things = memory({ multi: true, paginate: { default: 1, max: 1 } })

    await things.create([{ n: 1 }, { n: 2 }, { n: 3 }])

    expect(await things.patch(null, { n: 9 }, { query: { n: { $gt: 1 }, $limit: 1 } })).toEqual([
      { id: 1, n: 9 },
      { id: 2, n: 9 }
    ])
    expect(ids(await things.remove(null, { query: { n: 9, $limit: 0 } }))).toEqual([1, 2])
    expect(await things.remove(null, { query: { n: 9 } })).toEqual([])
    expect(await things.find()).toMatchObject({ total: 1 })
  })
})

describe('options that there are not', () => {
  it.each(['pagination', 'indices', 'Model', 'whitelist'])('are refused by memory(): %s', (name) => {
    expect(() => memory({ [name]: {} } as any)).toThrow(`Unknown option '${name}' of MemoryService`)
    expect(() => memory({ [name]: undefined } as any)).not.toThrow()
  })

  it('are those of a subclass, which may say which', () => {
    class Cached extends MemoryService {}

    class Strict extends MemoryService {
      constructor(options: any) {
        super(options, ['cache'])
      }
    }

    expect(() => new Cached({ cache: true } as any)).not.toThrow()
    expect(() => new Strict({ cache: true, multi: true })).not.toThrow()
    expect(() => new Strict({ caching: true })).toThrow("Unknown option 'caching' of Strict")
  })
})
