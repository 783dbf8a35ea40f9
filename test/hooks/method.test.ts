import { hooks, middleware } from '@feathersjs/hooks'
import { describe, expect, it } from 'vitest'
import { createContextClass } from '../../src/hooks/context.ts'
import { hookMethod } from '../../src/hooks/method.ts'
import { compilePipeline } from '../../src/hooks/pipeline.ts'
import { HookRegistry } from '../../src/hooks/registry.ts'

type Method = (...args: any[]) => unknown

/** The same arguments for both engines: a method, the names of its arguments, properties, around hooks. */
type Wrap = (method: Method, parameters: string[], properties: object, around: any[]) => any

const engines: [string, Wrap][] = [
  [
    'alula',
    (method, parameters, properties, around) =>
      hookMethod(method, {
        parameters,
        properties,
        version: () => 0,
        compile: (terminal) => compilePipeline([{ around, phases: [] }], terminal)
      })
  ],
  [
    '@feathersjs/hooks',
    (method, parameters, properties, around) =>
      hooks(
        method as any,
        middleware(around)
          .params(...parameters)
          .props(properties)
      )
  ]
]

describe.each(engines)('a method with hooks of %s', (_title, wrap) => {
  it('has the name, the length and the properties of the method', () => {
    const mark = Symbol('mark')

    function greet(_name: string, _tone: string) {}

    const hooked = wrap(Object.assign(greet, { [mark]: 1, title: 'Greeting' }), [], {}, [])

    expect([hooked.name, hooked.length, hooked.title, hooked[mark]]).toEqual(['greet', 2, 'Greeting', 1])
  })

  it('has the method as its original, however often it is wrapped', () => {
    const greet = () => 'Hello'
    const hooked = wrap(wrap(greet, [], {}, []), [], {}, [])

    expect(hooked.original).toBe(greet)
  })

  it('resolves to what the method returns or resolves to', async () => {
    expect(await wrap(() => 1, [], {}, [])()).toBe(1)
    expect(await wrap(async () => 2, [], {}, [])()).toBe(2)
  })

  it('reads and writes its arguments by name in the context', async () => {
    const change = async (context: any, next: any) => {
      expect(context.name).toBe('Ada')
      context.name = 'Grace'
      await next()
    }

    expect(await wrap((name: string) => `Hello ${name}`, ['name'], {}, [change])('Ada')).toBe('Hello Grace')
  })

  it('shares the properties of its contexts by their prototype', async () => {
    const hooked = wrap(() => 1, ['id'], { kind: 'greeting' }, [])
    const context = hooked.createContext()

    await hooked(1, context)

    expect(context.kind).toBe('greeting')
    expect(Object.hasOwn(context, 'kind')).toBe(false)
    expect(Object.hasOwn(context, 'id')).toBe(false)
    expect(context.toJSON()).toEqual({ self: undefined, arguments: [1], result: 1, kind: 'greeting', id: 1 })
  })

  it('keeps getters among the properties', () => {
    const context = wrap(
      () => {},
      [],
      {
        get upper() {
          return (this as any).name.toUpperCase()
        }
      },
      []
    ).createContext({ name: 'ada' })

    expect(context.upper).toBe('ADA')
  })

  it('resolves to the context when it is given one of its own', async () => {
    const hooked = wrap((name: string) => `Hello ${name}`, ['name'], {}, [])
    const context = hooked.createContext({ extra: 1 })

    expect(context).toBeInstanceOf(hooked.Context)
    expect(await hooked('Ada', context)).toBe(context)
    expect(context).toMatchObject({ extra: 1, result: 'Hello Ada', arguments: ['Ada'] })
  })

  it('takes the context of another method for an argument', async () => {
    const other = wrap(() => {}, [], {}, []).createContext()

    expect(await wrap((argument: unknown) => argument, [], {}, [])(other)).toBe(other)
  })

  it('does not call the method when the context that it is given has a result', async () => {
    const hooked = wrap(() => 'from the method', [], {}, [])
    const context = hooked.createContext({ result: undefined })

    expect((await hooked(context)).result).toBeUndefined()
  })

  it('has the this of the call in hooks, in the method and in the context', async () => {
    const seen: unknown[] = []
    const target = {
      greet: wrap(
        function (this: unknown) {
          seen.push(this)
        },
        [],
        {},
        [
          async function (this: unknown, context: any, next: any) {
            seen.push(this, context.self)
            await next()
          }
        ]
      )
    }

    await target.greet()

    expect(seen).toEqual([target, target, target])
    expect(seen.every((self) => self === target)).toBe(true)
  })

  it('refuses a property that has the name of an argument', () => {
    expect(() => wrap(() => {}, ['id', 'kind'], { kind: 'greeting' }, [])).toThrow(
      "Hooks can not have a property and param named 'kind'. Use .defaults instead."
    )
  })

  it('rejects when the method throws', async () => {
    const hooked = wrap(
      () => {
        throw new Error('At once')
      },
      [],
      {},
      []
    )

    await expect(hooked()).rejects.toThrow('At once')
  })
})

