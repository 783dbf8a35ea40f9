import { EventEmitter } from 'events'
import { describe, expect, it } from 'vitest'
import { emitSafely } from '../../src/core/events.ts'

/** Two emitters: one to emit on, and one that errors are reported to. */
function create() {
  const [emitter, app] = [new EventEmitter(), new EventEmitter()]
  const reported: unknown[][] = []

  app.on('error', (...args: unknown[]) => reported.push(args))

  return { emitter, app, reported }
}

describe('an event that is emitted safely', () => {
  it('reaches every listener in order, with its values and the emitter', () => {
    const { emitter, app } = create()
    const seen: unknown[] = []
    const [a, b] = [{}, {}]

    emitter.on('event', function (this: unknown, ...values: unknown[]) {
      seen.push('first', this === emitter, values.length, values[0] === a, values[1] === b)
    })
    emitter.on('event', () => seen.push('second'))

    expect(emitSafely(emitter, app, 'event', [a, b])).toBe(true)
    expect(seen).toEqual(['first', true, 2, true, true, 'second'])
  })

  it('says whether anybody listens', () => {
    const { emitter, app } = create()

    emitter.on('another', () => undefined)
    expect(emitSafely(emitter, app, 'event', [])).toBe(false)
  })

  it('reaches a listener for one time once', () => {
    const { emitter, app } = create()
    let calls = 0

    emitter.once('event', () => calls++)
    emitSafely(emitter, app, 'event', [])
    emitSafely(emitter, app, 'event', [])

    expect(calls).toBe(1)
  })

  it('is reported with its context when a listener throws or rejects, and reaches the others', async () => {
    const { emitter, app, reported } = create()
    const [thrown, rejected, context] = [new Error('Thrown'), new Error('Rejected'), {}]
    const seen: string[] = []

    emitter.on('event', () => {
      throw thrown
    })
    emitter.on('event', () => Promise.reject(rejected))
    emitter.on('event', () => seen.push('last'))

    expect(emitSafely(emitter, app, 'event', ['value', context])).toBe(true)
    expect(seen).toEqual(['last'])

    await new Promise((resolve) => setImmediate(resolve))
    expect(reported).toEqual([
      [thrown, context],
      [rejected, context]
    ])
    expect(reported[0]?.[1]).toBe(context)
  })

  it('does no harm when nobody hears of errors, or who does fails', async () => {
    const { emitter } = create()
    const broken = new EventEmitter()

    broken.on('error', () => {
      throw new Error('Broken as well')
    })
    emitter.on('event', () => {
      throw new Error('Thrown')
    })

    expect(emitSafely(emitter, new EventEmitter(), 'event', [])).toBe(true)
    expect(emitSafely(emitter, broken, 'event', [])).toBe(true)
  })

  it('named error is reported when nobody listens, and not thrown', () => {
    const { emitter, app, reported } = create()
    const error = new Error('Lost')

    expect(emitSafely(emitter, app, 'error', [error])).toBe(false)
    expect(reported).toEqual([[error, undefined]])

    emitter.on('error', () => undefined)
    expect(emitSafely(emitter, app, 'error', [error])).toBe(true)
    expect(reported).toHaveLength(1)
  })
})
