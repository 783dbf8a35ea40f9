import { describe, expect, it } from 'vitest'
import { keepDispatch, showRecords } from '../../src/utils/dispatch.ts'

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
