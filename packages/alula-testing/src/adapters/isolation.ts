import { assertIs, assertOrder, assertRefused, assertStored, toNames } from './assert.ts'
import { needs, rules } from './rule.ts'

export const isolation = rules('what is stored is not shared', {
  'a change of the data after create does not reach the store': async ({ open, id }) => {
    const service = await open({ multi: true })
    const data = { name: 'Ada' }
    const list = [{ name: 'Bob' }]
    const ada = await service.create(data)
    const [bob] = await service.create(list)

    data.name = 'changed'
    for (const item of list) item.name = 'changed'

    assertIs((await service.get(ada[id])).name, 'Ada')
    assertIs((await service.get(bob[id])).name, 'Bob')
  },

  'create does not change the data that it gets': async ({ open, same }) => {
    const service = await open({ multi: true })
    const data = { name: 'Ada' }
    const list = [{ name: 'Bob' }]

    await service.create(data)
    await service.create(list)
    same([data, list], [{ name: 'Ada' }, [{ name: 'Bob' }]])
  },

  'a change of a result does not reach the store': async ({ open, id, same }) => {
    const service = await open({ multi: true })
    const data = { name: 'Ada', age: 36 }
    const created = await service.create(data)
    const key = created[id]

    for (const call of [
      () => created,
      () => service.get(key),
      async () => (await service.find())[0],
      async () => (await service.find({ query: { $sort: { name: 1 } } }))[0],
      () => service.patch(key, { age: 36 }),
      async () => (await service.patch(null, { age: 36 }))[0],
      () => service.update(key, data)
    ]) {
      const result = await call()

      result.name = 'changed'
      result.age = 0
      delete result[id]

      same(await service.get(key), { [id]: key, ...data })
      same(await service.find({ query: { age: 36 } }), [{ [id]: key, ...data }])
    }
  },

  'a change of the store does not reach a result': async ({ open, id, same }) => {
    const service = await open({ multi: true })
    const created = await service.create({ name: 'Ada' })
    const key = created[id]
    const results = [created, await service.get(key), ...(await service.find())]
    const expected = results.map(() => ({ [id]: key, name: 'Ada' }))

    await service.patch(key, { name: 'Bob' })
    same(results, expected)
    await service.patch(null, { name: 'Cyd' })
    same(results, expected)
    await service.update(key, { name: 'Dan' })
    same(results, expected)
  },

  'a change of the data after patch and update does not reach the store': async ({ open, id }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })
    const patch = { age: 36 }
    const update = { name: 'Bob', age: 40 }

    await service.patch(ada[id], patch)
    patch.age = 0
    assertIs((await service.get(ada[id])).age, 36)

    await service.update(ada[id], update)
    update.age = 0
    assertIs((await service.get(ada[id])).age, 40)
  },

  'nested objects and arrays are not shared with the data': needs('objects', async ({ open, id, same }) => {
    const service = await open({ multi: true })
    const data = { name: 'Ada', address: { city: 'Rome' }, tags: ['a'] }
    const expected = structuredClone(data)
    const created = await service.create(data)
    const key = created[id]
    const check = async () => same(await service.get(key), { [id]: key, ...expected })
    const change = () => {
      data.address.city = 'changed'
      data.tags.push('changed')
      Object.assign(data, structuredClone(expected))
    }

    change()
    await check()
    await service.patch(key, data)
    change()
    await check()
    await service.patch(null, data)
    change()
    await check()
    await service.update(key, data)
    change()
    await check()
  }),

  'nested objects and arrays are not shared with results': needs('objects', async ({ open, id, same }) => {
    const service = await open({ multi: true })
    const data = { name: 'Ada', address: { city: 'Rome' }, tags: ['a'] }
    const created = await service.create(data)
    const key = created[id]
    const params = { query: { $select: ['name', 'address', 'tags'] } }

    for (const call of [
      () => created,
      () => service.get(key),
      () => service.get(key, params),
      async () => (await service.find())[0],
      async () => (await service.find(params))[0],
      () => service.patch(key, { name: 'Ada' }),
      () => service.patch(key, { name: 'Ada' }, params),
      async () => (await service.patch(null, { name: 'Ada' }))[0],
      () => service.update(key, data)
    ]) {
      const result = await call()

      result.address.city = 'changed'
      result.tags.push('changed')

      same(await service.get(key), { [id]: key, ...data })
    }
  }),

  'several records that are patched at once share nothing': needs('objects', async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }, { name: 'Bob' }], { multi: true })
    const [ada, bob] = await service.patch(null, { address: { city: 'Rome' } })

    ada.address.city = 'changed'
    assertIs(bob.address.city, 'Rome')
    for (const record of await service.find()) assertIs(record.address.city, 'Rome')
  }),

  'dates are not shared': needs('dates', async ({ open, id }) => {
    const service = await open()
    const data = { name: 'Ada', joined: new Date(1000) }
    const created = await service.create(data)

    for (const { joined } of [data, created, await service.get(created[id])]) {
      joined.setTime(0)
      assertIs((await service.get(created[id])).joined.getTime(), 1000)
    }
  }),

  'frozen data, queries and params are as good as others': async ({ open, id, features, same }) => {
    const service = await open({ multi: true })
    const data = deepFreeze({
      name: 'Ada',
      ...(features.objects && { address: { city: 'Rome' }, tags: ['a'] })
    })
    const params = deepFreeze({
      query: { $or: [{ name: { $in: ['Ada'] } }], $sort: { name: 1 }, $select: ['name'] }
    })
    const ada = await service.create(data, params)
    const expected = { [id]: ada[id], name: 'Ada' }

    await service.create(deepFreeze([{ name: 'Bob' }]), params)
    same(await service.find(params), [expected])
    same(await service.get(ada[id], params), expected)
    same(await service.update(ada[id], data, params), expected)
    same(await service.patch(ada[id], data, params), expected)
    same(await service.patch(null, data, params), [expected])
    same(await service.patch(ada[id], { name: 'Ada' }), { [id]: ada[id], ...data })
    same(await service.remove(ada[id], params), expected)
    same(await service.remove(null, params), [])
  },

  'data without a prototype is as good as other data': async ({ open, id, same }) => {
    const service = await open({ multi: true })
    const data = Object.assign(Object.create(null), { name: 'Ada' })
    const ada = await service.create(data)

    same(ada, { [id]: ada[id], name: 'Ada' })
    same(await service.update(ada[id], data), ada)
    same(await service.patch(ada[id], data), ada)
    assertIs((await service.create([data]))[0].name, 'Ada')
  },

  'params and queries are not changed': async ({ open, id, same }) => {
    const service = await open({ multi: true, paginate: { default: 1, max: 2 } })
    const toParams = () => ({
      query: { name: { $in: ['Ada'] }, $limit: '5', $skip: '0', $sort: { name: '1' }, $select: ['name'] },
      provider: 'rest'
    })
    const params = toParams()
    const ada = await service.create({ name: 'Ada' }, params)

    await service.find(params)
    await service.get(ada[id], params)
    await service.update(ada[id], { name: 'Ada' }, params)
    await service.patch(ada[id], { age: 36 }, params)
    await service.patch(null, { age: 36 }, params)
    await service.remove(null, params)
    same(params, toParams())
  },

  'a query that is changed after a call means something else in the next one': async ({ fill, same }) => {
    const service = await fill([{ name: 'Ada' }, { name: 'Bob' }])

    for (const find of [service.find, service._find]) {
      const params = { query: { name: 'Ada', $or: [{ name: { $in: ['Ada'] } }] } }

      same(toNames(await find.call(service, params)), ['Ada'])
      params.query.name = 'Bob'
      same(await find.call(service, params), [])
      params.query.$or[0] = { name: { $in: ['Bob'] } }
      same(toNames(await find.call(service, params)), ['Bob'])
    }
  },

  'a name `__proto__` in data changes no prototype': async ({ open, id }) => {
    const service = await open()
    const data = JSON.parse('{"name":"Ada","__proto__":{"polluted":true}}')
    const ada = await service.create({ name: 'Ada' })

    // A table has no such column; anything else may leave the name out.
    for (const call of [
      () => service.create(data),
      () => service.patch(ada[id], data),
      () => service.update(ada[id], data)
    ]) {
      const outcome = await call().catch(() => assertRefused(call()))

      assertIs(outcome?.polluted, undefined)
    }

    assertIs(({} as any).polluted, undefined)
    for (const record of await service.find()) assertIs(record.polluted, undefined)
  },

  'a read changes nothing': async ({ fill, features, same }) => {
    const service = await fill([{ name: 'Bob', age: 40 }, { name: 'Ada' }])
    const before = await service.find({ query: { $sort: { name: 1 } } })

    await service.find({ query: { $sort: { age: -1 }, $limit: 1, $skip: 1, $select: ['name'] } })
    await service.find({ query: { age: { $gt: 1 } } })
    same(await service.find({ query: { $sort: { name: 1 } } }), before)
    await assertStored(service, 'Ada', 'Bob')
    if (features.insertionOrder) await assertOrder(service, {}, ['Bob', 'Ada'])
  }
})

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(deepFreeze)

  return value
}
