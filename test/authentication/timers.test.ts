import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { setLongTimeout } from '../../src/authentication/timers.ts'

const DAY = 24 * 60 * 60 * 1000
/** What `setTimeout` can wait at most. */
const LONGEST = 2 ** 31 - 1

function useFakeTimers(): void {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
}

describe('a long timeout', () => {
  it.each([0, 1, 1000, LONGEST - 1, LONGEST, LONGEST + 1, 2 * LONGEST + 1, 100 * DAY])(
    'of %d ms comes then, and once',
    (delay) => {
      useFakeTimers()

      const callback = vi.fn()

      setLongTimeout(callback, delay)

      if (delay > 0) vi.advanceTimersByTime(delay - 1)
      expect(callback).toHaveBeenCalledTimes(0)

      vi.advanceTimersByTime(1)
      expect(callback).toHaveBeenCalledTimes(1)

      vi.advanceTimersByTime(3 * LONGEST)
      expect(callback).toHaveBeenCalledTimes(1)
    }
  )

  it('of a time that is over comes at once', () => {
    useFakeTimers()

    const callback = vi.fn()

    setLongTimeout(callback, -5)
    vi.advanceTimersByTime(1)

    expect(callback).toHaveBeenCalledTimes(1)
  })

  it.each([0, DAY, 30 * DAY, 60 * DAY])('does not come when it is cancelled after %d ms', (after) => {
    useFakeTimers()

    const callback = vi.fn()
    const cancel = setLongTimeout(callback, 61 * DAY)

    vi.advanceTimersByTime(after)
    cancel()
    vi.advanceTimersByTime(100 * DAY)

    expect(callback).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('can be cancelled when it is over', () => {
    useFakeTimers()

    const callback = vi.fn()
    const cancel = setLongTimeout(callback, 10)

    vi.advanceTimersByTime(10)
    cancel()

    expect(callback).toHaveBeenCalledTimes(1)
  })

  it('does not keep a process running', async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `
          import { setLongTimeout } from './timers.ts'

          setLongTimeout(() => console.log('late'), 20_000)
          console.log('through')`,
        resolveDir: resolve(import.meta.dirname, '../../src/authentication')
      },
      bundle: true,
      format: 'esm',
      write: false
    })
    const [{ text: script }] = outputFiles as [(typeof outputFiles)[number]]
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])

    expect(stdout).toBe('through\n')
  })
})
