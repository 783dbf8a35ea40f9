import { expect, it } from 'vitest'
import { Turns } from '../../src/utils/turns.ts'
import { defer } from '../support/deferred.ts'

it('what concerns one thing runs one after another, and what concerns others meanwhile', async () => {
  const turns = new Turns<string>()
  const steps: string[] = []
  const gate = defer()
  const first = turns.take('a', async () => {
    steps.push('first begins')
    await gate.promise
    steps.push('first ends')

    return 1
  })
  const second = turns.take('a', async () => {
    steps.push('second')

    return 2
  })

  await turns.take('b', async () => void steps.push('other'))
  gate.resolve()
  expect(await Promise.all([first, second])).toEqual([1, 2])
  expect(steps).toEqual(['first begins', 'other', 'first ends', 'second'])
})

it('a turn that fails is no matter of the next one', async () => {
  const turns = new Turns<string>()
  const failing = turns.take('a', async () => Promise.reject(new Error('broken')))
  const next = turns.take('a', async () => 'fine')

  await expect(failing).rejects.toThrow('broken')
  expect(await next).toBe('fine')
})
