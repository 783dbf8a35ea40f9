import { describe, expect, it } from 'vitest'
import { access } from '../../src/access.ts'
import { alula } from '../../src/index.ts'
import { schema } from '../../src/schema.ts'
import { createTypeError } from '../../src/utils/developer-error.ts'
import { describeBoth } from './both.ts'
import { createTrace } from './trace.ts'

const TYPES = ['around', 'before', 'after', 'error'] as const

describeBoth('hooks by type', (createApp) => {
  const shapes: [string, (hook: unknown) => unknown][] = [
    ['a function', (hook) => hook],
    ['a list', (hook) => [hook]],
    ['a function under all', (hook) => ({ all: hook })],
    ['a list under all', (hook) => ({ all: [hook] })],
    ['a function under the method', (hook) => ({ get: hook })],
    ['a list under the method', (hook) => ({ get: [hook] })]
  ]

  for (const type of TYPES) {
    it.each(shapes)(`${type} takes %s, on the application and on a service`, async (_title, toShape) => {
      const { trace, hook, around } = createTrace()
      const create = type === 'around' ? around : hook
      const app = createApp().use('things', {
        get: async () => {
          if (type === 'error') throw new Error('Broken')
        }
      })

      expect(app.hooks({ [type]: toShape(create('app')) })).toBe(app)
      expect(app.service('things').hooks({ [type]: toShape(create('service')) })).toBe(app.service('things'))

      await app
        .service('things')
        .get(1)
        .catch(() => {})

      const labels = trace.map((entry) => entry.split(' ')[0])

      expect(labels.slice(0, 2).sort()).toEqual(['app', 'service'])
    })
  }

  it('may come several types at once', async () => {
    const { trace, hook, around } = createTrace()
    const app = createApp().use('things', { get: async () => void trace.push('method') })

    app.service('things').hooks({
      around: [around('around')],
      before: { get: hook('before') },
      after: hook('after')
    })

    await app.service('things').get(1)

    expect(trace).toEqual(['around in', 'before', 'method', 'after', 'around out'])
  })

  it('refuse a type that there is not', () => {
    const app = createApp().use('things', { get: async () => ({}) })
    const hooks = { before: [], finally: [] }

    expect(() => app.hooks(hooks)).toThrow("'finally' is not a valid hook type")
    expect(() => app.service('things').hooks(hooks)).toThrow("'finally' is not a valid hook type")
  })

  it('refuse a method next to a type', () => {
    const app = createApp().use('things', { get: async () => ({}) })

    expect(() => app.service('things').hooks({ before: [], get: [] })).toThrow(
      "'get' is not a valid hook type"
    )
  })

  it('may name a standard method that the service does not have', async () => {
    const app = createApp().use('things', { get: async () => 'fine' })

    app.service('things').hooks({ before: { create: [() => {}] } })

    expect(await app.service('things').get(1)).toBe('fine')
    expect(app.service('things').create).toBeUndefined()
  })
})

it('hooks by type for a method that nobody has are refused, and nothing of them is kept', async () => {
  const app: any = alula().use('things', { get: async () => 'fine' })
  const broken = () => {
    throw new Error('registered all the same')
  }

  expect(() => app.service('things').hooks({ before: { get: [broken], gte: [broken] } })).toThrow(
    "Method gte is not a Feathers hooks enabled service method. Did you mean 'get'?"
  )
  expect(await app.service('things').get(1)).toBe('fine')
})

