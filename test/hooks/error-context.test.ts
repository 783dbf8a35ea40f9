import { describe, expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { describeBoth } from './both.ts'
import { fail } from './trace.ts'

describeBoth('the context of an error', (createApp) => {
  it('has lost the result, which its copy in original keeps', async () => {
    let context: any
    const app = createApp().use('things', { get: async () => 'from the method' })

    app.service('things').hooks({
      after: { get: [() => fail('Broken')] },
      error: {
        get: [
          (current: any) => {
            context = current
            expect(Object.hasOwn(current, 'result')).toBe(false)
          }
        ]
      }
    })

    await expect(app.service('things').get(1)).rejects.toThrow('Broken')
    expect(context.original).not.toBe(context)
    expect(context.original.result).toBe('from the method')
    expect(context.original.error).toBeUndefined()
  })

  it('keeps its original while the error travels outwards', async () => {
    const originals: unknown[] = []
    const remember = (context: any) => void originals.push(context.original)
    const app = createApp().use('things', { get: async () => fail('Broken') })

    app.hooks({ error: [remember] })
    app.service('things').hooks({ error: { get: [remember], all: [remember] } })

    await expect(app.service('things').get(1)).rejects.toThrow('Broken')
    expect(originals[0]).toBeTypeOf('object')
    expect(new Set(originals).size).toBe(1)
  })

  it('gets another original when a later hook throws another error', async () => {
    const originals: any[] = []
    const remember = (context: any) => void originals.push(context.original)
    const app = createApp().use('things', { get: async () => fail('Broken') })

    app.hooks({ error: [remember] })
    app.service('things').hooks({
      around: [
        async (_context: any, next: any) => {
          await next().catch(() => fail('Worse'))
        }
      ],
      error: [remember]
    })

    await expect(app.service('things').get(1)).rejects.toThrow('Worse')
    expect(originals.map((original) => original.error?.message)).toEqual([undefined, 'Broken'])
  })

  it('loses the result that an error hook gave when the same error is thrown again further out', async () => {
    const seen: any[] = []
    const app = createApp().use('things', { get: async () => fail('Broken') })

    app.hooks({
      after: [(context: any) => Promise.reject(context.error)],
      error: [(context: any) => void seen.push([context.result, context.original.result])]
    })
    app.service('things').hooks({
      error: {
        get: [
          (context: any) => {
            context.result = 'rescued'
          }
        ]
      }
    })

    await expect(app.service('things').get(1)).rejects.toThrow('Broken')
    expect(seen).toEqual([[undefined, 'rescued']])
  })

  it('has neither error nor original where no error hook ran', async () => {
    let context: any
    const app = createApp().use('things', { get: async () => fail('Broken') })

    app.service('things').hooks([
      async (current: any, next: any) => {
        context = current
        await next()
      }
    ])

    await expect(app.service('things').get(1)).rejects.toThrow('Broken')
    expect('error' in context).toBe(false)
    expect('original' in context).toBe(false)
    expect(context.toJSON()).not.toHaveProperty('error')
  })

  it('has the error that an error hook threw', async () => {
    const seen: string[] = []
    const app = createApp().use('things', { get: async () => fail('Broken') })

    app.service('things').hooks({
      around: [
        async (context: any, next: any) => {
          await next().finally(() => void seen.push(context.error.message, context.type))
        }
      ],
      error: { get: [() => fail('Worse')] }
    })

    await expect(app.service('things').get(1)).rejects.toThrow('Worse')
    expect(seen).toEqual(['Worse', 'error'])
  })

  it('keeps the error after a result ended it', async () => {
    let context: any
    const app = createApp().use('things', { get: async () => fail('Broken') })

    app.service('things').hooks({
      error: [
        (current: any) => {
          context = current
          current.result = 'rescued'
        }
      ]
    })

    await app.service('things').get(1)

    expect(context).toMatchObject({ result: 'rescued', error: { message: 'Broken' }, type: 'around' })
  })
})

describeBoth('the type of a context', (createApp) => {
  it('names the kind of hook that runs', async () => {
    const types: string[] = []
    const note = (context: any) => void types.push(context.type)
    const noteAround = async (context: any, next: any) => {
      note(context)
      await next().finally(() => note(context))
    }
    const app = createApp().use('things', { get: async () => ({}) })

    app.hooks({ around: [noteAround], before: [note], after: [note] })
    app.service('things').hooks({ around: [noteAround], before: [note], after: [note] })

    await app.service('things').get(1)

    expect(types).toEqual(['around', 'before', 'around', 'before', 'after', 'around', 'after', 'around'])
  })

  it('is error in error hooks and around again behind them', async () => {
    const types: string[] = []
    const app = createApp().use('things', { get: async () => fail('Broken') })

    app.service('things').hooks({
      around: [
        async (context: any, next: any) => {
          await next().finally(() => void types.push(context.type))
        }
      ],
      error: [(context: any) => void types.push(context.type)]
    })

    await expect(app.service('things').get(1)).rejects.toThrow('Broken')
    expect(types).toEqual(['error', 'around'])
  })

  it.each(['before', 'after', 'error'])('stays %s when such a hook throws', async (type) => {
    let context: any
    const app = createApp().use('things', { get: async () => type === 'error' && fail('Broken') })

    app.service('things').hooks({
      around: [
        async (current: any, next: any) => {
          context = current
          await next()
        }
      ],
      [type]: [() => fail('Worse')]
    })

    await expect(app.service('things').get(1)).rejects.toThrow('Worse')
    expect(context.type).toBe(type)
  })
})

describe('error hooks that are registered during a call', () => {
  it('wait for the next call', async () => {
    const seen: string[] = []
    const app = alula().use('things', { get: async () => fail('Broken') })

    app.service('things').hooks({
      before: {
        get: [
          () => {
            app.service('things').hooks({ error: { get: [() => void seen.push('late')] } })
          }
        ]
      },
      error: { get: [() => void seen.push('early')] }
    })

    await expect(app.service('things').get(1)).rejects.toThrow('Broken')
    expect(seen).toEqual(['early'])

    seen.length = 0
    await expect(app.service('things').get(1)).rejects.toThrow('Broken')
    expect(seen).toEqual(['early', 'late'])
  })
})
