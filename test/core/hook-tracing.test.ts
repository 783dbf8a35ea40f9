import { tracingChannel } from 'node:diagnostics_channel'
import { expect, it, onTestFinished } from 'vitest'
import { alula, type HookMessage } from '../../src/index.ts'

/** Watches hooks until the test ends, or until `stop`. */
function watch() {
  const parts: string[] = []
  const channel = tracingChannel<unknown, HookMessage>('alula:hook')
  const note = (part: string) => (message: any) => {
    const { path, method, type, name, error } = message as HookMessage

    parts.push([part, `${path}.${method}`, type, name, error].filter(Boolean).map(String).join(' '))
  }
  const subscriber: any = { start: note('start'), asyncEnd: note('end'), error: note('error') }

  channel.subscribe(subscriber)
  const stop = () => channel.unsubscribe(subscriber)

  onTestFinished(stop)

  return { parts, stop }
}

function open() {
  const app = alula()

  app.use('notes', { get: async (id: unknown) => ({ id }) } as any)

  return app
}

it('tools see each hook of a call, inside the one around it', async () => {
  const app = open()

  app.hooks({
    around: {
      all: [
        async function outer(_context: any, next: any) {
          await next()
        }
      ]
    }
  })
  app
    .service('notes')
    .hooks({ before: { get: [function check() {}] }, after: { all: [async () => {}] } } as any)

  const { parts } = watch()

  await app.service('notes').get(1)

  expect(parts).toEqual([
    'start notes.get around outer',
    'start notes.get before check',
    'end notes.get before check',
    'start notes.get after',
    'end notes.get after',
    'end notes.get around outer'
  ])
})

it('the message of a hook that fails has its error, and error hooks have messages too', async () => {
  const app = open()

  app.service('notes').hooks({
    before: {
      get: [
        function refuse() {
          throw new Error('No')
        }
      ]
    },
    error: { get: [function tell() {}] }
  } as any)

  const { parts } = watch()

  await expect(app.service('notes').get(1)).rejects.toThrow('No')

  expect(parts).toEqual([
    'start notes.get before refuse',
    'error notes.get before refuse Error: No',
    'end notes.get before refuse Error: No',
    'start notes.get error tell',
    'end notes.get error tell'
  ])
})

it('a tool may come and go at any time, also while hooks are registered', async () => {
  const app = open()
  const seen: string[] = []
  const register = (name: string) =>
    app.service('notes').hooks({ before: { get: [() => void seen.push(name)] } } as any)

  register('a')
  await app.service('notes').get(1)

  const { parts, stop } = watch()

  await app.service('notes').get(1)
  register('b')
  await app.service('notes').get(1)
  stop()
  register('c')
  await app.service('notes').get(1)

  expect(parts.filter((part) => part.startsWith('start'))).toHaveLength(1 + 2)
  expect(seen.join('')).toBe('a' + 'a' + 'ab' + 'abc')
})
