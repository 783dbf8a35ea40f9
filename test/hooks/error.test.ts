import { describe, expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { describeBoth } from './both.ts'

const ALL = ['service error.get', 'service error.all', 'app error.get', 'app error.all']
const APP = ['app error.get', 'app error.all']

describeBoth('error hooks', (createApp) => {
  it.each([
    ['an app around hook', [], (app: any, fail: any) => app.hooks({ around: [fail] })],
    ['an app before.all hook', ['app error.all'], (app: any, fail: any) => app.hooks({ before: [fail] })],
    ['an app before.get hook', APP, (app: any, fail: any) => app.hooks({ before: { get: [fail] } })],
    ['an app after.get hook', APP, (app: any, fail: any) => app.hooks({ after: { get: [fail] } })],
    ['an app after.all hook', APP, (app: any, fail: any) => app.hooks({ after: [fail] })],
    ['a hook in a service list', APP, (app: any, fail: any) => app.service('things').hooks([fail])],
    ['a hook in a service map', APP, (app: any, fail: any) => app.service('things').hooks({ get: [fail] })],
    [
      'a service around.all hook',
      APP,
      (app: any, fail: any) => app.service('things').hooks({ around: [fail] })
    ],
    [
      'a service around.get hook',
      APP,
      (app: any, fail: any) => app.service('things').hooks({ around: { get: [fail] } })
    ],
    [
      'a service before.all hook',
      ['service error.all', ...APP],
      (app: any, fail: any) => app.service('things').hooks({ before: [fail] })
    ],
    [
      'a service before.get hook',
      ALL,
      (app: any, fail: any) => app.service('things').hooks({ before: { get: [fail] } })
    ],
    [
      'a service after.get hook',
      ALL,
      (app: any, fail: any) => app.service('things').hooks({ after: { get: [fail] } })
    ],
    ['a service after.all hook', ALL, (app: any, fail: any) => app.service('things').hooks({ after: [fail] })]
  ])('see an error of %s in these levels: %j', async (_title, expected, register) => {
    const seen: string[] = []
    const see = (label: string) => (context: any) => {
      seen.push(label)
      expect(context.error.message).toBe('Broken')
    }
    const app = createApp().use('things', { get: async () => ({}) })

    app.hooks({ error: { get: see('app error.get'), all: see('app error.all') } })
    app.service('things').hooks({ error: { get: see('service error.get'), all: see('service error.all') } })
    register(app, async () => {
      throw new Error('Broken')
    })

    await expect(app.service('things').get(1)).rejects.toThrow('Broken')
    expect(seen).toEqual(expected)
  })

  it.each([
    ['throws at once', () => fail('Broken')],
    ['rejects', async () => fail('Broken')]
  ])('see an error of a method that %s', async (_title, get) => {
    const seen: string[] = []
    const app = createApp().use('things', { get })

    app.service('things').hooks({ error: (context: any) => void seen.push(context.error.message) })

    await expect(app.service('things').get(1)).rejects.toThrow('Broken')
    expect(seen).toEqual(['Broken'])
  })

  it('do not run when all goes well', async () => {
    const app = createApp().use('things', { get: async () => 'fine' })

    app.hooks({ error: [() => fail('Not expected')] })
    app.service('things').hooks({ error: { get: [() => fail('Not expected')] } })

    expect(await app.service('things').get(1)).toBe('fine')
  })

  it.each([[{ id: 1 }], [null], [0], ['']])('end an error by the result %o', async (result) => {
    const app = createApp().use('things', { get: async () => fail('Broken') })

    app.service('things').hooks({
      error: {
        get: [
          (context: any) => {
            context.result = result
          }
        ]
      }
    })

    expect(await app.service('things').get(1)).toBe(result)
  })

  it('do not end an error by a result that is undefined', async () => {
    const app = createApp().use('things', { get: async () => fail('Broken') })

    app.service('things').hooks({
      error: [
        (context: any) => {
          context.result = undefined
        }
      ]
    })

    await expect(app.service('things').get(1)).rejects.toThrow('Broken')
  })

  it('end an error by removing it; the call resolves to undefined', async () => {
    const app = createApp().use('things', { get: async () => fail('Broken') })

    app.service('things').hooks({
      error: [
        (context: any) => {
          context.error = undefined
        }
      ]
    })

    expect(await app.service('things').get(1)).toBeUndefined()
  })

  it('reject with null when they set the error to null', async () => {
    const app = createApp().use('things', { get: async () => fail('Broken') })

    app.service('things').hooks({
      error: [
        (context: any) => {
          context.error = null
        }
      ]
    })

    await expect(app.service('things').get(1)).rejects.toBeNull()
  })

  it('hide an error that they ended from the levels further out', async () => {
    const seen: string[] = []
    const app = createApp().use('things', { get: async () => fail('Broken') })

    app.hooks({
      error: [() => void seen.push('app error')],
      after: [(context: any) => void seen.push(`app after ${context.result}`)]
    })
    app.service('things').hooks({
      error: {
        get: [
          (context: any) => {
            context.result = 'rescued'
          }
        ],
        all: [() => void seen.push('service error.all')]
      },
      after: { get: [() => void seen.push('service after.get')] }
    })

    expect(await app.service('things').get(1)).toBe('rescued')
    expect(seen).toEqual(['app after rescued'])
  })

  it('replace an error for the hooks that follow and for the caller', async () => {
    const seen: string[] = []
    const see = (context: any) => void seen.push(context.error.message)
    const app = createApp().use('things', { get: async () => fail('Broken') })

    app.hooks({ error: [see] })
    app.service('things').hooks({
      error: [
        (context: any) => {
          context.error = new Error('Sorry')
        },
        see
      ]
    })

    await expect(app.service('things').get(1)).rejects.toThrow('Sorry')
    expect(seen).toEqual(['Sorry', 'Sorry'])
  })

  it('that throw replace the error and end their list', async () => {
    const seen: string[] = []
    const app = createApp().use('things', { get: async () => fail('Broken') })

    app.hooks({ error: [(context: any) => void seen.push(`app ${context.error.message}`)] })
    app.service('things').hooks({
      error: { get: [() => fail('Worse'), () => void seen.push('next in the list')] }
    })

    await expect(app.service('things').get(1)).rejects.toThrow('Worse')
    expect(seen).toEqual(['app Worse'])
  })

  it('can replace an error by returning one', async () => {
    const app = createApp().use('things', { get: async () => fail('Broken') })

    app.service('things').hooks({ error: [async () => ({ error: new Error('Sorry') })] })

    await expect(app.service('things').get(1)).rejects.toThrow('Sorry')
  })

  it('keep what is thrown as it is, whatever it is', async () => {
    const seen: unknown[] = []

    for (const thrown of ['text', 42, null, { code: 7 }]) {
      const app = createApp().use('things', { get: () => Promise.reject(thrown) })

      app.service('things').hooks({ error: [(context: any) => void seen.push(context.error)] })

      await expect(app.service('things').get(1)).rejects.toBe(thrown)
    }

    expect(seen).toEqual(['text', 42, null, { code: 7 }])
  })
})

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

function fail(message: string): never {
  throw new Error(message)
}
