import { expect, it, onTestFinished, vi } from 'vitest'
import { withTimeout } from '../../src/utils/with-timeout.ts'

const never = new Promise<never>(() => {})

it.each(['setImmediate', 'no setImmediate, as a browser'])(
  'rejects after the limit, with %s',
  async (kind) => {
    if (kind !== 'setImmediate') vi.stubGlobal('setImmediate', undefined)
    onTestFinished(() => void vi.unstubAllGlobals())

    await expect(withTimeout(never, 1)).rejects.toThrow('Timed out after 1 ms')
    await expect(withTimeout(never, 1, () => new RangeError('late'))).rejects.toThrow(RangeError)
  }
)

it('settles as the promise does within the limit', async () => {
  expect(await withTimeout(Promise.resolve(1), 1000)).toBe(1)
  await expect(withTimeout(Promise.reject(new RangeError('no')), 1000)).rejects.toThrow('no')
})

it.each([2 ** 31, Number.POSITIVE_INFINITY])(
  'a limit of %d ms, for which timers have no room, is a long one',
  async (limit) => {
    vi.useFakeTimers()

    const fail = vi.fn()

    withTimeout(never, limit).catch(fail)
    await vi.advanceTimersByTimeAsync(2 ** 31 - 2)
    expect(fail).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(2)
    expect(fail).toHaveBeenCalledOnce()
  }
)
