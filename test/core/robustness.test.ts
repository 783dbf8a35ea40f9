import { hooks as decorate, middleware } from '@feathersjs/hooks'
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { describeBoth } from '../hooks/both.ts'
import { createTrace } from '../hooks/trace.ts'

// Code of an application that goes wrong. A rejection that nobody handles would fail the run of the tests.

const things = { create: async (data: any) => data }

const fail = (message: string) => () => {
  throw new Error(message)
}

/** Until everything that is on its way has arrived. */
const settle = () => new Promise(setImmediate)

it('an error listener that rejects does not end the process', async () => {
  const app = alula().use('things', things)

  app.on('error', async () => fail('bad error listener')())
  app.service('things').on('created', fail('bad listener'))

  expect(await app.service('things').create({ a: 1 })).toEqual({ a: 1 })
  await settle()
})

it('every error listener hears of an error, whatever the others do', async () => {
  const app = alula().use('things', things)
  const heard: string[] = []

  app.on('error', fail('bad error listener'))
  app.on('error', (error) => heard.push(error.message))
  app.service('things').on('created', fail('bad listener'))
  await app.service('things').create({})

  expect(heard).toEqual(['bad listener'])
})

it('an emit of the service’s own that rejects is reported', async () => {
  const app = alula()
  const heard: string[] = []
  const emit = async () => fail('bad emit')()

  app.on('error', (error) => heard.push(error.message))
  app.use('things', { ...things, on: () => undefined, emit } as any)
  await app.service('things').create({})
  await settle()

  expect(heard).toEqual(['bad emit'])
})

it('a late service that cannot be set up is reported', async () => {
  const app = alula()
  const heard: string[] = []

  app.on('error', (error) => heard.push(error.message))
  await app.setup()
  app.use('things', { setup: async () => fail('no database')() })
  await settle()

  expect(heard).toEqual(['no database'])
})

it('a listener that appends to the result does not go on for ever', async () => {
  const app = alula().use('things', { create: async () => [1] })
  let heard = 0

  app.service('things').on('created', (_item, context) => {
    heard++
    context.result.push(1)
  })
  await app.service('things').create({})

  expect(heard).toBe(1)
})

it('a method that was taken off its service runs on that service', async () => {
  const app = alula().use('things', things)
  const { create } = app.service('things')
  const seen: unknown[] = []

  app.service('things').hooks({
    before: {
      create: async (context) => {
        seen.push(context.self)
      }
    }
  })

  expect(await create({ a: 1 })).toEqual({ a: 1 })
  expect(seen).toEqual([app.service('things')])
})

it('a refused service takes no route of another one with it', () => {
  const app = alula().use('users/:__id', { get: async () => ({}) })

  expect(() => app.use('users', { get: async () => ({}) })).toThrow('already exists')
  expect(app.lookup('users/5')?.service).toBe(app.service('users/:__id'))
})

it('a service that a mixin refuses leaves no route behind', () => {
  const app = alula().use('things/:a', { get: async () => ({}) })

  app.mixins.push(fail('no'))
  expect(() => app.use('things/:b', { get: async () => ({}) })).toThrow('no')
  app.mixins.pop()

  expect(() => app.use('things/:b', { get: async () => ({}) })).not.toThrow()
})

it('an application with a taken path registers none of its services', () => {
  const app = alula().use('api/second', things)
  const nested = alula().use('first', things).use('second', things)

  expect(() => app.use('api', nested)).toThrow('Path api/second already exists')
  expect(app.lookup('api/first')).toBeNull()
})

it('lifecycle hooks are registered all or not at all', async () => {
  const { trace, around } = createTrace()
  const app = alula()

  expect(() => app.hooks({ setup: [around('set up')], teardown: ['nonsense'] } as any)).toThrow(TypeError)
  await app.setup()

  expect(trace).toEqual([])
})

it('hooks next to lifecycle hooks are refused, and not dropped', () => {
  const hook = async () => undefined

  expect(() => alula().hooks({ setup: [hook], find: [hook] } as any)).toThrow(
    "'find' is not a valid hook next to 'setup' and 'teardown'"
  )
})

it('an array is no service, though it has a find', () => {
  expect(() => alula().use('things', [] as any)).toThrow('Invalid service object')
})

describeBoth('hooks of @feathersjs/hooks', (createApp) => {
  it('run around a setup that has hooks', async () => {
    const { trace, around } = createTrace()
    const app = createApp()

    Object.assign(app, { setup: app.setup })
    app.hooks({ setup: [around('1')] })
    decorate(app, { setup: [around('2')] })
    await app.setup()

    expect(trace.sort()).toEqual(['1 in', '1 out', '2 in', '2 out'])
  })

  it('stay on a setup that a plugin replaced', async () => {
    const { trace, around } = createTrace()
    const app = createApp()

    app.setup = decorate(async () => void trace.push('set up'), [around('own')])
    await app.setup()

    expect(trace).toEqual(['own in', 'set up', 'own out'])
  })

  it('give params a default', async () => {
    const get = decorate(
      async (_id: any, params: any) => params,
      middleware([]).defaults(() => ({ params: { a: 1 } }))
    )
    const app = createApp().use('things', { get })

    expect(await app.service('things').get(1)).toEqual({ a: 1 })
  })

  it('give contexts properties that win over ours', async () => {
    let path: unknown
    const look = async (context: any, next: any) => {
      path = context.path
      await next()
    }
    const app = createApp().use('things', {
      get: decorate(async () => 1, middleware([look]).props({ path: 'mine' }))
    })

    await app.service('things').get(1)

    expect(path).toBe('mine')
  })

  it('are not needed for a class with static methods to be a service', async () => {
    const app = createApp().use(
      'things',
      Object.assign(() => undefined, { find: async () => [1] })
    )

    expect(await app.service('things').find()).toEqual([1])
  })
})
