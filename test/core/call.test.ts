import { createContext as theirs } from '@feathersjs/feathers'
import { describe, expect, it } from 'vitest'
import { toArguments } from '../../src/core/methods.ts'
import { alula, createContext } from '../../src/index.ts'
import { callService } from '../../src/transport.ts'
import { describeBoth } from '../hooks/both.ts'

const methods = ['find', 'get', 'create', 'update', 'patch', 'remove', 'greet']
const echo = Object.fromEntries(methods.map((method) => [method, async (...args: unknown[]) => args]))

describeBoth('a call with a context as its last argument', (createApp) => {
  it('resolves to that context', async () => {
    const app = createApp().use('things', echo, { methods })
    const service = app.service('things')
    const params = { query: { a: 1 } }

    for (const args of [
      ['find', params],
      ['get', 1, params],
      ['create', { n: 1 }, params],
      ['update', 1, { n: 1 }, params],
      ['patch', null, { n: 1 }, params],
      ['remove', 1, params],
      ['greet', { n: 1 }, params]
    ]) {
      const [method, ...rest] = args as [string, ...unknown[]]
      const context = service[method].createContext({ http: {} })

      expect(await service[method](...rest, context)).toBe(context)
      expect(context.service).toBe(service)
      expect(context).toMatchObject({ method, path: 'things', type: 'around', http: {}, result: rest })
    }
  })

  it('rejects with the error, and the context keeps what was known', async () => {
    const app = createApp().use('things', { get: () => Promise.reject(new Error('Broken')) })
    const service = app.service('things')
    const context = service.get.createContext()

    service.hooks({
      error: [
        (current: any) => {
          current.seen = current.error.message
        }
      ]
    })

    await expect(service.get(1, {}, context)).rejects.toThrow('Broken')
    expect(context).toMatchObject({ id: 1, seen: 'Broken', error: { message: 'Broken' } })
  })

  it('resolves to the context with the error that a hook ended', async () => {
    const app = createApp().use('things', { get: () => Promise.reject(new Error('Broken')) })
    const service = app.service('things')

    service.hooks({
      error: [
        (context: any) => {
          context.result = 'rescued'
        }
      ]
    })

    expect(await service.get(1, {}, service.get.createContext())).toMatchObject({
      result: 'rescued',
      error: { message: 'Broken' }
    })
  })

  it('does not call the method when the context has a result already', async () => {
    const service = createApp().use('things', echo).service('things')
    const context = await service.get(1, {}, service.get.createContext({ result: 'cached' }))

    expect(context.result).toBe('cached')
  })

  it('shows hooks what the context was made with', async () => {
    const seen: unknown[] = []
    const service = createApp().use('things', echo).service('things')

    service.hooks({ before: [(context: any) => void seen.push(context.http, context.extra)] })
    await service.get(1, {}, service.get.createContext({ http: { status: 202 }, extra: true }))

    expect(seen).toEqual([{ status: 202 }, true])
  })
})

describe.each([
  ['alula', createContext],
  ['Feathers v5', theirs]
])('createContext of %s', (_title, create: typeof createContext) => {
  it('makes a context for a method that has hooks', async () => {
    const service: any = alula().use('things', echo, { methods }).service('things')
    const context = create(service, 'greet', { http: {} })

    expect(context).toMatchObject({ method: 'greet', path: 'things', type: 'around', event: null, http: {} })
    expect(await service.greet({ n: 1 }, {}, context)).toBe(context)
  })

  it('refuses a method that has none', () => {
    const service: any = alula()
      .use('things', { ...echo, other: () => {} })
      .service('things')

    for (const method of ['other', 'hooks', 'on', 'constructor', 'toString']) {
      expect(() => create(service, method)).toThrow(`Can not create context for method ${method}`)
    }
  })
})

describe('createContext', () => {
  it('refuses a method that is not there', () => {
    const service = alula()
      .use('things', { get: async () => ({}) })
      .service('things')

    expect(() => createContext(service, 'find')).toThrow('Can not create context for method find')
  })
})

describe('callService', () => {
  it.each([
    ['find', {}, [{ query: {} }]],
    ['get', { id: 1 }, [1, { query: {} }]],
    ['create', { data: { n: 1 } }, [{ n: 1 }, { query: {} }]],
    ['update', { id: 1, data: { n: 1 } }, [1, { n: 1 }, { query: {} }]],
    ['patch', { id: null, data: { n: 1 } }, [null, { n: 1 }, { query: {} }]],
    ['remove', { id: 'a' }, ['a', { query: {} }]],
    ['greet', { data: 'Ada' }, ['Ada', { query: {} }]]
  ])('%s puts the parts of a call in their places', async (method, parts, expected) => {
    const app = alula().use('things', echo, { methods })
    const call = { method, params: { query: {} }, ...parts }
    const context = await callService(app.service('things'), call)

    expect(context.result).toEqual(expected)
    expect(context).toMatchObject({ method, path: 'things' })
    expect(toArguments(call)).toEqual(expected)
  })

  it('passes over parts that the method has no place for', async () => {
    const app = alula().use('things', echo)
    const call = { method: 'find', id: 1, data: { n: 1 }, params: {} }

    expect((await callService(app.service('things'), call)).result).toEqual([{}])
  })

  it('keeps places that nothing was given for', async () => {
    const app = alula().use('things', echo)
    const context = await callService(app.service('things'), { method: 'create', params: { a: 1 } as any })

    expect(context.result).toEqual([undefined, { a: 1 }])
  })

  it('uses the context that it is given', async () => {
    const app = alula().use('things', echo)
    const context = createContext(app.service('things'), 'get', { http: {} })

    expect(await callService(app.service('things'), { method: 'get', id: 1, params: {} }, context)).toBe(
      context
    )
    expect(context).toMatchObject({ http: {}, result: [1, {}] })
  })

  it('rejects with what the call rejects with', async () => {
    const app = alula().use('things', { get: () => Promise.reject(new Error('Broken')) })

    await expect(callService(app.service('things'), { method: 'get', id: 1, params: {} })).rejects.toThrow(
      'Broken'
    )
  })

  it.each(['_find', 'find', 'hooks', 'on', 'emit', 'setup', 'constructor', 'toString', '__proto__', 'other'])(
    'rejects for %s, which is no method of the service',
    async (method) => {
      const app = alula().use('things', {
        get: async () => ({}),
        setup: async () => {},
        _find: async () => [],
        other: async () => 'other'
      } as any)

      await expect(callService(app.service('things'), { method, params: {} })).rejects.toThrow(
        `Can not create context for method ${method}`
      )
    }
  )
})
