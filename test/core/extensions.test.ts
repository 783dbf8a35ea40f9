import { createHook } from 'node:async_hooks'
import { describe, expect, it } from 'vitest'
import { describeHook } from '../../src/hooks/traits.ts'
import { type Application, alula, type ServiceExtension } from '../../src/index.ts'

describe('extensions of a service', () => {
  it('take their places between the hooks', async () => {
    const { steps, step, wrap } = trace()
    const app = alula()
    const extension = (name: string): ServiceExtension => ({
      output: () => step(`${name}.output`),
      admit: () => step(`${name}.admit`),
      complete: () => step(`${name}.complete`),
      input: () => step(`${name}.input`),
      innermost: () => wrap(`${name}.innermost`)
    })

    app.use(
      'notes',
      { get: async () => steps.push('method') },
      { schema: { ...extension('schema'), inner: extension('inner') }, access: extension('access') }
    )
    app.hooks({
      around: [wrap('app.around')],
      before: [step('app.before')],
      after: [step('app.after')]
    })
    app.service('notes').hooks({
      around: { all: [wrap('service.around')] },
      before: {
        all: [step('first'), authenticating(step('authenticate'))],
        get: [step('second'), authenticating(step('again')), step('rest')]
      },
      after: { all: [step('service.after')] }
    })

    await app.service('notes').get(1)

    expect(steps).toEqual([
      ...['app.around', 'app.before', 'access.admit', 'inner.admit', 'schema.admit'],
      ...[
        'service.around',
        'first',
        'authenticate',
        'second',
        'again',
        'schema.input',
        'inner.input',
        'access.input',
        'rest',
        'access.innermost',
        'inner.innermost',
        'schema.innermost'
      ],
      ...[
        'method',
        'schema.innermost end',
        'inner.innermost end',
        'access.innermost end',
        'service.after',
        'service.around end',
        'access.complete',
        'inner.complete',
        'schema.complete',
        'app.after',
        'app.around end',
        'access.output',
        'inner.output',
        'schema.output'
      ]
    ])
  })

  it('check input first where no hook authenticates, and nowhere where a hook does it itself', async () => {
    for (const [hooks, expected] of [
      [['first'], ['input', 'first', 'method']],
      [
        ['first', 'here'],
        ['first', 'here', 'method']
      ]
    ] as const) {
      const { steps, step } = trace()
      const app = alula()

      app.use('notes', { get: async () => steps.push('method') }, { schema: { input: () => step('input') } })
      app.service('notes').hooks({
        before: {
          get: hooks.map((name) =>
            name === 'here' ? describeHook(step(name), { input: 'here' }) : step(name)
          )
        }
      })

      await app.service('notes').get(1)

      expect(steps).toEqual(expected)
    }
  })

  it('say for each method whether they take part', async () => {
    const { steps, step } = trace()
    const app = alula()

    app.use(
      'notes',
      { get: async () => 1, find: async () => 2 },
      { schema: { input: (method) => (method === 'get' ? step('get') : undefined) } }
    )

    await app.service('notes').find()
    await app.service('notes').get(1)

    expect(steps).toEqual(['get'])
  })

  it.each(['output', 'admit', 'complete', 'input'])('may take part in one place alone: %s', async (place) => {
    const { steps, step } = trace()
    const app = alula()

    app.use('notes', { get: async () => 1 }, { access: { [place]: () => step(place) } })
    await app.service('notes').get(1)

    expect(steps).toEqual([place])
  })

  it('can refuse a service, which leaves no trace', () => {
    const app = alula()
    const schema: ServiceExtension = {
      install(service, path, of) {
        throw new Error(`${path} ${of === app} ${typeof service.get}`)
      }
    }

    expect(() => app.use('notes', { get: async () => 1 }, { schema })).toThrow('notes true function')
    expect(app.services.notes).toBeUndefined()
    expect(app.lookup('notes')).toBeNull()
  })

  it.each(['schema', 'access'])('are checked: %s', (name) => {
    expect(() => alula().use('notes', { get: async () => 1 }, { [name]: {} })).toThrow(
      `Invalid option '${name}' of service 'notes': expected what ${name}() returns`
    )
  })

  it('cost a service without them nothing', async () => {
    const plain = alula()
    const extended = alula()

    plain.use('notes', { get: async (id) => id })
    extended.use('notes', { get: async (id) => id }, { schema: { input: () => () => {} } })

    // As many as before there were extensions: none for them.
    expect(await countPromises(plain)).toBe(4)
    expect(await countPromises(extended)).toBeGreaterThan(4)
  })
})

/** How many promises one call makes. */
async function countPromises(app: Application): Promise<number> {
  const service = app.service('notes')
  let count = 0

  await service.get(1)

  const hook = createHook({
    init(_id, type) {
      if (type === 'PROMISE') count++
    }
  }).enable()
  const call = service.get(1)

  await call
  hook.disable()

  return count
}

function trace() {
  const steps: string[] = []

  return {
    steps,
    step: (name: string) => () => void steps.push(name),
    wrap: (name: string) => async (_context: unknown, next: () => Promise<unknown>) => {
      steps.push(name)
      await next()
      steps.push(`${name} end`)
    }
  }
}

function authenticating<T extends object>(hook: T): T {
  return describeHook(hook, { input: 'after' })
}
