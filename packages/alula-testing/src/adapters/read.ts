import { assertFails, assertFound, assertIs, assertOrder } from './assert.ts'
import { needs, rules } from './rule.ts'

export const get = rules('get', {
  'get returns the record that has the id': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', age: 36 })

    await service.create({ name: 'Bob', age: 40 })

    same(await service.get(ada[id]), { [id]: ada[id], name: 'Ada', age: 36 })
  },

  'get takes an id as text, as it stands in a URL': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })

    same(await service.get(String(ada[id])), ada)
  },

  'get of an id that no record has is a NotFound that names the id': async ({ fill, freeId }) => {
    const service = await fill([{ name: 'Ada' }])
    const unknown = await freeId(service)

    await assertFails(service.get(unknown), 'NotFound', `No record found for id '${unknown}'`)
  },

  'get returns a record that matches the query': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', age: 36 })

    same(await service.get(ada[id], { query: { name: 'Ada', age: { $gt: 30 } } }), ada)
  },

  'get of a record that does not match the query is a NotFound': async ({ open, id }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })
    const message = `No record found for id '${ada[id]}'`

    await assertFails(service.get(ada[id], { query: { name: 'Bob' } }), 'NotFound', message)
  },

  'get of one id with another one in the query is a NotFound': async ({ open, id }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })
    const bob = await service.create({ name: 'Bob' })

    await assertFails(service.get(ada[id], { query: { [id]: bob[id] } }), 'NotFound')
  },

  'get does not look at $limit, $skip and $sort': async ({ open, id, same }) => {
    const service = await open({ paginate: { default: 0, max: 0 } })
    const ada = await service.create({ name: 'Ada' })

    same(await service.get(ada[id], { query: { $limit: 0, $skip: 5, $sort: { name: 1 } } }), ada)
  }
})

export const find = rules('find', {
  'find in an empty service returns an empty array': async ({ open, same }) => {
    const service = await open()

    same(await service.find(), [])
  },

  'find without conditions returns all records': async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }, { name: 'Bob' }])

    assertIs((await service.find()).length, 2)
    await assertFound(service, {}, ['Ada', 'Bob'])
  },

  'find returns whole records': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', age: 36, team: null })

    same(await service.find(), [{ [id]: ada[id], name: 'Ada', age: 36, team: null }])
  },

  'all conditions of a query must hold': async ({ fill }) => {
    const service = await fill([
      { name: 'Ada', age: 36 },
      { name: 'Ada', age: 40 },
      { name: 'Bob', age: 36 }
    ])

    assertIs((await service.find({ query: { name: 'Ada', age: 36 } })).length, 1)
    await assertFound(service, { name: 'Bob', age: 40 }, [])
  },

  'the id field can be queried': async ({ open, id }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })
    const bob = await service.create({ name: 'Bob' })

    await service.create({ name: 'Cyd' })

    await assertFound(service, { [id]: ada[id] }, ['Ada'])
    await assertFound(service, { [id]: { $in: [bob[id], ada[id]] } }, ['Ada', 'Bob'])
    await assertFound(service, { [id]: { $ne: ada[id] } }, ['Bob', 'Cyd'])
    await assertFound(service, { [id]: null }, [])
    await assertFound(service, { [id]: ada[id], name: 'Bob' }, [])
  },

  'find takes names and values of odd text as what they are': async ({ fill }) => {
    const odd = [
      "it's",
      '"quoted"',
      'back\\slash',
      '%',
      '_',
      '$name',
      '?',
      ':name',
      '$1',
      '--',
      '; drop',
      '`',
      '*',
      '.*',
      '(',
      ''
    ]
    const service = await fill(odd.map((name) => ({ name })))

    for (const name of odd) await assertFound(service, { name }, [name])
    await assertFound(service, { name: { $in: odd } }, odd)
  },

  'records come in the order in which they were created, and changes keep their places': needs(
    'insertionOrder',
    async ({ open, id }) => {
      const service = await open({ multi: true })
      const cyd = await service.create({ name: 'Cyd' })
      const ada = await service.create({ name: 'Ada' })
      const bob = await service.create({ name: 'Bob' })

      await service.patch(cyd[id], { age: 36 })
      await service.update(ada[id], { name: 'Ada', age: 36 })
      await service.patch(null, { team: 'red' }, { query: { name: 'Ada' } })
      await assertOrder(service, {}, ['Cyd', 'Ada', 'Bob'])
      // The first, so that nothing else may take its place.
      await service.remove(cyd[id])
      await service.create({ name: 'Dan' })
      await service.patch(bob[id], { age: 36 })
      await assertOrder(service, {}, ['Ada', 'Bob', 'Dan'])
      await assertOrder(service, { age: 36, $limit: 1, $skip: 1 }, ['Bob'])
    }
  ),

  'conditions on ids do not change the order': needs('insertionOrder', async ({ open, id }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })
    const bob = await service.create({ name: 'Bob' })

    await assertOrder(service, { [id]: { $in: [bob[id], ada[id]] } }, ['Ada', 'Bob'])
    await assertOrder(service, { $or: [{ [id]: bob[id] }, { [id]: ada[id] }] }, ['Ada', 'Bob'])
  })
})
