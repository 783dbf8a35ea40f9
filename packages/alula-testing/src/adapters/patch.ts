import { assertFails, assertStored } from './assert.ts'
import { needs, rules } from './rule.ts'

export const patch = rules('patch', {
  'patch changes the given fields, leaves the others, and returns the record': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', age: 36, team: 'red' })
    const patched = { ...ada, age: 37, team: null }

    same(await service.patch(ada[id], { age: 37, team: null }), patched)
    same(await service.get(ada[id]), patched)
  },

  'patch adds fields': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })

    same(await service.patch(ada[id], { age: 36 }), { ...ada, age: 36 })
  },

  'patch with nothing changes nothing': async ({ open, id, freeId, same }) => {
    const service = await open({ multi: true })
    const ada = await service.create({ name: 'Ada', age: 36 })

    same(await service.patch(ada[id], {}), ada)
    same(await service.patch(null, {}), [ada])
    same(await service.get(ada[id]), ada)
    await assertFails(service.patch(ada[id], {}, { query: { name: 'Bob' } }), 'NotFound')
    await assertFails(service.patch(await freeId(service), {}), 'NotFound')
  },

  'patch with what is there changes nothing, and returns the record': async ({ open, id, same }) => {
    const service = await open({ multi: true })
    const ada = await service.create({ name: 'Ada', age: 36 })

    same(await service.patch(ada[id], { age: 36 }), ada)
    same(await service.patch(null, { age: 36 }), [ada])
    same(await service.get(ada[id]), ada)
  },

  'patch leaves other records alone': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })
    const bob = await service.create({ name: 'Ada' })

    await service.patch(ada[id], { name: 'Cyd' })
    same(await service.get(bob[id]), bob)
  },

  'patch takes an id as text, and the record keeps its own': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })

    same(await service.patch(String(ada[id]), { age: 36 }), { ...ada, age: 36 })
    same(await service.find(), [{ ...ada, age: 36 }])
  },

  'patch does not change the id': async ({ open, id, freeId, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })
    const other = await freeId(service)

    same(await service.patch(ada[id], { [id]: other }), ada)
    same(await service.patch(ada[id], { [id]: other, age: 36 }), { ...ada, age: 36 })
    same(await service.find(), [{ ...ada, age: 36 }])
  },

  'patch of an id that no record has is a NotFound and stores nothing': async ({ open, freeId }) => {
    const service = await open()
    const unknown = await freeId(service)
    const message = `No record found for id '${unknown}'`

    await assertFails(service.patch(unknown, { name: 'Ada' }), 'NotFound', message)
    await assertStored(service)
  },

  'patch of a record that does not match the query is a NotFound and changes nothing': async ({
    open,
    id,
    same
  }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })
    const bob = await service.create({ name: 'Bob' })

    for (const query of [{ name: 'Bob' }, { [id]: bob[id] }]) {
      await assertFails(service.patch(ada[id], { age: 36 }, { query }), 'NotFound')
    }

    same(await service.get(ada[id]), ada)
  },

  'patch returns the record even if it no longer matches': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })

    same(await service.patch(ada[id], { name: 'Bob' }, { query: { name: 'Ada' } }), { ...ada, name: 'Bob' })
  },

  'patch selects fields': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', team: 'red' })

    same(await service.patch(ada[id], { age: 36 }, { query: { $select: ['age'] } }), {
      [id]: ada[id],
      age: 36
    })
    same(await service.get(ada[id]), { ...ada, age: 36 })
  },

  'patch does not look at $limit, $skip and the pagination': async ({ open, id, same }) => {
    const service = await open({ paginate: { default: 0, max: 0 } })
    const ada = await service.create({ name: 'Ada' })

    same(await service.patch(ada[id], { age: 36 }, { query: { $limit: 0, $skip: 1 } }), { ...ada, age: 36 })
  },

  'patch replaces an object as a whole': needs('objects', async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', address: { city: 'Rome', zip: 7 } })

    await service.patch(ada[id], { address: { city: 'Oslo' } })
    same(await service.get(ada[id]), { ...ada, address: { city: 'Oslo' } })
  }),

  'update and patch refuse data that is no object': async ({ open, id }) => {
    const service = await open({ multi: true })
    const ada = await service.create({ name: 'Ada' })

    for (const data of [undefined, null, 'text', 7]) {
      await assertFails(service.update(ada[id], data), 'BadRequest')
      await assertFails(service.patch(ada[id], data), 'BadRequest')
      await assertFails(service.patch(null, data), 'BadRequest')
    }

    await assertFails(service.patch(ada[id], [{ name: 'Bob' }]), 'BadRequest')
    await assertStored(service, 'Ada')
  }
})
