import { expect, it } from 'vitest'
import { toSelection } from '../../src/query.ts'

it('keeps the fields that are named, and those that are always kept', () => {
  expect(toSelection(['name', 'age'], 'id')({ id: 1, name: 'Ada', age: 36, city: 'London' })).toEqual({
    id: 1,
    name: 'Ada',
    age: 36
  })
})

it('of no fields keeps those that are always kept', () => {
  expect(toSelection([], 'id')({ id: 1, name: 'Ada' })).toEqual({ id: 1 })
})

it('without a list gives the record itself', () => {
  const record = { id: 1 }

  expect(toSelection(undefined, 'id')(record)).toBe(record)
})

it('keeps null, and leaves out what is missing', () => {
  const selected = toSelection(['a', 'b', 'c', 'd.e'])({ a: null, b: undefined })

  expect(selected).toEqual({ a: null })
  expect(Object.keys(selected)).toEqual(['a'])
})

it('keeps values as they are', () => {
  const date = new Date()
  const list = [1]
  const selected = toSelection(['date', 'list'])({ date, list })

  expect(selected.date).toBe(date)
  expect(selected.list).toBe(list)
})

it('dots select inside an object', () => {
  const record = { address: { city: 'Bonn', street: 'Am Hof', geo: { lat: 1, long: 2 } }, name: 'Ada' }

  expect(toSelection(['address.city', 'address.geo.lat'])(record)).toEqual({
    address: { city: 'Bonn', geo: { lat: 1 } }
  })
  expect(toSelection(['address.city', 'address'])(record)).toEqual({ address: record.address })
  expect(toSelection(['address', 'address.city'])(record)).toEqual({ address: record.address })
  expect(toSelection(['name.length', 'address.nothing.at.all'])(record)).toEqual({})
  expect(toSelection(['tags.0', 'tags.length'])({ tags: ['a'] })).toEqual({})
})

it('does not write to the record, however the names overlap', () => {
  const record = Object.freeze({ a: Object.freeze({ b: Object.freeze({ c: 1, d: 2 }) }), e: 3 })
  const all = { a: { b: { c: 1, d: 2 } }, e: 3 }

  expect(toSelection(['a', 'a.b', 'a.b.c'], 'e')(record)).toEqual(all)
  expect(toSelection(['a.b.c', 'a.b', 'a'], 'e')(record)).toEqual(all)
  expect(toSelection(['a.b', 'a.b.c', 'a.x'], 'e')(record)).toEqual(all)
  expect(toSelection(['', 'a.', '.a', 'a.b.d'])(record)).toEqual({ a: { b: { d: 2 } } })
})

it('reads own properties only, and sets no prototype', () => {
  const names = ['toString', 'constructor', '__proto__', 'constructor.prototype', '__proto__.polluted']
  const select = toSelection(names)
  const selected = select({ a: 1 })

  expect(Object.keys(selected)).toEqual([])
  expect(Object.getPrototypeOf(selected)).toBe(Object.prototype)

  const hostile = select(JSON.parse('{ "__proto__": { "polluted": 1 }, "constructor": "mine" }'))

  expect(Object.keys(hostile)).toEqual(['constructor'])
  expect(hostile.polluted).toBeUndefined()
  expect(({} as any).polluted).toBeUndefined()
})

it('a field whose name has a dot is selected by that name', () => {
  const record = { 'address.city': 'Bern', address: { city: 'Bonn' }, name: 'Ada' }

  expect(toSelection(['address.city'])(record)).toEqual({ 'address.city': 'Bern' })
})
