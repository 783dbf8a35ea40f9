import { describe, expect, it, vi } from 'vitest'
import {
  copyMark,
  DISPATCH,
  getMark,
  isShownByService,
  isShownOtherwise,
  keepDispatch,
  keepOwner,
  Omission,
  omitFromDispatch,
  showRecord,
  showRecords
} from '../../src/utils/dispatch.ts'

/** A record that clients see without its password. */
function createUser(): object {
  const user = { id: 1, password: 'secret' }

  keepDispatch(user, { id: 1 })

  return user
}

describe('the records in a value', () => {
  it.each<[title: string, toValue: (user: object) => unknown, shown: unknown]>([
    ['a record', (user) => user, { id: 1 }],
    ['in a list', (user) => [1, user], [1, { id: 1 }]],
    ['below a name', (user) => ({ user, count: 1 }), { user: { id: 1 }, count: 1 }],
    ['in what JSON has of an instance', (user) => ({ toJSON: () => ({ user }) }), { user: { id: 1 } }],
    ['in a list below a name', (user) => ({ users: [[user]] }), { users: [[{ id: 1 }]] }]
  ])('are shown as their services show them: %s', (_title, toValue, shown) => {
    expect(showRecords(toValue(createUser()))).toEqual(shown)
  })

  it.each<[title: string, value: unknown]>([
    ['a list', [1, { a: null }]],
    ['a date', new Date()],
    ['bytes', new Uint8Array([1, 2])],
    ['an instance with toJSON', { toJSON: () => ({ a: 1 }) }],
    ['text', 'text']
  ])('are none, and it stays the same value: %s', (_title, value) => {
    expect(showRecords(value)).toBe(value)
    expect(showRecords({ value, user: createUser() })).toHaveProperty('value', value)
  })

  it('are looked for once in an object that holds itself', () => {
    const loop: { self?: object } = {}

    loop.self = loop

    expect(showRecords(loop)).toBe(loop)
  })
})

describe('fields that a hook takes out of what clients see', () => {
  const createOmission = () => {
    const omit = vi.fn(({ note, ...others }: any) => others)

    return new Omission(omit)
  }
  const createRecord = (): any => ({ id: 1, note: 'private', password: 'secret' })
  const OWN = { show: ({ id, note }: any) => ({ id, note }) }

  it('are taken out of the record itself, or of what its service shows', () => {
    const [whole, shown, fixed, foreign] = [createRecord(), createRecord(), createRecord(), createRecord()]

    keepOwner(shown, OWN)
    keepDispatch(fixed, { id: 1, note: 'x' })
    Object.defineProperty(foreign, DISPATCH, { value: { id: 1, note: 'x' }, configurable: true })
    for (const record of [whole, shown, fixed, foreign]) omitFromDispatch(record, createOmission())

    expect(showRecord(whole)).toEqual({ id: 1, password: 'secret' })
    for (const record of [shown, fixed, foreign]) expect(showRecord(record)).toEqual({ id: 1 })
    expect([whole, shown, fixed, foreign].map(isShownByService)).toEqual([false, true, true, true])
  })

  it('stay out when it is said again what clients see, and are taken out once', () => {
    const [record, omission] = [createRecord(), createOmission()]

    omitFromDispatch(record, omission)
    omitFromDispatch(record, omission)
    keepOwner(record, OWN)

    expect(showRecord(record)).toEqual({ id: 1 })
    expect(omission.omit).toHaveBeenCalledTimes(1)
    expect(isShownOtherwise(record, OWN)).toBe(true)
    keepDispatch(record, { note: 'y', a: 1 })
    expect(showRecord(record)).toEqual({ a: 1 })
  })

  it('make one mark for all records that their service shows alike', () => {
    const [one, other, omission] = [createRecord(), createRecord(), createOmission()]

    for (const record of [one, other]) {
      keepOwner(record, OWN)
      expect(isShownOtherwise(record, OWN)).toBe(false)
      omitFromDispatch(record, omission)
    }

    expect(getMark(one)).toBe(getMark(other))
  })
})

describe('what a record says of itself', () => {
  it('is on no copy of it, unless it is copied too', () => {
    const user = createUser()
    const [bare, marked] = [{ ...user }, { ...user }]

    copyMark(user, marked)

    expect(getMark(bare)).toBeUndefined()
    expect(showRecord(marked)).toEqual({ id: 1 })
    expect(Reflect.ownKeys(user)).toEqual(['id', 'password'])
  })

  it('is what the last one has said, `@feathersjs/schema` or a service', () => {
    const record = {}

    keepOwner(record, { show: () => 'a service' })
    Object.defineProperty(record, DISPATCH, { value: 'a resolver', configurable: true })
    expect(showRecord(record)).toBe('a resolver')
    keepOwner(record, { show: () => 'a service' })
    expect(showRecord(record)).toBe('a service')
  })

  it('is read by another copy of alula', async () => {
    vi.resetModules()

    const other = await import('../../src/utils/dispatch.ts')

    expect(other.showRecord).not.toBe(showRecord)
    expect(other.showRecords([createUser()])).toEqual([{ id: 1 }])
  })
})
