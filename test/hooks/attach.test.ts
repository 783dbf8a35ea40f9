import { hooks as decorate, middleware } from '@feathersjs/hooks'
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

describe('a method with properties and defaults of its own that then gets hooks attached', () => {
  it('has them in its contexts, in the hooks that were attached, too', async () => {
    const seen: unknown[] = []
    const look = async (context: any, next: any) => {
      seen.push([context.audited, context.locale, context.tenant])
      await next()
    }
    const manager = middleware([look])
      .props({ audited: true })
      .defaults((self: any, args: any, context: any) => ({
        locale: 'en',
        tenant: `${self.tenant} ${args[0]} ${context.path}`
      }))
    const things: any = decorate({ tenant: 'acme', get: async () => ({}) }, { get: manager })

    things.get = attachHooks(things.get, [look])

    const app: any = alula().use('things', things)

    await app.service('things').get(1)

    expect(seen).toEqual([
      [true, 'en', 'acme 1 things'],
      [true, 'en', 'acme 1 things']
    ])
  })
})

describe('a manager of hooks that knows nothing but its hooks', () => {
  it('is enough, with hooks attached and without', async () => {
    const { trace, around } = createTrace()
    const manage = (method: () => unknown, label: string) =>
      Object.assign(method, {
        [Symbol.for('@feathersjs/hooks')]: { getMiddleware: () => [around(label)] }
      })
    const app: any = alula().use('things', {
      get: manage(async () => 'one', 'get'),
      find: attachHooks(
        manage(async () => 'all', 'find'),
        [around('attached')]
      )
    } as any)

    expect(await app.service('things').get(1)).toBe('one')
    expect(await app.service('things').find()).toBe('all')
    expect(trace).toEqual(['get in', 'get out', 'attached in', 'find in', 'find out', 'attached out'])
  })
})

describe('a method that gets hooks attached and is then decorated', () => {
  it.each<[string, object]>([
    ['nothing', {}],
    ['a manager of hooks', { [Symbol.for('@feathersjs/hooks')]: { getMiddleware: () => [] } }]
  ])('runs these inside of those that were attached, when %s was on it', async (_title, before) => {
    const { trace, around } = createTrace()
    const get = Object.assign(async () => 'one', before)
    const things: any = { get: attachHooks(get, [around('attached')]) }

    decorate(things, { get: middleware([around('decorated')]).props({ audited: true }) })

    const app: any = alula().use('things', things)
    const context = await app.service('things').get(1, {}, app.service('things').get.createContext())

    expect(context).toMatchObject({ result: 'one', audited: true, id: 1 })
    expect(trace).toEqual(['attached in', 'decorated in', 'decorated out', 'attached out'])
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
