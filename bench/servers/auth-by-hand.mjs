import express from 'express'
import jsonwebtoken from 'jsonwebtoken'
import { createUsers, JWT_OPTIONS, SECRET } from '../accounts.mjs'
import { createMessages } from '../messages.mjs'

/**
 * Express 5 with middleware that verifies a token and looks its user up.
 *
 * @param secret What `jsonwebtoken` gets: the text, which it reads as a key for every token, or a key
 */
export async function createServer(secret = SECRET) {
  const app = express()
  const messages = createMessages()
  const users = createUsers()
  const { algorithm, audience, issuer } = JWT_OPTIONS

  function authenticate(request, response, next) {
    const [, token] = /^Bearer ([\w.-]+)$/i.exec(request.headers.authorization ?? '') ?? []

    try {
      const { sub } = jsonwebtoken.verify(token, secret, { algorithms: [algorithm], audience, issuer })

      request.user = users.get(sub)
    } catch {
      // Answered below.
    }

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
