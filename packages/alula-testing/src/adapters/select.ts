import { assertIs } from './assert.ts'
import { needs, rules } from './rule.ts'

export const select = rules('$select', {
  '$select returns the fields that it names, and the id': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', age: 36, team: 'red' })
    const query = { $select: ['name', 'age'] }
    const selected = { [id]: ada[id], name: 'Ada', age: 36 }

    same(await service.find({ query }), [selected])
    same(await service.get(ada[id], { query }), selected)
    assertIs('team' in (await service.get(ada[id], { query })), false)
  },

  '$select takes a single name': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', age: 36 })

    same(await service.find({ query: { $select: 'age' } }), [{ [id]: ada[id], age: 36 }])
  },

  '$select of no field returns the id': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })

    same(await service.find({ query: { $select: [] } }), [{ [id]: ada[id] }])
    same(await service.find({ query: { $select: [id] } }), [{ [id]: ada[id] }])
  },

  '$select takes a name twice': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', age: 36 })

    same(await service.find({ query: { $select: ['name', id, 'name'] } }), [{ [id]: ada[id], name: 'Ada' }])
  },

  '$select applies to the records of a page': async ({ open, id, same }) => {
    const service = await open({ paginate: { default: 5 } })
    const ada = await service.create({ name: 'Ada', age: 36 })

    same((await service.find({ query: { $select: ['name'] } })).data, [{ [id]: ada[id], name: 'Ada' }])
  },

  'conditions and $sort may use fields that are not selected': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', age: 36 })
    const bob = await service.create({ name: 'Bob', age: 40 })
    const query = { age: { $gt: 1 }, $sort: { age: -1 }, $select: ['name'] }

    same(await service.find({ query }), [
      { [id]: bob[id], name: 'Bob' },
      { [id]: ada[id], name: 'Ada' }
    ])
  },

  'conditions of every method may use fields that are not selected': async ({ open, id, same }) => {
    const service = await open({ multi: true })
    const ada = await service.create({ name: 'Ada', age: 36 })
    const params = { query: { age: { $gt: 1 }, $select: ['name'] } }
    const selected = { [id]: ada[id], name: 'Ada' }

    same(await service.get(ada[id], params), selected)
    same(await service.patch(ada[id], { team: 'red' }, params), selected)
    same(await service.patch(null, { team: 'blue' }, params), [selected])
    same(await service.update(ada[id], { name: 'Ada', age: 37 }, params), selected)
    same(await service.remove(null, params), [selected])
  },

  'a field that is selected and not there stays away': needs('missing', async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })

    same(await service.find({ query: { $select: ['age', 'nothing'] } }), [{ [id]: ada[id] }])
  }),

  'names that every object has select nothing': needs('missing', async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })
    const query = { $select: ['constructor', 'toString', '__proto__', 'constructor.name', 'name.length'] }

    same(await service.find({ query }), [{ [id]: ada[id] }])
    same(await service.get(ada[id], { query }), { [id]: ada[id] })
  }),

  'a field that is selected and null is null': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', age: null })

    same(await service.find({ query: { $select: ['age'] } }), [{ [id]: ada[id], age: null }])
  },

  'a dotted name selects a field of an object': needs('objects', async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', address: { city: 'Rome', zip: 7 } })
    const bob = await service.create({ name: 'Bob' })
    const query = { $select: ['address.city'], $sort: { name: 1 } }

    same(await service.find({ query }), [{ [id]: ada[id], address: { city: 'Rome' } }, { [id]: bob[id] }])
  }),

  'an object that is selected is whole, whatever else is selected of it': needs(
    'objects',
    async ({ open, id, same }) => {
      const service = await open()
      const address = { city: 'Rome', zip: 7 }
      const ada = await service.create({ name: 'Ada', address })

      for (const $select of [['address'], ['address', 'address.city'], ['address.city', 'address']]) {
        same(await service.find({ query: { $select } }), [{ [id]: ada[id], address }])
      }
    }
  )
})
