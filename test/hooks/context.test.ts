import { expect, it } from 'vitest'
import { createContextClass } from '../../src/hooks/context.ts'
import { describeBoth } from './both.ts'

describeBoth('a hook context', (createApp) => {
  it('knows the application, the service, its path and the method', async () => {
    const { app, service, contexts } = watch(createApp)

    await service.get(1)

    expect(contexts[0].app).toBe(app)
    expect(contexts[0].service).toBe(service)
    expect(contexts[0].self).toBe(service)
    expect(contexts[0]).toMatchObject({ path: 'some/things', method: 'get' })
  })

  it('has the id and the data of the methods that have them, and the params of all', async () => {
    const { service, contexts } = watch(createApp)
    const params = { query: { a: 1 } }

    await service.find(params)
    await service.get(1, params)
    await service.create({ n: 1 }, params)
    await service.update(2, { n: 2 }, params)
    await service.patch(null, { n: 3 }, params)
    await service.remove(4, params)
    await service.greet({ n: 4 }, params)

    const summary = contexts.map((context) => ({
      method: context.method,
      ...('id' in context && { id: context.id }),
      ...('data' in context && { data: context.data })
    }))

    expect(summary).toEqual([
      { method: 'find' },
      { method: 'get', id: 1 },
      { method: 'create', data: { n: 1 } },
      { method: 'update', id: 2, data: { n: 2 } },
      { method: 'patch', id: null, data: { n: 3 } },
      { method: 'remove', id: 4 },
      { method: 'greet', data: { n: 4 } }
    ])
    expect(contexts.every((context) => context.params === params)).toBe(true)
  })

  it.each([[undefined], [null], [0], ['']])('makes an object of the params %o', async (params) => {
    const { service, contexts } = watch(createApp)

    await service.find(params)
    await service.get(1, params)
    await service.create({}, params)
    await service.update(1, {}, params)
    await service.greet({}, params)

    for (const context of contexts) expect(context.params).toEqual({})
  })

  it('gives the method its params when the caller left them out', async () => {
    const app = createApp().use('things', { get: async (...args: unknown[]) => args })

    expect(await app.service('things').get(1)).toEqual([1, {}])
  })

  it('reads and writes the arguments by their names', async () => {
    const { service, hooks } = watch(createApp)

    hooks.push((context) => {
      expect(context.arguments).toEqual([1, { n: 1 }, {}])
      context.id = 2
      context.data = { n: 2 }
      context.params.query = { a: 1 }
      expect(context.arguments).toEqual([2, { n: 2 }, { query: { a: 1 } }])
      context.arguments[0] = 3
      expect(context.id).toBe(3)
    })

    expect(await service.update(1, { n: 1 })).toEqual(['update', 3, { n: 2 }, { query: { a: 1 } }])
  })

  it('passes on more arguments than the method has names for', async () => {
    const { service } = watch(createApp)

    expect(await service.get(1, {}, 'more')).toEqual(['get', 1, {}, 'more'])
  })

  it('knows the event of the method before any hook runs', async () => {
    const { service, hooks } = watch(createApp)
    const events: unknown[] = []

    hooks.push((context) => void events.push(context.event))

    await service.find()
    await service.get(1)
    await service.create({})
    await service.update(1, {})
    await service.patch(1, {})
    await service.remove(1)
    await service.greet({})

    expect(events).toEqual([null, null, 'created', 'updated', 'patched', 'removed', null])
  })

  it('has no event, result or error before the call', () => {
    const { service } = watch(createApp)
    const context = service.create.createContext()

    expect(context).toMatchObject({ event: null, type: 'around', method: 'create' })
    expect('result' in context).toBe(false)
    expect('error' in context).toBe(false)
    expect('original' in context).toBe(false)
  })

  it('knows nothing of HTTP in a call from inside', async () => {
    const { service, contexts } = watch(createApp)

    await service.get(1)

    expect('http' in contexts[0]).toBe(false)
    expect(contexts[0].statusCode).toBeUndefined()
  })

  it('has its status code in http', async () => {
    const { service, hooks } = watch(createApp)

    hooks.push((context) => {
      context.statusCode = 201
      expect(context.http).toEqual({ status: 201 })
      context.http.status = 202
      expect(context.statusCode).toBe(202)
    })

    await service.get(1)
  })

  it('keeps the headers when the status code is set', async () => {
    const { service } = watch(createApp)
    const context = service.get.createContext({ http: { headers: { a: 'b' } } })

    context.statusCode = 404

    expect(context.http).toEqual({ headers: { a: 'b' }, status: 404 })
  })

  it('is the same for all hooks of a call', async () => {
    const { app, service, contexts, hooks } = watch(createApp)

    hooks.push((context) => void contexts.push(context))
    app.hooks({ before: [(context: any) => void contexts.push(context)] })
    service.hooks({ after: [(context: any) => void contexts.push(context)] })

    await service.get(1)

    expect(contexts).toHaveLength(4)
    expect(new Set(contexts).size).toBe(1)
  })

  it('is another one for every call', async () => {
    const { service, contexts } = watch(createApp)

    await Promise.all([service.get(1), service.get(2)])

    expect(contexts.map(({ id }) => id)).toEqual([1, 2])
    expect(contexts[0]).not.toBe(contexts[1])
  })

  it('carries what hooks put on it to the hooks that follow', async () => {
    const { service, hooks } = watch(createApp)

    hooks.push((context) => {
      context.user = 'Ada'
    })
    service.hooks({
      after: {
        get: [
          (context: any) => {
            context.result = `for ${context.user}`
          }
        ]
      }
    })

    expect(await service.get(1)).toBe('for Ada')
  })

  it.each([
    ['null', null],
    ['a list', []],
    ['another object', { other: true }]
  ])('lets an after hook set the result to %s', async (_title, result) => {
    const { service } = watch(createApp)

    service.hooks({
      after: [
        (context: any) => {
          context.result = result
        }
      ]
    })

    expect(await service.get(1)).toBe(result)
  })

  it('lists everything a client may be told in its JSON', async () => {
    const { app, service } = watch(createApp)
    const context = service.get.createContext({ http: {} })

    app.hooks([
      async (current: any, next: any) => {
        current.added = 'by a hook'
        await next()
      }
    ])
    await service.get(1, { query: {} }, context)

    const { self, service: _service, app: _app, error, ...json } = context.toJSON()

    expect(JSON.parse(JSON.stringify(json))).toEqual({
      id: 1,
      params: { query: {} },
      arguments: [1, { query: {} }],
      type: 'around',
      method: 'get',
      path: 'some/things',
      http: {},
      event: null,
      result: ['get', 1, { query: {} }],
      added: 'by a hook'
    })
  })
})

