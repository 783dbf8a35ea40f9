import Fastify from 'fastify'
import { createMessageMap, findPage } from '../messages.mjs'

const properties = {
  room: { type: 'string', minLength: 1 },
  text: { type: 'string', minLength: 1, maxLength: 1000 },
  likes: { type: 'integer', minimum: 0 },
  createdAt: { type: 'string', format: 'date-time' }
}
const body = {
  type: 'object',
  required: Object.keys(properties),
  additionalProperties: false,
  properties
}
const querystring = {
  type: 'object',
  additionalProperties: false,
  properties: {
    'room[$ne]': { type: 'string' },
    'createdAt[$gt]': { type: 'string', format: 'date-time' },
    '$sort[likes]': { enum: ['1', '-1'] },
    $limit: { type: 'integer', minimum: 0 }
  }
}

/** Fastify 5 with its JSON Schema for what comes in. */
export async function createServer({ count }) {
  const app = Fastify()
  const messages = createMessageMap(count)
  let lastId = messages.size

  app.get('/messages', { schema: { querystring } }, async ({ query }) => findPage(messages.values(), query))

  app.post('/messages', { schema: { body } }, async (request, reply) => {
    const message = { ...request.body, id: ++lastId }

    messages.set(String(message.id), message)
    reply.code(201)

    return message
  })

  app.delete('/messages/:id', async ({ params }) => {
    const message = messages.get(params.id)

    messages.delete(params.id)

    return message
  })

  await app.listen({ port: 0 })

  return app.server
}
