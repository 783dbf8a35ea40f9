// A client could block the server with one query: each number in a path that names no hidden field doubled the ways through a
// schema that holds itself.
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { schema } from '../../src/schema.ts'

const Node = {
  type: 'object',
  properties: { id: { type: 'integer' }, pin: { type: 'string' } },
  additionalProperties: { anyOf: [{ $ref: '#' }, { type: 'array', items: { $ref: '#' } }] }
}

it('a path of many numbers is refused at once where something is hidden', async () => {
  const app = alula()
  const path = `x${'.0'.repeat(200)}`
  const query = { type: 'object', additionalProperties: true }

  app.use('nodes', memory(), {
    schema: schema({ record: Node, create: Node, patch: Node, update: Node, query, hidden: ['pin'] } as any)
  })

  const start = performance.now()

  await expect(
    app.service('nodes').find({ provider: 'rest', query: { [path]: 'x' } } as any)
  ).rejects.toThrow('is not a field that can be queried')
  expect(performance.now() - start).toBeLessThan(2000)
})
