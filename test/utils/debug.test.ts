import original from 'debug'
import { expect, it, onTestFinished } from 'vitest'
import { createDebug, setDebug } from '../../src/index.ts'

it('a debug function prints nothing unless its namespace is switched on', () => {
  const debug = createDebug('alula:test:off')

  expect(debug('a message')).toBeUndefined()
})

it('a debug function writes by what setDebug puts in place, also when it is older than that', () => {
  const lines: unknown[] = []
  const debug = createDebug('alula:test')

  onTestFinished(() => setDebug(original))
  debug('lost')
  setDebug(
    (name) =>
      (...values) =>
        void lines.push([name, ...values])
  )
  debug('%s is there', 'Ada')
  createDebug('alula:other')('new')

  expect(lines).toEqual([
    ['alula:test', '%s is there', 'Ada'],
    ['alula:other', 'new']
  ])
})

it('a debug function follows every change', () => {
  const seen: string[] = []
  const debug = createDebug('alula:test')

  onTestFinished(() => setDebug(original))
  setDebug(() => () => void seen.push('first'))
  debug()
  setDebug(() => () => void seen.push('second'))
  debug()

  expect(seen).toEqual(['first', 'second'])
})

it('a namespace is prepared once, when it writes for the first time', () => {
  const prepared: string[] = []

  onTestFinished(() => setDebug(original))
  setDebug((name) => {
    prepared.push(name)

    return () => {}
  })

  const debug = createDebug('alula:test')

  expect(prepared).toEqual([])
  debug('one')
  debug('two')
  expect(prepared).toEqual(['alula:test'])
})
