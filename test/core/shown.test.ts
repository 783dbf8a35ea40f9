import { describe, expect, it } from 'vitest'
import { toEventData } from '../../src/core/publish.ts'

// What connections see of an event.

const one = { id: 1, secret: 'a' }
const two = { id: 2, secret: 'b' }
const shown = [{ id: 1 }, { id: 2 }]

const show = (context: object, data: unknown) => toEventData({ path: 'things', ...context } as any, data)

describe('an event of a call with one result', () => {
  it('is shown as the result, or as the dispatch where there is one', () => {
    expect(show({ result: one }, one)).toBe(one)
    expect(show({ result: one, dispatch: shown[0] }, one)).toBe(shown[0])
    expect(show({ result: one, dispatch: null }, one)).toBeNull()
    expect(show({ result: one, dispatch: shown }, one)).toBe(shown)
  })
})

describe('an event of a call with several results', () => {
  it('is about one of them, and is shown by its place', () => {
    const context = { result: [one, two], dispatch: shown }

    expect(show(context, two)).toBe(shown[1])
    expect(show(context, one)).toBe(shown[0])
    expect(show({ result: [one, two] }, two)).toBe(two)
  })

  it('is shown as a dispatch that is no list, and as a list where it is about one', () => {
    const context = { result: [one, two], dispatch: { hidden: true } }

    expect(show(context, one)).toBe(context.dispatch)
    expect(show({ result: [one, two], dispatch: shown }, [one, two])).toBe(shown)
  })

  it('is not shown when it is about none of them: what may be seen of it is not known', () => {
    expect(() => show({ result: [one], dispatch: [shown[0]] }, two)).toThrow(
      "An event of 'things' is about an item that is not in the result of its context"
    )
  })
})
