import { expect, it } from 'vitest'
import { Records } from '../../src/memory/records.ts'

it('records that come and go by id leave no places behind', () => {
  const records = new Records([])
  const getPlaces = () => (records as unknown as { readonly list: readonly unknown[] }).list.length

  records.set('first', { id: 'first' })

  for (let id = 0; id < 10_000; id++) {
    records.set(id, { id })
    records.delete(records.get(id) as NonNullable<ReturnType<Records['get']>>)
  }

  records.set('last', { id: 'last' })
  expect(getPlaces()).toBeLessThan(2000)
  expect(records.values()).toEqual([{ id: 'first' }, { id: 'last' }])
})
