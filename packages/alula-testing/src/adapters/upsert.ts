import { assertFails, assertIs, toNames } from './assert.ts'
import { type Kit, rules } from './rule.ts'
import type { TestedService } from './types.ts'

const RIVALS = 50

/** Opens a service whose records have names of their own. */
const openNamed = ({ open }: Kit) => open({ upsert: { by: ['name'] } })

/** Has something happen right before a call of a method, once: what another process may do. */
function before(service: TestedService, method: 'create' | 'patch', act: () => Promise<unknown>): void {
  const run = service[method].bind(service)

  service[method] = async (...args: [any, any]) => {
    service[method] = run
    await act()

    return await run(...args)
  }
}

export const upsert = rules(
  'upsert',
  {
    'upsert creates a record, and patches the one that has the values of the key': async (kit) => {
      const service = await openNamed(kit)
      const created = await service.upsert({ name: 'Ada', age: 36 })
      const patched = await service.upsert({ name: 'Ada', team: 'red' })

      kit.same(patched, { ...created, team: 'red' })
      kit.same(await service.find(), [{ ...created, team: 'red' }])
    },

    'upsert changes nothing of other records': async (kit) => {
      const service = await openNamed(kit)
      const other = await service.create({ name: 'Bob', age: 1 })

      await service.upsert({ name: 'Ada', age: 2 })
      await service.upsert({ name: 'Ada', age: 3 })
      kit.same(await service.get(other[kit.id]), other)
    },

    'a key of two fields is both of them': async (kit) => {
      const service = await kit.open({ upsert: { by: ['team', 'position'] } })

      for (const [team, position] of [
        ['red', 1],
        ['red', 2],
        ['blue', 1],
        ['red', 1]
      ]) {
        await service.upsert({ team, position, name: `${team} ${position}` })
      }

      assertIs(toNames(await service.find({ query: { $sort: { name: 1 } } })).join(), 'blue 1,red 1,red 2')
    },

    '$select says what upsert returns': async (kit) => {
      const service = await openNamed(kit)

      for (const age of [1, 2]) {
        const record = await service.upsert({ name: 'Ada', age }, { query: { $select: ['age'] } })

        assertIs(Object.keys(record).sort().join(), [kit.id, 'age'].sort().join())
      }
    },

    'upsert without a value of the key, or of an array, is a BadRequest that stores nothing': async (kit) => {
      const service = await openNamed(kit)

      for (const data of [
        ...[{}, { age: 1 }, { name: null }, { name: undefined }, { name: '' }, { name: { $ne: null } }],
        ...[{ name: ['Ada'] }, [], [{ name: 'Ada' }], null, undefined, 'Ada', 7]
      ]) {
        await assertFails(service.upsert(data), 'BadRequest')
      }

      assertIs((await service.find()).length, 0)
    },

    'values of the key that another record has are a Conflict for the other methods': async (kit) => {
      const service = await openNamed(kit)
      const { [kit.id]: id } = await service.create({ name: 'Ada' })

      await service.create({ name: 'Bob' })
      await assertFails(service.create({ name: 'Bob' }), 'Conflict')
      await assertFails(service.patch(id, { name: 'Bob' }), 'Conflict')
      await assertFails(service.update(id, { name: 'Bob' }), 'Conflict')
      assertIs(toNames(await service.find({ query: { $sort: { name: 1 } } })).join(), 'Ada,Bob')
    },

    'of fifty upserts of one key one creates, and all write': async (kit) => {
      const service = await openNamed(kit)
      const fields = ['age', 'position']
      const results = await Promise.all(
        Array.from({ length: RIVALS }, (_, rival) =>
          service.upsert({ name: 'Ada', [fields[rival % 2] as string]: 7 })
        )
      )
      const records = await service.find()

      assertIs(new Set(results.map((record) => String(record[kit.id]))).size, 1)
      assertIs(records.map(({ age, position }: any) => `${age} ${position}`).join(), '7 7')
    },

    'fifty upserts of ten keys make ten records': async (kit) => {
      const service = await openNamed(kit)

      await Promise.all(
        Array.from({ length: RIVALS }, (_, rival) => service.upsert({ name: `name ${rival % 10}` }))
      )
      assertIs(new Set(toNames(await service.find())).size, 10)
      assertIs((await service.find()).length, 10)
    },

    'a record that others create meanwhile is patched': async (kit) => {
      const service = await openNamed(kit)

      before(service, 'create', () => service._create({ name: 'Ada', team: 'red' }))
      await service.upsert({ name: 'Ada', age: 1 })

      const [{ age, team }, ...others] = await service.find()

      assertIs([age, team, others.length].join(), '1,red,0')
    },

    'a record that others remove meanwhile is created': async (kit) => {
      const service = await openNamed(kit)
      const { [kit.id]: id } = await service.create({ name: 'Ada', team: 'red' })

      before(service, 'patch', () => service._remove(id))
      await service.upsert({ name: 'Ada', age: 1 })

      const [{ age, team }, ...others] = await service.find()

      assertIs([age, team ?? 'none', others.length].join(), '1,none,0')
    },

    'a record to which others give other values of the key is not patched': async (kit) => {
      const service = await openNamed(kit)
      const { [kit.id]: id } = await service.create({ name: 'Ada', age: 36 })

      before(service, 'patch', () => service._patch(id, { name: 'Bob' }))
      await service.upsert({ name: 'Ada', age: 1 })

      const records = await service.find({ query: { $sort: { name: 1 } } })

      assertIs(records.map(({ name, age }: any) => `${name} ${age}`).join(), 'Ada 1,Bob 36')
    },

    'a service without the option `upsert` does not have the method': async ({ open }) => {
      assertIs(typeof (await open()).upsert, 'undefined')
    }
  },
  ['upsert']
)
