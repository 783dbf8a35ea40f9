import { assertFails, assertIs, assertStored } from './assert.ts'
import { rules } from './rule.ts'

export const remove = rules('remove', {
  'remove removes one record and returns it': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', age: 36 })

    await service.create({ name: 'Bob' })

    same(await service.remove(ada[id]), ada)
    await assertFails(service.get(ada[id]), 'NotFound')
    await assertStored(service, 'Bob')
  },

  'remove takes an id as text': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })

    same(await service.remove(String(ada[id])), ada)
    await assertStored(service)
  },

  'remove of an id that no record has is a NotFound': async ({ fill, freeId }) => {
    const service = await fill([{ name: 'Ada' }])
    const unknown = await freeId(service)

    await assertFails(service.remove(unknown), 'NotFound', `No record found for id '${unknown}'`)
    await assertStored(service, 'Ada')
  },

  'a record is removed once': async ({ open, id }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })

    await service.remove(ada[id])
    await assertFails(service.remove(ada[id]), 'NotFound')
  },

  'remove of a record that does not match the query is a NotFound and removes nothing': async ({
    open,
    id
  }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })
    const bob = await service.create({ name: 'Bob' })

    for (const query of [{ name: 'Bob' }, { [id]: bob[id] }]) {
      await assertFails(service.remove(ada[id], { query }), 'NotFound')
    }

    await assertStored(service, 'Ada', 'Bob')
  },

  'remove selects fields': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', age: 36 })

    same(await service.remove(ada[id], { query: { $select: ['age'] } }), { [id]: ada[id], age: 36 })
  },

  'remove does not look at $limit, $skip and the pagination': async ({ open, id, same }) => {
    const service = await open({ paginate: { default: 0, max: 0 } })
    const ada = await service.create({ name: 'Ada' })

    same(await service.remove(ada[id], { query: { $limit: 0, $skip: 1 } }), ada)
    assertIs((await service.find()).total, 0)
  }
})
