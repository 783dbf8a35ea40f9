import { expect, it } from 'vitest'
import { evaluateForWrite } from '../../src/access/write-decision.ts'

/** Settles a query for a patch. */
function evaluatePatch(query: object, data: Record<string, unknown>): unknown {
  return evaluateForWrite(query, { data, sets: (name) => Object.hasOwn(data, name), makes: () => false })
}

it.each<[object, Record<string, unknown>, unknown]>([
  [{}, { a: 1 }, true],
  [{ a: 1 }, { a: 1 }, true],
  [{ a: 1 }, { a: 2 }, false],
  [{ a: 1 }, { a: '1' }, undefined],
  [{ a: '1' }, { a: '1' }, true],
  // They may be the same once they are stored.
  [{ a: { $ne: '1' } }, { a: '01' }, undefined],
  [{ a: { $ne: 'x' } }, { a: 'y' }, true],
  [{ a: { $ne: 'x' } }, { a: 'x' }, false],
  [{ a: { $gt: 'b' } }, { a: 'c' }, true],
  [{ a: { $gt: '2' } }, { a: '3' }, undefined],
  [{ a: { $gt: 1, $lt: 5 } }, { a: 5 }, false],
  [{ a: { $in: [1, 2] } }, { a: 2 }, true],
  [{ a: { $nin: [1, 2] } }, { a: 3 }, true],
  [{ a: { $not: { $in: [1] } } }, { a: 2 }, true],
  [{ a: null }, { a: null }, true],
  [{ a: { $null: true } }, { a: null }, true],
  [{ a: { $null: false } }, { a: null }, false],
  [{ a: { $null: 'true' } }, { a: 'x' }, false],
  // However a store reads them, they are something.
  [{ a: null }, { a: '2026-11-22T10:00:00Z' }, false],
  [{ a: { $ne: null } }, { a: 'abcdef01-9c0b-4ef8-bb6d-6bb9bd380a11' }, true],
  [{ a: { $nin: [null] } }, { a: '1' }, true],
  [{ a: { $nin: [null, '1'] } }, { a: '01' }, undefined],
  [{ a: { $contains: 1 } }, { a: [1] }, undefined],
  [{ a: 1 }, { a: null }, false],
  [{ a: 1 }, { a: [1] }, undefined],
  [{ a: 1 }, { a: { $ne: 2 } }, undefined],
  [{ a: { $like: 'x' } }, { a: 'x' }, undefined],
  [{ 'a.b': 1 }, { a: { b: 1 } }, true],
  [{ 'a.b': 1 }, { a: {} }, false],
  [{ 'a.b': 1 }, { 'a.b': 2 }, undefined],
  [{ a: 1 }, { $set: { a: 2 } }, undefined],
  [{ a: new Date(5) }, { a: new Date(5) }, true],
  [{ a: new Date(5) }, { a: new Date(6) }, false],
  [{ a: new Date(5) }, { a: '1970-01-01' }, undefined],
  [{ a: 1, b: 2 }, { a: 1 }, { b: 2 }],
  [{ a: 1, b: 2 }, { a: 2 }, false],
  [{ a: 1, b: 2, c: 3 }, { a: 1 }, { $and: [{ b: 2 }, { c: 3 }] }],
  [{ $or: [{ a: 1 }, { b: 2 }] }, { a: 1 }, true],
  [{ $or: [{ a: 1 }, { b: 2 }] }, { a: 2 }, { b: 2 }],
  [{ $or: [{ a: 1 }, { b: 2 }, { c: 3 }] }, { a: 2 }, { $or: [{ b: 2 }, { c: 3 }] }],
  [{ $or: [{ a: 1 }, { b: 2 }] }, { a: '1' }, undefined],
  [{ $or: [] }, {}, false],
  [{ $nor: [{ a: 1 }, { b: 2 }] }, { a: 2 }, { $nor: [{ b: 2 }] }],
  [{ $not: { a: 1 } }, { a: 1 }, false],
  [{ $not: { a: 1 } }, { a: '1' }, undefined],
  [{ $not: 5 }, { a: 1 }, undefined],
  [{ $or: { a: 1 } }, { a: 1 }, undefined],
  [{ $where: 'true' }, {}, undefined],
  [{ $and: [{ a: 1 }, { b: 2 }] }, { a: 1 }, { b: 2 }],
  [{ $and: [{ a: 1 }, { b: 2 }] }, { a: 2 }, false],
  [{ a: 1 }, { b: 1, $set: { a: 2 } }, undefined],
  [{ a: [1] }, { a: 1 }, undefined],
  [{ a: [1] }, { a: [1] }, undefined],
  [{ a: [1] }, { a: null }, undefined],
  [{ a: 1 }, { a: true }, undefined],
  [{ a: { $ne: null } }, { a: 1 }, true],
  [{ a: { $in: [1, 'x'] } }, { a: 1 }, undefined],
  // Equal strings stay equal when they are stored; others may become equal, or change their order.
  [{ a: { $in: ['1', '2'] } }, { a: '1' }, true],
  [{ a: { $gt: '3' } }, { a: '2' }, undefined],
  ...['$lt', '$lte', '$gte'].map((order): [object, Record<string, unknown>, unknown] => [
    { a: { [order]: '3' } },
    { a: '4' },
    undefined
  ]),
  [{ a: { $gte: '3' } }, { a: '2' }, undefined],
  [{ a: { $ne: 'x' } }, { a: 'true' }, undefined],
  [{ a: { $ne: 'x' } }, { a: ' 1' }, undefined],
  [{ a: { $ne: 'x' } }, { a: 'a 1' }, true],
  [{ a: { $ne: 'x' } }, { a: 'ABCDEF01-9c0b-4ef8-bb6d-6bb9bd380a11' }, undefined],
  [{ a: { $ne: 'x' } }, { a: 'the abcdef01-9c0b' }, true],
  [{ a: { $ne: 'x' } }, { a: 'a-b' }, true]
])('%j, when %j is written: %j', (query, data, expected) => {
  expect(evaluatePatch(query, data)).toEqual(expected)
})

it('knows nothing of a value that the store makes', () => {
  expect(
    evaluateForWrite({ id: { $ne: 1 } }, { data: {}, sets: () => true, makes: (name) => name === 'id' })
  ).toBe(undefined)
})
