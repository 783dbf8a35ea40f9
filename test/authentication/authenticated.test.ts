import { expect, it } from 'vitest'
import { assertAuthenticated } from '../../src/authentication.ts'

it('the user on the params passes', () => {
  expect(() => assertAuthenticated({ params: { user: { id: 1 } } })).not.toThrow()
  expect(() => assertAuthenticated({ params: { account: { id: 1 } } }, 'account')).not.toThrow()
})

it.each<[{ user?: unknown; account?: unknown }]>([
  [{}],
  [{ user: undefined }],
  [{ user: null }],
  [{ account: { id: 1 } }]
])('params without a user are refused: %j', (params) => {
  expect(() => assertAuthenticated({ params })).toThrow(
    expect.objectContaining({ name: 'NotAuthenticated', code: 401 })
  )
})
