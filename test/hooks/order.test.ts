import { hooks as decorate } from '@feathersjs/hooks'
import { expect, it } from 'vitest'
import { describeBoth } from './both.ts'
import { createTrace } from './trace.ts'

describeBoth('the order of hooks', (createApp) => {
  it('goes from the application through the class and the service to the method, and back', async () => {
    const { trace, hook, around } = createTrace()

    class Things {
      async get(id: number) {
        trace.push('method')

        return { id }
      }
    }

    decorate(Things.prototype, [around('class')])
    decorate(Things, { get: [around('decorated method')] })

    const app = createApp().use('things', new Things())
    const service = app.service('things')

    // Registered from the inside out: the order of registration does not decide between levels.
    service.hooks({
      after: { get: [hook('service after.get')], all: [hook('service after.all')] },
      before: { get: [hook('service before.get')], all: [hook('service before.all')] },
      around: { get: [around('service around.get')], all: [around('service around.all')] }
    })
    service.hooks({ get: [around('service map')] })
    service.hooks([around('service list')])
    app.hooks({
      after: { get: [hook('app after.get')], all: [hook('app after.all')] },
      before: { get: [hook('app before.get')], all: [hook('app before.all')] },
      around: { get: [around('app around.get')], all: [around('app around.all')] }
    })

    await service.get(1)

    expect(trace).toEqual([
      'app around.all in',
      'app around.get in',
      'app before.all',
      'app before.get',
      'class in',
      'service list in',
      'decorated method in',
      'service map in',
      'service around.all in',
      'service around.get in',
      'service before.all',
      'service before.get',
      'method',
      'service after.all',
      'service after.get',
      'service around.get out',
      'service around.all out',
      'service map out',
      'decorated method out',
      'service list out',
      'class out',
      'app after.all',
      'app after.get',
      'app around.get out',
      'app around.all out'
    ])
  })

  it('is the same for a method that is not standard', async () => {
    const { trace, hook, around } = createTrace()
    const app = createApp().use(
      'things',
      { greet: async () => void trace.push('method') },
      { methods: ['greet'] }
    )

    app.hooks({ before: { all: [hook('app before')] }, after: { greet: [hook('app after')] } })
    app.service('things').hooks({
      around: { greet: [around('around')] },
      before: { greet: [hook('before')] },
      after: { greet: [hook('after.greet')], all: [hook('after.all')] }
    })

    await app.service('things').greet({})

    expect(trace).toEqual([
      'app before',
      'around in',
      'before',
      'method',
      'after.all',
      'after.greet',
      'around out',
      'app after'
    ])
  })

  it('lets error hooks of the method run before those for all methods, and the application last', async () => {
    const { trace, hook } = createTrace()
    const app = createApp().use('things', {
      get: async () => {
        throw new Error('Broken')
      }
    })

    app.hooks({ error: { all: [hook('app error.all')], get: [hook('app error.get')] } })
    app.service('things').hooks({ error: { all: [hook('error.all')], get: [hook('error.get')] } })

    await expect(app.service('things').get(1)).rejects.toThrow('Broken')
    expect(trace).toEqual(['error.get', 'error.all', 'app error.get', 'app error.all'])
  })

  it('is that of registration inside a list and between registrations', async () => {
    const { trace, hook, around } = createTrace()
    const app = createApp().use('things', { find: async () => [] })
    const service = app.service('things')

    for (const n of [1, 2]) {
      service.hooks({
        around: [around(`around ${n}a`), around(`around ${n}b`)],
        before: { find: [hook(`before ${n}a`), hook(`before ${n}b`)] },
        after: { find: [hook(`after ${n}a`), hook(`after ${n}b`)] }
      })
    }

    await service.find()

    expect(trace).toEqual([
      'around 1a in',
      'around 1b in',
      'around 2a in',
      'around 2b in',
      'before 1a',
      'before 1b',
      'before 2a',
      'before 2b',
      'after 1a',
      'after 1b',
      'after 2a',
      'after 2b',
      'around 2b out',
      'around 2a out',
      'around 1b out',
      'around 1a out'
    ])
  })

  it('waits for hooks that take their time', async () => {
    const { trace, hook } = createTrace()
    const slow = (label: string) => async () => {
      for (let turn = 0; turn < 10; turn++) await null
      trace.push(label)
    }
    const app = createApp().use('things', { find: slow('method') })

    app.service('things').hooks({
      before: { all: [slow('before slow'), hook('before fast')] },
      after: { all: [slow('after slow'), hook('after fast')] }
    })

    await app.service('things').find()

    expect(trace).toEqual(['before slow', 'before fast', 'method', 'after slow', 'after fast'])
  })

  it('concerns only the method that is called', async () => {
    const { trace, hook, around } = createTrace()
    const app = createApp().use('things', { find: async () => [], get: async () => ({}) })

    app.hooks({ before: { find: [hook('app find')] } })
    app.service('things').hooks({ find: [around('map find')] })
    app.service('things').hooks({ after: { find: [hook('after find')], get: [hook('after get')] } })

    await app.service('things').get(1)

    expect(trace).toEqual(['after get'])
  })

  it('concerns only the service that is called, apart from hooks of the application', async () => {
    const { trace, hook } = createTrace()
    const app = createApp()
      .use('a', { find: async () => [] })
      .use('b', { find: async () => [] })

    app.hooks({ before: [hook('app')] })
    app.service('a').hooks({ before: [hook('a')] })
    app.service('b').hooks({ before: [hook('b')] })

    await app.service('b').find()

    expect(trace).toEqual(['app', 'b'])
  })

  it('begins anew for a call inside a hook', async () => {
    const { trace, around } = createTrace()
    const app = createApp()
      .use('outer', { find: async () => [] })
      .use('inner', { find: async () => [] })

    app.service('outer').hooks([
      around('outer'),
      async (context: any, next: any) => {
        await context.app.service('inner').find()
        await next()
      }
    ])
    app.service('inner').hooks([around('inner')])

    await app.service('outer').find()

    expect(trace).toEqual(['outer in', 'inner in', 'inner out', 'outer out'])
  })
})

describeBoth('a result that is set before the method', (createApp) => {
  it.each([[{ id: 'cached' }], [null], [0], [undefined]])(
    '%o takes the place of the method',
    async (result) => {
      const { trace, hook } = createTrace()
      const app = createApp().use('things', { get: async () => void trace.push('method') })

      app.service('things').hooks({
        before: {
          get: [
            (context: any) => {
              context.result = result
            },
            hook('next before')
          ]
        },
        after: { get: [hook('after')] }
      })

      expect(await app.service('things').get(1)).toBe(result)
      expect(trace).toEqual(['next before', 'after'])
    }
  )

  it('lets the method run after all when it is deleted again', async () => {
    const app = createApp().use('things', { get: async () => 'from the method' })

    app.service('things').hooks({
      before: {
        get: [
          (context: any) => {
            context.result = 'cached'
          },
          (context: any) => {
            delete context.result
          }
        ]
      }
    })

    expect(await app.service('things').get(1)).toBe('from the method')
  })
})
