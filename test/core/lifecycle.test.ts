import { describe, expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { describeBoth } from '../hooks/both.ts'
import { createTrace } from '../hooks/trace.ts'
import { defer } from '../support/deferred.ts'

describeBoth('setup and teardown of an application', (createApp) => {
  it('call those of the services one after another, in the order of registration', async () => {
    const trace: unknown[] = []
    const app = createApp()

    const slow = (label: string) => async (given: unknown, path: string) => {
      trace.push([`${label} begins`, given === app, path])
      for (let turn = 0; turn < 5; turn++) await null
      trace.push(`${label} ends`)
    }

    app.use('b', { setup: slow('setup b'), teardown: slow('teardown b') })
    app.use('none', { get: async () => ({}) })
    app.use('/a/', { setup: slow('setup a'), teardown: slow('teardown a') })

    expect(await app.setup()).toBe(app)
    expect(await app.teardown()).toBe(app)
    expect(trace).toEqual([
      ...[['setup b begins', true, 'b'], 'setup b ends', ['setup a begins', true, 'a'], 'setup a ends'],
      ...[['teardown b begins', true, 'b'], 'teardown b ends'],
      ...[['teardown a begins', true, 'a'], 'teardown a ends']
    ])
  })

  it('run with the service as this', async () => {
    const seen: unknown[] = []
    const app = createApp().use('things', {
      setup(this: unknown) {
        seen.push(this)
      },
      teardown(this: unknown) {
        seen.push(this)
      }
    })

    await app.setup()
    await app.teardown()

    expect(seen).toHaveLength(2)
    expect(seen.every((self) => self === app.service('things'))).toBe(true)
  })

  it('tell whether the application is set up', async () => {
    const app = createApp()

    expect(app._isSetup).toBe(false)
    await app.setup()
    expect(app._isSetup).toBe(true)
    await app.teardown()
    expect(app._isSetup).toBe(false)
  })

  it('reject when the setup of a service does, and leave out the rest', async () => {
    const seen: string[] = []
    const app = createApp()
      .use('a', { setup: async () => Promise.reject(new Error('Not now')) })
      .use('b', { setup: async () => void seen.push('b') })

    await expect(app.setup()).rejects.toThrow('Not now')
    expect(seen).toEqual([])
  })

  it('set a service up at once that is registered later', async () => {
    const seen: unknown[] = []
    const app = createApp()

    await app.setup()
    app.use('things', { setup: async (...args: unknown[]) => void seen.push(...args) })

    expect(seen).toEqual([app, 'things'])
  })

  it('do not set a service up that is registered after teardown', async () => {
    const seen: unknown[] = []
    const app = createApp()

    await app.setup()
    await app.teardown()
    app.use('things', { setup: async () => void seen.push('setup') })

    expect(seen).toEqual([])
  })

  it('set a service up once that another one registers in its setup', async () => {
    const seen: string[] = []
    const app = createApp().use('first', {
      setup: async (given: any) => {
        given.use('second', { setup: async () => void seen.push('second') })
      }
    })

    await app.setup()

    expect(seen).toEqual(['second'])
  })

  it('may be replaced by plugins, which call what was there', async () => {
    const trace: unknown[] = []
    const app = createApp().use('things', { setup: async () => void trace.push('service') })

    for (const plugin of ['first', 'second']) {
      const { setup } = app

      app.setup = async function (this: any, server: unknown) {
        trace.push([plugin, this === app, server])

        return setup.call(this, server)
      }
    }

    expect(await app.setup('server')).toBe(app)
    expect(trace).toEqual([['second', true, 'server'], ['first', true, 'server'], 'service'])
  })

  it('may be replaced in the same way where it is torn down', async () => {
    const trace: string[] = []
    const app = createApp().use('things', { teardown: async () => void trace.push('service') })
    const { teardown } = app

    app.teardown = async function (this: any) {
      trace.push('plugin')

      return teardown.call(this)
    }

    await app.setup()
    expect(await app.teardown()).toBe(app)
    expect(trace).toEqual(['plugin', 'service'])
  })
})

describeBoth('hooks on setup and teardown', (createApp) => {
  // See docs/compatibility.md#lifecycle-hooks.
  const createHooked = () => {
    const app = createApp()

    const { setup, teardown } = app

    return Object.assign(app, { setup, teardown })
  }

  it('run around those of the services, in the order of registration', async () => {
    const { trace, around } = createTrace()
    const app = createHooked().use('things', {
      setup: async () => void trace.push('setup'),
      teardown: async () => void trace.push('teardown')
    })

    expect(app.hooks({ setup: [around('a'), around('b')], teardown: [around('c')] })).toBe(app)
    app.hooks({ setup: [around('d')] })

    await app.setup()
    await app.teardown()

    expect(trace).toEqual([
      ...['a in', 'b in', 'd in', 'setup', 'd out', 'b out', 'a out'],
      ...['c in', 'teardown', 'c out']
    ])
  })

  it('get the application and the server', async () => {
    const seen: unknown[] = []
    const app = createHooked()
    const server = {}

    app.hooks({
      setup: [
        async function (this: unknown, context: any, next: any) {
          expect('result' in context).toBe(false)
          await next()
          seen.push(this, context.app, context.server, context.result, context.method)
        }
      ]
    })

    await app.setup(server)

    expect(seen).toHaveLength(5)
    expect(seen[0]).toBe(app)
    expect(seen[1]).toBe(app)
    expect(seen[2]).toBe(server)
    expect(seen[3]).toBe(app)
    expect(seen[4]).toBe('setup')
  })

  it('wrap what plugins put in place, and stay on what was there', async () => {
    const { trace, around } = createTrace()
    const app = createHooked().use('things', { setup: async () => void trace.push('service') })

    app.hooks({ setup: [around('early')] })

    const { setup } = app

    app.setup = async function (this: any, server: unknown) {
      trace.push('plugin')

      return setup.call(this, server)
    }
    app.hooks({ setup: [around('late')] })

    await app.setup()

    expect(trace).toEqual(['late in', 'plugin', 'early in', 'service', 'early out', 'late out'])
  })

  it('reject setup when they throw, and no service is set up', async () => {
    const seen: string[] = []
    const app = createHooked().use('things', { setup: async () => void seen.push('service') })

    app.hooks({ setup: [() => Promise.reject(new Error('Not now'))] })

    await expect(app.setup()).rejects.toThrow('Not now')
    expect(seen).toEqual([])
    expect(app._isSetup).toBe(false)
  })

  it('are no hooks for the setup of services or for their methods', async () => {
    const { trace, around } = createTrace()
    const app = createHooked().use('things', { get: async () => ({}) })

    app.hooks({ setup: [around('setup')] })
    await app.service('things').get(1)

    expect(trace).toEqual([])
  })
})

describe('setup of alula', () => {
  it('sets a service up once, however often it is called, and again after teardown', async () => {
    const seen: string[] = []
    const app = alula().use('things', {
      setup: async () => void seen.push('setup'),
      teardown: async () => void seen.push('teardown')
    })

    await Promise.all([app.setup(), app.setup()])
    await app.setup()
    await app.teardown()
    await app.setup()

    expect(seen).toEqual(['setup', 'teardown', 'setup'])
  })

  it('sets a service up once that is registered later, or that was removed and comes again', async () => {
    const seen: string[] = []
    const app = alula()

    await app.setup()
    app.use('late', { setup: async () => void seen.push('setup') })
    await app.setup()

    expect(seen).toEqual(['setup'])

    app.use('again', await app.unuse('late'))
    await app.setup()

    expect(seen).toEqual(['setup', 'setup'])
  })

  it('resolves when all services are set up, those too that another call has begun with', async () => {
    const steps: string[] = []
    const { promise, resolve } = defer()
    const app = alula().use('slow', { setup: () => promise.then(() => void steps.push('set up')) })
    const first = app.setup()
    const second = app.setup('server').then(() => steps.push('second'))

    resolve(undefined)
    await Promise.all([first, second])

    expect(steps).toEqual(['set up', 'second'])
  })

  it('sets a service up again whose setup has failed', async () => {
    const seen: string[] = []
    const app = alula().use('things', {
      setup: async () => {
        if (seen.push('setup') === 1) throw new Error('Not now')
      }
    })

    await expect(app.setup()).rejects.toThrow('Not now')
    await app.setup()

    expect(seen).toEqual(['setup', 'setup'])
  })
})

describe('hooks on setup and teardown of alula', () => {
  it('need no plugin', async () => {
    const { trace, around } = createTrace()
    const app = alula()

    app.hooks({ setup: [around('setup')], teardown: [around('teardown')] })

    expect(await app.setup()).toBe(app)
    expect(await app.teardown()).toBe(app)
    expect(trace).toEqual(['setup in', 'setup out', 'teardown in', 'teardown out'])
  })

  it('may come while the application runs', async () => {
    const { trace, around } = createTrace()
    const app = alula()

    await app.setup()
    app.hooks({ setup: [around('late')] })
    await app.setup()

    expect(trace).toEqual(['late in', 'late out'])
  })

  it('may be one function', async () => {
    const { trace, around } = createTrace()
    const app = alula()

    app.hooks({ setup: around('single') } as any)
    await app.setup()

    expect(trace).toEqual(['single in', 'single out'])
  })

  it('have to be functions', async () => {
    const { trace, around } = createTrace()
    const app = alula()

    expect(() => app.hooks({ setup: [around('valid'), 'nonsense'] } as any)).toThrow(TypeError)
    await app.setup()

    expect(trace).toEqual([])
  })

  it('are those of one application', async () => {
    const { trace, around } = createTrace()

    alula().hooks({ setup: [around('other')] })
    await alula().setup()

    expect(trace).toEqual([])
  })
})

describe('teardown of alula', () => {
  it('tears all services down when some fail, and rejects with the first error', async () => {
    const seen: string[] = []
    const app = alula()

    app.use('a', {
      teardown: () => {
        throw new Error('a fails')
      }
    })
    app.use('b', { teardown: async () => void seen.push('b') })
    app.use('c', { teardown: async () => Promise.reject(new Error('c fails')) })
    app.use('d', { teardown: async () => void seen.push('d') })

    await expect(app.teardown()).rejects.toThrow('a fails')
    expect(seen).toEqual(['b', 'd'])
  })
})
