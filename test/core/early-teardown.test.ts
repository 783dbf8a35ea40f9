import { expect, it, vi } from 'vitest'
import { alula } from '../../src/index.ts'
import { defer } from '../support/deferred.ts'
import { nextUnhandled } from '../support/unhandled.ts'

/** A service whose `setup` begins, and ends when it is told to. */
function createSlow(steps: string[], name = 'slow') {
  const begun = defer()
  const end = defer<Error | undefined>()

  return {
    begun: begun.promise,
    end: end.resolve,
    service: {
      async setup() {
        steps.push(`${name} begins`)
        begun.resolve()

        const error = await end.promise

        if (error) throw error

        steps.push(`${name} is set up`)
      },
      teardown: async () => void steps.push(`${name} is torn down`)
    }
  }
}

it('teardown waits for the setup that has begun, tears down once, and setup stops', async () => {
  const steps: string[] = []
  const { begun, end, service } = createSlow(steps)
  const app = alula().use('slow', service)

  app.use('next', {
    setup: async () => void steps.push('next is set up'),
    teardown: async () => void steps.push('next is torn down')
  })

  const settingUp = app.setup()

  await begun

  const tearingDown = app.teardown()

  expect(app._isSetup).toBe(false)
  end(undefined)
  expect(await settingUp).toBe(app)
  await tearingDown

  expect(steps).toEqual(['slow begins', 'slow is set up', 'slow is torn down', 'next is torn down'])
  expect(app._isSetup).toBe(false)

  await app.setup()
  expect(steps.slice(4)).toEqual(['slow begins', 'slow is set up', 'next is set up'])
})

it('teardown waits for the setup of a service that was registered later', async () => {
  const steps: string[] = []
  const { begun, end, service } = createSlow(steps)
  const app = alula()

  await app.setup()
  app.use('slow', service)
  await begun

  const tearingDown = app.teardown()

  end(undefined)
  await tearingDown

  expect(steps).toEqual(['slow begins', 'slow is set up', 'slow is torn down'])
})

it('teardown goes on when the setup that it waits for fails', async () => {
  const steps: string[] = []
  const { begun, end, service } = createSlow(steps)
  const app = alula().use('slow', service)
  const settingUp = app.setup()

  settingUp.catch(() => undefined)
  await begun

  const tearingDown = app.teardown()

  end(new Error('Not now'))
  await tearingDown

  await expect(settingUp).rejects.toThrow('Not now')
  expect(steps).toEqual(['slow begins', 'slow is torn down'])
})

it('a setup may call teardown: it does not wait for itself without end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

  const begun = defer()
  const steps: string[] = []
  const app = alula().use('things', {
    async setup(given: any) {
      begun.resolve()
      await given.teardown()
      steps.push('set up')
    },
    teardown: async () => void steps.push('torn down')
  })
  const settingUp = app.setup()

  await begun.promise
  await vi.advanceTimersByTimeAsync(5000)
  await settingUp

  expect(steps).toEqual(['torn down', 'set up'])
})

it('teardown rejects with the first error, and reports the others', async () => {
  const seen: string[] = []
  const app = alula()

  for (const name of ['first', 'second', 'third'])
    app.use(name, { teardown: async () => Promise.reject(new Error(name)) })

  app.on('error', (error) => seen.push(error.message))

  await expect(app.teardown()).rejects.toThrow('first')
  expect(seen).toEqual(['second', 'third'])
})

it('setup during teardown begins when that has ended', async () => {
  const steps: string[] = []
  const app = alula().use('things', {
    setup: async () => void steps.push('set up'),
    teardown: async () => void steps.push('torn down')
  })

  await app.setup()

  const tearingDown = app.teardown()

  await app.setup()
  await tearingDown

  expect(steps).toEqual(['set up', 'torn down', 'set up'])
  expect(app._isSetup).toBe(true)
})

it('after a teardown during a hook of setup, nothing is set up', async () => {
  const steps: string[] = []
  const end = defer()
  const app = alula().use('things', { setup: async () => void steps.push('set up') })

  app.hooks({
    setup: [
      async (_context: object, next: () => Promise<void>) => {
        await end.promise
        await next()
      }
    ]
  })

  const settingUp = app.setup()

  await app.teardown()
  end.resolve()

  expect(await settingUp).toBe(app)
  expect(steps).toEqual([])
  expect(app._isSetup).toBeFalsy()
})

it('setup that waits for a teardown does nothing when another teardown comes', async () => {
  const steps: string[] = []
  const app = alula().use('things', {
    setup: async () => void steps.push('set up'),
    teardown: async () => void steps.push('torn down')
  })

  await app.setup()

  const calls = [app.teardown(), app.setup(), app.teardown()]

  expect(await Promise.all(calls)).toEqual([app, app, app])
  expect(steps).toEqual(['set up', 'torn down'])
})

it('setup inside a teardown does not wait without end', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

  const begun = defer()
  const app = alula().use('things', {
    async teardown(given: any) {
      begun.resolve()
      await given.setup()
    }
  })

  await app.setup()

  const tearingDown = app.teardown()
  const refused = expect(tearingDown).rejects.toMatchObject({ code: 'ALULA_TEARDOWN_RUNNING' })

  await begun.promise
  await vi.advanceTimersByTimeAsync(30_000)
  await refused
})

it('an error of a teardown that nothing waits for ends the process, as any other', async () => {
  const app = alula().use('things', { teardown: async () => Promise.reject(new Error('Not closed')) })
  const unhandled = nextUnhandled()

  app.teardown()

  expect(await unhandled).toMatchObject([{ message: 'Not closed' }, expect.any(Promise)])
})

it('teardown waits for publishers that run, and for the events that wait for them', async () => {
  const steps: string[] = []
  const begun = defer()
  const end = defer()
  const app = alula().use('things', {
    create: async (data: object) => data,
    teardown: async () => void steps.push('torn down')
  })

  app.service('things').publish(async ({ text }: any) => {
    begun.resolve()
    await end.promise
    steps.push(text)
  })
  await app.setup()
  for (const text of ['first', 'second']) await app.service('things').create({ id: 1, text })
  await begun.promise

  const tearingDown = app.teardown()

  await new Promise(setImmediate)
  end.resolve()
  await tearingDown

  expect(steps).toEqual(['first', 'second', 'torn down'])
})
