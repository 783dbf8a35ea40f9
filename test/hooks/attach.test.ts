import { hooks as decorate } from '@feathersjs/hooks'
import { describe, expect, it } from 'vitest'
import { attachHooks } from '../../src/hooks/interop.ts'
import { alula } from '../../src/index.ts'
import { createTrace } from './trace.ts'

describe('hooks that are attached to a method', () => {
  it('run around it, outside of those of the service, the first one outermost', async () => {
    const { trace, around, hook } = createTrace()
    const get = async () => void trace.push('method')
    const app: any = alula().use('things', { get: attachHooks(get, [around('first'), around('second')]) })

    app.service('things').hooks({ around: [around('service')], before: { get: [hook('before')] } })
    await app.service('things').get(1)

    expect(trace).toEqual([
      'first in',
      'second in',
      'service in',
      'before',
      'method',
      'service out',
      'second out',
      'first out'
    ])
  })

  it('see the context of the service', async () => {
    let seen: any
    const look = async (context: any, next: any) => {
      seen = { id: context.id, path: context.path, params: context.params }
      context.params = { mine: true }
      await next()
      context.result = { ...context.result, after: true }
    }
    const get = async (id: unknown, params: unknown) => ({ id, params })
    const app: any = alula().use('things', { get: attachHooks(get, [look]) })

    expect(await app.service('things').get(1, { query: {} })).toEqual({
      id: 1,
      params: { mine: true },
      after: true
    })
    expect(seen).toEqual({ id: 1, path: 'things', params: { query: {} } })
  })
})

describe('a method that was decorated and then gets hooks attached', () => {
  it('runs the decorated ones inside of these, all with the context of the service', async () => {
    const { trace, around } = createTrace()
    const seen: any[] = []

    class Things {
      async get() {
        trace.push('method')
      }
    }

    const look = async (context: any, next: any) => {
      seen.push({ id: context.id, path: context.path, params: context.params, app: context.app })
      await next()
    }

    decorate(Things.prototype, { get: [around('decorated'), look] })

    const things: any = new Things()

    things.get = attachHooks(things.get, [around('attached'), look])

    const app: any = alula().use('things', things)

    app.service('things').hooks({ around: { get: [around('service')] } })
    await app.service('things').get(1, { query: {} })

    const context = { id: 1, path: 'things', params: { query: {} }, app }

    expect(seen).toEqual([context, context])
    expect(trace).toEqual([
      'attached in',
      'decorated in',
      'service in',
      'method',
      'service out',
      'decorated out',
      'attached out'
    ])
  })
})

describe('a method with attached hooks', () => {
  it('is another function than the method, which stays as it is', () => {
    const method = async () => 1
    const attached = attachHooks(method, [])

    expect(attached).not.toBe(method)
    expect(Object.getOwnPropertySymbols(method)).toEqual([])
  })

  it('does the same with the same object and arguments when it is called by itself', async () => {
    const service = {
      name: 'things',
      get: attachHooks(
        async function (this: any, ...args: unknown[]) {
          return [this.name, ...args]
        },
        [
          () => {
            throw new Error('Not without a service')
          }
        ]
      )
    }

    expect(await service.get(1, {})).toEqual(['things', 1, {}])
  })

  it('keeps its hooks when the list is changed afterwards', async () => {
    const { trace, around } = createTrace()
    const list = [around('first')]
    const attached: any = attachHooks(async () => undefined, list)
    const { getMiddleware } = attached[Symbol.for('@feathersjs/hooks')]

    getMiddleware().push(around('second'))

    expect(getMiddleware()).toEqual(list)
    expect(trace).toEqual([])
  })
})
