import { assertFails, assertFound, assertIs, assertRefused, assertStored } from './assert.ts'
import { each, needs, rules } from './rule.ts'

/** What a client can put into a URL. None of it is special. */
const ODD_IDS = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
  'null',
  'undefined',
  'a/b',
  '../a',
  'a.b',
  '%2F',
  '$where',
  "' OR 1=1 --",
  ' ',
  'ü \u{1F426}',
  '[object Object]',
  '1e1'
]

/** What a client can put into a message of a socket. */
const NO_IDS: readonly [name: string, id: unknown][] = [
  ['{ $ne: null }', { $ne: null }],
  ["{ $gt: '' }", { $gt: '' }],
  ['an object', {}],
  ['an object without a prototype', Object.create(null)],
  ['an array', [1]],
  ['an empty array', []],
  ['true', true],
  ['NaN', Number.NaN],
  ['nothing', undefined]
]

export const ids = rules('ids', {
  ...each(
    ODD_IDS,
    (odd) => `the id ${JSON.stringify(odd)} is an ordinary one`,
    (odd) =>
      needs('textIds', async ({ fill, id, same }) => {
        const service = await fill([{ name: 'other' }])
        const record = { [id]: odd, name: 'Ada' }

        await assertFails(service.get(odd), 'NotFound')
        same(await service.create(record), record)
        await assertFails(service.create(record), 'Conflict')
        same(await service.get(odd), record)
        same(await service.find({ query: { [id]: odd } }), [record])
        same(await service.find({ query: { [id]: { $in: [odd] } } }), [record])
        same(await service.patch(odd, { age: 1 }), { ...record, age: 1 })
        same(await service.update(odd, { name: 'Bob' }), { ...record, name: 'Bob' })
        same(await service.remove(odd), { ...record, name: 'Bob' })
        await assertStored(service, 'other')
      })
  ),

  ...each(
    ODD_IDS,
    (odd) => `the unknown id ${JSON.stringify(odd)} is a NotFound for every method`,
    (odd) =>
      async ({ fill }) => {
        const service = await fill([{ name: 'other' }])

        await assertFails(service.get(odd), 'NotFound')
        await assertFails(service.update(odd, { name: 'Ada' }), 'NotFound')
        await assertFails(service.patch(odd, { name: 'Ada' }), 'NotFound')
        await assertFails(service.remove(odd), 'NotFound')
        await assertStored(service, 'other')
      }
  ),

  ...each(
    NO_IDS,
    ([name]) => `${name} is no id`,
    ([, value]) =>
      async ({ fill, id }) => {
        const service = await fill([{ name: 'Ada' }, { name: 'Bob' }], { multi: true })

        await assertFails(service.get(value), 'BadRequest')
        await assertFails(service.update(value, { name: 'Cyd' }), 'BadRequest')
        await assertFails(service.patch(value, { name: 'Cyd' }), 'BadRequest')
        await assertFails(service.remove(value), 'BadRequest')
        if (value !== undefined) await assertFails(service.create({ [id]: value, name: 'Cyd' }), 'BadRequest')
        await assertStored(service, 'Ada', 'Bob')
      }
  ),

  'null is an id for patch and remove only': async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }], { multi: true })

    await assertFails(service.get(null), 'BadRequest')
    await assertFails(service.update(null, { name: 'Bob' }), 'BadRequest')
    await assertStored(service, 'Ada')
  },

  'a condition on the id takes no object': async ({ fill, id }) => {
    const service = await fill([{ name: 'Ada' }])

    for (const value of [{}, [], [1], { id: 1 }]) {
      await assertRefused(service.find({ query: { [id]: value } }))
    }
  },

  'a number that no id can be is a NotFound': async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }])

    for (const number of [-1, 1.5, 1e21, Number.MAX_SAFE_INTEGER]) {
      await assertFails(service.get(number), 'NotFound')
      await assertFails(service.remove(String(number)), 'NotFound')
    }

    await assertStored(service, 'Ada')
  },

  'text that only looks like the number of an id is a NotFound': needs('numberIds', async ({ open, id }) => {
    const service = await open()

    await service.create({ [id]: 7, name: 'Ada' })

    for (const text of ['07', '7.0', ' 7', '7 ', '7a', '0x7', '7e0', '+7', '']) {
      await assertFails(service.get(text), 'NotFound')
      await assertFails(service.patch(text, { name: 'Bob' }), 'NotFound')
      await assertFails(service.remove(text), 'NotFound')
    }

    await assertStored(service, 'Ada')
  }),

  'every method finds an id that is a number by its text': needs('numberIds', async ({ open, id, same }) => {
    const service = await open()
    const record = { [id]: 7, name: 'Ada' }

    await service.create(record)
    same(await service.get('7'), record)
    same(await service.patch('7', { age: 36 }), { ...record, age: 36 })
    same(await service.update('7', { name: 'Bob' }), { ...record, name: 'Bob' })
    same(await service.remove('7'), { ...record, name: 'Bob' })
  }),

  'an id that is text stays text, also where it reads as a number': needs(
    'textIds',
    async ({ open, id, same }) => {
      const service = await open()
      const record = { [id]: '7', name: 'Ada' }

      same(await service.create(record), record)
      same(await service.get('7'), record)
      await assertFound(service, { [id]: '7' }, ['Ada'])
    }
  ),

  'ids that differ in case or in an accent are different': needs('textIds', async ({ open, id }) => {
    const service = await open()

    for (const name of ['a', 'A', 'á', 'a\u0301', 'a ']) await service.create({ [id]: name, name })
    for (const name of ['a', 'A', 'á', 'a\u0301', 'a ']) assertIs((await service.get(name)).name, name)
    await assertFound(service, { [id]: 'A' }, ['A'])
  }),

  'a query finds an id that is a number by its text': needs('numberIds', async ({ open, id }) => {
    const service = await open()

    await service.create({ [id]: 7, name: 'Ada' })
    await assertFound(service, { [id]: '7' }, ['Ada'])
    await assertFound(service, { [id]: { $in: ['7', null] } }, ['Ada'])
    await assertFound(service, { [id]: { $in: [7] } }, ['Ada'])
    for (const text of ['07', '7.0', ' 7', '7e0', '']) await assertFound(service, { [id]: text }, [])
  })
})