describeBoth('what a hook returns', (createApp) => {
  it.each(['before', 'after'])('may be the context, or nothing, in %s hooks', async (type) => {
    const { service } = watch(createApp)

    service.hooks({
      [type]: [(context: any) => context, async (context: any) => context, () => {}, () => null]
    })

    expect(await service.get(1)).toEqual(['get', 1, {}])
  })

  it('is merged into the context', async () => {
    const { service, contexts } = watch(createApp)

    service.hooks({
      before: [async () => ({ params: { query: { merged: true } }, extra: 1 })],
      after: [() => ({ result: 'merged' })]
    })

    expect(await service.get(1)).toBe('merged')
    expect(contexts[0]).toMatchObject({ params: { query: { merged: true } }, extra: 1 })
  })

  it('may be a changed copy of the context', async () => {
    const { service, contexts } = watch(createApp)

    service.hooks({
      before: [(context: any) => ({ ...context, extra: 1 })],
      after: [(context: any) => ({ ...context, result: context.extra + 1 })]
    })

    expect(await service.get(1)).toBe(2)
    expect(contexts[0]).toMatchObject({ extra: 1, id: 1, path: 'some/things', type: 'after' })
  })
})

it('a context class refuses a name that is both a parameter and a property', () => {
  expect(() => createContextClass(['id', 'path'], { path: 'things' })).toThrow(
    "Hooks can not have a property and param named 'path'. Use .defaults instead."
  )
})

/** A service that answers with what it was called with, and the contexts that its calls had. */
function watch(createApp: () => any) {
  const contexts: any[] = []
  const hooks: ((context: any) => void)[] = []
  const methods = ['find', 'get', 'create', 'update', 'patch', 'remove', 'greet']
  const echo = (method: string) => [method, async (...args: unknown[]) => [method, ...args]]
  const app = createApp().use('some/things', Object.fromEntries(methods.map(echo)), { methods })
  const service = app.service('some/things')

  service.hooks([
    async (context: any, next: any) => {
      contexts.push(context)
      for (const hook of hooks) hook(context)
      await next()
    }
  ])

  return { app, service, contexts, hooks }
}
