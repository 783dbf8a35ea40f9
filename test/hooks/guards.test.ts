import { describe, expect, it } from 'vitest'
import { GUARD } from '../../src/hooks/traits.ts'
import { alula } from '../../src/index.ts'
import { createTrace } from './trace.ts'

/** A hook with a guard that notes when it runs, and throws what it is given. */
function guarded(hook: (...args: any[]) => unknown, guard: (context: any) => unknown) {
  return Object.assign(hook, { [GUARD]: guard })
}

const things = { find: async () => [], get: async () => ({}), create: async () => ({}) }

describe('the guard of a hook', () => {
  it('is kept under a symbol that other copies of the package know', () => {
    expect(GUARD).toBe(Symbol.for('alula/guard'))
  })

  it('sees the context of each call, before all before hooks and inside of all around hooks', async () => {
    const { trace, hook, around } = createTrace()
    const app: any = alula().use('things', { get: async () => void trace.push('method') })
    let seen: any
    const look = (context: unknown) => {
      trace.push('guard')
      seen = context
    }

    app.hooks({ around: [around('app')], before: [hook('app before')] })
    app.service('things').hooks({
      around: [around('service')],
      before: {
        all: [hook('all'), guarded(hook('get'), look)]
      }
    })

    const context = app.service('things').get.createContext()

    await app.service('things').get(1, {}, context)

    expect(trace).toEqual([
      'app in',
      'guard',
      'app before',
      'service in',
      'all',
      'get',
      'method',
      'service out',
      'app out'
    ])
    expect(seen).toBe(context)
  })

  it.each(['around', 'before', 'after', 'error'])(
    'counts for every method, on one %s hook of one of them',
    async (type) => {
      const app: any = alula().use('things', things)
      const calls: string[] = []
      const hook = type === 'around' ? (_context: unknown, next: any) => next() : () => undefined

      app
        .service('things')
        .hooks({ [type]: { get: [guarded(hook, ({ method }) => void calls.push(method))] } })

      await app.service('things').find()
      await app.service('things').get(1)
      await app.service('things').create({})

      expect(calls).toEqual(['find', 'get', 'create'])
    }
  )

  it('counts for hooks without a type', async () => {
    const app: any = alula().use('things', things)
    const calls: string[] = []
    const pass = () =>
      guarded(
        (_context, next) => next(),
        ({ method }) => void calls.push(method)
      )

    app.service('things').hooks([pass()])
    app.service('things').hooks({ get: [pass()] })
    await app.service('things').find()

    expect(calls).toEqual(['find', 'find'])
  })

  it('of a hook of the application counts for every service', async () => {
    const app: any = alula().use('things', things).use('others', things)
    const calls: string[] = []

    app.hooks({
      after: {
        get: [
          guarded(
            () => undefined,
            ({ path }) => void calls.push(path)
          )
        ]
      }
    })
    await app.service('things').find()
    await app.service('others').find()

    expect(calls).toEqual(['things', 'others'])
  })

  it('of a hook of one service counts for no other', async () => {
    const app: any = alula().use('things', things).use('others', things)
    const calls: string[] = []

    app.service('things').hooks({
      after: [
        guarded(
          () => undefined,
          ({ path }) => void calls.push(path)
        )
      ]
    })
    await app.service('others').find()

    expect(calls).toEqual([])
  })

  it('refuses the call by what it throws, which error hooks see', async () => {
    const { trace, hook } = createTrace()
    const error = new Error('Refused')
    const seen: unknown[] = []
    const app: any = alula().use('things', { get: async () => void trace.push('method') })

    app.hooks({ error: [(context: any) => void seen.push(context.error)] })
    app.service('things').hooks({
      before: [hook('before')],
      after: [
        guarded(hook('after'), async () => {
          throw error
        })
      ]
    })

    await expect(app.service('things').get(1)).rejects.toBe(error)
    expect(trace).toEqual([])
    expect(seen).toEqual([error])
  })

  it('runs for calls after it was registered', async () => {
    const app: any = alula().use('things', things)
    const calls: string[] = []

    await app.service('things').get(1)
    app.service('things').hooks({
      after: {
        find: [
          guarded(
            () => undefined,
            ({ method }) => void calls.push(method)
          )
        ]
      }
    })
    expect(calls).toEqual([])

    await app.service('things').get(1)
    expect(calls).toEqual(['get'])
  })
})
