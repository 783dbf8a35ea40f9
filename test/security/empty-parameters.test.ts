import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { toListener } from '../../src/node.ts'
import { listen } from '../support/server.ts'
import { call, connect, open } from '../support/socketio.ts'

// Each empty list is a condition, which is compared with every record, or a name, which is looked for among all fields. A
// query string cannot have one.

const conditions = Array.from({ length: 1001 }, () => ({ id: { $nin: [] } }))

const queries: readonly [string, object][] = [
  ['conditions', { $and: [0, 400, 800].map((begin) => ({ $and: conditions.slice(begin, begin + 400) })) }],
  ['choices', { $or: [0, 400, 800].map((begin) => ({ $or: conditions.slice(begin, begin + 400) })) }],
  ['names with lists', Object.fromEntries(conditions.map((_, index) => [`n${index}`, []]))],
  ['names with objects', Object.fromEntries(conditions.map((_, index) => [`n${index}`, {}]))],
  ['names to sort by', { $sort: Object.fromEntries(conditions.map((_, index) => [`n${index}`, []])) }]
]

const refusal = { name: 'BadRequest', message: 'Invalid query: expected at most 1000 parameters' }

it.each(queries)('a query has at most 1000 empty %s', async (_title, query) => {
  const { url: socketUrl } = await open((app) => app.use('records', memory()))
  const socket = await connect(socketUrl, { reconnection: false })
  const app = alula()

  app.use('records', memory())
  await app.setup()

  const url = await listen(createServer(toListener(app, { logger: false })))
  const response = await fetch(`${url}/records`, {
    method: 'QUERY',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(query)
  })

  expect(await response.json()).toMatchObject(refusal)
  await expect(call(socket, 'find', 'records', query)).rejects.toMatchObject(refusal)
})
