import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { AuthenticationBase, type AuthenticationStrategy } from '../../src/authentication.ts'
import { alula } from '../../src/index.ts'
import { createApp } from './app.ts'

describe('a strategy that is registered', () => {
  it('hears its name, the application and the service, and then checks its configuration', () => {
    const app = alula()
    const auth = new AuthenticationBase(app)
    const calls: unknown[] = []

    auth.register('test', {
      verifyConfiguration: () => calls.push('verify'),
      setAuthentication: (given) => calls.push(given),
      setApplication: (given) => calls.push(given),
      setName: (name) => calls.push(name)
    })

    expect(calls[0]).toBe('test')
    expect(calls[1]).toBe(app)
    expect(calls[2]).toBe(auth)
    expect(calls.slice(3)).toEqual(['verify'])
  })

  it('is not kept when its configuration is refused', () => {
    const auth = new AuthenticationBase(alula())
    const refuse = () => {
      throw new Error('No good')
    }

    expect(() => auth.register('test', { verifyConfiguration: refuse })).toThrow('No good')
    expect(auth.strategyNames).toEqual([])
  })

  it('is set up with the service, and at once when that is set up already', async () => {
    const auth = new AuthenticationBase(alula())
    const calls: unknown[] = []
    const strategy: AuthenticationStrategy = { setup: async (...args) => void calls.push(args) }

    auth.register('early', strategy)
    expect(calls).toEqual([])
    expect(auth.isReady).toBe(false)

    await auth.setup()
    expect(auth.isReady).toBe(true)
    expect(calls).toEqual([[auth, 'early']])

    auth.register('late', strategy)
    expect(calls).toEqual([
      [auth, 'early'],
      [auth, 'late']
    ])
  })

  it('that can not be set up late is reported and brings nothing down', async () => {
    const app = createApp()
    const reported = once(app, 'error')
    const error = new Error('No connection')

    await app.setup()
    app.service('authentication').register('late', { setup: () => Promise.reject(error) })

    expect((await reported)[0]).toBe(error)
  })

  it('is torn down with the service', async () => {
    const calls: string[] = []
    const app = createApp({
      strategies: {
        a: { teardown: async () => calls.push('a') },
        b: {},
        c: { teardown: async () => calls.push('c') }
      },
      settings: { entity: null }
    })

    await app.setup()
    await app.teardown()

    expect(calls).toEqual(['a', 'c'])
    expect(app.service('authentication').isReady).toBe(false)
  })

  it('is found by its name', () => {
    const auth = new AuthenticationBase(alula())
    const [first, second] = [{}, {}]

    auth.register('first', first)
    auth.register('second', second)

    expect(auth.strategyNames).toEqual(['first', 'second'])
    expect(auth.getStrategy('first')).toBe(first)
    expect(auth.getStrategy('third')).toBeUndefined()
    expect(auth.getStrategies('second', 'third', 'first')).toEqual([second, first])
    expect(auth.getStrategies('second', 'third')[0]).toBe(second)
    expect(auth.getStrategies()).toEqual([])
  })

  it('is no other for a name that every object has', () => {
    const auth = new AuthenticationBase(alula())

    for (const name of ['constructor', '__proto__', 'toString', 'hasOwnProperty']) {
      expect(auth.getStrategy(name), name).toBeUndefined()
      expect(auth.getStrategies(name), name).toEqual([])
    }
  })
})
