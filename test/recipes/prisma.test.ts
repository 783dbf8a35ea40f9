import { expect, it } from 'vitest'
import { readBlocks, readPage, toModule } from '../support/page.ts'
import { runToEnd } from '../support/program.ts'

const [adapter] = readBlocks(await readPage('recipes/20-prisma'), 'js') as [string]

const CALLS = `
import { parseQuery } from 'alula/query'

const fields = { id: 'number', text: 'string?', done: 'boolean', due: 'date' }

for (const query of [
  { id: '7', done: { $ne: 'true' }, text: null },
  { $or: [{ id: { $in: [1, '2'] } }, { due: { $gte: '2026-01-01T00:00:00Z' } }] },
  { id: { $nin: [null, 3] }, text: { $lt: null } },
  { colour: 'red' },
  { 'constructor.name': 'x' },
  { id: 'seven' },
  { text: { $gt: 5 } }
]) {
  try {
    console.log(JSON.stringify(toWhere(parseQuery(query).where, fields)))
  } catch ({ code, message }) {
    console.log(code, message)
  }
}`

it('the queries of the recipe for Prisma are converted, and others refused', async () => {
  expect(await runToEnd(toModule(adapter, CALLS))).toEqual([
    '{"AND":[{"id":{"equals":7}},{"OR":[{"OR":[]},{"NOT":{"done":{"equals":true}}}]},{"text":null}]}',
    '{"OR":[{"OR":[{"id":{"equals":1}},{"id":{"equals":2}}]},{"due":{"gte":"2026-01-01T00:00:00.000Z"}}]}',
    '{"AND":[{"AND":[{"NOT":{"OR":[]}},{"OR":[{"OR":[]},{"NOT":{"id":{"equals":3}}}]}]},{"OR":[]}]}',
    "400 Unknown field 'colour'",
    "400 Unknown field 'constructor.name'",
    "400 Invalid query: 'id' expects a number",
    "400 Invalid query: 'text' expects a string"
  ])
})
