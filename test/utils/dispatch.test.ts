import { setFlagsFromString } from 'node:v8'
import { describe, expect, it } from 'vitest'
import {
  createDispatchProperty,
  DISPATCH,
  isShownOtherwise,
  keepDispatch,
  keepOwner,
  omitFromDispatch,
  showRecords
} from '../../src/utils/dispatch.ts'

/** A record that clients see without its password. */
function createUser(): object {
  const user = { id: 1, password: 'secret' }

  keepDispatch(user, { value: { id: 1 }, configurable: true })

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
    const omission = {
      calls: 0,
      omit({ note, ...others }: any) {
        omission.calls++

        return others
      },
      properties: new WeakMap()
    }

    return omission
  }
  const createRecord = (): any => ({ id: 1, note: 'private', password: 'secret' })
  const createOwn = (): PropertyDescriptor => ({
    configurable: true,
    get(this: any) {
      return { id: this.id, note: this.note }
    }
  })

  it('are taken out of the record itself, or of what its service shows', () => {
    const [whole, shown, fixed] = [createRecord(), createRecord(), createRecord()]

    keepDispatch(shown, createOwn())
    keepDispatch(fixed, { value: { id: 1, note: 'x' }, configurable: true })
    for (const record of [whole, shown, fixed]) omitFromDispatch(record, createOmission())

    expect(whole[DISPATCH]).toEqual({ id: 1, password: 'secret' })
    expect(shown[DISPATCH]).toEqual({ id: 1 })
    expect(fixed[DISPATCH]).toEqual({ id: 1 })
  })

  it('stay out when it is said again what clients see, and are taken out once', () => {
    const [record, omission, own] = [createRecord(), createOmission(), createOwn()]

    omitFromDispatch(record, omission)
    omitFromDispatch(record, omission)
    keepDispatch(record, own)

    expect(record[DISPATCH]).toEqual({ id: 1 })
    expect(omission.calls).toBe(1)
    expect(isShownOtherwise(record, own)).toBe(true)
    keepDispatch(record, { value: { note: 'y', a: 1 }, configurable: true })
    expect(record[DISPATCH]).toEqual({ a: 1 })
  })

  it('make one property for all records that their service shows alike', () => {
    const [one, other, omission, own] = [createRecord(), createRecord(), createOmission(), createOwn()]
    const toProperty = (record: object) => Object.getOwnPropertyDescriptor(record, DISPATCH)

    for (const record of [one, other]) {
      keepDispatch(record, own)
      expect(isShownOtherwise(record, own)).toBe(false)
      omitFromDispatch(record, omission)
    }

    expect(toProperty(one)?.get).toBe(toProperty(other)?.get)
    expect(toProperty(one)).toMatchObject({ configurable: true, enumerable: false })
  })
})

it('records of two services with the same fields keep fast properties', () => {
  setFlagsFromString('--allow-natives-syntax')

  const isFast: any = new Function('object', 'return %HasFastProperties(object)')
  const services = ['users', 'tags'].map((shown) => createDispatchProperty(() => shown))
  const records = services.map((own) => {
    const record = { id: 1, name: 'a name' }

    keepOwner(record, own)

    return record
  })

  expect(records.map((record) => Reflect.get(record, DISPATCH))).toEqual(['users', 'tags'])
  expect(records.map(isFast)).toEqual([true, true])
})
