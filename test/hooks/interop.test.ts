import { hooks as decorate, getManager, middleware } from '@feathersjs/hooks'
import { describe, expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { describeBoth } from './both.ts'
import { createTrace } from './trace.ts'

describeBoth('a service that was decorated with @feathersjs/hooks', (createApp) => {
  it('runs the hooks of a class method, with the context of the service', async () => {
    let seen: any

    class Things {
      async get(id: number, params: unknown) {
        return { id, params }
      }
    }

    decorate(Things, {
      get: [
        async (context: any, next: any) => {
          seen = context
          context.params.decorated = true
          await next()
        }
      ]
    })

    const app = createApp().use('things', new Things())

    expect(await app.service('things').get(1)).toEqual({ id: 1, params: { decorated: true } })
    expect(seen.app).toBe(app)
    expect(seen.service).toBe(app.service('things'))
    expect(seen).toMatchObject({ path: 'things', method: 'get', id: 1, type: 'around' })
  })

  it('runs the hooks of an object’s method once', async () => {
    const { trace, around } = createTrace()
    const things = decorate({ get: async () => void trace.push('method') }, { get: [around('decorated')] })
    const app = createApp().use('things', things)

    await app.service('things').get(1)

    expect(trace).toEqual(['decorated in', 'method', 'decorated out'])
  })

  it('runs hooks that were added to a decorated method behind those that were there', async () => {
    const { trace, around } = createTrace()
    const things = { get: async () => ({}) }

    decorate(things, { get: [around('first')] })
    decorate(things, { get: [around('second')] })

    const app = createApp().use('things', things)

    app.service('things').hooks({ get: [around('third')] })
    await app.service('things').get(1)

    expect(trace.slice(0, 3)).toEqual(['first in', 'second in', 'third in'])
  })

  it('runs the hooks of an object for all of its methods', async () => {
    const { trace, around } = createTrace()
    const things = { get: async () => ({}), find: async () => [] }

    decorate(things, [around('object')])

    const app = createApp().use('things', things)

    await app.service('things').get(1)
    await app.service('things').find()

    expect(trace).toEqual(['object in', 'object out', 'object in', 'object out'])
  })

  it('runs the hooks of prototypes first, the furthest first', async () => {
    const { trace, around } = createTrace()

    class Base {
      async get() {
        return {}
      }
    }

    class Things extends Base {}

    decorate(Base.prototype, [around('base')])
    decorate(Things.prototype, [around('class')])

    const things = new Things()

    decorate(things, [around('object')])

    const app = createApp().use('things', things)

    app.service('things').hooks([around('service')])
    await app.service('things').get(1)

    expect(trace.slice(0, 4)).toEqual(['base in', 'class in', 'object in', 'service in'])
  })

  it('keeps the hooks of one class from another one of the same base', async () => {
    const { trace, around } = createTrace()

    class Base {
      async get() {
        return {}
      }
    }

    class A extends Base {}
    class B extends Base {}

    decorate(A.prototype, [around('a')])
    decorate(B.prototype, [around('b')])

    const app = createApp().use('a', new A()).use('b', new B())

    await app.service('b').get(1)

    expect(trace).toEqual(['b in', 'b out'])
  })

  it('runs object hooks outside of method hooks', async () => {
    const { trace, around } = createTrace()
    const things = { get: async () => ({}) }

    decorate(things, { get: [around('method')] })
    decorate(things, [around('object')])

    const app = createApp().use('things', things)

    await app.service('things').get(1)

    expect(trace.slice(0, 2)).toEqual(['object in', 'method in'])
  })

  it('lets hooks of the application see an error of a decorated method, and those of the service not', async () => {
    const seen: string[] = []
    const things = decorate(
      { get: async () => ({}) },
      {
        get: [
          async () => {
            throw new Error('Broken')
          }
        ]
      }
    )
    const app = createApp().use('things', things)

    app.hooks({ error: [() => void seen.push('app')] })
    app.service('things').hooks({ error: [() => void seen.push('service')] })

    await expect(app.service('things').get(1)).rejects.toThrow('Broken')
    expect(seen).toEqual(['app'])
  })

  it('has the properties of a method’s manager in its contexts', async () => {
    let seen: any
    const manager = middleware([
      async (context: any, next: any) => {
        seen = [context.audited, context.shout]
        await next()
      }
    ]).props({
      audited: true,
      get shout() {
        return `${(this as any).path}!`
      }
    })
    const app = createApp().use('things', decorate({ get: async () => ({}) }, { get: manager }))

    await app.service('things').get(1)

    expect(seen).toEqual([true, 'things!'])
  })

  it('fills in the defaults of a method’s manager where a context has nothing', async () => {
    const seen: unknown[] = []
    const manager = middleware([
      async (context: any, next: any) => {
        seen.push([context.locale, context.tenant])
        await next()
      }
    ]).defaults((self: any) => ({ locale: 'en', tenant: self.tenant }))
    const app = createApp().use(
      'things',
      decorate({ tenant: 'acme', get: async () => ({}) }, { get: manager })
    )
    const service = app.service('things')

    await service.get(1)
    await service.get(1, {}, service.get.createContext({ locale: 'de' }))

    expect(seen).toEqual([
      ['en', 'acme'],
      ['de', 'acme']
    ])
  })

  it('can be called without an application too, and stays as it was', async () => {
    const { trace, around } = createTrace()
    const things = decorate({ get: async (id: number) => id }, { get: [around('decorated')] })
    const app = createApp().use('things', things)

    app.hooks([around('app')])

    expect(await things.get(7)).toBe(7)
    expect(trace).toEqual(['decorated in', 'decorated out'])
  })

  it('runs the hooks of a custom method that is listed', async () => {
    const { trace, around } = createTrace()
    const things = decorate({ greet: async (data: any) => data.name }, { greet: [around('decorated')] })
    const app = createApp().use('things', things, { methods: ['greet'] })

    expect(await app.service('things').greet({ name: 'Ada' })).toBe('Ada')
    expect(trace).toEqual(['decorated in', 'decorated out'])
  })
})

describeBoth('hooks of @feathersjs/hooks on a registered service', (createApp) => {
  it('apply from the next call on, behind those that are there', async () => {
    const { trace, around } = createTrace()
    const things = { get: async () => ({}) }

    decorate(things, [around('before registration')])

    const app = createApp().use('things', things)
    const service = app.service('things')

    service.hooks({ before: [() => void trace.push('before')] })
    await service.get(1)
    decorate(service, [around('after registration')])
    await service.get(1)

    expect(trace).toEqual([
      ...['before registration in', 'before', 'before registration out'],
      ...['before registration in', 'after registration in'],
      ...['before', 'after registration out', 'before registration out']
    ])
  })

  it('do not touch the object that the service was made of', async () => {
    const { trace, around } = createTrace()
    const things = { get: async () => ({}) }
    const app = createApp().use('things', things)

    decorate(app.service('things'), [around('service')])

    await things.get()

    expect(trace).toEqual([])
    expect(getManager(things)).toBeNull()
  })
})

describe('names of a decorated method’s arguments', () => {
  it('do not shift those that the service gives them', async () => {
    let seen: any
    const manager = middleware([
      async (context: any, next: any) => {
        seen = [context.id, context.params]
        await next()
      }
    ]).params('key', 'options')
    const app = alula().use('things', decorate({ get: async () => ({}) }, { get: manager }))

    await app.service('things').get(1, { query: { a: 1 } })

    expect(seen).toEqual([1, { query: { a: 1 } }])
  })
})
