import { assertFails, assertFound } from './assert.ts'
import { type Check, each, rules } from './rule.ts'

const OPTIONS = { operators: ['$contains', '$overlaps', '$not', '$nor'] }

const LISTS = [
  { name: 'letters', address: { tags: ['a', 'b'] } },
  { name: 'capitals', address: { tags: ['A', '\u00e4'] } },
  { name: 'mixed', address: { tags: [1, '7', true, null] } },
  { name: 'nested', address: { tags: [['a'], { a: 'a' }] } },
  { name: 'empty', address: { tags: [] } },
  { name: 'text', address: { tags: 'a' } },
  { name: 'object', address: { tags: { a: 'a' } } },
  { name: 'null', address: { tags: null } },
  { name: 'missing' }
]

/** What each operator finds among these. */
const MEANINGS: readonly [sentence: string, condition: object, names: readonly string[]][] = [
  ['$contains finds the lists that have the value', { $contains: 'a' }, ['letters']],
  ['$contains tells capitals apart', { $contains: 'A' }, ['capitals']],
  ['$contains tells what looks alike apart', { $contains: 'a\u0308' }, []],
  ['$contains finds a number', { $contains: 1 }, ['mixed']],
  ['$contains finds a number by its text, and never text by a number', { $contains: '1' }, ['mixed']],
  ['$contains finds no text by a number', { $contains: 7 }, []],
  ['$contains finds true by its text', { $contains: 'true' }, ['mixed']],
  ['$contains of null finds the lists that have null', { $contains: null }, ['mixed']],
  [
    '$overlaps finds the lists that have one of the values',
    { $overlaps: ['b', 'A', 'x'] },
    ['letters', 'capitals']
  ],
  ['$overlaps of nothing finds nothing', { $overlaps: [] }, []],
  ['$contains and $overlaps together find what both do', { $contains: 'a', $overlaps: ['b'] }, ['letters']],
  [
    '$not of $contains finds all others, what is no list too',
    { $not: { $contains: 'a' } },
    LISTS.map(({ name }) => name).filter((name) => name !== 'letters')
  ]
]

/** The rules about `$contains` and `$overlaps`. The lists are in an object, so that a table needs no further column. */
export const lists = rules(
  'lists',
  {
    ...each(
      MEANINGS,
      ([sentence]) => sentence,
      ([, condition, names]): Check =>
        async ({ fill }) =>
          await assertFound(await fill(LISTS, OPTIONS), { 'address.tags': condition }, names)
    ),

    '$contains finds a value in a field that is a list itself': async ({ fill }) => {
      const service = await fill(
        [
          { name: 'list', address: ['a'] },
          { name: 'other', address: ['b'] }
        ],
        OPTIONS
      )

      await assertFound(service, { address: { $contains: 'a' } }, ['list'])
    },

    '$contains takes one value, and $overlaps a list of them': async ({ fill }) => {
      const service = await fill(LISTS, OPTIONS)

      for (const condition of [
        { $contains: ['a'] },
        { $contains: {} },
        { $overlaps: 'a' },
        { $overlaps: [{}] }
      ]) {
        await assertFails(service.find({ query: { 'address.tags': condition } }), 'BadRequest')
      }
    },

    '$contains and $overlaps are refused where `operators` does not list them': async ({ fill }) => {
      const service = await fill(LISTS)

      for (const condition of [{ $contains: 'a' }, { $overlaps: ['a'] }]) {
        await assertFails(service.find({ query: { 'address.tags': condition } }), 'BadRequest')
      }
    }
  },
  ['lists', 'negation', 'objects']
)
