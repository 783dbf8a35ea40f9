import { protect } from '../../../src/authentication.ts'

export const STORE = {
  1: {
    id: 1,
    email: 'ann',
    password: 'hash-a',
    profile: { secret: 'one', name: 'Ann', inner: { code: 1 } },
    cards: [{ number: 'n1', label: 'l' }]
  },
  2: {
    id: 2,
    email: 'bob',
    password: 'hash-b',
    profile: { secret: 'two', name: 'Bob', inner: { code: 2 } },
    cards: [{ number: 'n2', label: 'l' }]
  }
}

export type Register = (app: any) => void

export const forFind: Register = (app) =>
  app.service('users').hooks({ after: { find: [protect('password')] } })
