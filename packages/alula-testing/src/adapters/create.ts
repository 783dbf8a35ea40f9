import { assertFails, assertIs, assertStored } from './assert.ts'
import { needs, rules } from './rule.ts'
import type { TestedResult } from './types.ts'

export const create = rules('create', {
  'create returns the record as it is stored, with an id': async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada', age: 36 })

    assertIs(ada[id] === undefined || ada[id] === null, false)
    same(ada, { [id]: ada[id], name: 'Ada', age: 36 })
    same(await service.get(ada[id]), ada)
  },

  'every record without an id gets one of its own': async ({ open, id }) => {
    const service = await open()
    const ids = new Set()

    for (const name of ['Ada', 'Bob', 'Cyd']) ids.add(String((await service.create({ name }))[id]))
    for (const none of [null, null, undefined, undefined]) {
      ids.add(String((await service.create({ name: 'Dan', [id]: none }))[id]))
    }

    assertIs(ids.size, 7)
  },

  'a record may have no fields but its id': async ({ open, id, same }) => {
    const service = await open()
    const record = await service.create({})

    same(record, { [id]: record[id] })
    same(await service.get(record[id]), record)
  },

  'create keeps the id that it is given': needs('chosenIds', async ({ open, id, chooseId, same }) => {
    const service = await open()
    const ada = await service.create({ [id]: chooseId(7), name: 'Ada' })

    same(ada, { [id]: chooseId(7), name: 'Ada' })
    same(await service.get(chooseId(7)), ada)
  }),

  'zero is an id': needs('numberIds', async ({ open, id, same }) => {
    const service = await open()

    same(await service.create({ [id]: 0, name: 'Ada' }), { [id]: 0, name: 'Ada' })
    same(await service.get(0), { [id]: 0, name: 'Ada' })
    await assertFails(service.create({ [id]: 0, name: 'Bob' }), 'Conflict')
  }),

  'an id that is taken is a Conflict, and the record that has it stays': needs(
    'chosenIds',
    async ({ open, id, chooseId, same }) => {
      const service = await open()
      const ada = await service.create({ [id]: chooseId(7), name: 'Ada' })

      await assertFails(service.create({ [id]: chooseId(7), name: 'Bob' }), 'Conflict')
      same(await service.find(), [ada])
    }
  ),

  'an id that the store gave is taken as well': needs('chosenIds', async ({ open, id, same }) => {
    const service = await open()
    const ada = await service.create({ name: 'Ada' })

    await assertFails(service.create({ [id]: ada[id], name: 'Bob' }), 'Conflict')
    same(await service.find(), [ada])
  }),

  'an id that reads the same as one that is taken is taken': needs(
    'numberIds',
    'textIds',
    async ({ open, id }) => {
      const service = await open()

      await service.create({ [id]: 7, name: 'Ada' })
      await assertFails(service.create({ [id]: '7', name: 'Bob' }), 'Conflict')
      await assertStored(service, 'Ada')
    }
  ),

  'an id is free again when its record is removed': needs('chosenIds', async ({ open, id, chooseId }) => {
    const service = await open()

    await service.create({ [id]: chooseId(7), name: 'Ada' })
    await service.remove(chooseId(7))
    await service.create({ [id]: chooseId(7), name: 'Bob' })
    await assertStored(service, 'Bob')
  }),

  'ids that the store makes skip those that are taken': needs('numberIds', async ({ open, id }) => {
    const service = await open()
    const first = (await service.create({ name: 'first' }))[id]

    for (const step of [1, 2, 4]) await service.create({ [id]: Number(first) + step || step, name: 'chosen' })
    for (const name of ['second', 'third', 'fourth']) await service.create({ name })

    const ids = (await service.find()).map((record: TestedResult) => String(record[id]))

    assertIs(new Set(ids).size, 7)
    await assertStored(service, 'first', 'second', 'third', 'fourth', 'chosen', 'chosen', 'chosen')
  }),

  'create ignores the conditions of the query, and selects': async ({ open, id, same }) => {
    const service = await open()
    const query = { name: 'Bob', $limit: 0, $select: ['name'] }
    const ada = await service.create({ name: 'Ada', age: 36 }, { query })

    same(ada, { [id]: ada[id], name: 'Ada' })
    same(await service.get(ada[id]), { [id]: ada[id], name: 'Ada', age: 36 })
  },

  'null, zero and the empty text are kept': async ({ open, id, same }) => {
    const service = await open()
    const record = await service.create({ name: '', age: 0, team: null })

    same(await service.get(record[id]), { [id]: record[id], name: '', age: 0, team: null })
  },

  'numbers and text are kept exactly': async ({ open, id, same }) => {
    const service = await open()
    const name = 'a\u0301 \u{1F426} \'"\\\n\t%_ '

    for (const age of [-1, 0.1, 1e21, -1.5e-7, Number.MAX_SAFE_INTEGER]) {
      const record = await service.create({ name, age })

      same(await service.get(record[id]), { [id]: record[id], name, age })
    }
  },

  'true and false are kept': needs('booleans', async ({ open, id, same }) => {
    const service = await open()

    for (const active of [true, false]) {
      const record = await service.create({ active })

      same(await service.get(record[id]), { [id]: record[id], active })
    }
  }),

  'a field that is not given stays missing': needs('missing', async ({ open, id }) => {
    const service = await open()
    const record = await service.create({ name: 'Ada', team: null })

    assertIs(Object.keys(await service.get(record[id])).includes('age'), false)
    assertIs((await service.get(record[id])).team, null)
  }),

  'dates are kept': needs('dates', async ({ open, id, same }) => {
    const service = await open()
    const joined = new Date('2024-02-29T12:34:56.789Z')
    const record = await service.create({ name: 'Ada', joined })

    same(await service.get(record[id]), { [id]: record[id], name: 'Ada', joined })
  }),

  'objects and arrays are kept': needs('objects', async ({ open, id, same }) => {
    const service = await open()
    const data = { address: { city: 'Rome', zip: 7 }, tags: ['b', 'a', ''] }
    const record = await service.create(data)

    same(await service.get(record[id]), { [id]: record[id], ...data })
  }),

  'data that is no object is a BadRequest': async ({ open }) => {
    const service = await open({ multi: true })

    for (const data of [undefined, null, 'text', 7, true, [null], ['text'], [[]]]) {
      await assertFails(service.create(data), 'BadRequest')
    }

    await assertStored(service)
  }
})
