import * as official from '@feathersjs/hooks'
import { describe, expect, it } from 'vitest'
import * as alula from '../../src/hooks.ts'

const engines: [string, { compose: any; collect: any }][] = [
  ['alula', alula],
  ['@feathersjs/hooks', official]
]

describe.each(engines)('compose of %s', (_title, { compose }) => {
  it('runs around hooks from the outside in, and next in the middle', async () => {
    const trace: string[] = []
    const around = (label: string) => async (_context: any, next: any) => {
      trace.push(`${label} in`)
      await next()
      trace.push(`${label} out`)
    }

    await compose([around('a'), around('b')])({}, async () => void trace.push('middle'))

    expect(trace).toEqual(['a in', 'b in', 'middle', 'b out', 'a out'])
  })

  it('resolves to what the outermost hook returns', async () => {
    const composed = compose([async (_context: any, next: any) => `<${await next()}>`])

    expect(await composed({}, async () => 'middle')).toBe('<middle>')
  })

  it('passes the same context to every hook', async () => {
    const context = { n: 0 }
    const count = (current: any, next: any) => {
      current.n++

      return next()
    }

    await compose([count, count, count])(context)

    expect(context.n).toBe(3)
  })

  it('of no hooks is next', async () => {
    expect(await compose([])({}, () => 'next')).toBe('next')
    expect(await compose([])({})).toBeUndefined()
  })

  it('can be composed again', async () => {
    const trace: string[] = []
    const around = (label: string) => async (_context: any, next: any) => {
      trace.push(label)
      await next()
    }

    await compose([around('a'), compose([around('b'), around('c')]), around('d')])({})

    expect(trace).toEqual(['a', 'b', 'c', 'd'])
  })

  it('can be used again', async () => {
    const composed = compose([(_context: any, next: any) => next()])

    expect(await composed({}, () => 1)).toBe(1)
    expect(await composed({}, () => 2)).toBe(2)
  })

  it('rejects a second next', async () => {
    const twice = async (_context: any, next: any) => {
      await next()
      await next()
    }

    await expect(compose([twice])({}, () => {})).rejects.toThrow('next() called multiple times')
  })

  it('turns what a hook throws into a rejection', async () => {
    const thrower = () => {
      throw new Error('At once')
    }

    await expect(compose([thrower])({})).rejects.toThrow('At once')
    await expect(compose([])({}, thrower)).rejects.toThrow('At once')
  })

  it.each([undefined, null, {}, () => {}])('refuses %o for a list', (hooks) => {
    expect(() => compose(hooks)).toThrow('Middleware stack must be an array!')
  })

  it.each([undefined, null, {}, 'nonsense'])('refuses %o in the list', (hook) => {
    expect(() => compose([() => {}, hook])).toThrow('Middleware must be composed of functions!')
  })
})

describe.each(engines)('collect of %s', (_title, { collect }) => {
  it('makes one around hook of before and after hooks, each in order', async () => {
    const trace: string[] = []
    const note = (label: string) => (context: any) => void trace.push(`${label} ${context.type}`)
    const hook = collect({ before: [note('1'), note('2')], after: [note('3'), note('4')], error: [] })
    const context = { type: 'around' }

    await hook(context, async () => void trace.push('middle'))

    expect(trace).toEqual(['1 before', '2 before', 'middle', '3 after', '4 after'])
    expect(context.type).toBe('around')
  })

  it.each(['before', 'after', 'next'])('shows its error hooks what %s throws', async (where) => {
    const trace: string[] = []
    const fail = (place: string) => () => {
      if (place === where) throw new Error(place)
    }
    const hook = collect({
      before: [fail('before')],
      after: [fail('after')],
      error: [(context: any) => void trace.push(`${context.type} ${context.error.message}`)]
    })

    await expect(hook({ type: 'around' }, async () => fail('next')())).rejects.toThrow(where)
    expect(trace).toEqual([`error ${where}`])
  })

  it('lets an error hook end an error by a result', async () => {
    const context: any = {}
    const hook = collect({
      error: [
        (current: any) => {
          current.result = 'rescued'
        }
      ]
    })

    await hook(context, () => Promise.reject(new Error('Broken')))

    expect(context).toMatchObject({ result: 'rescued', error: { message: 'Broken' } })
  })

  it('of nothing is next', async () => {
    let calls = 0

    await collect({})({}, async () => ++calls)

    expect(calls).toBe(1)
  })

  it('runs its hooks with the self of the context as this', async () => {
    const self = {}
    const seen: unknown[] = []

    await collect({
      before: [
        function (this: unknown) {
          seen.push(this)
        }
      ]
    })({ self }, async () => {})

    expect(seen[0]).toBe(self)
  })
})
