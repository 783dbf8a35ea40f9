import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { describeBoth } from './both.ts'
import { fail } from './trace.ts'

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

// In Feathers the call succeeds without a result.
it('undefined that was thrown is an error, with error hooks as without', async () => {
  const seen: unknown[] = []
  const app: any = alula()

  app.use('things', {
    get: async () => {
      throw undefined
    }
  })
  app.service('things').hooks({ error: { all: [({ error }: any) => void seen.push(error.message)] } })

  await expect(app.service('things').get(1)).rejects.toThrow('undefined was thrown')
  expect(seen).toEqual(['undefined was thrown'])
})