describe('a method with hooks', () => {
  it('is compiled at the first call, and again when the version changed', async () => {
    let version = 1
    let compiled = 0
    const hooked = hookMethod(() => 'result', {
      parameters: [],
      properties: {},
      version: () => version,
      compile: (terminal) => {
        compiled++

        return terminal
      }
    })

    expect(compiled).toBe(0)
    await hooked()
    await hooked()
    expect(compiled).toBe(1)
    version++
    expect(await hooked()).toBe('result')
    expect(compiled).toBe(2)
  })
})

describe('a method around which there are no hooks', () => {
  const wrap = (method: Method, parameters: string[]): any =>
    hookMethod(method, { parameters, properties: {}, version: () => 0, compile: (terminal) => terminal })

  it('gets the arguments of the call, and params when it has none', async () => {
    const get = wrap((...args: unknown[]) => args, ['id', 'params'])
    const params = { query: { a: 1 } }

    expect(await get(1, params)).toEqual([1, params])
    expect((await get(1, params))[1]).toBe(params)
    expect(await get(1)).toEqual([1, {}])
    expect(await get(1, null)).toEqual([1, {}])
  })

  it('gets no params where it has no argument of that name', async () => {
    const setup = wrap((...args: unknown[]) => args, ['app', 'path'])

    expect(await setup()).toStrictEqual([])
    expect(await setup('app', 'things')).toStrictEqual(['app', 'things'])
  })
})

describe('a hook registry', () => {
  it('gives the hooks of a method in layers that a pipeline is compiled from', async () => {
    const trace: string[] = []
    const note = (label: string) => () => void trace.push(label)
    const registry = new HookRegistry<any>()

    registry.add({
      around: async (_context: any, next: any) => {
        trace.push('in')
        await next()
        trace.push('out')
      },
      before: { all: note('before.all'), greet: note('before.greet') },
      after: { all: note('after.all'), greet: note('after.greet'), other: note('after.other') }
    })

    await compilePipeline(
      [registry.layer('greet')],
      async () => void trace.push('middle')
    )({
      arguments: [],
      type: 'around'
    })

    expect(trace).toEqual(['in', 'before.all', 'before.greet', 'middle', 'after.all', 'after.greet', 'out'])
  })

  it('has a version that goes up with every registration', () => {
    const registry = new HookRegistry<any>()
    const { version } = registry

    registry.add({ before: [() => {}] })

    expect(registry.version).toBeGreaterThan(version)
  })

  it.each(['__proto__', 'constructor', 'toString'])(
    'has no hooks for %s that nobody registered',
    (method) => {
      const registry = new HookRegistry<any>().add({ before: { get: () => {} } })

      expect(registry.list('before', method)).toEqual([])
    }
  )
})

it('a context may be made of nothing', () => {
  const Context = createContextClass(['id'], { path: 'things' })
  const context: any = new Context()

  expect(context.arguments).toEqual([])
  expect(context.id).toBeUndefined()
  expect(context.path).toBe('things')
})
