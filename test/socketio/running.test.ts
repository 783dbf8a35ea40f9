import { beforeEach, expect, it, vi } from 'vitest'
import { Running } from '../../src/socketio/running.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] })
})

/** Whether a promise has settled by now. */
function watch(promise: Promise<void>): () => boolean {
  let isDone = false

  void promise.then(() => {
    isDone = true
  })

  return () => isDone
}

/** Begins and ends work every ten milliseconds. */
async function workFor(milliseconds: number, running: Running): Promise<void> {
  for (let time = 0; time < milliseconds; time += 10) {
    running.begin()()
    await vi.advanceTimersByTimeAsync(10)
  }
}

it('nothing in progress is idle at once, and work when the last of it has ended', async () => {
  const running = new Running()

  await running.idle()

  const [one, other] = [running.begin(), running.begin()]
  const isIdle = watch(running.idle())

  one()
  one()
  await vi.advanceTimersByTimeAsync(0)
  expect(isIdle()).toBe(false)
  other()
  await vi.advanceTimersByTimeAsync(0)
  expect(isIdle()).toBe(true)
  await running.idle()
})

it('it is quiet a moment after the last work has ended, and not before', async () => {
  const running = new Running()
  const end = running.begin()
  const isQuiet = watch(running.quiet(5000))

  await vi.advanceTimersByTimeAsync(1000)
  end()
  await vi.advanceTimersByTimeAsync(15)

  const endLater = running.begin()

  await vi.advanceTimersByTimeAsync(1000)
  expect(isQuiet()).toBe(false)
  endLater()
  await vi.advanceTimersByTimeAsync(19)
  expect(isQuiet()).toBe(false)
  await vi.advanceTimersByTimeAsync(2)
  expect(isQuiet()).toBe(true)
})

it('work that does not end is waited for as long as it may take', async () => {
  const running = new Running()

  running.begin()

  const isQuiet = watch(running.quiet(1000))

  await vi.advanceTimersByTimeAsync(999)
  expect(isQuiet()).toBe(false)
  await vi.advanceTimersByTimeAsync(30)
  expect(isQuiet()).toBe(true)
})

it('work that begins again and again is waited for as long as it may take', async () => {
  const running = new Running()
  const isQuiet = watch(running.quiet(1000))

  await workFor(990, running)
  expect(isQuiet()).toBe(false)
  await workFor(60, running)
  expect(isQuiet()).toBe(true)
})
