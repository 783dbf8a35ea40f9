import { assertFound } from './assert.ts'
import { toFullRecord } from './fields.ts'
import { type Check, each, needs, rules } from './rule.ts'

export const values = rules('values', {
  ...each(
    ['create', 'update', 'patch'] as const,
    (method) => `${method} keeps a value of every kind`,
    (method): Check =>
      async ({ open, id, features, same }) => {
        const service = await open()
        const data = toFullRecord(features)
        const { [id]: key } = await service.create(method === 'create' ? data : { name: 'Ada', team: 'red' })
        const expected = { [id]: key, ...data }

        if (method !== 'create') same(await service[method](key, data), expected)
        same(await service.get(key), expected)
      }
  ),

  'text is equal when every character is': async ({ fill }) => {
    const names = ['a', 'A', 'a ', ' a', 'á', 'a\u0301', '', '10', '9', '\u{1F426}']
    const service = await fill(names.map((name) => ({ name })))

    for (const name of names) {
      await assertFound(service, { name }, [name])
      await assertFound(service, { name: { $in: [name, 'other'] } }, [name])
      await assertFound(
        service,
        { name: { $ne: name } },
        names.filter((other) => other !== name)
      )
    }
  },

  'text is compared by the codes of its characters, digits too': async ({ fill }) => {
    const service = await fill(['10', '9', 'B', 'a', 'é'].map((name) => ({ name })))

    await assertFound(service, { name: { $lt: '9' } }, ['10'])
    await assertFound(service, { name: { $lte: 'B' } }, ['10', '9', 'B'])
    await assertFound(service, { name: { $gt: 'Z' } }, ['a', 'é'])
    await assertFound(service, { name: { $gte: 'a' } }, ['a', 'é'])
  },

  'the empty text is a value, and not null': async ({ fill }) => {
    const service = await fill([
      { name: 'empty', team: '' },
      { name: 'null', team: null }
    ])

    await assertFound(service, { team: '' }, ['empty'])
    await assertFound(service, { team: null }, ['null'])
    await assertFound(service, { team: { $ne: null } }, ['empty'])
    await assertFound(service, { team: { $lt: 'a' } }, ['empty'])
  },

  'large numbers and fractions are compared exactly': async ({ fill }) => {
    const service = await fill([
      { name: 'largest', age: Number.MAX_SAFE_INTEGER },
      { name: 'next', age: Number.MAX_SAFE_INTEGER - 1 },
      { name: 'fraction', age: 0.1 }
    ])

    await assertFound(service, { age: Number.MAX_SAFE_INTEGER }, ['largest'])
    await assertFound(service, { age: { $lt: Number.MAX_SAFE_INTEGER, $gt: 1 } }, ['next'])
    await assertFound(service, { age: 0.1 }, ['fraction'])
    await assertFound(service, { age: { $lt: 0.1 } }, [])
  },

  'true and false are values, and not null': needs('booleans', async ({ fill }) => {
    const service = await fill([
      { name: 'yes', active: true },
      { name: 'no', active: false },
      { name: 'null', active: null }
    ])

    await assertFound(service, { active: true }, ['yes'])
    await assertFound(service, { active: false }, ['no'])
    await assertFound(service, { active: { $ne: true } }, ['no', 'null'])
    await assertFound(service, { active: { $in: [false, null] } }, ['no', 'null'])
    await assertFound(service, { active: { $gt: false } }, ['yes'])
    await assertFound(service, { active: { $lte: true } }, ['yes', 'no'])
  }),

  'dates are compared by their time': needs('dates', async ({ fill }) => {
    const service = await fill([
      { name: 'early', joined: new Date('1969-09-01T00:00:00.001Z') },
      { name: 'late', joined: new Date('2024-10-01') },
      { name: 'never', joined: null }
    ])
    const early = new Date('1969-09-01T00:00:00.001Z')

    await assertFound(service, { joined: early }, ['early'])
    await assertFound(service, { joined: { $eq: early } }, ['early'])
    await assertFound(service, { joined: { $ne: early } }, ['late', 'never'])
    await assertFound(service, { joined: { $in: [early, null] } }, ['early', 'never'])
    await assertFound(service, { joined: { $nin: [early] } }, ['late', 'never'])
    await assertFound(service, { joined: { $gt: early } }, ['late'])
    await assertFound(service, { joined: { $lte: early } }, ['early'])
    await assertFound(service, { joined: { $lt: new Date('2024-10-01') } }, ['early'])
  }),

  'a string that is exactly how a number is written finds the number': async ({ fill }) => {
    const service = await fill([
      { name: 'seven', age: 7 },
      { name: 'minus', age: -0.5 },
      { name: 'thousand', age: 1000 },
      { name: 'null', age: null }
    ])

    await assertFound(service, { age: '7' }, ['seven'])
    await assertFound(service, { age: { $eq: '-0.5' } }, ['minus'])
    await assertFound(service, { age: { $ne: '7' } }, ['minus', 'thousand', 'null'])
    await assertFound(service, { age: { $in: ['7', '1000'] } }, ['seven', 'thousand'])
    await assertFound(service, { age: { $nin: ['7', '1000'] } }, ['minus', 'null'])
    await assertFound(service, { age: { $gt: '0' } }, ['seven', 'thousand'])
    await assertFound(service, { age: { $gte: '-0.5', $lt: '1000' } }, ['seven', 'minus'])
    for (const text of ['07', '7.0', '+7', ' 7', '7 ', '1e3', '0x7', '7n', '', 'seven']) {
      await assertFound(service, { age: text }, [])
      await assertFound(service, { age: { $lte: text } }, [])
      await assertFound(service, { age: { $gte: text } }, [])
    }
  },

  'a string that is exactly how a boolean is written finds the boolean': needs(
    'booleans',
    async ({ fill }) => {
      const service = await fill([
        { name: 'yes', active: true },
        { name: 'no', active: false },
        { name: 'null', active: null }
      ])

      await assertFound(service, { active: 'true' }, ['yes'])
      await assertFound(service, { active: { $ne: 'true' } }, ['no', 'null'])
      await assertFound(service, { active: { $in: ['false'] } }, ['no'])
      await assertFound(service, { active: { $gt: 'false' } }, ['yes'])
      for (const text of ['1', '0', 'TRUE', 'True', ' true', 'yes', '']) {
        await assertFound(service, { active: text }, [])
        await assertFound(service, { active: { $lte: text } }, [])
      }
    }
  ),

  'a string that is exactly how a date is written finds the date': needs('dates', async ({ fill }) => {
    const service = await fill([
      { name: 'day', joined: new Date('2026-11-22T00:00:00Z') },
      { name: 'noon', joined: new Date('2026-11-22T12:00:00.500Z') },
      { name: 'null', joined: null }
    ])

    await assertFound(service, { joined: '2026-11-22' }, ['day'])
    await assertFound(service, { joined: '2026-11-22T12:00:00.500Z' }, ['noon'])
    await assertFound(service, { joined: '2026-11-22T01:00+01:00' }, ['day'])
    await assertFound(service, { joined: { $ne: '2026-11-22' } }, ['noon', 'null'])
    await assertFound(service, { joined: { $in: ['2026-11-22', 'never'] } }, ['day'])
    await assertFound(service, { joined: { $gt: '2026-11-22' } }, ['noon'])
    await assertFound(service, { joined: { $lt: '2026-11-22T12:00Z' } }, ['day'])
    // Neither a day without a time zone that has a time, nor one that no month has.
    for (const text of ['2026-11-22T00:00:00', '2026-11-22 00:00Z', '22.11.2026', '2026-02-30', '0', '']) {
      await assertFound(service, { joined: text }, [])
      await assertFound(service, { joined: { $gte: text } }, [])
    }
  }),

  'a number, a boolean or a date never finds a string': async ({ fill, features }) => {
    const service = await fill([
      { name: 'a', team: '7' },
      { name: 'b', team: 'true' },
      { name: 'c', team: '1970-01-01T00:00:00.000Z' }
    ])
    const values = [7, ...(features.booleans ? [true] : []), ...(features.dates ? [new Date(0)] : [])]

    for (const value of values) {
      await assertFound(service, { team: value }, [])
      await assertFound(service, { team: { $gte: value } }, [])
    }
    await assertFound(service, { team: '7' }, ['a'])
    await assertFound(service, { team: 'true' }, ['b'])
  },

  'a string finds both in a field of several types': needs('mixedTypes', async ({ fill, features }) => {
    const service = await fill([
      { name: 'number', team: 1 },
      { name: 'text', team: '1' },
      { name: 'zero', team: 0 },
      { name: 'empty', team: '' },
      ...(features.booleans ? [{ name: 'boolean', team: true }] : [])
    ])

    await assertFound(service, { team: 1 }, ['number'])
    await assertFound(service, { team: '1' }, ['number', 'text'])
    await assertFound(service, { team: { $in: ['1', 'x'] } }, ['number', 'text'])
    await assertFound(service, { team: { $in: [0] } }, ['zero'])
    await assertFound(service, { team: { $in: [''] } }, ['empty'])
    await assertFound(service, { team: { $gte: '1' } }, ['number', 'text'])
    if (features.booleans) {
      await assertFound(service, { team: true }, ['boolean'])
      await assertFound(service, { team: 'true' }, ['boolean'])
    }
  }),

  'no value is less or greater than one of another type': needs('mixedTypes', async ({ fill, features }) => {
    const service = await fill([
      { name: 'number', team: 5 },
      { name: 'text', team: '5' },
      ...(features.booleans ? [{ name: 'boolean', team: true }] : []),
      ...(features.dates ? [{ name: 'date', team: new Date(5) }] : [])
    ])

    await assertFound(service, { team: { $gt: 0 } }, ['number'])
    await assertFound(service, { team: { $lt: 9 } }, ['number'])
    await assertFound(service, { team: { $gte: '' } }, ['text'])
    await assertFound(service, { team: { $lte: 'x' } }, ['text'])
    if (features.booleans) await assertFound(service, { team: { $gte: false } }, ['boolean'])
    if (features.dates) await assertFound(service, { team: { $lt: new Date(9) } }, ['date'])
  }),

  'a string in a dotted name finds a number': needs('objects', async ({ fill }) => {
    const service = await fill([
      { name: 'Ada', address: { city: '7', zip: 7 } },
      { name: 'Bob', address: { city: '8', zip: null } }
    ])

    await assertFound(service, { 'address.zip': '7' }, ['Ada'])
    await assertFound(service, { 'address.zip': { $gt: '6' } }, ['Ada'])
    await assertFound(service, { 'address.city': '7' }, ['Ada'])
    await assertFound(service, { 'address.city': { $in: ['8'] } }, ['Bob'])
    await assertFound(service, { 'address.zip': '07' }, [])
  }),

  'an object or an array equals no value, and is not null': needs('objects', async ({ fill }) => {
    const service = await fill([
      { name: 'object', address: { city: 'Rome' } },
      { name: 'array', tags: ['Rome'] }
    ])

    await assertFound(service, { address: null }, ['array'])
    await assertFound(service, { address: { $ne: null } }, ['object'])
    await assertFound(service, { tags: null }, ['object'])
    await assertFound(service, { address: { $in: ['Rome', '[object Object]'] } }, [])
    await assertFound(service, { tags: 'Rome' }, [])
  }),

  'a dotted name leads to a field of an object': needs('objects', async ({ fill }) => {
    const service = await fill([
      { name: 'Ada', address: { city: 'Rome', zip: 7 } },
      { name: 'Bob', address: { city: 'Oslo', zip: null } },
      { name: 'Cyd', address: {} },
      { name: 'Dan', address: null },
      { name: 'Eve' }
    ])

    await assertFound(service, { 'address.city': 'Rome' }, ['Ada'])
    await assertFound(service, { 'address.city': { $lt: 'P' } }, ['Bob'])
    await assertFound(service, { 'address.zip': 7, 'address.city': 'Rome' }, ['Ada'])
    await assertFound(service, { 'address.zip': { $gt: 0 } }, ['Ada'])
    await assertFound(service, { $or: [{ 'address.zip': 7 }, { 'address.city': 'Oslo' }] }, ['Ada', 'Bob'])
  }),

  'a dotted name that leads nowhere is missing': needs('objects', async ({ fill }) => {
    const service = await fill([
      { name: 'Ada', address: { city: 'Rome' } },
      { name: 'Bob', address: { city: null } },
      { name: 'Cyd', address: {} },
      { name: 'Dan', address: null },
      { name: 'Eve' }
    ])

    await assertFound(service, { 'address.city': null }, ['Bob', 'Cyd', 'Dan', 'Eve'])
    await assertFound(service, { 'address.city': { $ne: null } }, ['Ada'])
    await assertFound(service, { 'address.city': { $nin: ['Rome'] } }, ['Bob', 'Cyd', 'Dan', 'Eve'])
    await assertFound(service, { 'address.city.street': 'Rome' }, [])
    await assertFound(service, { 'address.city.street': null }, ['Ada', 'Bob', 'Cyd', 'Dan', 'Eve'])
  }),

  'only what a record holds itself is a field': needs('mixedTypes', async ({ fill }) => {
    const service = await fill([{ name: 'Ada' }])

    for (const field of ['constructor', 'toString', 'constructor.name', 'name.length', '__proto__.name']) {
      await assertFound(service, { [field]: { $ne: null } }, [])
      await assertFound(service, { [field]: null }, ['Ada'])
    }
  })
})
