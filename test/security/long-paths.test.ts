import { createServer } from 'node:http'
import { expect, it } from 'vitest'
import { alula } from '../../src/index.ts'
import { memory } from '../../src/memory.ts'
import { toListener } from '../../src/node.ts'
import { schema } from '../../src/schema.ts'
import { listen } from '../support/server.ts'

// The name of a field in a query is looked for in the schema. A path through a type that holds itself took twice as long for
// each name, or overflowed the stack.

const note = { $ref: '#' }

const Note = {
  type: 'object',
  properties: {
    id: { type: 'integer' },
    text: { type: 'string' },
    parent: { anyOf: [note, { type: 'null' }] },
    reply: { anyOf: [note, { type: 'array', items: note }] }
  }
}

async function open(): Promise<string> {
  const app = alula()

  app.use('notes', memory({ store: [{ id: 1, text: 'a' }] }), { schema: schema(Note, { unknown: 'drop' }) })
  await app.setup()

  return `${await listen(createServer(toListener(app, { logger: false })))}/notes`
}

it('a path through a type that holds itself, and a list of itself, is searched once', async () => {
  const url = await open()

  for (const [path, status] of [
    [`${'reply.'.repeat(24)}nope`, 200],
    [`${'reply.'.repeat(24)}text`, 400],
    [`${'parent.reply.'.repeat(20)}nope`, 200]
  ] as const) {
    expect((await fetch(`${url}?${path}=1`)).status, path).toBe(status)
  }
})

it.each([50, 51, 14_000])('a path of %i names is no error of the server', async (names) => {
  const url = await open()
  const response = await fetch(url, {
    method: 'QUERY',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ [`${'parent.'.repeat(names - 1)}nope`]: 1 })
  })

  expect(response.status).toBe(names === 50 ? 200 : 400)
  expect(await response.json()).toMatchObject(names === 50 ? [{ id: 1 }] : { name: 'BadRequest' })
})
