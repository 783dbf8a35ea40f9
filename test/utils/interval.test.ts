import { expect, it, vi } from 'vitest'
import { runEvery } from '../../src/utils/interval.ts'

it.each([2 ** 31, 2_419_200_000])(
  'an interval of %d ms, for which timers have no room, is a long one',
  (milliseconds) => {
    vi.useFakeTimers()

    const run = vi.fn()
    const stop = runEvery(milliseconds, run)

    vi.advanceTimersByTime(1000)
    expect(run).not.toHaveBeenCalled()
    vi.advanceTimersByTime(2 ** 31 - 1002)
    expect(run).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(run).toHaveBeenCalledOnce()
    stop()
    expect(vi.getTimerCount()).toBe(0)
  }
)
