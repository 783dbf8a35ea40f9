import { describe, expect, it } from 'vitest'
import { describeHook } from '../../src/hooks/traits.ts'
import { alula } from '../../src/index.ts'
import { createTrace } from './trace.ts'

describe('the around hook that a before hook carries', () => {
  it('runs once, around the before, after and error hooks of its level and what is inside', async () => {
    const { trace, hook, around } = createTrace()
    const app: any = alula().use('things', { get: async () => void trace.push('method') })
    const carried = around('carried')
    const carry = (label: string) => describeHook(hook(label), { around: carried })

    app.hooks({ before: [hook('app')] })
    app.service('things').hooks({
      around: [around('around')],
      before: { all: [hook('all'), carry('first')], get: [carry('second')] },
      after: { get: [hook('after')], all: [hook('after all')] }
    })
    await app.service('things').get(1)

    expect(trace.join(', ')).toBe(
      'app, around in, carried in, all, first, second, method, after all, after, carried out, around out'
    )
  })

  it('sees the error that the error hooks let through', async () => {
    const { trace, hook } = createTrace()
    const app: any = alula().use('things', { get: () => Promise.reject(new Error('no')) })
    const carried = async (_context: unknown, next: () => Promise<unknown>) => {
      await next().catch((error) => trace.push(error.message))
    }

    app.service('things').hooks({
      before: { get: [describeHook(hook('before'), { around: carried })] },
      error: { get: [hook('error')] }
    })
    await app.service('things').get(1)

    expect(trace).toEqual(['before', 'error', 'no'])
  })
})
