import { expect, it } from 'vitest'
import { KeyedMutex } from '../../src/utils/keyed-mutex.ts'
import { defer } from '../support/deferred.ts'

it('what concerns one thing runs one after another, and what concerns others meanwhile', async () => {
  const mutex = new KeyedMutex<string>()
  const steps: string[] = []
  const gate = defer()
  const first = mutex.run('a', async () => {
    steps.push('first begins')
    await gate.promise
    steps.push('first ends')

    return 1
  })
  const second = mutex.run('a', async () => {
    steps.push('second')

    return 2
  })

  await mutex.run('b', async () => void steps.push('other'))
  gate.resolve()
  expect(await Promise.all([first, second])).toEqual([1, 2])
  expect(steps).toEqual(['first begins', 'other', 'first ends', 'second'])
})

it('a turn that fails is no matter of the next one', async () => {
  const mutex = new KeyedMutex<string>()
  const failing = mutex.run('a', async () => Promise.reject(new Error('broken')))
  const next = mutex.run('a', async () => 'fine')

  await expect(failing).rejects.toThrow('broken')
  expect(await next).toBe('fine')
})