describeBoth('hooks without a type', (createApp) => {
  it('in a list go around every method', async () => {
    const { trace, around } = createTrace()
    const app = createApp().use('things', { get: async () => ({}), find: async () => [] })

    app.hooks([around('app')])
    app.service('things').hooks([around('service')])

    await app.service('things').get(1)
    await app.service('things').find()

    expect(trace).toEqual([
      ...['app in', 'service in', 'service out', 'app out'],
      ...['app in', 'service in', 'service out', 'app out']
    ])
  })

  it('in a map go around the methods that it names', async () => {
    const { trace, around } = createTrace()
    const app = createApp().use('things', { get: async () => ({}), find: async () => [] })

    app.hooks({ get: [around('app get')], all: [around('app all')] })
    app.service('things').hooks({ get: [around('service get')] })

    await app.service('things').get(1)
    await app.service('things').find()

    expect(trace).toEqual([
      ...['app all in', 'app get in', 'service get in', 'service get out', 'app get out', 'app all out'],
      ...['app all in', 'app all out']
    ])
  })

  it('append to those that are there', async () => {
    const { trace, around } = createTrace()
    const app = createApp().use('things', { get: async () => ({}) })
    const service = app.service('things')

    service.hooks({ get: [around('map 1')] }).hooks([around('list 1')])
    service.hooks({ get: [around('map 2')] }).hooks([around('list 2')])

    await service.get(1)

    expect(trace.slice(0, 4)).toEqual(['list 1 in', 'list 2 in', 'map 1 in', 'map 2 in'])
  })

  it.each(['create', 'whatever', 'all', 'toString', 'constructor'])(
    'in the map of a service cannot name %s, which has no hooks',
    (method) => {
      const app = createApp().use('things', { get: async () => ({}) })

      expect(() => app.service('things').hooks({ [method]: [async () => {}] })).toThrow(
        `Method ${method} is not a Feathers hooks enabled service method`
      )
    }
  )

  it('may be none', async () => {
    const app = createApp().use('things', { get: async () => 'fine' })

    expect(app.hooks({})).toBe(app)
    expect(app.hooks([])).toBe(app)
    expect(app.service('things').hooks({})).toBe(app.service('things'))
    expect(app.service('things').hooks([])).toBe(app.service('things'))
    expect(await app.service('things').get(1)).toBe('fine')
  })
})

describeBoth('registration', (createApp) => {
  it('works before and after the first call', async () => {
    const { trace, hook, around } = createTrace()
    const app = createApp().use('things', { get: async () => ({}) })
    const service = app.service('things')

    service.hooks({ before: [hook('before')] })
    await service.get(1)
    app.hooks({ before: [hook('app before')] })
    await service.get(1)
    service.hooks([around('list')])
    await service.get(1)
    service.hooks({ get: [around('map')] })
    await service.get(1)
    service.hooks({ after: { get: [hook('after')] } })
    await service.get(1)

    expect(trace).toEqual([
      ...['before'],
      ...['app before', 'before'],
      ...['app before', 'list in', 'before', 'list out'],
      ...['app before', 'list in', 'map in', 'before', 'map out', 'list out'],
      ...['app before', 'list in', 'map in', 'before', 'after', 'map out', 'list out']
    ])
  })

  it('on the application works before the service is there', async () => {
    const { trace, hook } = createTrace()
    const app = createApp().hooks({ before: { get: [hook('app')] } })

    app.use('things', { get: async () => ({}) })
    await app.service('things').get(1)

    expect(trace).toEqual(['app'])
  })

  it.each(['around', 'before', 'after'])('of %s hooks during a call is for the next one', async (type) => {
    const { trace, hook, around } = createTrace()
    const late = type === 'around' ? around('late') : hook('late')
    const app = createApp().use('things', { get: async () => ({}) })
    const service = app.service('things')
    let registered = false

    app.hooks({
      before: {
        get: [
          () => {
            if (!registered) service.hooks({ [type]: { get: [late] } })
            registered = true
          }
        ]
      }
    })

    await service.get(1)
    expect(trace).toEqual([])

    await service.get(1)
    expect(trace[0]).toMatch(/^late/)
  })

  it('of the same hook twice makes it run twice', async () => {
    const { trace, hook } = createTrace()
    const twice = hook('twice')
    const app = createApp().use('things', { get: async () => ({}) })

    app.service('things').hooks({ before: { all: [twice], get: [twice] } })

    await app.service('things').get(1)

    expect(trace).toEqual(['twice', 'twice'])
  })

  it('leaves the lists alone that it was given', async () => {
    const { trace, hook } = createTrace()
    const list = Object.freeze([hook('frozen')])
    const hooks = Object.freeze({ before: Object.freeze({ get: list }) })
    const app = createApp().use('things', { get: async () => ({}) })

    app.service('things').hooks(hooks)
    app.service('things').hooks(hooks)

    await app.service('things').get(1)

    expect(trace).toEqual(['frozen', 'frozen'])
    expect(list).toHaveLength(1)
  })

  it('does not follow a list that changes afterwards', async () => {
    const { trace, hook } = createTrace()
    const list = [hook('early')]
    const app = createApp().use('things', { get: async () => ({}) })

    app.service('things').hooks({ before: { get: list } })
    list.push(hook('late'))

    await app.service('things').get(1)

    expect(trace).toEqual(['early'])
  })
})

