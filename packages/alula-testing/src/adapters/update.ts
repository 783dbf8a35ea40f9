import { assertFails, assertStored } from './assert.ts'
import { rules } from './rule.ts'

export const update = rules('update', {
  'update replaces the whole record and returns it': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', age: 36, team: 'red' })
    const replaced = { [id]: ada[id], name: 'Bob' }

    same(await service.update(ada[id], { name: 'Bob' }), replaced)
    same(await service.get(ada[id]), replaced)
  },

  'update with nothing leaves nothing but the id': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', age: 36 })

    same(await service.update(ada[id], {}), { [id]: ada[id] })
    same(await service.get(ada[id]), { [id]: ada[id] })
  },

  'update with what is there changes nothing, and returns the record': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', age: 36 })

    same(await service.update(ada[id], { name: 'Ada', age: 36 }), ada)
    same(await service.get(ada[id]), ada)
  },

  'update leaves other records alone': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', age: 36 })
    const bob = await service.create({ name: 'Ada', age: 36 })

    await service.update(ada[id], { name: 'Cyd' })
    same(await service.get(bob[id]), bob)
  },

  'update takes an id as text, and the record keeps its own': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })

    same(await service.update(String(ada[id]), { name: 'Bob' }), { ...ada, name: 'Bob' })
    same(await service.find(), [{ ...ada, name: 'Bob' }])
  },

  'update does not change the id': async ({ open, id, freeId, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })
    const other = await freeId(service)

    same(await service.update(ada[id], { [id]: other, name: 'Bob' }), { ...ada, name: 'Bob' })
    same(await service.find(), [{ ...ada, name: 'Bob' }])
  },

  'update of an id that no record has is a NotFound and stores nothing': async ({ open, freeId }) => {
    const service = await open()
    const unknown = await freeId(service)
    const message = `No record found for id '${unknown}'`

    await assertFails(service.update(unknown, { name: 'Ada' }), 'NotFound', message)
    await assertStored(service)
  },

  'update of a record that does not match the query is a NotFound and changes nothing': async ({
    open,
    id,
    same
  }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })
    const bob = await service.create({ name: 'Bob' })

    for (const query of [{ name: 'Bob' }, { [id]: bob[id] }]) {
      await assertFails(service.update(ada[id], { name: 'Bob' }, { query }), 'NotFound')
    }

    same(await service.get(ada[id]), ada)
  },

  'update returns the record even if it no longer matches': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })
    const updated = await service.update(ada[id], { name: 'Bob' }, { query: { name: 'Ada' } })

    same(updated, { ...ada, name: 'Bob' })
  },

  'update selects fields': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })
    const params = { query: { $select: ['age'] } }

    same(await service.update(ada[id], { name: 'Bob', age: 36 }, params), { [id]: ada[id], age: 36 })
    same(await service.get(ada[id]), { [id]: ada[id], name: 'Bob', age: 36 })
  },

  'update does not look at $limit, $skip and the pagination': async ({ open, id, same }) => {
    const service = await open({ paginate: { default: 0, max: 0 } })
    const ada = await service.create({ name: 'Ada' })
    const params = { query: { $limit: 0, $skip: 1 } }

    same(await service.update(ada[id], { name: 'Bob' }, params), { ...ada, name: 'Bob' })
  },

  'update replaces single records only, whatever `multi` says': async ({ open, id }) => {
    const service = await open({ multi: true })
    const ada = await service.create({ name: 'Ada' })
    const message = "You can not replace multiple instances. Did you mean 'patch'?"

    await assertFails(service.update(null, { name: 'Bob' }), 'BadRequest', message)
    await assertFails(service.update(ada[id], [{ name: 'Bob' }]), 'BadRequest', message)
    await assertFails(service.update(null, []), 'BadRequest', message)
    await assertStored(service, 'Ada')
  }
})
