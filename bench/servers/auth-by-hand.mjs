import express from 'express'
import { createMessageMap } from '../messages.mjs'
import { createVerifier } from '../verify.mjs'

/**
 * Express 5 with middleware that verifies a token and looks its user up.
 *
 * @param findUser Returns the user of a request
 */
export async function createServer(_options, findUser = createVerifier()) {
  const app = express()
  const messages = createMessageMap()

  function authenticate(request, response, next) {
    request.user = findUser(request)

    if (request.user) next()
    else response.status(401).json({ message: 'Not authenticated' })
  }

  function sendMessage({ params }, response) {
    const message = messages.get(params.id)

    if (message) response.json(message)
    else response.status(404).json({ message: `No message with id '${params.id}'` })
  }

  app.get('/open/:id', sendMessage)
  app.get('/messages/:id', authenticate, sendMessage)

  return app.listen(0)
}