describe('a hook that is not a function', () => {
  it.each(TYPES)('is refused among %s hooks, with its type and method', (type) => {
    const app = alula().use('things', { get: async () => ({}) })
    const hooks: any = { [type]: { get: ['nonsense'] } }
    const message = `Invalid '${type}' hook for 'get': expected a function, got string`

    expect(() => app.hooks(hooks)).toThrow(createTypeError('ALULA_INVALID_HOOK', message))
    expect(() => app.service('things').hooks(hooks)).toThrow(createTypeError('ALULA_INVALID_HOOK', message))
  })

  it.each<[string, any]>([
    ['a number in a list', [42]],
    ['undefined in a list', [undefined]],
    ['an object in a list', [{ get: [] }]],
    ['a string', { get: 'nonsense' }],
    ['a nested list', [[() => {}]]]
  ])('is refused without a type: %s', (_title, hooks) => {
    const app = alula().use('things', { get: async () => ({}) })

    expect(() => app.hooks(hooks)).toThrow(TypeError)
    expect(() => app.service('things').hooks(hooks)).toThrow(TypeError)
  })

  it.each<any>([undefined, null, 'before', 42, () => {}])('%o is no set of hooks for a service', (hooks) => {
    const app = alula().use('things', { get: async () => ({}) })

    expect(() => app.service('things').hooks(hooks)).toThrow(TypeError)
  })

  it('keeps the valid hooks beside it from being registered', async () => {
    const { trace, hook, around } = createTrace()
    const app = alula().use('things', { get: async () => ({}) })
    const service = app.service('things')
    const broken: any = { before: { all: [hook('before')], get: [hook('before'), 'nonsense'] } }

    expect(() => app.hooks(broken)).toThrow(TypeError)
    expect(() => service.hooks(broken)).toThrow(TypeError)
    expect(() => service.hooks([around('around'), 'nonsense'] as any)).toThrow(TypeError)
    expect(() => service.hooks({ before: [hook('before')], finally: [] } as any)).toThrow()
    expect(() => service.hooks({ get: [around('around')], create: [] } as any)).toThrow()

    await service.get(1)

    expect(trace).toEqual([])
  })

  it('is passed over when it is a list that is missing', async () => {
    const { trace, hook } = createTrace()
    const app = alula().use('things', { get: async () => ({}) })
    const hooks: any = {
      around: undefined,
      before: { all: undefined, get: [hook('before')], find: null },
      after: null,
      error: { get: undefined }
    }

    app.hooks(hooks)
    app.service('things').hooks(hooks)

    await app.service('things').get(1)

    expect(trace).toEqual(['before', 'before'])
  })
})

it('a service that has its own hooks function keeps it, and its methods stay as they are', async () => {
  const given: unknown[] = []
  const app = alula().use('things', {
    get: async () => 'untouched',
    hooks: (input: unknown) => void given.push(input)
  } as any)

  app.hooks({ before: [() => Promise.reject(new Error('Not expected'))] })
  app.service('things').hooks({ before: [] })

  expect(given).toEqual([{ before: [] }])
  expect(await app.service('things').get(1)).toBe('untouched')
})

it.each([
  ['a schema', { schema: schema({ type: 'object', properties: { id: { type: 'number' } } }) }],
  ['access', { access: access({ get: () => false }) }],
  ['a single record', { singleton: () => 1 }]
])('a service that has its own hooks function is refused with %s, which would not hold', (_what, options) => {
  const service: any = { get: async () => ({ id: 1 }), hooks: () => undefined }

  expect(() => alula().use('things', service, options)).toThrow(
    "Service 'things' brought hooks of another library: the options 'schema', 'access', 'parent' and 'singleton' would not hold"
  )
})
