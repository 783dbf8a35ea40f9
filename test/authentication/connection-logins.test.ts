import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { describe, expect, it, vi } from 'vitest'
import { type ConnectionLogin, ConnectionLogins } from '../../src/authentication/connection-logins.ts'

const DAY = 24 * 60 * 60 * 1000
/** What `setTimeout` can wait at most. */
const LONGEST = 2 ** 31 - 1

/** A connection whose login ends after a time, in milliseconds; its timers stand still until the test moves them. */
function start(delay: number) {
  vi.useFakeTimers()

  const onExpired = vi.fn()
  const logins = new ConnectionLogins(onExpired)
  const connection = {} as any

  logins.start(connection, { tokenId: 'one', expiresAt: Date.now() + delay } as ConnectionLogin)

  return { logins, connection, onExpired }
}

describe('the login of a connection', () => {
  it.each([0, 1, 1000, LONGEST - 1, LONGEST, LONGEST + 1, 2 * LONGEST + 1, 100 * DAY])(
    'of %d ms ends then, and once',
    (delay) => {
      const { connection, onExpired } = start(delay)

      if (delay > 0) vi.advanceTimersByTime(delay - 1)
      expect(onExpired).not.toHaveBeenCalled()

      vi.advanceTimersByTime(1)
      expect(onExpired.mock.calls).toEqual([[connection]])

      vi.advanceTimersByTime(3 * LONGEST)
      expect(onExpired).toHaveBeenCalledTimes(1)
    }
  )

  it('of a time that is over ends at once', () => {
    const { onExpired } = start(-5)

    vi.advanceTimersByTime(1)
    expect(onExpired).toHaveBeenCalledTimes(1)
  })

  it.each([0, DAY, 30 * DAY, 60 * DAY])('leaves no timer when it is stopped after %d ms', (after) => {
    const { logins, connection, onExpired } = start(61 * DAY)

    vi.advanceTimersByTime(after)
    logins.stop(connection)
    vi.advanceTimersByTime(100 * DAY)

    expect(onExpired).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  it('does not keep a process running', async () => {
    const { outputFiles } = await build({
      stdin: {
        contents: `
          import { ConnectionLogins } from './connection-logins.ts'

          new ConnectionLogins(() => console.log('late')).start({}, { tokenId: 'one', expiresAt: Date.now() + 20_000 })
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
