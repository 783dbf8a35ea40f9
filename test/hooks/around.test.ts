import { expect, it } from 'vitest'
import { describeBoth } from './both.ts'

describeBoth('an around hook', (createApp) => {
  it('sees the result behind next and may replace it', async () => {
    const app = createApp().use('things', { get: async (id: number) => ({ id }) })

    app.service('things').hooks({
      around: {
        get: [
          async (context: any, next: any) => {
            expect(context.result).toBeUndefined()
            await next()
            expect(context.result).toEqual({ id: 1 })
            context.result = { ...context.result, seen: true }
          }
        ]
      }
    })

    expect(await app.service('things').get(1)).toEqual({ id: 1, seen: true })
  })

  it('may change what the method is called with', async () => {
    const app = createApp().use('things', {
      update: async (...args: unknown[]) => args
    })

    app.service('things').hooks([
      async (context: any, next: any) => {
        context.id = 2
        context.data = { changed: true }
        context.params = { query: { a: 1 } }
        await next()
      }
    ])

    expect(await app.service('things').update(1, {}, {})).toEqual([2, { changed: true }, { query: { a: 1 } }])
  })

  it('that does not call next keeps everything further in from running', async () => {
    const seen: string[] = []
    const app = createApp().use('things', { get: async () => void seen.push('method') })

    app.service('things').hooks({
      around: [
        async (context: any) => {
          context.result = 'instead'
        },
        async () => void seen.push('inner around')
      ],
      before: [() => void seen.push('before')],
      after: [() => void seen.push('after')]
    })

    expect(await app.service('things').get(1)).toBe('instead')
    expect(seen).toEqual([])
  })

  it('that neither calls next nor sets a result makes the call resolve to undefined', async () => {
    const app = createApp().use('things', { get: async () => 'from the method' })

    app.service('things').hooks([async () => {}])

    expect(await app.service('things').get(1)).toBeUndefined()
  })

  it('that calls next twice rejects, and the method runs once', async () => {
    let calls = 0
    const app = createApp().use('things', { get: async () => ++calls })

    app.service('things').hooks([
      async (_context: any, next: any) => {
        await next()
        await next()
      }
    ])

    await expect(app.service('things').get(1)).rejects.toThrow('next() called multiple times')
    expect(calls).toBe(1)
  })

  it('may survive a second next', async () => {
    let calls = 0
    const app = createApp().use('things', { get: async () => ++calls })

    app.hooks([
      async (_context: any, next: any) => {
        await next()
        await next().catch(() => {})
      }
    ])

    expect(await app.service('things').get(1)).toBe(1)
    expect(calls).toBe(1)
  })

  it('may catch an error and set a result', async () => {
    const app = createApp().use('things', {
      get: async () => {
        throw new Error('Broken')
      }
    })

    app.service('things').hooks([
      async (context: any, next: any) => {
        await next().catch((error: Error) => {
          context.result = `rescued from ${error.message}`
        })
      }
    ])

    expect(await app.service('things').get(1)).toBe('rescued from Broken')
  })

  it('rejects the call when it throws behind next', async () => {
    const app = createApp().use('things', { get: async () => 'fine' })

    app.hooks([
      async (_context: any, next: any) => {
        await next()
        throw new Error('Too late')
      }
    ])

    await expect(app.service('things').get(1)).rejects.toThrow('Too late')
  })

  it('may be a function without async', async () => {
    const app = createApp().use('things', { get: async () => 'fine' })

    app.service('things').hooks([(_context: any, next: any) => next()])

    expect(await app.service('things').get(1)).toBe('fine')
  })

  it('that throws at once rejects the call', async () => {
    const app = createApp().use('things', { get: async () => 'fine' })

    app.service('things').hooks([
      () => {
        throw new Error('At once')
      }
    ])

    await expect(app.service('things').get(1)).rejects.toThrow('At once')
  })

  it('has no say in the result by what it returns', async () => {
    const app = createApp().use('things', { get: async () => 'from the method' })

    app.service('things').hooks([
      async (_context: any, next: any) => {
        await next()

        return { result: 'from the hook', extra: 1 }
      }
    ])

    expect(await app.service('things').get(1)).toBe('from the method')
  })

  it('runs with the service as this, like all hooks and the method', async () => {
    const seen: unknown[] = []
    const app = createApp().use('things', {
      async get(this: unknown) {
        seen.push(this)
        throw new Error('Broken')
      }
    })
    const service = app.service('things')

    async function around(this: unknown, _context: any, next: any) {
      seen.push(this)
      await next()
    }

    function regular(this: unknown) {
      seen.push(this)
    }

    app.hooks({ around: [around], before: [regular], error: [regular] })
    service.hooks([around])
    service.hooks({ around: [around], before: [regular], error: [regular] })

    await expect(service.get(1)).rejects.toThrow('Broken')
    expect(seen).toHaveLength(8)
    expect(seen.every((self) => self === service)).toBe(true)
  })
})
