import { expect, it, onTestFinished, vi } from 'vitest'
import { Readers, ReaderTimeout } from '../../src/sync/readers.ts'

/** A process that has read up to 5, and others. */
function createReaders(others: { readonly [origin: string]: number } = {}) {
  const readers = new Readers()

  for (const [origin, sequence] of Object.entries({ one: 5, ...others })) readers.advance(origin, sequence)

  return readers
}

/** A timer, and how often its time was over. */
function createTimeout() {
  const timeout = new ReaderTimeout()
  const over = vi.fn()

  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())

  return { timeout, over, begin: () => timeout.begin(over) }
}

it('the slowest process is the one that has read least; without any, nobody is waited for', () => {
  expect(new Readers().slowest).toBe(Number.POSITIVE_INFINITY)
  expect(createReaders({ two: 3, three: 9 }).slowest).toBe(3)
})

it('a process does not go back by a message that comes late', () => {
  const readers = createReaders()

  readers.advance('one', 3)
  expect(readers.slowest).toBe(5)
  readers.advance('one', 6)
  expect(readers.slowest).toBe(6)
})

it('what is written again counts as unread, and what is before it as read', () => {
  const readers = createReaders({ two: 3 })

  readers.rewind(4)
  expect(readers.slowest).toBe(3)
  readers.forget('two')
  expect(readers.slowest).toBe(4)
})

it('those that have read no further than an entry are forgotten', () => {
  const readers = createReaders({ two: 3, three: 4 })

  readers.forgetUpTo(4)
  expect(readers.slowest).toBe(5)
})

it('the time is over after three seconds, once', () => {
  const { over, begin } = createTimeout()

  begin()
  vi.advanceTimersByTime(2999)
  expect(over).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(over).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(10_000)
  expect(over).toHaveBeenCalledTimes(1)
})

it('the time that runs is not begun anew, and can begin again when it is over', () => {
  const { over, begin } = createTimeout()

  begin()
  vi.advanceTimersByTime(2000)
  begin()
  vi.advanceTimersByTime(1000)
  expect(over).toHaveBeenCalledTimes(1)
  begin()
  vi.advanceTimersByTime(3000)
  expect(over).toHaveBeenCalledTimes(2)
})

it('the time that was ended is not over, and begins anew', () => {
  const { timeout, over, begin } = createTimeout()

  begin()
  vi.advanceTimersByTime(2000)
  timeout.end()
  begin()
  vi.advanceTimersByTime(2999)
  expect(over).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(over).toHaveBeenCalledTimes(1)
})
