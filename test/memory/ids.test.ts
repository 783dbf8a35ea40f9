import { describe, expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { ids, refusal } from './support.ts'

describe('ids', () => {
  it('begin with `startId`', async () => {
    expect(await memory({ startId: 100 }).create({})).toEqual({ id: 100 })
  })

  it('are given once, by all services that are the same object at several paths', async () => {
    const app: any = alula()
    const people = memory({ startId: 1 })

    app.use('people', people)
    app.use('sign-up', people)
    await app.service('people').create({})
    await app.service('people').remove(1)

    expect(await app.service('sign-up').create({})).toEqual({ id: 2 })
    expect(await app.service('people').create({})).toEqual({ id: 3 })
  })

  it.each([Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY])(
    'cannot begin with %s, after which no free one would ever be found',
    (startId) => {
      expect(() => memory({ startId })).toThrow("Invalid option 'startId' of MemoryService")
    }
  )

  it('are in the field that `id` names', async () => {
    const people = memory({ id: '_id', multi: true })

    await people.create([{ name: 'a' }, { _id: 'x', name: 'b' }])

    expect(await people.find({ query: { $select: ['missing'] } })).toEqual([{ _id: 0 }, { _id: 'x' }])
    expect(await people.patch('x', { _id: 'y', id: 5 })).toEqual({ _id: 'x', name: 'b', id: 5 })
    expect(await people.find({ query: { _id: 'x' } })).toHaveLength(1)
  })

  it('follow `options.id` when it changes while the service runs', async () => {
    const people = memory()

    people.options.id = '_id'
    await people.create({ _id: 7, id: 1 })

    expect(await people.get(7)).toEqual({ _id: 7, id: 1 })
    expect(await people.find({ query: { _id: 7 } })).toHaveLength(1)
    expect(await people.find({ query: { id: 1 } })).toHaveLength(1)
    expect(await people.find({ query: { id: { $in: [1, 2] } } })).toHaveLength(1)
  })

  it('are found as text and as numbers, and keep their type', async () => {
    const people = memory({ store: { 1: { id: 1 }, two: { id: 'two' }, 3: { id: '3' } } })

    expect(await people.get('1')).toEqual({ id: 1 })
    expect(await people.patch('1', { a: 1 })).toEqual({ id: 1, a: 1 })
    expect(await people.update('1', { id: '1', b: 1 })).toEqual({ id: 1, b: 1 })
    expect(await people.get(3)).toEqual({ id: '3' })
    expect(await people.remove('1')).toEqual({ id: 1, b: 1 })
  })

  it('in a query are values like others: a string finds the number that is written so', async () => {
    const people = memory({ store: { 1: { id: 1 } } })

    expect(await people.find({ query: { id: 1 } })).toHaveLength(1)
    expect(await people.find({ query: { id: '1' } })).toHaveLength(1)
    expect(await people.find({ query: { id: '01' } })).toHaveLength(0)
    expect(await people.find({ query: { id: { $in: ['1', 1] } } })).toHaveLength(1)
    expect(await refusal(people.get(1, { query: { id: 2 } }))).toMatchObject({ name: 'NotFound' })
  })

  it('may be 0, and are generated for null and for an empty text', async () => {
    const people = memory({ startId: 5 })

    expect(await people.create({ id: 0 })).toEqual({ id: 0 })
    expect(await people.create({ id: null })).toEqual({ id: 5 })
    expect(await people.create({ id: '' })).toEqual({ id: 6 })
    expect(await people.create({ id: undefined })).toEqual({ id: 7 })
    expect(await people.get(0)).toEqual({ id: 0 })
  })

  it('that are taken are a conflict, whatever their type', async () => {
    const people = memory({ store: { 1: { id: 1, name: 'Ada' } } })

    for (const id of [1, '1']) {
      expect(await refusal(people.create({ id, name: 'Eve' }))).toEqual({
        name: 'Conflict',
        code: 409,
        message: "A record with the id '1' exists already"
      })
    }

    expect(await people.find()).toEqual([{ id: 1, name: 'Ada' }])
  })

  it('that are generated skip those that are taken, in the same call too', async () => {
    const people = memory({ multi: true, store: { 0: { id: 0 }, 2: { id: '2' } } })

    expect(ids(await people.create([{}, { id: 1 }, { id: '4' }, {}]))).toEqual([3, 1, '4', 5])
  })

  it('that are removed are not given again', async () => {
    const people = memory()

    await people.create({})
    await people.remove(0)

    expect(await people.create({})).toEqual({ id: 1 })
  })

  it('of a name that every object has are ordinary ids', async () => {
    const people = memory()

    for (const id of ['__proto__', 'constructor', 'toString', 'hasOwnProperty']) {
      expect(await refusal(people.get(id))).toMatchObject({
        name: 'NotFound',
        message: `No record found for id '${id}'`
      })
      expect(await people.create({ id, name: 'mine' })).toEqual({ id, name: 'mine' })
      expect(await people.get(id)).toEqual({ id, name: 'mine' })
      expect(await refusal(people.create({ id }))).toMatchObject({ name: 'Conflict' })
    }

    expect(await people.find()).toHaveLength(4)
    expect(Object.keys(people.store)).toHaveLength(4)
    expect(({} as any).name).toBeUndefined()
  })

  it('cannot be changed', async () => {
    const people = memory({ multi: true, store: { 1: { id: 1 }, 2: { id: 2 } } })

    expect(await people.patch(1, { id: 5, a: 1 })).toEqual({ id: 1, a: 1 })
    expect(await people.update(1, { id: 5, b: 1 })).toEqual({ id: 1, b: 1 })
    expect(ids(await people.patch(null, { id: 5 }))).toEqual([1, 2])
    expect(ids(await people.find())).toEqual([1, 2])
  })
})

describe('an id field of one call', () => {
  const params = { adapter: { id: 'slug' } }
  const open = () => memory({ store: { 1: { id: 1, slug: 'old', n: 1 }, 2: { id: 2, slug: 'other', n: 2 } } })

  it('leads to the record', async () => {
    const pages: any = open()

    expect(await pages.get('old', params)).toEqual({ id: 1, slug: 'old', n: 1 })
    expect(await pages.patch('old', { n: 3 }, params)).toEqual({ id: 1, slug: 'old', n: 3 })
    expect(await pages.patch('old', { n: 4, slug: 'old' }, params)).toEqual({ id: 1, slug: 'old', n: 4 })
    expect(await pages.update('old', { n: 5 }, params)).toEqual({ id: 1, slug: 'old', n: 5 })
    expect(await refusal(pages.get('none', params))).toMatchObject({ name: 'NotFound' })
    expect(await pages.remove('other', params)).toEqual({ id: 2, slug: 'other', n: 2 })
    expect(await pages.find()).toEqual([{ id: 1, slug: 'old', n: 5 }])
  })

  it('cannot be changed: a new value is refused and not dropped', async () => {
    const pages: any = open()

    for (const call of [
      pages.patch('old', { slug: 'new' }, params),
      pages.update('old', { slug: 'new' }, params),
      pages.patch('old', { slug: null }, params)
    ]) {
      expect(await refusal(call)).toMatchObject({
        name: 'BadRequest',
        message:
          "Invalid data: 'slug' is the id of this call, which cannot be changed. Use the id 'id' of the service"
      })
    }

    expect(await pages.patch(1, { slug: 'new' })).toEqual({ id: 1, slug: 'new', n: 1 })
  })
})
