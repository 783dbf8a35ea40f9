import { describe, expect, it } from 'vitest'
import {
  addInherited,
  addServiceSlots,
  getInherited,
  getServiceSlots,
  getSlots,
  keepSlots,
  setSlots,
  toNestedParams,
  withoutServiceSlots
} from '../../src/utils/call-state.ts'

declare module '../../src/utils/call-state.ts' {
  interface ContextSlots {
    readonly testNote?: string
    readonly testMark?: boolean
  }
  interface ServiceSlots {
    readonly testSecret?: string
    readonly testCount?: number
  }
  interface InheritedSlots {
    readonly testBudget?: object
    readonly testFlag?: true
  }
}

const notes = { name: 'notes' }
const users = { name: 'users' }

describe('the slots of a context', () => {
  it('are empty until something is kept', () => {
    expect(getSlots({})).toEqual({})
  })

  it('keep what others have set', () => {
    const context = {}

    setSlots(context, { testNote: 'one' })
    setSlots(context, { testMark: true })

    expect(getSlots(context)).toEqual({ testNote: 'one', testMark: true })
  })

  it('go with a copy, which then has its own', () => {
    const context = { path: 'notes' }

    setSlots(context, { testNote: 'one' })

    const copies = [{ ...context }, Object.assign({}, context), Object.create(context)]

    for (const copy of copies) {
      expect(getSlots(copy).testNote).toBe('one')
      setSlots(copy, { testNote: 'two' })
      expect(getSlots(copy).testNote).toBe('two')
    }
    expect(getSlots(context).testNote).toBe('one')
  })

  it('stay those of the call when a hook merges the context of another one into it', () => {
    const [context, other] = [{ path: 'notes' }, { path: 'users', result: 1 }]

    setSlots(context, { testNote: 'of notes' })
    setSlots(other, { testNote: 'of users' })
    keepSlots(context, () => Object.assign(context, other))

    expect(context).toMatchObject({ path: 'users', result: 1 })
    expect(getSlots(context)).toEqual({ testNote: 'of notes' })
  })

  it('stay empty when there were none', () => {
    const [context, other] = [{}, {}]

    setSlots(other, { testNote: 'of another call' })
    keepSlots(context, () => Object.assign(context, other))

    expect(getSlots(context)).toEqual({})
    expect(Reflect.ownKeys(context)).toEqual([])
  })
})

describe('the slots of params', () => {
  const params = addInherited(addServiceSlots({ query: {} }, notes, { testSecret: 'x' }), { testFlag: true })

  it('are seen by the service that they are for, and by no other that gets the params', () => {
    for (const given of [params, { ...params }, Object.assign({}, params, { provider: 'rest' })]) {
      expect(getServiceSlots(given, notes)).toEqual({ testSecret: 'x' })
      expect(getServiceSlots(given, users)).toEqual({})
      expect(getServiceSlots(given, Object.create(notes))).toEqual({})
    }
    expect(getServiceSlots(undefined, notes)).toEqual({})
    expect(getServiceSlots({}, notes)).toEqual({})
  })

  it('are added to those of the same service, and take the place of those of another', () => {
    expect(getServiceSlots(addServiceSlots(params, notes, { testCount: 1 }), notes)).toEqual({
      testSecret: 'x',
      testCount: 1
    })

    const passed = addServiceSlots(params, users, { testCount: 1 })

    expect(getServiceSlots(passed, users)).toEqual({ testCount: 1 })
    expect(getServiceSlots(passed, notes)).toEqual({})
    expect(getServiceSlots(params, notes)).toEqual({ testSecret: 'x' })
  })

  it('of a nested call are its own, also where it calls the same service', () => {
    const nested = toNestedParams(params, notes, { testCount: 2 })

    expect(getServiceSlots(nested, notes)).toEqual({ testCount: 2 })
    expect(getInherited(nested)).toEqual({ testFlag: true })
  })

  it('are inherited where their type says so, by whatever the params are passed to', () => {
    const budget = {}
    const inherited = addInherited(params, { testBudget: budget })

    for (const given of [
      inherited,
      { ...inherited },
      addServiceSlots(inherited, users, { testCount: 1 }),
      toNestedParams(inherited, users, {}),
      withoutServiceSlots(inherited)
    ]) {
      expect(getInherited(given)).toEqual({ testFlag: true, testBudget: budget })
      expect(getInherited(given).testBudget).toBe(budget)
    }
    expect(getInherited(undefined)).toEqual({})
  })

  it('can be left out: params without any show nothing of it', () => {
    const plain = { query: {} }

    expect(withoutServiceSlots(plain)).toBe(plain)
    expect(Reflect.ownKeys(withoutServiceSlots(addServiceSlots(plain, notes, { testCount: 1 })))).toEqual([
      'query'
    ])
    expect(getServiceSlots(withoutServiceSlots(params), notes)).toEqual({})
  })

  it('are in no JSON and no list of names', () => {
    expect(JSON.stringify(params)).toBe('{"query":{}}')
    expect(Object.keys(params)).toEqual(['query'])
  })
})
