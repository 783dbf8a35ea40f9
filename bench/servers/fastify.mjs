import Fastify from 'fastify'
import { createMessageMap, findPage } from '../messages.mjs'

/** Fastify 5, which does the same without Express. */
export async function createServer({ count }) {
  const app = Fastify()
  const messages = createMessageMap(count)
  let lastId = messages.size

  app.get('/messages', async ({ query }) => findPage(messages.values(), query))

  app.get('/messages/:id', async ({ params }, reply) => {
    const message = messages.get(params.id)

    return message ?? reply.code(404).send({ message: `No message with id '${params.id}'` })
  })

  app.post('/messages', async ({ body }, reply) => {
    const message = { ...body, id: ++lastId }

    messages.set(String(message.id), message)
    reply.code(201)

    return message
  })

  app.patch('/messages/:id', async ({ params, body }, reply) => {
    const message = messages.get(params.id)

    if (!message) return reply.code(404).send({ message: `No message with id '${params.id}'` })

    const patched = { ...message, ...body, id: message.id }

    messages.set(params.id, patched)

    return patched
  })

  await app.listen({ port: 0 })

  return app.server
}
