import { expect, it } from 'vitest'
import { memory } from '../../src/memory.ts'

it('a page has no total where the pagination says so', async () => {
  const service = memory({ multi: true, paginate: { default: 1, total: false } })

  await service.create([{ name: 'Ada' }, { name: 'Bob' }])

  expect(await service.find()).toEqual({ limit: 1, skip: 0, data: [{ id: 0, name: 'Ada' }] })
  expect(await service.find({ paginate: { default: 1, total: true } })).toMatchObject({ total: 2 })
  expect(await service.find({ paginate: { default: 1 } })).toMatchObject({ total: 2 })
})

it('a total that is no boolean is refused', () => {
  expect(() => memory({ paginate: { default: 1, total: 'no' as any } })).toThrow(
    "Invalid option 'paginate.total' of MemoryService: expected true or false"
  )
})
