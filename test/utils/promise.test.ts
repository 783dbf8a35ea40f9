import { expect, it } from 'vitest'
import { assertSync, mapAll, waitForAll } from '../../src/utils/promise.ts'
import { defer } from '../support/deferred.ts'

it('calls without a promise return at once, and one that throws ends them', () => {
  const begun: number[] = []
  const half = (number: number) => {
    begun.push(number)
    if (number % 2 > 0) throw new Error(`${number} is odd`)

    return number / 2
  }

  expect(mapAll([2, 4], half)).toEqual([1, 2])
  expect(() => mapAll([6, 7, 8], half)).toThrow('7 is odd')
  expect(begun).toEqual([2, 4, 6, 7])
})

it('the first error in order is thrown, once all calls are through', async () => {
  const gate = defer()
  const steps: string[] = []
  const all = mapAll(['late', 'broken', 'never'], (name) => {
    if (name !== 'late') throw new Error(name)

    return gate.promise.then(() => {
      steps.push('late')
      throw new Error('late')
    })
  }) as Promise<unknown>
  const ended = all.catch((error) => void steps.push(`thrown: ${error.message}`))

  gate.resolve(undefined)
  await ended
  expect(steps).toEqual(['late', 'thrown: late'])
})

it('values and promises of all makings are waited for', async () => {
  const thenable = { then: (resolve: (value: number) => void) => setImmediate(() => resolve(3)) }

  expect(await waitForAll([1, Promise.resolve(2), thenable])).toEqual([1, 2, 3])
})

it('a promise where a value is needed is refused, and may reject', async () => {
  expect(assertSync(false, 'f expects false')).toBe(false)
  expect(() => assertSync(Promise.reject(new Error('later')), 'f expects false')).toThrow(
    'f expects false, got a promise'
  )
  await new Promise(setImmediate)
})
