import Fastify from 'fastify'
import { createMessageMap, findPage } from '../messages.mjs'
import { createVerifier } from '../verify.mjs'

/**
 * Fastify 5, which does the same without Express.
 *
 * @param findUser Returns the user of a request
 */
export async function createServer({ count }, findUser = createVerifier()) {
  const app = Fastify()
  const messages = createMessageMap(count)
  const privateMessages = createMessageMap()
  let lastId = messages.size

  app.get('/messages', async ({ query }) => findPage(messages.values(), query))

  app.get('/messages/:id', sendFrom(messages))

  app.post('/messages', async ({ body }, reply) => {
    const message = { ...body, id: ++lastId }

    messages.set(String(message.id), message)
    reply.code(201)

    return message
  })

  app.patch('/messages/:id', async ({ params, body }, reply) => {
    const message = messages.get(params.id)

    if (!message) return sendNotFound(params, reply)

    const patched = { ...message, ...body, id: message.id }

    messages.set(params.id, patched)

    return patched
  })

  app.delete('/messages/:id', async ({ params }, reply) => {
    const message = messages.get(params.id)

    return messages.delete(params.id) ? message : sendNotFound(params, reply)
  })

  app.decorateRequest('user', undefined)
  app.get('/private/:id', { preHandler: authenticate }, sendFrom(privateMessages))

  await app.listen({ port: 0 })

  return app.server

  async function authenticate(request, reply) {
    request.user = findUser(request)

    if (!request.user) return reply.code(401).send({ message: 'Not authenticated' })
  }
}

function sendFrom(messages) {
  return async ({ params }, reply) => messages.get(params.id) ?? sendNotFound(params, reply)
}

function sendNotFound({ id }, reply) {
  return reply.code(404).send({ message: `No message with id '${id}'` })
}
