import { describe, expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { rows } from './support.ts'

describe('`store`', () => {
  it('holds the records to begin with, by id', async () => {
    const people = memory({ store: { 1: { id: 1, name: 'Ada' }, two: { id: 'two' } } })

    expect(await people.get(1)).toEqual({ id: 1, name: 'Ada' })
    expect(await people.find()).toEqual([{ id: 1, name: 'Ada' }, { id: 'two' }])
  })

  it('goes by the id of a record, or else by its key; of two with one id the last one counts', async () => {
    const people = memory({ store: { one: { id: 1 }, two: { name: 'Bob' }, three: { id: 1, name: 'Ada' } } })

    expect(people.store).toEqual({ 1: { id: 1, name: 'Ada' }, two: { name: 'Bob' } })
    expect(await people.find()).toHaveLength(2)
  })

  it('may be an array: a record without an id has its position as one', async () => {
    const people = memory({ store: [{ id: 5, name: 'Ada' }, { name: 'Bob' }] })

    expect(await people.get(5)).toEqual({ id: 5, name: 'Ada' })
    expect(await people.get(1)).toEqual({ name: 'Bob' })
    expect(await people.create({ name: 'Cyd' })).toEqual({ id: 0, name: 'Cyd' })

    people.store = [{ id: 7 }]
    expect(await people.find()).toEqual([{ id: 7 }])
    expect(() => memory({ store: [1] as any })).toThrow('expected records by id, or an array of records')
  })

  it('is copied, in both directions', async () => {
    const store = { 1: { id: 1, tags: ['a'] } }
    const people = memory({ store })

    store[1].tags.push('b')
    people.store[1].tags.push('c')
    await people.patch(1, { name: 'Ada' })

    expect(store).toEqual({ 1: { id: 1, tags: ['a', 'b'] } })
    expect(people.store).toEqual({ 1: { id: 1, tags: ['a'], name: 'Ada' } })
    expect(people.options).toHaveProperty('store', store)
  })

  it('can be replaced; indexes follow', async () => {
    const people = memory({ store: { 1: { id: 1, name: 'Ada' } }, indexes: ['name'] })

    people.store = { 2: { id: 2, name: 'Bob' } }

    expect(await people.find()).toEqual([{ id: 2, name: 'Bob' }])
    expect(await people.find({ query: { name: 'Ada' } })).toEqual([])
    expect(await people.find({ query: { name: { $in: ['Bob', 'Ada'] } } })).toHaveLength(1)
    expect(await people.find({ query: { name: 'Bob' } })).toHaveLength(1)
  })

  it('is not replaced by records that have the same key for `upsert`', async () => {
    const people = memory({ upsert: { by: ['email'] }, store: [{ id: 1, email: 'ada@example.com' }] })
    const twice = [
      { id: 2, email: 'bob@example.com' },
      { id: 3, email: 'bob@example.com' }
    ]

    expect(() => {
      people.store = twice
    }).toThrow(
      expect.objectContaining({ code: 409, message: "A record with the same 'email' exists already" })
    )
    expect(await people.find()).toEqual([{ id: 1, email: 'ada@example.com' }])

    // What is replaced is not in the way, and of two with one id the last one counts.
    people.store = { a: { id: 4, email: 'ada@example.com' }, b: { id: 4, email: 'ada@example.com', age: 36 } }
    expect(await people.find()).toEqual([{ id: 4, email: 'ada@example.com', age: 36 }])
    await expect(people.create({ email: 'ada@example.com' })).rejects.toThrow('exists already')
  })

  it('is not replaced by records that have the same value of the field `by`', () => {
    const posts = memory()

    alula().use('posts', posts, { by: 'slug' })

    expect(() => {
      posts.store = [{ slug: 'one' }, { slug: 'one' }]
    }).toThrow("A record with the same 'slug' exists already")
    expect(posts.store).toEqual({})
  })
})

describe('what is stored belongs to the store', () => {
  const record = () => ({ id: 1, list: [{ a: 1 }], nested: { date: new Date(5) } })

  it('nothing that went in or came out leads to it', async () => {
    const things = memory({ multi: true })
    const data = record()
    const patch = { more: [{ b: 1 }] }
    const results = [
      await things.create(data),
      await things.get(1),
      (await rows(things))[0],
      await things.patch(1, patch),
      (await things.patch(null, patch))[0],
      things.store[1]
    ]

    for (const result of [...results, data] as any[]) {
      result.list[0].a = 'changed'
      result.list.push('changed')
      result.nested.date.setTime(0)
      delete result.nested
    }

    patch.more.push({ b: 2 })

    expect(await things.get(1)).toEqual({ ...record(), more: [{ b: 1 }] })

    const replacement = { deep: { list: [1] } }
    const updated = await things.update(1, replacement)

    replacement.deep.list.push(2)
    updated.deep.list.push(3)

    expect(await things.get(1)).toEqual({ id: 1, deep: { list: [1] } })
  })

  it('records that one patch has changed share nothing', async () => {
    const things = memory({ multi: true, store: { 1: { id: 1 }, 2: { id: 2 } } })

    const data = { tags: ['a'] }
    const [first] = (await things.patch(null, data)) as any

    first.tags.push('b')
    data.tags.push('c')

    expect((await rows(things)).map(({ tags }) => tags)).toEqual([['a'], ['a']])
  })

  it('frozen data, params and options work', async () => {
    const freeze = (value: any): any => {
      if (typeof value === 'object') for (const part of Object.values(value)) freeze(part)

      return Object.freeze(value)
    }
    const things = memory(
      freeze({ multi: true, store: { 1: { id: 1, tags: ['a'] } }, paginate: { default: 5 } })
    )
    const params = freeze({
      query: { $or: [{ id: { $gte: 0 } }], $sort: { id: 1 }, $select: ['tags'], $limit: 1 }
    })
    const data = freeze({ tags: ['b'], nested: { a: 1 } })

    await things.create(freeze([data, data]), params)
    await things.patch(null, data, params)
    await things.update(1, data, params)

    expect(await things.find(params)).toEqual({ total: 3, limit: 1, skip: 0, data: [{ id: 0, tags: ['b'] }] })
    expect(await things.remove(null, params)).toHaveLength(3)
  })

  it('dates stay dates', async () => {
    const things = memory()
    const created = await things.create({ at: new Date(5) })

    expect(created.at).toEqual(new Date(5))
    expect(await things.find({ query: { at: { $lt: new Date(6) } } })).toHaveLength(1)
  })

  it('class instances stay instances, through patch and update too', async () => {
    class Person {
      first = 'Ada'

      get greeting() {
        return `Hello ${this.first}`
      }
    }

    const people = memory<any>()

    expect((await people.create(new Person())).greeting).toBe('Hello Ada')
    expect((await people.patch(0, { first: 'Eve' })).greeting).toBe('Hello Eve')
    expect((await people.update(0, new Person())).greeting).toBe('Hello Ada')
    expect((await rows(people, { first: 'Ada' }))[0].greeting).toBe('Hello Ada')
  })
})

describe('data that are an instance of a class', () => {
  class Empty {}

  it('are copied even when they have no fields', async () => {
    const things = memory<any>({ store: { 1: { id: 1 } } })
    const created: any = Object.freeze(new Empty())
    const updated: any = new Empty()

    expect(await things.create(created)).toEqual({ id: 0 })
    expect(await things.update(1, updated)).toEqual({ id: 1 })
    expect(Object.keys(updated)).toEqual([])

    updated.added = true

    expect(await things.get(1)).toEqual({ id: 1 })
  })
})
