import { assertFails, assertFound, assertIs, assertStored, toNames } from './assert.ts'
import { needs, rules } from './rule.ts'
import type { TestedResult } from './types.ts'

/** More than one statement, one request or one page of some databases takes. */
const MANY = 1001

export const multi = rules('several records at once', {
  'without `multi` an array is refused, and nothing is created': async ({ open }) => {
    const service = await open({ multi: false })

    await assertFails(
      service.create([{ name: 'Ada' }]),
      'MethodNotAllowed',
      'Can not create multiple entries'
    )
    await assertStored(service)
  },

  'without `multi` patch needs an id': async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }], { multi: false })

    await assertFails(
      service.patch(null, { name: 'Bob' }),
      'MethodNotAllowed',
      'Can not patch multiple entries'
    )
    await assertStored(service, 'Ada')
  },

  'without `multi` remove needs an id': async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }], { multi: false })

    await assertFails(service.remove(null), 'MethodNotAllowed', 'Can not remove multiple entries')
    await assertStored(service, 'Ada')
  },

  '`multi` allows the methods that it lists': async ({ open }) => {
    const service = await open({ multi: ['create', 'patch'] })

    await service.create([{ name: 'Ada' }, { name: 'Bob' }])
    await service.patch(null, { age: 36 })
    await assertFails(service.remove(null), 'MethodNotAllowed')
    await assertFound(service, { age: 36 }, ['Ada', 'Bob'])
  },

  '`params.adapter` allows and forbids several records for one call': async ({ open }) => {
    const service = await open({ multi: ['remove'] })

    await service.create([{ name: 'Ada' }, { name: 'Bob' }], { adapter: { multi: true } })
    await assertFails(service.create([{ name: 'Cyd' }]), 'MethodNotAllowed')
    await assertFails(service.remove(null, { adapter: { multi: false } }), 'MethodNotAllowed')
    await assertStored(service, 'Ada', 'Bob')
  },

  'create of an array returns the records in its order, each with an id': async ({ open, id, same }) => {
    const service = await open({ multi: true })
    const created = await service.create([{ name: 'Bob' }, { name: 'Ada' }, { name: 'Bob' }])

    assertIs(toNames(created).join(), 'Bob,Ada,Bob')
    assertIs(new Set(created.map((record: TestedResult) => String(record[id]))).size, 3)
    for (const record of created) same(await service.get(record[id]), record)
  },

  'create of an empty array returns an empty array': async ({ open, same }) => {
    const service = await open({ multi: true })

    same(await service.create([]), [])
    await assertStored(service)
  },

  'create of an array takes records with different fields': async ({ open, id, same }) => {
    const service = await open({ multi: true })
    const data = [{ name: 'Ada' }, { age: 36, name: 'Bob' }, { team: 'red' }, {}]
    const created = await service.create(data)

    same(
      created,
      data.map((item, index) => ({ [id]: created[index][id], ...item }))
    )
    for (const record of created) same(await service.get(record[id]), record)
  },

  'create of an array selects fields': async ({ open, id, same }) => {
    const service = await open({ multi: true })
    const created = await service.create([{ name: 'Ada', age: 36 }], { query: { $select: ['age'] } })

    same(created, [{ [id]: created[0][id], age: 36 }])
  },

  'create of an array stores all records or none: an id in it is taken': needs(
    'chosenIds',
    async ({ open, id, chooseId }) => {
      const service = await open({ multi: true })

      await service.create({ [id]: chooseId(7), name: 'Ada' })
      await assertFails(
        service.create([{ name: 'Bob' }, { [id]: chooseId(7), name: 'Cyd' }, { name: 'Dan' }]),
        'Conflict'
      )
      await assertStored(service, 'Ada')
    }
  ),

  'create of an array stores all records or none: two have the same id': needs(
    'chosenIds',
    async ({ open, id, chooseId }) => {
      const service = await open({ multi: true })

      await assertFails(
        service.create([
          { name: 'Ada' },
          { [id]: chooseId(7), name: 'Bob' },
          { [id]: chooseId(7), name: 'Cyd' }
        ]),
        'Conflict'
      )
      await assertStored(service)
    }
  ),

  'create of an array stores all records or none: one is no object': async ({ open }) => {
    const service = await open({ multi: true })

    await assertFails(service.create([{ name: 'Ada' }, null]), 'BadRequest')
    await assertStored(service)
  },

  'ids that the store makes skip those that are chosen in the same array': needs(
    'numberIds',
    async ({ open, id }) => {
      const service = await open({ multi: true })
      const first = Number((await service.create({ name: 'Ada' }))[id]) || 0
      const chosen = [1, 2].map((step) => ({ [id]: first + step, name: 'chosen' }))
      const created = await service.create([{ name: 'Bob' }, ...chosen, { name: 'Cyd' }])

      assertIs(new Set(created.map((record: TestedResult) => String(record[id]))).size, 4)
      await assertStored(service, 'Ada', 'Bob', 'Cyd', 'chosen', 'chosen')
    }
  ),

  'patch without an id changes all records that match, and returns them': async ({ fill }) => {
    const service = await fill(
      [{ name: 'Ada', team: 'red' }, { name: 'Bob' }, { name: 'Cyd', team: 'red' }],
      {
        multi: true
      }
    )
    const patched = await service.patch(null, { age: 36 }, { query: { team: 'red' } })

    assertIs(toNames(patched).sort().join(), 'Ada,Cyd')
    assertIs(
      patched.every((record: TestedResult) => record.age === 36 && record.team === 'red'),
      true
    )
    await assertFound(service, { age: 36 }, ['Ada', 'Cyd'])
  },

  'patch without an id returns the records even if they no longer match': async ({ fill }) => {
    const service = await fill(
      [
        { name: 'Ada', team: 'red' },
        { name: 'Bob', team: 'blue' },
        { name: 'Cyd', team: 'red' }
      ],
      { multi: true }
    )
    const patched = await service.patch(null, { team: 'blue' }, { query: { team: 'red' } })

    assertIs(toNames(patched).sort().join(), 'Ada,Cyd')
    await assertFound(service, { team: 'blue' }, ['Ada', 'Bob', 'Cyd'])
  },

  'patch without an id, where nothing matches, returns an empty array': async ({ fill, same }) => {
    const service = await fill([{ name: 'Ada' }], { multi: true })

    same(await service.patch(null, { age: 36 }, { query: { name: 'Bob' } }), [])
    await assertFound(service, { age: 36 }, [])
  },

  'patch without an id changes no id': async ({ open, id, freeId, same }) => {
    const service = await open({ multi: true })
    const ada = await service.create({ name: 'Ada' })
    const other = await freeId(service)

    same(await service.patch(null, { [id]: other, age: 36 }), [{ ...ada, age: 36 }])
    same(await service.find(), [{ ...ada, age: 36 }])
  },

  'patch without an id does not look at $limit, $skip and the pagination': async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }, { name: 'Bob' }, { name: 'Cyd' }], {
      multi: true,
      paginate: { default: 1, max: 2 }
    })
    const patched = await service.patch(null, { age: 36 }, { query: { $limit: 1, $skip: 1 } })

    assertIs(toNames(patched).sort().join(), 'Ada,Bob,Cyd')
    assertIs((await service.find({ query: { age: 36 } })).total, 3)
  },

  'patch without an id selects fields': async ({ open, id, same }) => {
    const service = await open({ multi: true })
    const ada = await service.create({ name: 'Ada' })

    same(await service.patch(null, { age: 36 }, { query: { $select: ['age'] } }), [
      { [id]: ada[id], age: 36 }
    ])
  },

  'remove without an id removes all records that match, and returns them': async ({ fill }) => {
    const service = await fill([{ name: 'Ada', age: 36 }, { name: 'Bob' }, { name: 'Cyd', age: 36 }], {
      multi: true
    })

    assertIs(
      toNames(await service.remove(null, { query: { age: 36 } }))
        .sort()
        .join(),
      'Ada,Cyd'
    )
    await assertStored(service, 'Bob')
  },

  'remove without an id, where nothing matches, returns an empty array': async ({ fill, same }) => {
    const service = await fill([{ name: 'Ada' }], { multi: true })

    same(await service.remove(null, { query: { name: 'Bob' } }), [])
    await assertStored(service, 'Ada')
  },

  'remove without an id and without conditions removes everything': async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }, { name: 'Bob' }], { multi: true })

    assertIs((await service.remove(null)).length, 2)
    await assertStored(service)
  },

  'remove without an id does not look at $limit, $skip and the pagination': async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }, { name: 'Bob' }, { name: 'Cyd' }], {
      multi: true,
      paginate: { default: 1, max: 2 }
    })
    const removed = await service.remove(null, { query: { $limit: 1, $skip: 1 } })

    assertIs(toNames(removed).sort().join(), 'Ada,Bob,Cyd')
    await assertStored(service)
  },

  'remove without an id selects fields': async ({ open, id, same }) => {
    const service = await open({ multi: true })
    const ada = await service.create({ name: 'Ada', age: 36 })

    same(await service.remove(null, { query: { $select: ['name'] } }), [{ [id]: ada[id], name: 'Ada' }])
  },

  'a thousand and one records are created, found, patched and removed at once': async ({ open, same }) => {
    const service = await open({ multi: true })
    const positions = Array.from({ length: MANY }, (_, position) => position)
    const created = await service.create(positions.map((position) => ({ position })))

    same(
      created.map((record: TestedResult) => record.position),
      positions
    )
    assertIs((await service.find()).length, MANY)
    assertIs((await service.patch(null, { age: 36 })).length, MANY)
    assertIs((await service.find({ query: { age: 36 } })).length, MANY)
    assertIs((await service.remove(null, { query: { age: 36 } })).length, MANY)
    await assertStored(service)
  }
})
