import { expect, it } from 'vitest'
import { BoundedMap } from '../../src/utils/bounded-map.ts'

it('a bounded map holds as many entries as it may, and the oldest makes room', () => {
  const map = new BoundedMap<string, number>(2)

  map.set('a', 1).set('b', 2).set('c', 3)

  expect([...map]).toEqual([
    ['b', 2],
    ['c', 3]
  ])
  expect(map.size).toBe(2)
  expect(map.get('a')).toBeUndefined()
})

it('an entry that is there gets another value, and nothing makes room for it', () => {
  const map = new BoundedMap<string, number>(2)

  map.set('a', 1).set('b', 2).set('a', 3)

  expect([...map]).toEqual([
    ['a', 3],
    ['b', 2]
  ])
})

it('a place that was freed is used again', () => {
  const map = new BoundedMap<string, number>(2)

  map.set('a', 1).set('b', 2)
  map.delete('b')
  map.set('c', 3)

  expect([...map.keys()]).toEqual(['a', 'c'])
})

it('keys of every kind are told apart, undefined among them', () => {
  const map = new BoundedMap<unknown, number>(3)
  const key = {}

  map.set(undefined, 1).set(key, 2).set(Number.NaN, 3)
  expect([map.get(undefined), map.get(key), map.get(Number.NaN), map.get({})]).toEqual([1, 2, 3, undefined])

  map.set('one more', 4)
  expect(map.has(undefined)).toBe(false)
  expect(map.size).toBe(3)
})

it('two bounded maps have limits of their own, and a cleared one starts again', () => {
  const [small, large] = [new BoundedMap<number, number>(1), new BoundedMap<number, number>(100)]

  for (let n = 0; n < 1000; n++) {
    small.set(n, n)
    large.set(n, n)
  }

  expect([small.size, large.size]).toEqual([1, 100])
  expect([...large.keys()][0]).toBe(900)

  large.clear()
  large.set(0, 0)
  expect([...large.keys()]).toEqual([0])
})
