import Fastify from 'fastify'
import { createMessageMap } from '../messages.mjs'
import { createVerifier } from '../verify.mjs'

/** Fastify 5 with a hook that verifies a token and looks its user up. */
export async function createServer() {
  const app = Fastify()
  const messages = createMessageMap()
  const findUser = createVerifier()

  async function authenticate(request, reply) {
    request.user = findUser(request)

    if (!request.user) return reply.code(401).send({ message: 'Not authenticated' })
  }

  async function sendMessage({ params }, reply) {
    const message = messages.get(params.id)

    return message ?? reply.code(404).send({ message: `No message with id '${params.id}'` })
  }

  app.decorateRequest('user', undefined)
  app.get('/open/:id', sendMessage)
  app.get('/messages/:id', { preHandler: authenticate }, sendMessage)

  await app.listen({ port: 0 })

  return app.server
}
